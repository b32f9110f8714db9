# script: singularity
# says: image image
# Another image.
s	/images/torch\.sif	/images/torch2.sif
