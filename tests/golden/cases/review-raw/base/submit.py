#!/usr/bin/env python3
import subprocess
subprocess.run("sbatch", input="""#!/bin/bash
#SBATCH --no-such-option=100
""", text=True)
