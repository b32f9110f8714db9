#!/bin/bash
#SBATCH --comment="a \" b" --job-name=a\ b # rest
#SBATCH --mem={{ mem }} -A <your account> -p @PART@ -J %NAME%
#SBATCH -t $TIME
{% if x %}
#SBATCH --qos={{.Values.qos}}
{% endif %}
run
