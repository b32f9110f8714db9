# A script.
# says: only elements that show text
s	<main>	<main><script>alert(1)</script>
