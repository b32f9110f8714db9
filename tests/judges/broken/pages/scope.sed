# A head for nobody knows what.
# says: says what each table is
s	<th scope="row">	<th>
