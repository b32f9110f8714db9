# Something to load.
# says: only elements that show text
s	<main>	<main><img alt="" src="x.png">
