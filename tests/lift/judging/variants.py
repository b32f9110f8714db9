"""Variants of the faults that a lift can make of a job script: one function a class, which writes one variant from a seeded draw."""
import dataclasses

PROGRAMS = ("python w.py", "./solve", "python -u -m pkg.train")
HOME = "/home/judge"  # where a job of PBS begins
WORDS = ("7", "run a", "x.yaml", "/data/in put", "it's")


@dataclasses.dataclass
class Variant:
    text: str                 # what runs as the original
    given: tuple = ()         # its arguments
    source: str = ""          # the text that is imported, where it is another: of another batch system
    ending: str = "sbatch"    # of its file
    then: str = ""            # a second script that is imported into the same folder
    pods: bool = False        # the pods are judged, too
    elsewhere: bool = False   # launchers of other systems start processes for the original
    asks: tuple = ()          # resources that the pods must ask for: cpu, memory, time
    never: str = ""           # what no file that the import writes may hold


def head(draw, nodes, tasks, *more, gpus=True):
    lines = [f"#SBATCH {draw.choice((f'-N {nodes}', f'--nodes={nodes}'))}", f"#SBATCH --ntasks-per-node={tasks}"]
    lines += [f"#SBATCH {draw.choice((f'--gres=gpu:{tasks}', f'--gpus-per-node={tasks}'))}"] if gpus else []
    return "\n".join(["#!/bin/bash", *lines, *filter(None, more)]) + "\n"


def size(draw, least=2):
    """(nodes, tasks on each), so many tasks at least."""
    return draw.choice([pair for pair in ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1)) if pair[0] * pair[1] >= least])


def step(draw, words, many=True):
    """A line that starts the program on all tasks."""
    launch = draw.choice(("srun", "srun", "srun --kill-on-bad-exit=1", "mpirun")) if many else "srun"
    return f"{launch} {draw.choice(PROGRAMS)} {words}"


# ---- names that a moved text reads ---------------------------------------------------------------

ONCE = ("rm -rf {0}/*", "rm -rf {0}/old {0}/*.tmp", "mkdir -p {0}", "cp base.yaml {0}/", "find {0} -name '*.tmp' -delete", "rsync -a --delete start/ {0}/",
        "mv {0}/last.pt {0}/first.pt", "touch {0}/begun", "tar xf in.tar -C {0}", "echo {0} > list.txt", "cd {0} && rm -f *.log; cd -", "pip install -t {0} -r need.txt")


def arguments_in_setup(draw):
    """A statement of the batch shell before a step reads what the job was given."""
    given = draw.sample(WORDS, draw.choice((1, 1, 2, 3)))
    place = draw.randrange(len(given)) + 1
    direct = draw.random() < 0.4
    read = draw.choice((f"${place}", f'"${place}"', f"${{{place}}}", f'"${{{place}}}"', f"${{{place}:-none}}", f"${{{place}%/}}"))
    if direct:
        lines, name = [], draw.choice((f"${place}", f'"${place}"', f"${{{place}}}"))
    else:
        variable = draw.choice(("out", "RUN_DIR", "d"))
        lines = [draw.choice((f"{variable}={read}", f"export {variable}={read}", f"{variable}=runs/{read}", f"declare {variable}={read}"))]
        name = draw.choice((f"${variable}", f'"${variable}"', f"${{{variable}}}"))
    lines += [line.format(name) for line in draw.sample(ONCE, draw.choice((1, 1, 2)))]
    last = draw.choice((f"--out {name}", name, '--all "$@"', "--fixed"))
    return Variant(head(draw, *size(draw)) + "\n".join([*lines, step(draw, last)]) + "\n", tuple(given))


def options_of_variable(draw):
    """The options of a launcher come out of a variable, some of them alike."""
    nodes, tasks = size(draw)
    program = draw.choices(("mpirun", "mpiexec", "torchrun"), (5, 3, 1))[0]
    mpi = ("--tag-output", "--bind-to socket", "-x A=1", "-x B=2", "--mca btl tcp,self", "--mca pml ob1", "--report-bindings", "--map-by core")
    torch = (f"--nproc_per_node={tasks}", "--max_restarts 3", "--rdzv_backend c10d", "--tee 3", "--log_dir logs", "--master_port 29511")
    words = draw.sample(torch if program == "torchrun" else mpi, draw.randint(3, 5))
    if program == "torchrun":
        nodes = 1
        words = [torch[0], *(word for word in words if word != torch[0])]
    text = " ".join(words)
    how = draw.choices(range(6), (4, 4, 1, 2, 2, 1))[0]  # mostly in one text
    cut = draw.randrange(1, len(words))
    lines, used = {0: ([f'F="{text}"'], "$F"), 1: ([f"F='{text}'"], "${F}"), 2: ([f"F=({text})"], '"${F[@]}"'),
                   3: ([f'A="{" ".join(words[:cut])}"', f'B="{" ".join(words[cut:])}"'], "$A $B"),
                   4: ([f'F="{" ".join(words[:cut])}"', f'F="$F {" ".join(words[cut:])}"'], "$F"),
                   5: ([f'export F="{" ".join(words[:cut])}"'], "$F " + " ".join(words[cut:]))}[how]
    count = f"-np {nodes * tasks} " if program != "torchrun" and draw.random() < 0.5 else ""
    tail = "train.py --lr 1" if program == "torchrun" else "./prog --in a"
    each = tasks if program != "torchrun" else 1
    return Variant(head(draw, nodes, each, f"#SBATCH --gpus-per-node={tasks}" if program == "torchrun" else "", gpus=program != "torchrun") + "\n".join([*lines, f"{program} {count}{used} {tail}"]) + "\n")


ARITHMETIC = ("r=$(({0}+1))", "r=$((${0}+1))", "r=$(( {0} * 2 ))", "let r={0}+1", "let 'r = {0} * 2'", "((r={0}+1))", "(( r = {0} << 1 ))", "r=$[{0}+1]", "declare -i r={0}+1",
              "r=$(expr ${0} + 1)", "a=(u v w x y z); r=${{a[{0}]}}", "s=abcdefgh; r=${{s:{0}:1}}", "printf -v r %02d $(({0}+1))", "r=$((10#${0}+1))", "r=0; if (({0}==0)); then r=5; fi",
              "r=0; [[ {0} -eq 0 ]] && r=5", "r=0; for ((i=0;i<={0};i++)); do r=$((r+1)); done", "r=$(( {0} == 0 ? 3 : 4 ))", "r=$((SLURM_NNODES*2+{0}))", "typeset -i r; r={0}*3")


def rank_arithmetic(draw):
    """The batch shell computes with its own rank; the step's tasks get the one number."""
    nodes, tasks = size(draw)
    rank = draw.choice(("SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"))
    lines = [draw.choice(ARITHMETIC).format(rank)]
    used = draw.choice(("--rank $r", '--rank "$r"', "--out=run_$r", "r$r"))
    if draw.random() < 0.3:
        lines.append("export SEED=$r")
    return Variant(head(draw, nodes, tasks) + "\n".join([*lines, step(draw, used, many=False)]) + "\n")


def gpus_per_task(draw):
    """How many tasks there are follows from the GPUs."""
    nodes, of, count = draw.choice((1, 2, 3, 4)), draw.choice((1, 2)), draw.choice((1, 2, 3, 4))
    each = of * count
    lines = [draw.choice((f"--gpus-per-node={each}", f"--gres=gpu:{each}")), f"--gpus-per-task={of}", f"-N {nodes}"]
    if draw.random() < 0.3:
        lines.append(draw.choice((f"-n {nodes * count}", f"--ntasks-per-node={count}", "--cpus-per-task=2")))
    draw.shuffle(lines)
    text = "#!/bin/bash\n" + "".join(f"#SBATCH {line}\n" for line in lines) + draw.choice(("srun", "srun -l", "srun --kill-on-bad-exit", "mpirun")) + f" {draw.choice(PROGRAMS)} --seed {draw.randint(1, 9)}\n"
    return Variant(text)


def raw_resource(draw):
    """A resource that only Slurm can be asked for in this way, compiled for pods."""
    nodes, tasks = size(draw)
    total = nodes * tasks * draw.choice((1, 2))
    what, asks = draw.choice(((f"--gpus={total}", ()), (f"-G {total}", ()), (f"--gpus-per-socket=1 --sockets-per-node={tasks}", ()), (f"--gpus-per-task={draw.choice((1, 2))}", ()),
                              (f"--gres=gpu:{tasks} --mem-per-gpu=4G", ("memory",)), (f"--gres=gpu:{tasks} --cpus-per-gpu=3", ("cpu",)), ("--mem-per-cpu=2G --cpus-per-task=2", ("memory", "cpu")),
                              (f"--gpus={total} --mem=8G --time=30", ("memory", "time")), (f"--gpus={total} --cpus-per-task=2", ("cpu",)), ("--cores-per-socket=4 --gres=gpu:1", ()),
                              (f"--gpus={total} --gpus-per-node={total // nodes}", ())))
    tasks_line = draw.choice((f"-n {nodes * tasks}", f"--ntasks-per-node={tasks}", f"--ntasks={nodes * tasks}"))
    return Variant(f"#!/bin/bash\n#SBATCH -N {nodes}\n#SBATCH {tasks_line}\n" + "".join(f"#SBATCH --{word.removeprefix('--')}\n" if not word.startswith("-G") else f"#SBATCH {word}\n" for word in what.split(" --"))
                   + f"srun {draw.choice(PROGRAMS)} --seed {draw.randint(1, 9)}\n", pods=True, asks=asks)


# ---- what a name or a word is ------------------------------------------------------------------

SETS_UP = ("module load cuda/12", "module load gcc openmpi/4", "source ~/.bashrc", "source /opt/conda/etc/profile.d/conda.sh\nconda activate llm", "conda activate llm", "source envs/a/bin/activate",
           "source /opt/env.sh")


SOURCES = ("source ~/.bashrc\nconda activate llm", "source /opt/env.sh", "source /opt/env.sh\nmodule load cuda/12", ". setup.sh\nsource envs/a/bin/activate")


def prelude_exports(draw):
    """Variables between the lines that set up software; on pods an image takes the place of the software only."""
    names = draw.sample((("TORCH_HOME", "/data/hub"), ("NCCL_DEBUG", "INFO"), ("HF_HOME", "/data/h f"), ("OMP_NUM_THREADS", "4"), ("WANDB_MODE", "offline"), ("MODE", "it's"), ("TOKENS", "$((2*8))")), draw.choice((1, 2, 3)))
    exports = [draw.choice(("export {0}={1}", "{0}={1}; export {0}", "declare -x {0}={1}")).format(name, value if "$" in value else '"' + value + '"') for name, value in names]
    lines = [*exports, draw.choice((*SOURCES, *SOURCES, *SETS_UP))]
    if draw.random() < 0.6:
        lines.insert(0, draw.choice(SETS_UP))
    nodes, tasks = size(draw, 1)
    run = step(draw, "--lr 1", many=False) if nodes * tasks > 1 else draw.choice(("python a.py", "srun python a.py", "for i in 1 2; do python a.py $i; done"))
    return Variant(head(draw, nodes, tasks) + "\n".join([*lines, run]) + "\n", pods=True)


def launcher_path(draw):
    """A launcher that is called by its path is that one, not the first of PATH."""
    nodes, tasks = size(draw)
    folder = draw.choice(("/opt/openmpi-4/bin", "/usr/local/mpi/bin", "$HOME/bin", "~/mpi/bin", "/sw/tools 2/bin", "/opt/conda/envs/llm/bin"))
    program = draw.choice(("mpirun", "mpiexec", "mpirun", "torchrun", "accelerate launch"))
    quoted = draw.random() < 0.4 or " " in folder
    path = f"{folder}/{program.split()[0]}"
    lines = []
    if draw.random() < 0.3 and not path.startswith("~"):
        lines.append(f'MPI="{folder}"')
        path = f"$MPI/{program.split()[0]}"
    path = f'"{path}"' if quoted and not path.startswith("~") else path
    rest = program.partition(" ")[2]
    if program in ("mpirun", "mpiexec"):
        run = f"{path} {draw.choice((f'-np {nodes * tasks}', f'-n {nodes * tasks}', ''))} ./a.out --in b"
    else:
        nodes, count = 1, "--nproc_per_node" if program == "torchrun" else "--num_processes"
        run = f"{path} {rest} {count} {tasks} train.py --lr 1"
    return Variant(head(draw, nodes, tasks) + "\n".join([*lines, run]) + "\n")


def login_profile(draw):
    """The login shell reads its profile before the script loads its software."""
    first = draw.choice(("#!/bin/bash -l", "#!/bin/bash --login", "#!/usr/bin/bash -l", "#!/bin/bash -le"))
    nodes, tasks = size(draw, 1) if draw.random() < 0.3 else (1, 1)
    lines = draw.sample(SETS_UP, draw.choice((1, 1, 2)))
    run = draw.choice(("for i in 1 2; do python a.py $i; done", "python a.py\npython b.py", "if [ -n \"$X\" ]; then python a.py; else python b.py; fi")) if nodes * tasks == 1 else step(draw, "--lr 1")
    return Variant(head(draw, nodes, tasks).replace("#!/bin/bash", first, 1) + "\n".join([*lines, run]) + "\n")


def glob_of_variable(draw):
    """A pattern in quotes that a later read without quotes expands."""
    pattern = draw.choice(("*", "?*", "[a-z]*", "*-*", "../*", "../res*/*", "/data/neigh*/*", "/home/*/keep*", "a b", " a  b ", "*.none", "~", "\\*"))
    value = draw.choice((f"'{pattern}'", f'"{pattern}"', f"$'{pattern}'"))
    name = draw.choice(("X", "FILES", "pattern"))
    assign = draw.choice((f"{name}={value}", f"export {name}={value}", f"A={value}; {name}=$A", f'A={value}; {name}="$A"'))
    used = draw.choice((f"${name}", f'"${name}"', f"--in ${name}", f'--in="${name}"', f"--in=${{{name}}}", f"${name} ${name}"))
    nodes, tasks = size(draw, 1)
    used = used if '"' not in used or draw.random() < 0.3 else f"--in ${name}"  # mostly one that a shell expands
    run = f"{draw.choice(('python w.py', 'srun python w.py'))} {used}" if nodes * tasks == 1 else f"srun python w.py {used}"
    return Variant(head(draw, nodes, tasks) + f"{assign}\n{run}\n")


def relative_folder(draw):
    """The job's folder is said from where it was submitted."""
    folder = draw.choice(("../", "..", "sub", "./sub", "sub/deep", "../results", "sub/..", ".", "./", "../results/", "a b"))
    option = draw.choice(("--chdir={0}", "-D {0}", "--chdir {0}")) if " " not in folder else '--chdir="{0}"'
    nodes, tasks = size(draw, 1)
    run = step(draw, "--in data.txt", many=False) if nodes * tasks > 1 else draw.choice(("python a.py", "cd inner 2>/dev/null; python a.py", "./run.sh"))
    return Variant(head(draw, nodes, tasks, f"#SBATCH {option.format(folder)}") + run + "\n", pods=True)


def second_import(draw):
    """Another script is imported into the same folder, with --force, before the first one is compiled."""
    def one(lines):
        nodes, tasks = size(draw, 1)
        more = draw.choice(("", f"#SBATCH -p {draw.choice(('long', 'gpu', 'short'))}", "#SBATCH --account=lab"))
        run = step(draw, "--lr 1", many=False) if nodes * tasks > 1 else "python a.py"
        return head(draw, nodes, tasks, more) + "\n".join([*lines, run]) + "\n"
    first = one(draw.sample(SETS_UP, draw.choice((1, 2))) + draw.choice(([], ["export TORCH_HOME=/data/hub"])))
    second = one(draw.choice((draw.sample(SETS_UP, 1), [], ["module load cuda/11"], ["source /opt/other.sh", "conda activate llm"])))
    return Variant(first, then=second)


# ---- other batch systems -----------------------------------------------------------------------

def torque_tasks(draw):
    """`-t` of Torque lists the numbers of tasks."""
    spec = draw.choice(("15", "3", "0-3", "1-4", "1,3,5", "2-2", "7,9-10", "15%2", "0-3%2", "1-3", "4,8", "0", "1"))
    read = draw.choice(("$PBS_ARRAYID", "${PBS_ARRAYID}", '"$PBS_ARRAYID"'))
    run = draw.choice(("python a.py --shard {0}", "./solve in.{0}.dat", "python a.py {0}\npython b.py {0}", "i={0}\npython a.py --shard $i", "for k in 1 2; do python a.py {0} $k; done"))
    lines = [f"#PBS -t {spec}", draw.choice(("#PBS -l nodes=1:ppn=2", "#PBS -l nodes=1:ppn=4:gpus=1", "#PBS -l nodes=1:ppn=1"))]
    if draw.random() < 0.5:
        lines.append("#PBS -l walltime=1:00:00")
    draw.shuffle(lines)
    source = "#!/bin/bash\n" + "\n".join(lines) + "\n" + run.format(read) + "\n"
    twin = f"#!/bin/bash\n#SBATCH --array={spec} --chdir={HOME}\n" + ("#SBATCH --gres=gpu:1\n" if "gpus=1" in source else "") + "export PBS_ARRAYID=$SLURM_ARRAY_TASK_ID\n" + run.format(read) + "\n"
    return Variant(twin, source=source, ending="pbs")


def unknown_launcher(draw):
    """A launcher of another system: it starts the tasks there, and no one does here."""
    system = draw.choice(("slurm", "lsf", "pbs", "pbs"))
    nodes, each = draw.choice((1, 2, 3)), draw.choice((2, 3, 4))
    count, program = nodes * each, draw.choice(("./a.out in", "python t.py --x 1", "./solve"))
    before = draw.choice(("", "module load cuda/12\n", "export OMP_NUM_THREADS=2\n"))
    if system == "slurm":
        return Variant(head(draw, nodes, each, gpus=False) + before + f"ibrun {draw.choice(('', f'-n {count} '))}{program}\n")
    launch = f"jsrun -n {count} -a 1 -c 1 -g 1" if system == "lsf" else draw.choice((f"aprun -n {count} -N {each}", f"aprun -n {count}", f"mpiexec_mpt -n {count}", f"mpiexec_mpt -np {count}"))
    top = f"#BSUB -nnodes {nodes}\n#BSUB -W 10\n" if system == "lsf" else f"#PBS -l select={nodes}:ncpus={each}:mpiprocs={each}\n#PBS -l walltime=1:00:00\n"
    body = before + f"{launch} {program}\n"
    twin = f"#!/bin/bash\n#SBATCH -N {nodes}\n#SBATCH --ntasks-per-node={each}\n" + (f"#SBATCH --chdir={HOME}\n" if system == "pbs" else "") + body
    return Variant(twin, source="#!/bin/bash\n" + top + body, ending="lsf" if system == "lsf" else "pbs", elsewhere=True)


SCRIPTS = {"arguments in a setup": arguments_in_setup, "options out of a variable": options_of_variable, "raw resources on pods": raw_resource, "arithmetic with a rank": rank_arithmetic,
           "GPUs for each task": gpus_per_task, "exports in a prelude": prelude_exports, "path of a launcher": launcher_path, "profile of a login shell": login_profile,
           "patterns in quotes": glob_of_variable, "relative folder": relative_folder, "second import": second_import, "tasks of Torque": torque_tasks, "unknown launcher": unknown_launcher}
