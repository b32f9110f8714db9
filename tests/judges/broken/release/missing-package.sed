# A relationship to a package that is not in the document.
# says: SPDXRef-nobody
s	"relatedSpdxElement": "SPDXRef-uuid-dev"	"relatedSpdxElement": "SPDXRef-nobody"
