# says: property "sha" is not defined|unexpected|undefined
s	\$\{\{ github\.token \}\}	${{ githb.token }}
