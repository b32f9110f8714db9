// What is around a program: its image, exports of its software, the profile of its shell, patterns, its folder, and the
// names of batch systems that its text reads. Each test makes a class of files and reads or runs each of them.
#include "compiler/sema/expand/defaults.h"
#include "tests/unit/pods_scene.h"
#include "tests/unit/recompiled.h"

namespace lift_surroundings_test {

using namespace muster;
using namespace muster::tests;

namespace {

std::string job(int nodes, int tasks) {
  return "#!/bin/bash\n#SBATCH --nodes=" + std::to_string(nodes) +
         "\n#SBATCH --ntasks-per-node=" + std::to_string(tasks) + "\n#SBATCH --gpus-per-node=1\n";
}

// The images of a workload's roles, where its site has these blocks.
std::vector<std::string> images_of(const std::string& site, const std::string& workload) {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t number =
      sources.add("a.muster", "site s {\n" + site + "\n}\nworkload w {\n" + workload + "\n}\n");
  auto file = syntax::parse(sources, number, diagnostics);
  REQUIRE(file);
  std::vector<ast::File> files{std::move(*file)};
  const ast::Block block = files.front().blocks.front();
  sema::lay_defaults(block, files, diagnostics);
  const model::Module module = sema::check(files, sources, {}, diagnostics);
  INFO(workload + (diagnostics.empty() ? "" : diagnostics.sorted().front().message));
  REQUIRE_FALSE(diagnostics.has_errors());
  std::vector<std::string> out;
  for (const model::Role& role : module.workloads.front().roles) out.push_back(role.image ? role.image->value : "");
  return out;
}

}  // namespace

TEST_CASE("the image of the defaults is for what has no image from its software") {
  Tally tally;
  const std::string plane = "plane p { kind = kubernetes }\n";
  const std::vector<std::pair<std::string, bool>> softwares = {
      {"software x { image = \"soft:1\" }", true},
      {"software x { modules = [\"cuda\"] }", false},
      {"software x { image = \"soft:1\"  prelude = <<<bash\n:\n>>>\n}", true},
      {"software y { image = \"soft:1\" }\nsoftware x { modules = [\"a\"] }", false},
  };
  for (const auto& [software, is_image] : softwares)
    for (const bool named : {true, false})
      for (const bool own : {true, false})
        for (const char* form : {"kind = batch\n", "kind = train\n", "kind = batch\nnodes = 2\n"}) {
          const std::string site = plane + software + "\ndefaults { image = \"base:1\" }";
          const std::string workload = std::string(form) + (named ? "software = x\n" : "") +
                                       (own ? "image = \"own:1\"\n" : "") + "command = [\"a\"]";
          const std::string wanted = own ? "own:1" : named && is_image ? "" : "base:1";
          const auto images = images_of(site, workload);
          INFO(site + "\n" + workload);
          CHECK(images == std::vector<std::string>{wanted});
          tally.count(images == std::vector<std::string>{wanted});
        }
  for (const auto& [software, is_image] : softwares) {
    const std::string site = plane + software + "\ndefaults { image = \"base:1\" }";
    const auto images =
        images_of(site, "kind = rl\nrole a { software = x  command = [\"a\"] }\nrole b { command = [\"b\"] }");
    const std::vector<std::string> wanted{is_image ? "" : "base:1", "base:1"};
    CHECK(images == wanted);
    tally.count(images == wanted);
  }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("an export among the lines of the software is on pods too") {
  Tally tally;
  for (const std::string& name : {"TORCH_HOME", "HF_HOME", "OMP_NUM_THREADS", "NCCL_DEBUG", "DATA"})
    for (const std::string& value : {"/data/hub", "a b", "1", "x:y"})
      for (const std::string& lines : {"source ~/.bashrc\nconda activate llm", "source /opt/env.sh", ". ./env.sh",
                                       "eval \"$(conda shell.bash hook)\"\nsource setup.sh"}) {
        const std::string script = job(1, 1) + "export " + name + "=\"" + value + "\"\n" + lines + "\npython a.py\n";
        const Recompiled result = recompiled(script, true);
        INFO(script + result.text + result.refusal + result.file);
        const bool given = result.file.find(name) != std::string::npos && result.file.find(value) != std::string::npos;
        CHECK(given);
        tally.count(given);
      }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("what a script exports in any way, its program finds") {
  Tally tally;
  const std::vector<std::string> forms = {"export X=VALUE",      "X=VALUE\nexport X",
                                          "declare -x X=VALUE",  "typeset -x X=VALUE",
                                          "declare -xr X=VALUE", "X=VALUE\ndeclare -x X",
                                          "set -a\nX=VALUE",     "set -o allexport\nX=VALUE\nset +o allexport",
                                          "export X\nX=VALUE",   "export Y=1 X=VALUE"};
  for (const std::string& form : forms)
    for (const std::string& value : {"1", "\"a b\"", "'$x'"})
      for (const std::string& around :
           {"BODY\npython a.py", "BODY\nsource env.sh\npython a.py", "BODY\nfor i in 1; do python a.py; done"}) {
        std::string body = form;
        body.replace(body.find("VALUE"), 5, value);
        std::string script = job(1, 1) + around + "\n";
        script.replace(script.find("BODY"), 4, body);
        const Recompiled result = recompiled(script, false);
        INFO(script + result.text + result.refusal + result.file);
        const std::string was = recorded(script, {}), is = recorded(result.file, {});
        CHECK(is == was);
        tally.count(is == was && was.find("X=") != std::string::npos);
      }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("a login shell reads its profile before the modules, not behind them") {
  Tally tally;
  for (const std::string& shebang : {"#!/bin/bash -l", "#!/bin/bash --login", "#!/bin/bash -i", "#!/bin/bash -il",
                                     "#!/usr/bin/env -S bash -l", "#!/bin/bash"})
    for (const std::string& line : {"module load cuda/12", "module purge\nmodule load a b", "conda activate llm",
                                    "source venv/bin/activate", "source /opt/env.sh"})
      for (const std::string& program : {"for i in 1 2; do python a.py $i; done", "python a.py > log"}) {
        std::string script = job(1, 1) + line + "\n" + program + "\n";
        script.replace(0, script.find('\n'), shebang);
        const Lifted result(script);
        INFO(script + result.text);
        const bool flagged = result.text.find("script-flags") != std::string::npos;
        const bool moved = result.text.find("software = ") != std::string::npos;
        CHECK_FALSE((flagged && moved));
        tally.count(!(flagged && moved));
      }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("a pattern in a variable is what bash makes of it") {
  Tally tally;
  for (const std::string& pattern : {"*", "*.txt", "?.txt", "[ab].txt", "x*y", "a.*"})
    for (const std::string& use :
         {"X='PATTERN'\npython a.py $X", "X='PATTERN'\npython a.py \"$X\"", "X='PATTERN'\npython a.py --glob=$X",
          "X='PATTERN'\npython a.py --glob=\"$X\"", "X='PATTERN'\nY=$X\npython a.py $Y",
          "X='PATTERN'\nY=\"-g $X\"\npython a.py $Y", "X=('PATTERN' z)\npython a.py ${X[@]}",
          "X=('PATTERN' z)\npython a.py \"${X[@]}\"", "python a.py 'PATTERN'", "python a.py PATTERN"}) {
      std::string script = job(1, 1) + use + "\n";
      script.replace(script.find("PATTERN"), 7, pattern);
      const Recompiled result = recompiled(script, false);
      INFO(script + result.text + result.refusal + result.file);
      const std::string was = recorded(script, {}), is = recorded(result.file, {});
      // Words such as `layers=[1,2]` are no patterns in practice: the report names them.
      const bool right = is == was || (pattern[0] == '[' && Lifted(script).fate(pattern) == "mended") ||
                         (pattern[0] == '[' && Lifted(script).fate("--glob=" + pattern) == "mended");
      CHECK(right);
      tally.count(right && !was.empty());
    }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("a folder that is below that of the submission is not lost on pods") {
  Tally tally;
  for (const std::string& folder : {"..", "../", "../x", "./x", "x", "x/y", "~/x", "~", "../../data", "x y"})
    for (const std::string& option : {"--chdir=", "-D "})
      for (const std::string& body : {"python a.py", "for i in 1 2; do python a.py $i; done"}) {
        const std::string quoted = folder.find(' ') == std::string::npos ? folder : "\"" + folder + "\"";
        const std::string script = job(1, 1) + "#SBATCH " + option + quoted + "\n" + body + "\n";
        const Recompiled slurm = recompiled(script, false), pods = recompiled(script, true);
        INFO(script + slurm.text + pods.refusal + pods.file);
        const bool kept = slurm.file.find("--chdir=") != std::string::npos;
        const bool said = pods.refusal.find("`" + folder + "`") != std::string::npos;
        CHECK(kept);
        CHECK(said);
        tally.count(kept && said);
      }
  CHECK(recompiled(job(1, 1) + "#SBATCH --chdir=.\npython a.py\n", true).ok());
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

// ---- names of batch systems ------------------------------------------------------------------------------

namespace {

struct NameOnPods {
  std::string name;
  bool given;  // with `compat = slurm`
};

const std::vector<NameOnPods> names_on_pods = {
    {"SLURM_JOB_ID", true},       {"SLURM_NNODES", true},    {"SLURM_PROCID", true},
    {"SLURM_CPUS_ON_NODE", true}, {"SLURMD_NODENAME", true}, {"SLURM_MEM_PER_NODE", true},
    {"SLURM_SUBMIT_DIR", true},   {"TMPDIR", true},          {"SLURM_JOB_PARTITION", false},
    {"SLURM_JOB_ACCOUNT", false}, {"PBS_NODEFILE", false},   {"PBS_JOBID", false},
    {"LSB_HOSTS", false},         {"PET_NNODES", false},     {"LWS_LEADER_ADDRESS", false},
    {"VC_TASK_INDEX", false},
};

test::Manifests on_pods(const std::string& workload) {
  test::Pods scene;
  scene.workload = "kind = batch\nsoftware = torch\ngpus = 1\ncpus = 4\nmemory = 8GiB\n" + workload;
  return test::lower(scene);
}

}  // namespace

TEST_CASE("a text on pods reads no name that nothing gives there") {
  Tally tally;
  const auto check = [&](const std::string& workload, const std::string& name, bool right, const std::string& line) {
    const test::Manifests made = on_pods("launch { compat = slurm }\n" + workload);
    const bool named =
        made.stated().find("`" + name + "`") != std::string::npos && made.stated().find(line) != std::string::npos;
    INFO(workload + made.stated());
    CHECK(made.ok() == right);
    CHECK((right || named));
    tally.count(made.ok() == right && (right || named));
  };
  for (const NameOnPods& one : names_on_pods) {
    const std::string read = "\"$" + one.name + "\"", fallback = "\"${" + one.name + ":-x}\"";
    check("script = <<<bash\n:\ntouch " + read + "\n>>>", one.name, one.given, "line 2");
    check("script = <<<bash\necho " + fallback + "\n>>>", one.name, true, "");
    check("script = <<<bash\n" + one.name + "=1\ntouch " + read + "\n>>>", one.name, true, "");
    check("script = <<<bash\necho a " + read + "\n>>>", one.name, true, "");
    check("script = <<<bash\n# " + read + "\necho \"\\$X\"\n>>>", one.name, true, "");
    check("script = <<<bash\n[ -n " + read + " ] && echo " + fallback + "\n>>>", one.name, true, "");
    check("setup = <<<bash\ntouch " + read + "\n>>>\ncommand = [\"a\"]", one.name, one.given, "line 1");
    check("env { " + one.name + " = \"1\" }\nscript = <<<bash\ntouch " + read + "\n>>>", one.name, true, "");
    check("command = [\"a\", \"${env." + one.name + "}\"]", one.name, one.given, "");
    check("script = <<<python\nimport os\nprint(os.environ[\"" + one.name + "\"])\n>>>", one.name, one.given, "line 2");
  }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("without the names of Slurm, pods have none of them") {
  Tally tally;
  for (const NameOnPods& one : names_on_pods) {
    const test::Manifests made = on_pods("script = <<<bash\ntouch $" + one.name + "\n>>>");
    INFO(one.name + made.stated());
    CHECK(made.ok() == (one.name == "TMPDIR"));
    tally.count(made.ok() == (one.name == "TMPDIR"));
  }
  CHECK(tally.right == tally.all);
}

TEST_CASE("a torchrun of the user's own does not join the nodes by variables of the operator") {
  Tally tally;
  for (const std::string& program : {"torchrun", "/opt/x/bin/torchrun", "python -m torch.distributed.run"})
    for (const std::string& options : {"", "--nnodes=1", "--standalone", "--nproc_per_node=4"})
      for (const bool script : {true, false})
        for (const char* target : {"trainjob", "pytorchjob"}) {
          if (!script && program == "torchrun") continue;  // the checker refuses it beside a runner
          test::Pods scene;
          scene.plane =
              "gang = kueue\nversion = \"1.34\"\noperator trainer { version = \"2.2\" }\noperator training-operator { "
              "version = \"1.9\" }";
          std::string words;
          const std::string line = program + " " + options + " a.py";
          for (const std::string_view word : split(line, ' '))
            if (!word.empty()) words += (words.empty() ? "\"" : ", \"") + std::string(word) + "\"";
          scene.workload =
              "kind = batch\nsoftware = torch\nnodes = 2\ngpus = 8\ncpus = 4\nmemory = 8GiB\nlaunch { runner = "
              "processes  processes = 1 }\n" +
              (script ? "script = <<<bash\n" + line + "\n>>>" : "command = [" + words + "]");
          const test::Manifests made = test::lower(scene, target);
          INFO(scene.workload + target + made.stated());
          const bool joined = made.stated().find("PET_NNODES") != std::string::npos;
          CHECK(joined == (options != "--nnodes=1"));
          tally.count(joined == (options != "--nnodes=1"));
        }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

}  // namespace lift_surroundings_test
