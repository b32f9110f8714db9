# A table without a caption.
# says: says what each table is
s	<caption>.*</caption>	
