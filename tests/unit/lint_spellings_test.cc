// One fault in many spellings: what a script or a container starts is the same program however its text says so. At
// least nine of ten are found, and nothing of the kind in the same spellings of a healthy command.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lint/check.h"
#include "tests/catch.h"

namespace lint_spellings_test {

using namespace muster;
using namespace muster::lint;

namespace {

using Texts = std::vector<std::string>;

// COMMAND is made of the words FIRST and REST.
const Texts around = {"COMMAND",
                      "COMMAND 2>&1 | tee log",
                      "COMMAND > log 2>&1",
                      "main() {\n  COMMAND\n}\nmain",
                      "function go {\n  date\n  COMMAND\n}\ngo || exit 1",
                      "if [ -f train.py ]; then\n  COMMAND\nelse\n  exit 1\nfi",
                      "if ! COMMAND; then\n  exit 1\nfi",
                      "cd \"$HOME/run\" && COMMAND",
                      "COMMAND || exit 1",
                      "time COMMAND",
                      "timeout 50m COMMAND",
                      "env OMP_NUM_THREADS=4 COMMAND",
                      "OMP_NUM_THREADS=4 COMMAND",
                      "exec COMMAND",
                      "(cd work; COMMAND)",
                      "{ COMMAND; } > log",
                      "CMD=\"COMMAND\"\n$CMD",
                      "CMD=\"COMMAND\"\neval \"$CMD\"",
                      "CMD=\"COMMAND\"\neval $CMD",
                      "CMD=\"COMMAND\"\nbash -c \"$CMD\"",
                      "ARGS=(REST)\nFIRST \"${ARGS[@]}\"",
                      "ARGS=()\nARGS+=(REST)\nFIRST \"${ARGS[@]}\"",
                      "ARGS=\"REST\"\nFIRST $ARGS",
                      "ARGS=\"REST\"\nARGS+=\" --more\"\nFIRST $ARGS",
                      "ARGS=\"REST\"\nARGS=\"$ARGS --more\"\nFIRST $ARGS",
                      "RUN=FIRST\n$RUN REST",
                      "bash -c 'COMMAND'",
                      "bash -lc 'COMMAND'",
                      "bash -euo pipefail -c 'COMMAND'",
                      "bash <<'END'\nCOMMAND\nEND",
                      "bash -s <<END\nCOMMAND\nEND",
                      "apptainer exec --nv image.sif COMMAND",
                      "singularity exec --nv -B /scratch image.sif COMMAND",
                      "conda run -n env COMMAND",
                      "uv run COMMAND",
                      "numactl --cpunodebind=0 COMMAND",
                      "nice -n 5 COMMAND",
                      "stdbuf -oL COMMAND",
                      "for seed in 1 2 3; do\n  COMMAND\ndone",
                      "n=0\nwhile [ $n -lt 3 ]; do\n  COMMAND && break\n  n=$((n + 1))\ndone",
                      "case \"$MODE\" in\n  eval) date ;;\n  *) COMMAND ;;\nesac",
                      "set -euo pipefail\nCOMMAND",
                      "trap 'date' EXIT\nCOMMAND",
                      "source ~/.bashrc\nmodule load cuda\nconda activate env\nCOMMAND",
                      "COMMAND\nrc=$?\nexit $rc",
                      "date; COMMAND; date",
                      "/opt/venv/bin/COMMAND",
                      "$HOME/venv/bin/COMMAND",
                      "\"$CONDA_PREFIX\"/bin/COMMAND",
                      "go() { \"$@\"; }\ngo COMMAND"};

// What a text may have in the place of a number, with the lines above.
std::vector<std::pair<std::string, std::string>> numbers(int n) {
  const std::string all = std::to_string(n), half = std::to_string(n / 2);
  std::string list;
  for (int i = 0; i < n; ++i) list += std::to_string(i) + " ";
  return {{"N=" + all, "$N"},
          {"N=" + all, "\"${N}\""},
          {"export N=" + all, "$N"},
          {"A=" + half, "$((A * 2))"},
          {":", "${N:-" + all + "}"},
          {"let N=" + half + "*2", "$N"},
          {"N=$(expr " + half + " + " + half + ")", "$N"},
          {"N=`expr " + half + " \\* 2`", "$N"},
          {"declare -i N=" + all, "$N"},
          {"readonly N=" + all, "$N"},
          {"A=" + all + "\nB=$A", "$B"},
          {"GPUS=(" + list + ")", "${#GPUS[@]}"},
          {"N=$(echo " + all + ")", "$N"},
          {"N=$(( " + all + " ))", "$N"}};
}

std::string put(const std::string& text, const char* what, const std::string& by) {
  std::string out = text;
  const std::string_view name = what;
  for (std::size_t at = 0; (at = out.find(name, at)) != std::string::npos; at += by.size())
    out.replace(at, name.size(), by);
  return out;
}

Texts spelled(const std::string& command) {
  const std::size_t blank = command.find(' ');
  Texts out;
  for (const std::string& form : around)
    out.push_back(
        put(put(put(form, "COMMAND", command), "FIRST", command.substr(0, blank)), "REST", command.substr(blank + 1)) +
        "\n");
  return out;
}

struct Fault {
  const char* name;
  std::set<std::string> rules;
  int nodes;
  std::string faulty, healthy;  // `STEP` starts it on all nodes, `N` is a number of the fault
  int wrong = 8, right = 4;
};

const std::vector<Fault> faults = {
    {"more processes than GPUs", {"PAR001"}, 1, "torchrun --standalone --nproc_per_node=N train.py", ""},
    {"each node for itself",
     {"SLM035", "K8S034"},
     2,
     "STEP torchrun --nproc_per_node=4 train.py",
     "STEP torchrun --nnodes=2 --nproc_per_node=4 --rdzv_endpoint=$HEAD:29500 train.py"},
    {"one rank for all",
     {"SLM036"},
     2,
     "STEP torchrun --nnodes=2 --nproc_per_node=4 --node_rank=0 --master_addr=$HEAD train.py",
     "STEP torchrun --nnodes=2 --nproc_per_node=4 --rdzv_endpoint=$HEAD:29500 train.py"},
    {"more GPUs than the server has", {"PAR004"}, 1, "vllm serve model --tensor-parallel-size=N", ""},
    {"not waited for", {"SLM038"}, 1, "python train.py --lr 1 &", "python train.py --lr 1 &\nwait"},
    {"left from debugging",
     {"SLM050", "K8S031"},
     1,
     "env CUDA_LAUNCH_BLOCKING=1 torchrun --standalone --nproc_per_node=4 train.py",
     "env CUDA_LAUNCH_BLOCKING=0 torchrun --standalone --nproc_per_node=4 train.py"},
};

struct Host {
  std::string head, head_of_two, step;
};
const std::vector<Host> hosts = {
    {"#SBATCH --nodes=1 --ntasks-per-node=1 --gpus-per-node=4 --cpus-per-task=16 --time=12:00:00\n",
     "#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=4 --cpus-per-task=16 --time=12:00:00\n", "srun"},
    {"#PBS -l select=1:ncpus=16:ngpus=4\n#PBS -l walltime=12:00:00\n",
     "#PBS -l select=2:ncpus=16:ngpus=4\n#PBS -l place=scatter\n#PBS -l walltime=12:00:00\n", "mpiexec -n 2 -ppn 1"},
    {"#BSUB -n 1 -R \"span[ptile=1]\" -gpu \"num=4\" -W 720\n",
     "#BSUB -n 2 -R \"span[ptile=1]\" -gpu \"num=4\" -W 720\n", "blaunch"}};

// The texts of a fault, or of its healthy twin.
Texts bodies(const Fault& fault, bool healthy, const std::string& step) {
  const std::string& text = healthy && !fault.healthy.empty() ? fault.healthy : fault.faulty;
  const std::string command = put(text, "STEP ", step.empty() ? "" : step + " ");
  const std::string number = "=" + std::to_string(healthy ? fault.right : fault.wrong);
  Texts out;
  if (const std::size_t end = command.find(" &"); end != std::string::npos) {
    // Forms that end with the command, behind which `&` may be.
    for (const std::string& form : spelled("\1 " + command.substr(0, end))) {
      const std::size_t last = form.rfind('\n', form.size() - 2) + 1;
      const bool alone = form.compare(last, 1, "\1") == 0;
      if (!alone || form.find_first_of(";|&>", last) != form.npos || form.find('\1') != last) continue;
      for (const char* more :
           {"", "date\n", "echo started\n", "ls > files\n", "hostname\n", "nvidia-smi\n", "cat log\n"})
        out.push_back(put(form.substr(0, form.size() - 1), "\1 ", "") + command.substr(end) + "\n" + more);
    }
    return out;
  }
  for (const std::string& form : spelled(put(command, "=N", number))) out.push_back(form);
  if (command.find("=N") == command.npos) {
    for (const std::string& form : spelled(put(command, "train.py", "-m train --lr 1e-3"))) out.push_back(form);
    return out;
  }
  for (const auto& [above, word] : numbers(healthy ? fault.right : fault.wrong))
    for (const char* join : {"=", " "}) out.push_back(above + "\n" + put(command, "=N", join + word) + "\n");
  return out;
}

struct Linter {
  Linter() {
    std::string unknown;
    all = select_rules({}, {}, false, unknown, Profile::normal);
  }
  bool finds(const std::string& text, Input kind, const std::set<std::string>& rules) {
    Sources sources;
    Diagnostics diagnostics;
    const std::uint32_t file = sources.add(kind == Input::script ? "job.sbatch" : "job.yaml", text);
    const std::vector<Result> results = check_file(file, kind, {{sources, nullptr, nullptr}, all, "", 0}, diagnostics);
    return std::any_of(results.begin(), results.end(), [&](const Result& r) {
      return r.finding.severity != Severity::info && rules.contains(std::string(about(r.finding).id));
    });
  }
  Selection all;
};

// Whether nine of ten of the faulty texts are found, and none of the healthy ones.
void check(const Fault& fault, const Texts& faulty, const Texts& healthy, Input kind, std::size_t least) {
  Linter linter;
  std::size_t found = 0;
  std::string missed;
  for (const std::string& text : faulty)
    if (linter.finds(text, kind, fault.rules)) ++found;
    else missed += text + "----\n";
  INFO(fault.name << ": found " << found << " of " << faulty.size() << "; missed:\n" << missed);
  CHECK(faulty.size() >= least);
  CHECK(10 * found >= 9 * faulty.size());
  for (const std::string& text : healthy) {
    INFO(fault.name << ":\n" << text);
    CHECK_FALSE(linter.finds(text, kind, fault.rules));
  }
}

}  // namespace

TEST_CASE("one fault is found in the spellings of a script, for each batch system") {
  for (const Fault& fault : faults)
    for (const Host& host : hosts) {
      const auto scripts = [&](bool healthy) {
        Texts out;
        const std::string meets = fault.nodes > 1 ? "HEAD=$(head -n 1 hosts)\n" : "";
        for (const std::string& body : bodies(fault, healthy, host.step))
          out.push_back("#!/bin/bash\n" + (fault.nodes > 1 ? host.head_of_two : host.head) + meets + body);
        return out;
      };
      check(fault, scripts(false), scripts(true), Input::script, 60);
    }
}

namespace {

std::string indented(const std::string& text, int by) {
  const std::string blanks(static_cast<std::size_t>(by), ' ');
  return blanks + std::regex_replace(text.substr(0, text.size() - 1), std::regex("\n"), "\n" + blanks) + "\n";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
  return out + "\"";
}

// The pods of an object with one container, which has the keys of `run`.
Texts kinds(const std::string& run, int pods) {
  const std::string n = std::to_string(pods);
  const std::string spec = "restartPolicy: Never\ncontainers:\n- name: pytorch\n  image: registry.example/train:1.4\n" +
                           indented(run, 2) + "  resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4}}\n";
  const auto head = [](const char* version, const char* kind) {
    return std::string("apiVersion: ") + version + "\nkind: " + kind + "\nmetadata: {name: train}\nspec:\n";
  };
  const std::string indexed = "completionMode: Indexed\ncompletions: " + n + "\nparallelism: " + n + "\n";
  const std::string job = indexed + "template:\n  spec:\n" + indented(spec, 4);
  Texts out = {
      head("batch/v1", "Job") + indented(job, 2),
      head("jobset.x-k8s.io/v1alpha2", "JobSet") +
          "  replicatedJobs:\n  - name: workers\n    replicas: 1\n    template:\n      spec:\n" + indented(job, 8),
      head("batch.volcano.sh/v1alpha1", "Job") + "  schedulerName: volcano\n  minAvailable: " + n +
          "\n  tasks:\n  - name: worker\n    replicas: " + n + "\n    template:\n      spec:\n" + indented(spec, 8)};
  if (pods > 1) return out;
  out.push_back(head("v1", "Pod") + indented(spec, 2));
  out.push_back(head("batch/v1", "CronJob") + "  schedule: \"0 3 * * *\"\n  jobTemplate:\n    spec:\n" +
                indented(job, 6));
  out.push_back(head("kubeflow.org/v1", "PyTorchJob") +
                "  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      template:\n        spec:\n" +
                indented(spec, 10));
  return out;
}

// How a container may be told to run a text or a command of plain words.
Texts runs(const std::string& body) {
  Texts out = {"command: [bash, -c]\nargs:\n- |\n" + indented(body, 2), "command: [sh, -ec, " + quoted(body) + "]\n",
               "command: [/bin/bash, -lc]\nargs: [" + quoted("cd /app\n" + body) + "]\n",
               "args:\n- bash\n- -c\n- |-\n" + indented("pip list\n" + body, 2)};
  if (body.find_first_of("$\"'&\n") + 1 != body.size()) return out;
  std::string words;
  for (const char c : body.substr(0, body.size() - 1)) words += c == ' ' ? "\", \"" : std::string(1, c);
  out.push_back("command: [\"" + words + "\"]\n");
  out.push_back("args: [\"" + words + "\"]\n");
  return out;
}

}  // namespace

TEST_CASE("one fault is found in the pods of each kind") {
  for (const Fault& fault : faults) {
    const auto manifests = [&](bool healthy) {
      Texts out;
      const Texts all = bodies(fault, healthy, "");
      for (std::size_t i = 0; i < all.size(); i += all.size() / 8)
        for (const std::string& run : runs(all[i]))
          for (const std::string& text : kinds(run, fault.nodes)) out.push_back(text);
      return out;
    };
    check(fault, manifests(false), manifests(true), Input::manifest, 40);
  }
}

namespace {

// Lines that give a launcher options which the text does not tell, and how it is given them. JOINS are the options of a
// launcher that joins its nodes.
const std::vector<std::pair<std::string, std::string>> unread = {
    {"", "$DIST_ARGS"},
    {"", "\"$@\""},
    {"", "$@"},
    {"", "${DIST_ARGS[@]}"},
    {"", "$(cat dist.args)"},
    {"", "${DIST_ARGS:-}"},
    {"source dist.sh\n", "$DIST_ARGS"},
    {". ./env.sh\n", "\"${DIST_ARGS[@]}\""},
    {"if [ -n \"$MULTI\" ]; then\n  DIST_ARGS=\"JOINS\"\nelse\n  DIST_ARGS=\"\"\nfi\n", "$DIST_ARGS"},
    {"case $MODE in\n  multi) DIST_ARGS=\"JOINS\" ;;\n  *) DIST_ARGS=\"\" ;;\nesac\n", "$DIST_ARGS"},
    {"ARGS=()\nif [ -n \"$MULTI\" ]; then\n  ARGS+=(JOINS)\nfi\n", "\"${ARGS[@]}\""},
    {"read -r DIST_ARGS < dist.args\n", "$DIST_ARGS"},
    {"mapfile -t ARGS < dist.args\n", "\"${ARGS[@]}\""},
    {"DIST_ARGS=$(python args.py)\n", "$DIST_ARGS"},
    {"while getopts \"d:\" o; do\n  DIST_ARGS=$OPTARG\ndone\n", "$DIST_ARGS"},
    {"join() {\n  DIST_ARGS=\"JOINS\"\n}\njoin\n", "$DIST_ARGS"},
    {"[ -n \"$MULTI\" ] && DIST_ARGS=\"JOINS\"\n", "$DIST_ARGS"},
    {"for a in x y; do\n  DIST_ARGS=\"$DIST_ARGS JOINS\"\ndone\n", "$DIST_ARGS"},
    {"eval \"$(cat env.txt)\"\n", "$DIST_ARGS"}};

}  // namespace

TEST_CASE("a launch with a word that is not read is a question, and a fault where the word is spelt out") {
  const Fault& fault = faults[1];
  Linter linter;
  for (const auto& [above, word] : unread)
    for (const bool spelt : {false, true}) {
      const std::string start = "torchrun --nproc_per_node=4 " + (spelt ? "--max_restarts=3" : word) + " train.py\n";
      const std::string lines = put(above, "JOINS", "--nnodes=2 --rdzv_endpoint=$HEAD:29500");
      for (const Host& host : hosts) {
        const std::string script = "#!/bin/bash\n" + host.head_of_two + lines + host.step + " " + start;
        INFO(script);
        CHECK(linter.finds(script, Input::script, fault.rules) == spelt);
      }
      for (const std::string& manifest : kinds(runs(lines + start).front(), 2)) {
        INFO(manifest);
        CHECK(linter.finds(manifest, Input::manifest, fault.rules) == spelt);
      }
    }
}

}  // namespace lint_spellings_test
