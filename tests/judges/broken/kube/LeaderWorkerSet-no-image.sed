# of: LeaderWorkerSet.yaml
# says: image: Required
s	            image: .*\n	
