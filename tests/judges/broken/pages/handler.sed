# A handler.
# says: only attributes that do nothing
s	<main>	<main onclick="x()">
