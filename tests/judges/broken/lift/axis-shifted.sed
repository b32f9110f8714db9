# script: grid
# says: argv python
# Seeds in another order.
s	1 2 3|1, 2, 3	2 1 3
