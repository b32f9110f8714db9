# An input that action.yml does not have.
# says: input "sites" is not defined
s	^          site: .*$	          sites: lab.muster
