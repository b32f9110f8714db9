#!/usr/bin/env python3
import subprocess
subprocess.run("sbatch", input="""#!/bin/bash
#SBATCH --no-such-option=50
""", text=True)
