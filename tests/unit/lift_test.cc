// A script as keys: its environment, its launch and its program; what stays a text, and what stands against it.
#include "tests/unit/lift_scene.h"

namespace lift_test {

using namespace muster;
using namespace muster::targets;

namespace {

using tests::Lifted;
using tests::lifted;
using tests::one_gpu;
using tests::two_nodes;

Lifted script(const std::string& directives, const std::string& body, const std::string& shebang = "#!/bin/bash\n") {
  return tests::lifted(directives, body, shebang);
}

}  // namespace

TEST_CASE("a line that only prints is dropped, and one that sets, installs or works in the background is kept") {
  for (const char* line : {"date", "echo \"$HOSTNAME\"", "nvidia-smi", "nvidia-smi dmon &"}) {
    INFO(line);
    CHECK_FALSE(tests::lifted(tests::one_gpu, line + std::string("\npython a.py\n")).has(line));
  }
  for (const char* line : {"echo $((N++))", "echo ${N:=4}", ": ${N:=4}", "date > started", "apt-get source hello",
                           "watch ./sync.sh &", "((N++))", "let N=4", "printf -v N %d 4"}) {
    INFO(line);
    CHECK(tests::lifted(tests::one_gpu, line + std::string("\npython a.py\n")).has(line));
  }
}

TEST_CASE("a program of one task becomes its command and its software") {
  const Lifted one = script(one_gpu,
                            "module purge\nmodule load gcc/12 cuda/12.4\nsource activate llm\necho start\n"
                            "export OMP_NUM_THREADS=4\ncd runs\npython train.py --lr 0.1 \"a b\"\n");
  CHECK(one.grade() == "lifted");
  CHECK(one.has("software = llm"));
  CHECK(one.has("command = [\"python\", \"train.py\", \"--lr\", \"0.1\", \"a b\"]"));
  CHECK(one.has("env { OMP_NUM_THREADS = 4 }"));
  CHECK(one.has("workdir = \"runs\""));
  CHECK(one.has("software llm { modules = [\"gcc/12\", \"cuda/12.4\"] purge = true conda = \"llm\" }"));
  CHECK_FALSE(one.has("script"));
  CHECK(one.fate("environment") == "moved");
  CHECK(one.fate("noise") == "dropped");
  CHECK(one.fate("export") == "lifted");
}

TEST_CASE("tasks that Slurm works out of GPUs are not counted") {
  CHECK(script("--nodes=1\n--gpus=4\n--gpus-per-task=1", "srun python a.py\n").grade() == "wrapped");
  CHECK(script("--nodes=1\n--ntasks=4\n--gpus=4\n--gpus-per-task=1", "srun python a.py\n").grade() == "lifted");
}

TEST_CASE("a script that keeps a copy of itself keeps another text") {
  const Lifted copy = script(one_gpu, "cp $0 out/\npython a.py\ncat \"$0\" > out/script\n");
  CHECK(copy.fate("copy of the script") == "mended");
  CHECK(script(one_gpu, "cp a.txt out/\ncat $0\npython a.py\n").fate("copy of the script").empty());
}

TEST_CASE("a word that bash leaves out where its variable has no value is named") {
  const auto fate = [](const std::string& word) {
    return script(one_gpu, "python a.py -d " + word + "\n").fate("TEMP_WORK");
  };
  CHECK(fate("$TEMP_WORK") == "mended");
  CHECK(fate("${TEMP_WORK}") == "mended");
  CHECK(fate("\"$TEMP_WORK\"").empty());
  CHECK(fate("$TEMP_WORK/a").empty());
}

TEST_CASE("a step that no GPUs are asked for sees none, which programs that look for them notice") {
  const std::string whole = "--nodes=2\n--ntasks-per-node=24\n--exclusive";
  CHECK(script(whole, "module load GROMACS\nsrun gmx_mpi mdrun -deffnm a\n").fate("gpus") == "mended");
  CHECK(script(whole, "srun ./solver a.in\n").fate("gpus") == "mended");
}

TEST_CASE("GPUs that a script names without asking for them are hidden from a step only") {
  const std::string none = "--nodes=1\n--ntasks=1", names = "export CUDA_VISIBLE_DEVICES=0,1\n";
  CHECK(script(none, names + "srun python a.py\n").fate("gpus") == "mended");
  CHECK(script(none, names + "for i in 1 2; do srun python a.py $i; done\n").fate("gpus") == "mended");
  CHECK(script(none, names + "python a.py\n").fate("gpus").empty());
  CHECK(script(none, "srun python a.py\n").fate("gpus").empty());
  CHECK(script(one_gpu, names + "srun python a.py\n").fate("gpus").empty());
}

TEST_CASE("a text that works out its own place, or lists its variables, finds others") {
  const auto place = [](const std::string& text) { return script(one_gpu, text).fate("place of the script"); };
  CHECK(place("cd \"$(dirname \"$0\")\"\nfor i in 1 2; do python a.py $i; done\n") == "mended");
  CHECK(place("D=$( cd \"$( dirname \"${BASH_SOURCE[0]}\" )\" && pwd )\npython $D/a.py | tee b\n") == "mended");
  CHECK(place("D=${0%/*}\npython $D/a.py | tee b\n") == "mended");
  CHECK(place("cd $(dirname $1)\nfor i in 1 2; do python a.py $i; done\n").empty());
  CHECK(place("echo $0\nfor i in 1 2; do python a.py $i; done\n").empty());
  const auto list = [](const std::string& text) {
    return script(one_gpu, text + "\nfor i in 1 2; do python a.py $i; done\n").fate("list of the variables");
  };
  CHECK(list("env | sort > env.txt") == "mended");
  CHECK(list("set | grep SLURM | while read line; do echo \"# $line\"; done > slurm.txt") == "mended");
  CHECK(list("env > env.txt") == "mended");
  CHECK(list("env | sort").empty());
  CHECK(list("env | sort 2>/dev/null").empty());
  CHECK(list("env | sort; python b.py > log").empty());
  CHECK(list("env; python b.py > log").empty());
  CHECK(list("env A=b python b.py > env.txt").empty());
}

TEST_CASE("a text of another shell ends with another code where a name has no value") {
  for (const char* demand : {"IN=${1:?no input}", "IN=${DATA?}", ": \"${1:?no input}\"", "cd \"${DATA:?}\" || exit"})
    for (const char* rest : {"\npython a.py\npython b.py\n", "\nfor i in 1 2; do python a.py $i; done\n"}) {
      INFO(demand << rest);
      CHECK(script(one_gpu, std::string(demand) + rest).fate("exit code") == "mended");
      CHECK(script(one_gpu, "IN=${1:-a?}" + std::string(rest)).fate("exit code").empty());
    }
}

TEST_CASE("whether a failure ends the script decides what a failing mkdir does") {
  for (const char* strict : {"set -e", "set -euo pipefail", "set -o errexit"})
    CHECK(script(one_gpu, std::string(strict) + "\nmkdir -p out\npython a.py\n").fate("setup") == "lifted");
  for (const char* loose : {"set -u", "set +e", "set +o errexit", "set -o pipefail"})
    CHECK(script(one_gpu, std::string(loose) + "\nmkdir -p out\npython a.py\n").fate("setup") == "mended");
  for (const char* flags : {"-e", "-ex", "-xe", "-x", ""}) {
    const bool strict = std::string_view(flags).find('e') != std::string_view::npos;
    const std::string shebang = std::string("#!/bin/bash ") + flags + "\n";
    INFO(shebang);
    CHECK(lifted(one_gpu, "mkdir -p out\npython a.py\n", shebang).fate("setup") == (strict ? "lifted" : "mended"));
    CHECK(lifted(one_gpu, "source ~/.bashrc\nmodule load cuda\npython a.py\n", shebang).has("<<<bash set +e") !=
          strict);
  }
}

TEST_CASE("a log of the step goes to that of the job") {
  const Lifted two = script(two_nodes, "srun --output=train.log python a.py\n");
  CHECK(two.grade() == "lifted");
  CHECK(two.fate("--output") == "mended");
  CHECK_FALSE(two.has("srun = "));
  CHECK(script(two_nodes, "srun -o %t.log python a.py\n").grade() == "wrapped");  // a file for each task
  CHECK(script(two_nodes, "srun --spread-job python a.py\n").grade() == "wrapped");
  const Lifted text = script(one_gpu, "for i in 1 2; do srun --error=e.log python a.py; done\n");
  CHECK(text.grade() == "lifted with script");
  CHECK(text.fate("--error") == "mended");
  const Lifted whole = script(one_gpu, "srun --error=e.log python a.py\nsrun --jobid=7 python b.py\n");
  CHECK(whole.grade() == "wrapped");
  CHECK(whole.fate("--error").empty());  // it stays as it is
}

TEST_CASE("a variable with the value of another one stays a text") {
  const Lifted one = script(one_gpu, "export A=/a:$A\nexport B=/b:$A\npython a.py\n");
  CHECK(one.grade() == "lifted with script");
  CHECK(one.because("`B` has the value of another variable"));
}

TEST_CASE("srun of one task needs no step") {
  const Lifted one = script(one_gpu, "srun -n 1 --unbuffered python a.py\n");
  CHECK(one.grade() == "lifted");
  CHECK(one.has("command = [\"python\", \"a.py\"]"));
  CHECK_FALSE(one.has("runner"));
}

TEST_CASE("torchrun on several nodes loses what its runner gives") {
  const Lifted two = script(two_nodes,
                            "nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )\n"
                            "head=${nodes[0]}\n"
                            "export MASTER_ADDR=$head\n"
                            "export NCCL_DEBUG=WARN\n"
                            "srun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_id $RANDOM --rdzv_backend c10d "
                            "--rdzv_endpoint $head:29500 --max_restarts 3 train.py --epochs 2\n");
  CHECK(two.grade() == "lifted");
  CHECK(two.has("launch { runner = torchrun args = [\"--max_restarts\", \"3\"] }"));
  CHECK(two.has("command = [\"train.py\", \"--epochs\", \"2\"]"));
  CHECK(two.has("env { NCCL_DEBUG = \"WARN\" }"));
  CHECK_FALSE(two.has("MASTER_ADDR"));
  CHECK(two.made.launcher == "torchrun, 2 nodes × 8");
  // What it joins must be the job: else each node would train by itself.
  const Lifted alone = script(two_nodes, "srun torchrun --nproc_per_node 8 train.py\n");
  CHECK(alone.grade() == "lifted with script");
  CHECK(alone.has("script = <<<bash torchrun --nproc_per_node 8 train.py >>>"));
  CHECK(script(two_nodes, "srun torchrun --nnodes $N --nproc_per_node 8 train.py\n").grade() == "lifted with script");
  CHECK(script(two_nodes, "srun torchrun --nnodes 2 --nproc_per_node 4 a.py\n").has("processes = 4"));
}

TEST_CASE("one process for each task") {
  const Lifted four = script("--nodes=2\n--ntasks-per-node=4\n--gpus-per-node=4\n--cpus-per-task=8",
                             "export MASTER_PORT=29500\nsrun --cpu-bind=cores --kill-on-bad-exit=1 python ddp.py\n");
  CHECK(four.grade() == "lifted");
  CHECK(four.has("launch { runner = processes processes = 4 }"));
  CHECK(four.has("target slurm { srun = [\"--cpu-bind=cores\"] }"));
  CHECK(four.fate("cpus") == "mended");  // since 22.05 srun does not take them from the job
  CHECK(
      script("--nodes=2\n--ntasks-per-node=4", "export WORLD_SIZE=12\nsrun python a.py\n").has("export WORLD_SIZE=12"));
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "export WORLD_SIZE=8\nsrun python a.py\n").grade() == "lifted");
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "srun -n 4 python a.py\n").grade() == "wrapped");
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "srun --multi-prog a.conf\n").grade() == "wrapped");
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "srun --export=ALL,A=1 python a.py\n").has("env { A = 1 }"));
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "srun --export=NONE python a.py\n").grade() == "wrapped");
}

TEST_CASE("a step may say what the job leaves open") {
  const Lifted step = script("--nodes=2\n--exclusive", "srun --ntasks-per-node=4 -c 8 ./solver\n");
  CHECK(step.grade() == "lifted");
  CHECK(step.has("processes = 4"));
  CHECK(step.has("cpus = 32"));
  CHECK(step.fate("ntasks") == "approximated");
  CHECK(step.fate("cpus-per-task") == "approximated");
}

TEST_CASE("a launcher in a text for bash is lifted where it is alone") {
  const Lifted alone =
      script(two_nodes,
             "head=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\n"
             "srun bash -c \"accelerate launch --num_processes 16 --num_machines 2 --machine_rank \\$SLURM_NODEID "
             "--main_process_ip $head --main_process_port 29501 --mixed_precision bf16 a.py\"\n");
  CHECK(alone.grade() == "lifted");
  CHECK(alone.has("launch { runner = accelerate args = [\"--mixed_precision\", \"bf16\"] }"));
  const Lifted text = script(two_nodes, "srun bash -c 'export R=$SLURM_PROCID; python a.py $R'\n");
  CHECK(text.grade() == "lifted with compat");
}

TEST_CASE("mpirun is the launcher of MPI") {
  const Lifted mpi = script("--nodes=2\n--ntasks-per-node=4",
                            "mpirun -np 8 --bind-to none -mca pml ucx -x LD_LIBRARY_PATH ./lmp -in a\n");
  CHECK(mpi.grade() == "lifted");
  CHECK(mpi.has(
      "launch { runner = mpi processes = 4 args = [\"--bind-to\", \"none\", \"-mca\", \"pml\", \"ucx\", \"-x\", "
      "\"LD_LIBRARY_PATH\"] }"));
  CHECK(mpi.has("mpi = mpirun"));
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "mpirun -np 6 ./lmp\n").grade() == "wrapped");
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "mpirun -np 8 --hostfile h ./lmp\n").grade() == "wrapped");
  CHECK(script("--nodes=2\n--ntasks-per-node=4", "srun --mpi=pmix ./lmp\n").has("runner = mpi"));
}

TEST_CASE("variables of the run become references") {
  const Lifted one = script(one_gpu,
                            "OUT=$HOME/out\nexport PYTHONPATH=$PWD:$PYTHONPATH\n"
                            "python a.py --out $OUT/$SLURM_JOB_ID --name \"$NAME\" ~/x\n");
  CHECK(one.grade() == "lifted");
  CHECK(one.has("\"${env.HOME}/out/${run.id}\""));
  CHECK(one.has("\"${env.NAME}\""));
  CHECK(one.has("\"${env.HOME}/x\""));
  CHECK(one.has("PYTHONPATH = \"${env.PWD}:${env.PYTHONPATH}\""));
  CHECK(one.fate("export") == "mended");
  CHECK(script(one_gpu, "python a.py $NAME\n").grade() == "lifted with script");  // may be several words, or none
  CHECK(script(one_gpu, "python a.py *.txt\n").grade() == "lifted with script");
  CHECK(script(one_gpu, "python a.py $(date +%s)\n").grade() == "lifted with script");
  const Lifted threads = script("--gpus-per-node=1", "export T=$SLURM_CPUS_ON_NODE\npython a.py\n");
  CHECK(threads.grade() == "lifted with compat");
  CHECK(threads.has("T = \"${env.SLURM_CPUS_ON_NODE}\""));
}

TEST_CASE("the task of an array is an axis") {
  const Lifted grid = script("--array=1-9:4\n--gpus-per-node=1",
                             "export SEED=$SLURM_ARRAY_TASK_ID\npython a.py --seed ${SLURM_ARRAY_TASK_ID}\n");
  CHECK(grid.grade() == "lifted");
  CHECK(grid.has("task = [1, 5, 9]"));
  CHECK(grid.has("\"--seed\", $task]"));
  CHECK(grid.has("SEED = $task"));
  CHECK(script("--array=1-9", "python a.py $((SLURM_ARRAY_TASK_ID - N))\n").grade() == "lifted with compat");
}

TEST_CASE("what keeps its own order is kept in its own words") {
  const Lifted rc = script(one_gpu, "source ~/.bashrc\nconda activate llm\nmodule load cuda\npython a.py\n");
  CHECK(rc.grade() == "lifted");
  CHECK(rc.has("prelude = <<<bash set +e source ~/.bashrc conda activate llm module load cuda set -e >>>"));
  CHECK(script(one_gpu, "set -e\nsource ~/.bashrc\nconda activate llm\nmodule load cuda\npython a.py\n")
            .has("prelude = <<<bash source"));
  const Lifted before = script(one_gpu, "D=/opt/x\nexport PATH=$D/bin:$PATH\nmodule load cuda\npython a.py\n");
  CHECK(before.has("prelude = <<<bash set +e D=/opt/x export PATH=$D/bin:$PATH module load cuda set -e >>>"));
  const Lifted read = script(one_gpu, "export A=1\nexport B=2\nsource /x/setup.sh\nexport C=3\npython a.py\n");
  CHECK(read.has("prelude = <<<bash set +e export A=1 export B=2 source /x/setup.sh set -e >>>"));  // it may read them
  CHECK(read.has("C = 3"));
  CHECK(script(one_gpu, "export CONDA_ENVS_PATH=/e\nconda activate x\npython a.py\n")
            .has("set +e export CONDA_ENVS_PATH=/e"));
  CHECK(script(one_gpu, "cd code\nsource setup.sh\npython a.py\n").grade() == "lifted with script");
  const Lifted relative = script(one_gpu, "cd code\nsource venv/bin/activate\npython a.py\n");
  CHECK(relative.grade() == "lifted with script");
  CHECK(script(one_gpu, "source venv/bin/activate\ncd code\npython a.py\n").has("venv = \"venv\""));
  CHECK(script(one_gpu, "eval \"$(conda shell.bash hook)\"\nconda activate /x/envs/my\npython a.py\n")
            .has("conda = \"/x/envs/my\""));
}

TEST_CASE("a secret is not copied") {
  const Lifted one = script(one_gpu, "export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\npython a.py\n");
  CHECK(one.grade() == "lifted");
  CHECK_FALSE(one.has("0123456789abcdef"));
  CHECK(one.has("secret wandb-api-key { env = \"WANDB_API_KEY\" }"));
  CHECK(one.fate("export") == "question");
}

TEST_CASE("folders") {
  CHECK(script(one_gpu, "cd $SLURM_SUBMIT_DIR\npython a.py\n").fate("cd") == "dropped");
  CHECK(script(one_gpu, "cd $SLURM_SUBMIT_DIR/code\npython a.py\n").has("workdir = \"code\""));
  CHECK(script(one_gpu, "cd code\ncd sub\npython a.py\n").has("workdir = \"code/sub\""));
  CHECK(script(one_gpu, "cd /x || exit 1\npython a.py\n").has("workdir = \"/x\""));
  CHECK(script(one_gpu, "mkdir -p logs\n[ -d out ] || mkdir out\npython a.py\n")
            .has("setup = <<<bash mkdir -p logs mkdir -p out >>>"));
  CHECK(script(one_gpu, "mkdir -p logs\ncd code\npython a.py\n").grade() == "lifted with script");
  CHECK(script(one_gpu, "export P=$PWD\ncd code\npython a.py\n").grade() == "lifted with script");
}

TEST_CASE("a text that only a shell can say stays, without what the site says") {
  const Lifted loop = script(one_gpu, "module load cuda\nfor i in 1 2; do\n  python a.py $i\ndone\n");
  CHECK(loop.grade() == "lifted with script");
  CHECK(loop.because("needs a shell"));
  CHECK(loop.has("script = <<<bash for i in 1 2; do python a.py $i done >>>"));
  CHECK(loop.has("software = cuda"));
  const Lifted steps = script("--ntasks=1\n--gpus-per-node=1", "srun python a.py\nsrun -n 1 python b.py\n");
  CHECK(steps.grade() == "lifted with script");
  CHECK(steps.has("script = <<<bash python a.py python b.py >>>"));
  CHECK(script("--ntasks=1", "srun python a.py &\nsrun python b.py &\nwait\n").grade() == "wrapped");
  CHECK(script("--ntasks=1", "srun -w n1 python a.py\nsrun python b.py\n").grade() == "wrapped");
  CHECK(script(one_gpu, "python a.py $SLURM_JOB_NAME > out.txt\n").grade() == "lifted with compat");
  CHECK(script(one_gpu, "python a.py &>> log\n").grade() == "lifted with script");
  CHECK(script(one_gpu, "python a.py < in\n").grade() == "lifted with script");
  CHECK(script(one_gpu, "python a.py &\nwait\n").grade() == "lifted with script");
}

TEST_CASE("each task may run a text that is the same in all") {
  const Lifted same = script("--nodes=2\n--ntasks-per-node=4",
                             "echo hello\nif [ -f big ]; then\n  A=--big\nfi\nexport MASTER_ADDR=$(hostname)\n"
                             "srun --label python a.py $A\n");
  CHECK(same.grade() == "lifted with script");
  CHECK(same.has("launch { runner = processes processes = 4 }"));
  CHECK(same.has("script = <<<bash if [ -f big ]; then A=--big fi python a.py $A >>>"));
  CHECK(same.has("srun = [\"--label\"]"));
  for (const char* once : {"P=$RANDOM\nif [ -f a ]; then B=1; fi\nsrun python a.py $P\n",
                           "D=$(date +%s)\nif true; then B=1; fi\nsrun python a.py $D\n",
                           "if true; then B=1; fi\nsrun python a.py $SLURM_PROCID $B\n",
                           "for i in 1 2; do srun python a.py $i; done\n", "srun python a.py\nsrun python b.py\n"})
    CHECK(script("--nodes=2\n--ntasks-per-node=4", once).grade() == "wrapped");
}

TEST_CASE("a text for each task finds SLURM_CPUS_PER_TASK only where its job sets it") {
  const char* text = "export T=${SLURM_CPUS_PER_TASK:-1}\nsrun python a.py\n";
  const Lifted unset = script("--nodes=2\n--ntasks-per-node=4", text);
  CHECK(unset.has("script = <<<bash unset SLURM_CPUS_PER_TASK export T=${SLURM_CPUS_PER_TASK:-1} python a.py >>>"));
  const Lifted set = script("--nodes=2\n--ntasks-per-node=4\n--cpus-per-task=8", text);
  CHECK_FALSE(set.has("unset SLURM_CPUS_PER_TASK"));
  const Lifted comment = script("--nodes=2\n--ntasks-per-node=4",
                                "# SLURM_CPUS_PER_TASK\nif [ -f a ]; then A=1; fi\nsrun python a.py $A\n");
  CHECK_FALSE(comment.has("unset SLURM_CPUS_PER_TASK"));
}

TEST_CASE("SLURM_CPUS_PER_TASK of muster's step is named where the script gives no CPUs") {
  const auto named = [](const Lifted& one) {
    return std::any_of(one.made.lines.begin(), one.made.lines.end(), [](const targets::ImportLine& line) {
      return line.option == "ranks" && line.note.ends_with("and on Slurm SLURM_CPUS_PER_TASK");
    });
  };
  CHECK(named(script("--nodes=2\n--ntasks-per-node=4", "srun python a.py\n")));
  CHECK_FALSE(named(script("--nodes=2\n--ntasks-per-node=4\n--cpus-per-task=2", "srun python a.py\n")));
}

TEST_CASE("what found a port is named where the runner has its own") {
  const Lifted found = script("--nodes=2\n--ntasks-per-node=1",
                              "port=$(python -c 'import socket; s=socket.socket(); s.bind((\"\", 0)); "
                              "print(s.getsockname()[1])')\nif [ -f big ]; then A=1; fi\nsrun python a.py $port $A\n");
  CHECK(found.has("port=$MASTER_PORT"));
  for (const targets::ImportLine& line : found.made.lines)
    if (line.note.find("its own port") != std::string::npos)
      CHECK(std::count(line.names.begin(), line.names.end(), "python") == 1);
}

TEST_CASE("what is done once before the step is for the first node") {
  const Lifted once =
      script("--nodes=2\n--ntasks-per-node=4",
             "A=x\nif [ -f $A ]; then\n  rm $A\nfi\nsrun -n 2 --ntasks-per-node=1 mkdir /tmp/x\nsrun python a.py $A\n");
  CHECK(once.grade() == "lifted with script");
  CHECK(
      once.has("setup = <<<bash A=x if [ \"$MUSTER_NODE_RANK\" = 0 ]; then if [ -f $A ]; then rm $A fi fi mkdir /tmp/x "
               "true >>>"));
  CHECK(once.has("script = <<<bash A=x python a.py $A >>>"));
  CHECK(once.fate("setup") == "mended");
  const Lifted head = script("--nodes=2\n--ntasks-per-node=1",
                             "nodes=( $(scontrol show hostnames $SLURM_JOB_NODELIST) )\nH=${nodes[0]}\n"
                             "PORT=$(shuf -i 10000-60000 -n 1)\nif true; then B=1; fi\nsrun python a.py $H:$PORT $B\n");
  CHECK(head.has("H=$MASTER_ADDR"));
  CHECK(head.has("PORT=$MASTER_PORT"));
  CHECK_FALSE(head.has("scontrol"));
  const Lifted keys =
      script("--nodes=2\n--ntasks-per-node=1",
             "H=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nsrun python a.py --host $H\n");
  CHECK(keys.has("\"${run.head}\""));
}

TEST_CASE("what is after the program") {
  const Lifted end = script(one_gpu, "python a.py\necho done\n");
  CHECK(end.grade() == "lifted");
  CHECK(end.fate("exit code") == "mended");
  CHECK(script(one_gpu, "python a.py\ncp out /x\n").grade() == "lifted with script");
  CHECK(script(one_gpu, "python a.py 2>&1 | tee log\n").fate("tee") == "mended");
  CHECK(script(one_gpu, "python a.py\nconda deactivate\n").fate("after the program") == "dropped");
}

TEST_CASE("what is not lifted") {
  CHECK(script(two_nodes, "python a.py\n").because("on the first of 2 nodes"));
  CHECK(script("--ntasks=8\n--gpus-per-node=1", "srun python a.py\n").grade() == "wrapped");  // Slurm spreads them
  CHECK(script(one_gpu, "print(1)\n", "#!/usr/bin/env python3\n").because("not for bash"));
  CHECK(script(one_gpu, "A=<B>\npython a.py\n").because("bash would not read"));
  CHECK(script(one_gpu, "python -m torch.distributed.launch --nproc_per_node=1 a.py\n")
            .has("\"torch.distributed.launch\""));
  CHECK(script(two_nodes, "srun python -m torch.distributed.launch --nnodes=2 --nproc_per_node=8 a.py\n").grade() ==
        "lifted with script");
  CHECK(script(one_gpu, "export nodes=3\npython a.py\n").grade() == "lifted with script");  // a name of the job script
}

TEST_CASE("a login shell is the plane's") {
  const Lifted login = script(one_gpu, "python a.py\n", "#!/bin/bash -l\n");
  CHECK(login.grade() == "lifted");
  CHECK(login.has("login-shell = true"));
  CHECK_FALSE(login.has("script-flags"));
}

TEST_CASE("scripts that load the same have one software of their site") {
  model::Site site;
  std::vector<std::string> names;
  for (const char* body :
       {"module load cuda\npython a.py\n", "module load cuda\npython b.py\n", "module load cuda/11\npython c.py\n"}) {
    Lifted one = script(one_gpu, body);
    merge_site(site, one.made.site, one.made.workload);
    names.push_back(std::get<std::string>(one.made.workload.roles.front().software->value));
  }
  CHECK(names == std::vector<std::string>{"cuda", "cuda", "cuda-2"});
  CHECK(site.software.size() == 2);
}

TEST_CASE("what srun reads from the environment is an option of it where each task runs the text") {
  const auto each = [](const std::string& lines) {
    return lifted(two_nodes, lines + "export X=$(cat a)\nsrun python a.py $X\n");
  };
  for (const char* line : {"export SLURM_CPU_BIND=cores", "SLURM_CPU_BIND=none; export SLURM_CPU_BIND=cores",
                           "export SLURM_CPU_BIND=none; SLURM_CPU_BIND=cores"}) {
    INFO(line);
    const Lifted bound = each(line + std::string("\n"));
    CHECK(bound.has("target slurm { srun = [\"--cpu-bind=cores\"] }"));
    CHECK_FALSE(bound.has("export SLURM_CPU_BIND"));
  }
  CHECK(each("export SLURM_MPI_TYPE=pmix\n").has("srun = [\"--mpi=pmix\"]"));
  CHECK(each("export SLURM_MPI_TYPE=pmix\n").fate("--mpi") == "raw");
  CHECK(each("export SLURM_LABELIO=1\n").has("srun = [\"--label\"]"));
  CHECK(each("export SLURM_HINT=nomultithread\necho $SLURM_HINT\n").has("export SLURM_HINT=nomultithread"));
  CHECK(each("export SLURM_EXPORT_ENV=ALL\n").has("runner"));
  CHECK(each("SLURM_CPU_BIND=cores\nexport SLURM_CPU_BIND\n").has("srun = [\"--cpu-bind=cores\"]"));
  CHECK_FALSE(each("SLURM_CPU_BIND=cores\n").has("srun = "));  // not exported
  CHECK_FALSE(each("export SLURM_CPU_BIND=cores\nunset SLURM_CPU_BIND\n").has("srun = "));
  CHECK_FALSE(each("export SLURM_LABELIO=0\n").has("srun = "));
  CHECK(each("export SLURM_CPU_BIND=cores\nif [ -f a ]; then unset SLURM_CPU_BIND; fi\n")
            .because("has a value of the run"));
  const Lifted own =
      lifted(two_nodes, "export SLURM_CPU_BIND=none\nX=$(cat a)\nsrun --cpu-bind=cores python a.py $X\n");
  CHECK(own.has("srun = [\"--cpu-bind=cores\"]"));
  CHECK(
      lifted(two_nodes, "X=$(cat a)\nSLURM_CPU_BIND=cores srun python a.py $X\n").has("srun = [\"--cpu-bind=cores\"]"));
  CHECK(each("export SLURM_EXPORT_ENV=NONE\n").because("hides variables"));
  CHECK(each("export SRUN_CPUS_PER_TASK=3\n").because("is not what the job asks for"));
  CHECK(each("if [ -f a ]; then export SLURM_CPU_BIND=cores; fi\n").because("has a value of the run"));
  CHECK(each("export SLURM_CPU_BIND=$BIND\n").because("has a value of the run"));
}

TEST_CASE("what edits a file in place runs once, not in each task") {
  const auto runs_once = [](const std::string& line) {
    const auto file = tests::lifted(tests::two_nodes, line + "\nX=$(cat a)\nsrun python a.py $X\n");
    return file.has("if [ \"$MUSTER_NODE_RANK\" = 0 ]; then\n  " + line + "\n  fi");
  };
  for (const char* line : {"sed -i s/a/b/ c.txt", "sed -ri.bak s/a/b/ c.txt", "sed --in-place s/a/b/ c.txt",
                           "cat c.txt | sort -uo c.txt", "cat c.txt | sort --output=c.txt", "awk -i inplace 1 c.txt"}) {
    INFO(line);
    CHECK(runs_once(line));
  }
  for (const char* line :
       {"sed -n -e s/is/b/ c.txt", "sed -es/is/b/ c.txt", "cat c.txt | sort -u", "awk '{print}' c.txt"}) {
    INFO(line);
    CHECK_FALSE(runs_once(line));
  }
}

}  // namespace lift_test
