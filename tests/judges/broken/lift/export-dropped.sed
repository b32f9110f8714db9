# script: hook
# says: env TOKENIZERS_PARALLELISM
# An exported variable is gone.
s	TOKENIZERS_PARALLELISM=	UNUSED_=
