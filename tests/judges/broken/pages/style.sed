# A style that the policy does not know.
# says: allows its style alone
s	<style>	<style>p { color: red }
