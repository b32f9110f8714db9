# A license that SPDX does not know.
# says: (?i)licen[cs]e
s	"licenseDeclared": "BSD-3-Clause"	"licenseDeclared": "BSD three clauses"
