no shebang
 #SBATCH -N1
#sbatch -n2
##SBATCH -n3
# SBATCH -n4
