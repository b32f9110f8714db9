// Faults that readers of real scripts saw: each beside what is nearly one.
#include "tests/catch.h"
#include "tests/unit/found_in_script.h"

namespace lint_scripts_faults_test {

using namespace muster;

namespace {

std::string found(std::string_view rule, const std::string& below, const std::string& site = "") {
  return tests::found_in_script(rule, below, site);
}

}  // namespace

TEST_CASE("faults: sbatch rejects the script", "[lint][faults]") {
  CHECK(found("SLM021", "#SBATCH --time=1 -N 1 -w a,b\n./a\n", "slurm-22") == "error 2");
  CHECK(found("SLM021", "#SBATCH --time=1 -w a[1-2] -N 1\n./a\n", "slurm-22") == "error 2");
  for (const char* later : {"slurm-24", ""})  // where it is a choice of nodes
    CHECK(found("SLM021", "#SBATCH --time=1 -N 1 -w a,b\n./a\n", later).empty());
  CHECK(found("SLM021", "#SBATCH --time=1 -N 1-2 -w a,b\n./a\n", "slurm-22").empty());
  CHECK(found("SLM021", "#SBATCH --time=1 -N 2 -w a,b\n./a\n", "slurm-22").empty());
  CHECK(found("SLM021", "#SBATCH --time=1 -N 3 -w a,b\n./a\n", "slurm-22").empty());
  CHECK(found("SLM021", "#SBATCH --time=1 -N 1 -w a,a\n./a\n", "slurm-22").empty());
  CHECK(found("SLM021", "#SBATCH --time=1 -w a,b\n./a\n", "slurm-22").empty());
  CHECK(found("SLM021", "#SBATCH --time=1 --mem=MaxMemPerNode\n./a\n") == "error 2");
  CHECK(found("SLM021", "#SBATCH --time=1 -N 2 --gpus=1\n./a\n") == "error 2");
  CHECK(found("SLM021", "#SBATCH --time=1 -N 2 --gpus=0\n./a\n").empty());
  CHECK(found("SLM022", "#SBATCH --time=1 --mem=MaxMemPerNode\n./a\n").empty());
  CHECK(found("SLM022", "#SBATCH --time=1 --mem=MEMORY\n./a\n") == "unclear 2");
}

TEST_CASE("faults: a log in a folder that cannot exist", "[lint][faults]") {
  const auto at = [](const std::string& path, const std::string& lines = "./a\n") {
    return found("SLM016", "#SBATCH --time=1 --output=" + path + "\n" + lines, "slurm-22");
  };
  CHECK(at("log/%j/out") == "warning 2");
  CHECK(at("log/%A/out") == "warning 2");
  CHECK(at("log/run-%8j/out") == "warning 2");
  CHECK(at("log/%x/out").empty());
  CHECK(at("log/%u/%j.out").empty());
  CHECK(at("logs/%j.out", "mkdir -p ${ROOT}/logs\n") == "warning 2");
  CHECK(at("logs/%j.out", "mkdir -p $SLURM_SUBMIT_DIR/logs\n") == "warning 2");
  CHECK(at("logs/%j.out", "mkdir -p $SCRATCH/logs\n") == "info 2");
  CHECK(at("logs/%j.out", "mkdir -p $ROOT/run/logs\n") == "info 2");
}

TEST_CASE("faults: values of options that are accepted", "[lint][faults]") {
  const auto mail = [](const std::string& events) {
    return found("SLM048", "#SBATCH --time=1 --mail-type=" + events + "\n./a\n");
  };
  CHECK(mail("START,END") == "warning 2");
  CHECK(mail("end,start") == "warning 2");
  CHECK(mail("START").empty());  // SLM021
  CHECK(mail("begin,Fail,TIME_LIMIT_80").empty());
  CHECK(mail("ALL,START").empty());

  const auto logs = [](const std::string& output, const std::string& error) {
    return found("SLM052", "#SBATCH --time=1 --output=" + output + " --error=" + error + "\n./a\n");
  };
  CHECK(logs("a.err", "a.out") == "warning 2");
  CHECK(logs("a.err", "a.log") == "warning 2");
  CHECK(logs("a.out", "a.err").empty());
  CHECK(logs("a.err", "a.err").empty());

  CHECK(found("SLM057", "#SBATCH --time=1 --chdir=C:/Users/a\n./a\n") == "error 2");
  CHECK(found("SLM057", "#SBATCH --time=1 --chdir=/c/Users/a\n./a\n").empty());

  const auto comment = [](const std::string& options, const std::string& text) {
    return found("SLM061", "#SBATCH --time=1 " + options + " # " + text + "\n./a\n");
  };
  CHECK(comment("--mem=1000", "2GB") == "info 2");
  CHECK(comment("--mem=1000", "1 GB").empty());
  CHECK(comment("--mem=4096", "4GB of memory").empty());
  CHECK(comment("--mem=4000", "4 GB").empty());
  CHECK(comment("--mem=16G", "32GB max").empty());
  CHECK(comment("--mem=16G", "was 32GB").empty());
  CHECK(comment("--mem=16G", "32 GB per node of memory").empty());
  CHECK(comment("--mem=16G", "32 GB of memory") == "info 2");
  CHECK(comment("--mem=16G", "8GB or 32GB").empty());
  CHECK(comment("-c 8 --mem-per-cpu=24gb", "Ask for 24 GB of RAM") == "info 2");
  CHECK(comment("-c 8 --mem-per-cpu=24gb", "24 GB per CPU").empty());
  CHECK(comment("--mem-per-cpu=24gb", "Ask for 24 GB of RAM").empty());
}

TEST_CASE("faults: one program in a job of several tasks or GPUs", "[lint][faults]") {
  const auto tasks = [](const std::string& options, const std::string& lines = "python t.py\n") {
    return found("SLM049", "#SBATCH --time=1 --gres=gpu:1 " + options + "\n" + lines);
  };
  CHECK(tasks("-n 4") == "warning 2");
  CHECK(tasks("-n 4", "python a.py\npython b.py\n") == "warning 2");
  CHECK(tasks("-n 1").empty());
  CHECK(tasks("-n 4 -N 1").empty());
  CHECK(tasks("-n 4 --mincpus=4").empty());
  CHECK(tasks("-n 4", "srun python t.py\n").empty());
  CHECK(tasks("-n 4", "mpirun python t.py\n").empty());
  CHECK(tasks("-n 4", "./run.sh\npython t.py\n").empty());
  CHECK(tasks("-n 4", "python t.py --workers $SLURM_NTASKS\n").empty());
  CHECK(tasks("-n 4", "python a.py &\npython b.py &\nwait\n").empty());

  const auto gpus = [](const std::string& lines, const std::string& options = "") {
    return found("SLM010", "#SBATCH --time=1 --gres=gpu:4 " + options + "\n" + lines);
  };
  CHECK(gpus("srun -l bash -c hostname\npython t.py\n") == "info 2");
  CHECK(gpus("python setup.py install\npython t.py\n") == "info 2");
  CHECK(gpus("srun python a.py\npython t.py\n").empty());
  CHECK(gpus("Rscript a.R\n") == "info 2");
  CHECK(gpus("application=R\nCMD=\"$application CMD BATCH $1\"\neval $CMD\n") == "info 2");
  CHECK(gpus("Rscript a.R\nRscript b.R &\n").empty());
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0 singularity exec --nv a.sif python t.py\n") == "warning 3");
  CHECK(gpus("export CUDA_VISIBLE_DEVICES=0,1\npython t.py\n") == "warning 3");
  CHECK(gpus("export CUDA_VISIBLE_DEVICES=0,1,2,3\npython t.py\n").empty());
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0 python a.py &\nCUDA_VISIBLE_DEVICES=1 python b.py &\nwait\n").empty());
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0 python a.py\npython b.py\n").empty());
  CHECK(gpus("if [ -n \"$ONE\" ]; then export CUDA_VISIBLE_DEVICES=0; fi\npython t.py\n").empty());
  CHECK(gpus("export CUDA_VISIBLE_DEVICES=0\npython t.py\n", "--exclusive").empty());
}

TEST_CASE("faults: what is left from other uses of a script", "[lint][faults]") {
  const auto debug = [](const std::string& line, const std::string& options = "--time=10:00:00") {
    return found("SLM050", "#SBATCH --gres=gpu:1 " + options + "\n" + line + "\npython t.py\n");
  };
  CHECK(debug("export CUDA_LAUNCH_BLOCKING=1") == "warning 3");
  CHECK(debug("export TORCH_DISTRIBUTED_DEBUG=DETAIL") == "warning 3");
  CHECK(debug("# without this the training hangs\nexport CUDA_LAUNCH_BLOCKING=1") == "warning 4");
  CHECK(debug("# fix seeds\nexport CUDA_LAUNCH_BLOCKING=1") == "warning 4");
  CHECK(debug("export CUDA_LAUNCH_BLOCKING=1\nmodule load kokkos") == "warning 3");
  CHECK(debug("# for debugging\nexport CUDA_LAUNCH_BLOCKING=1") == "warning 4");
  CHECK(debug("export CUDA_LAUNCH_BLOCKING=0").empty());
  CHECK(debug("export CUDA_LAUNCH_BLOCKING=1", "--time=30").empty());
  CHECK(debug("export CUDA_LAUNCH_BLOCKING=1", "--time=10:00:00 -J test").empty());
  CHECK(debug("if [ $1 ]; then export CUDA_LAUNCH_BLOCKING=1; fi").empty());
  CHECK(found("SLM050", "#SBATCH --time=10:00:00\nexport CUDA_LAUNCH_BLOCKING=1\npython t.py\n").empty());

  const auto root = [](const std::string& line) { return found("SLM055", "#SBATCH --time=1\n" + line + "\n./a\n"); };
  CHECK(root("apt install -y openjdk-11-jdk") == "warning 3");
  CHECK(root("sudo apt-get -y install ffmpeg") == "unclear 3");
  CHECK(root("yum list").empty());
  CHECK(root("singularity exec a.sif apt install b").empty());
  CHECK(root("if [ $EUID = 0 ]; then apt install b; fi").empty());

  const auto work = [](const std::string& lines) { return found("SLM056", "#SBATCH --time=1 --gres=gpu:1\n" + lines); };
  CHECK(work("module load python\n# python t.py\n") == "warning 2");
  CHECK(work("module load python\npython t.py\n").empty());
  CHECK(work("module load python\n# see the manual\n").empty());
  CHECK(work("module load python\n# python t.py\nsource run_all.sh\n").empty());
  CHECK(work("module load python\n# python t.py\nsleep 3600\n").empty());

  const auto conda = [](const std::string& lines) {
    return found("SLM062", "#SBATCH --time=1 --gres=gpu:1\n" + lines);
  };
  CHECK(conda("conda create -n a -y\npython t.py\n") == "info 3");
  CHECK(conda("conda env create -f a.yml\npython t.py\n") == "info 3");
  CHECK(conda("[ -d env ] || conda create -p env -y\npython t.py\n").empty());
  CHECK(conda("conda activate a\npython t.py\n").empty());

  const auto blank = [](const std::string& options, const std::string& line = "./a") {
    return found("SLM022", "#SBATCH --time=1 " + options + "\n" + line + "\n");
  };
  CHECK(blank("-A YOUR_ACCOUNT") == "unclear 2");
  CHECK(blank("--mail-user=YourNetID@princeton.edu") == "unclear 2");
  CHECK(blank("--mail-user=xxxx@uni.edu") == "unclear 2");
  CHECK(blank("--mail-user=youri@uni.edu").empty());
  CHECK(blank("-A project_1").empty());
  CHECK(blank("", "gmx mdrun **FIXME**") == "unclear 3");
}

TEST_CASE("faults: lines that the shell reads otherwise", "[lint][faults]") {
  const auto at = [](std::string_view rule, const std::string& lines) {
    return found(rule, "#SBATCH --time=1\n" + lines + "\n");
  };
  CHECK(at("SLM051", "source env/bin/activate\nmodule load python/3.7\npython t.py") == "warning 4");
  CHECK(at("SLM051", "source env/bin/activate\nmodule load anaconda3\nsrun python t.py") == "warning 4");
  CHECK(at("SLM051", "source env/bin/activate\nmodule load cuda\npython t.py").empty());
  CHECK(at("SLM051", "module load python/3.7\nsource env/bin/activate\npython t.py").empty());
  CHECK(at("SLM051", "source env/bin/activate\nmodule load python\nsource env/bin/activate\npython t.py").empty());
  CHECK(at("SLM051", "source env/bin/activate\nmodule load python\nenv/bin/python t.py").empty());

  CHECK(at("SLM053", "./a 2>&1 > log") == "warning 3");
  CHECK(at("SLM053", "./a 2>&1 >> log") == "warning 3");
  CHECK(at("SLM053", "./a > log 2>&1").empty());
  CHECK(at("SLM053", "./a 2>&1 > log | tee errors").empty());
  CHECK(at("SLM053", "./a 2>&1 >/dev/null").empty());
  CHECK(at("SLM053", "x=$(./a 2>&1 > log)").empty());

  CHECK(at("SLM054", "export OMPI_MCL_btl=self,vader,tcp\nmpirun ./a") == "warning 3");
  CHECK(at("SLM054", "export OMPI_MCA_btl=self,vader,tcp\nmpirun ./a").empty());
  CHECK(at("SLM054", "export NCLC_DEBUG=INFO\n./a") == "warning 3");
  CHECK(at("SLM054", "export RCCL_DEBUG=1\n./a").empty());
  CHECK(at("SLM054", "export NCLC_DEBUG=INFO\n./a $NCLC_DEBUG").empty());

  CHECK(at("SLM058", "f() { ./a; }\nsrun f") == "error 4");
  CHECK(at("SLM058", "f() { cd x; python t.py; }\nsrun $( f )") == "warning 4");
  CHECK(at("SLM058", "f() { echo ./a; }\nsrun $(f)").empty());
  CHECK(at("SLM058", "f() { srun ./a; }\nf").empty());
  CHECK(at("SLM058", "f() { ./a; }\nexport -f f\nsrun bash -c f").empty());

  CHECK(at("SLM059", "if [ -f a ] | [ -f b ]; then ./a; fi") == "warning 3");
  CHECK(at("SLM059", "if [ -f a ] || [ -f b ]; then ./a; fi").empty());
  CHECK(at("SLM059", "ls | grep a").empty());

  CHECK(at("SLM060", "gmx mdrun\nif [ ! -f a ]; then\nsbatch b\nfi") == "info 5");
  CHECK(at("SLM060", "gmx mdrun || exit 1\nif [ ! -f a ]; then\nsbatch b\nfi").empty());
  CHECK(at("SLM060", "gmx mdrun\nif [ -f a ]; then\nsbatch b\nfi").empty());
}

TEST_CASE("faults: what readers of these findings would not act on", "[lint][faults]") {
  const auto mail = [](const std::string& events) {
    return found("SLM048", "#SBATCH --time=1 --mail-type=" + events + "\n./a\n");
  };
  CHECK(mail("END,ABORT") == "warning 2");
  CHECK(mail("FAIL,ABORT").empty());
  CHECK(mail("FAIL,START") == "warning 2");
  const std::string gpus = "#SBATCH --time=2:00:00 --nodes=1 --gpus-per-node=4\n";
  const auto debug = [&](const std::string& more) {
    return found("SLM050", gpus + "export CUDA_LAUNCH_BLOCKING=1\n" + more + "./a\n");
  };
  CHECK(debug("") == "warning 3");
  CHECK(debug("export DIFFBRAGG_USE_KOKKOS=1\n") == debug("export OTHER=1\n"));
  const auto redirect = [](const std::string& program) {
    return found("SLM053", "#SBATCH --time=1\n" + program + " 2>&1 > log\n");
  };
  CHECK(redirect("./solve") == "warning 3");
  CHECK(redirect("lscpu").empty());
  const auto hidden = [&](const std::string& start) {
    return found("SLM010", gpus + "export CUDA_VISIBLE_DEVICES=0\n" + start + "python t.py\n");
  };
  CHECK(hidden("") == "warning 3");
  CHECK(hidden("srun ").empty());
  const auto waits = [](const std::string& server) {
    return found("SLM040", "#SBATCH --time=1\n" + server + " &\npython ask.py &\nwait\n");
  };
  CHECK(waits("ollama serve") == "warning 5");
  CHECK(waits("ipcontroller").empty());  // a client shuts it down
}

}  // namespace lint_scripts_faults_test
