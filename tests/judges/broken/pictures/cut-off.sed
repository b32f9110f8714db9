# A picture cut off below.
# says: 800 by 200 pixels
s	^<svg xmlns="([^"]*)" width="1200" height="390" viewBox="0 0 1200 390"	<svg xmlns="\1" width="1200" height="300" viewBox="0 0 1200 300"
