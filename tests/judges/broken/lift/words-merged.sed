# script: words
# says: argv python
# Two words become one.
s	\$\{FILES\}|one\.json two\.json(?=[^"]*$)	"one.json two.json"
