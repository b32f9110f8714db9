# fixture: jobset-roles
# says: parallelism
s	parallelism: 3	parallelism: 2
