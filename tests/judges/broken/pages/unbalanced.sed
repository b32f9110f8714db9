# An end without a beginning.
# says: no parse error
s	<main>	<main></b>
