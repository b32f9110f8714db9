// What a file with `#SBATCH` lines is for, and what lint says of one that is not submitted as it is.
#include "targets/slurm/read/purpose.h"

#include <string>

#include "tests/unit/linted.h"

namespace purpose_test {

using namespace muster;
using targets::PurposeKind;
namespace slurm = targets::slurm;

namespace {

targets::Purpose purpose(const std::string& text, const std::string& name = "a.sbatch") {
  Sources sources;
  const std::uint32_t file = sources.add(name, text);
  const slurm::Script script = slurm::read_script(sources, file);
  return slurm::purpose_of(sources, script, slurm::read_body(sources, script));
}

std::string script(const std::string& lines) { return "#!/bin/bash\n#SBATCH --time=1:00:00\n" + lines; }

// The rules that find something, each once, with their severities.
std::string findings(const std::string& text, const std::string& name = "a.sbatch") {
  const tests::TempFolder folder;
  const auto file = tests::written(folder, name, text);
  tests::Linted linted(file);
  std::string out;
  for (const lint::Result& r : linted.run.outcome().results) {
    if (r.finding.severity == Severity::info && !lint::is_of(r.finding, lint::RuleId::unfilled_template)) continue;
    const std::string one = std::string(lint::about(r.finding).id) + " " +
                            std::string(severity_name(r.finding.severity)) + (r.finding.fix ? " fix" : "");
    if (out.find(one) == std::string::npos) out += (out.empty() ? "" : ", ") + one;
  }
  return out;
}

}  // namespace

TEST_CASE("a template is known by its engine", "[lint][purpose]") {
  const std::pair<const char*, const char*> engines[] = {
      {"#SBATCH --nodes={{ nodes }}\nsrun a\n", "jinja"},
      {"#SBATCH -n 1\n{% if gpu %}\nsrun a\n{% endif %}\n", "jinja"},
      {"#SBATCH -o {{cookiecutter.name}}.log\nsrun a\n", "cookiecutter"},
      {"#SBATCH --job-name=<%= job.name %>\nRscript a.R\n", "brew or ERB"},
      {"% if gpu:\n#SBATCH --gpus=1\n% endif\nsrun a\n", "Mako"},
      {"%(line_m)s\n#SBATCH --output log\n", "Python"},
      {"# properties = {properties}\n{exec_job}\n", "snakemake"},
      {"#SBATCH --time=##HOURS##:0:00\nsrun a\n", ""},
      {"#SBATCH --ntasks=__NTASKS__\nsrun a\n", ""},
      {"#SBATCH --ntasks=@NTASKS@\nsrun a\n", ""},
      {"#SBATCH --ntasks=%%NTASKS%%\nsrun a\n", ""},
      {"#SBATCH --ntasks=%(ntasks)d\nsrun a\n", "Python"},
      {"#SBATCH -o %j.out\n#SBATCH -e %j.err\nsrun a\n% if gpu:\nsrun b\n% endif\n", "Mako"},
      {"#SBATCH --partition={partition}\nsrun a\n", ""},
      {"#SBATCH --nodes=$${nodes}\nsrun a\n", ""},
      {"#SBATCH --nodes=${NODES} --ntasks=$TASKS\nsrun a\n", ""},
      {"${PARTITION}\n#SBATCH --nodes=${NODES}\nsrun a\n", ""},
      {"#SBATCH --ntasks=XXXmpinodesXXX\nsrun a\n", ""},
      {"#SBATCH -o XXXPREFIXXX/log/a.out\nsrun a\n", ""},
      {"#SBATCH -p !PART_queue\nsrun a\n", ""},
      {"#SBATCH --nodes=@NNODES\nsrun a\n", ""},
      {"#SBATCH -n 1\n<GPU4_CONFIG>\nsrun a\n", ""},
  };
  for (const auto& [lines, engine] : engines) {
    INFO(lines);
    const targets::Purpose found = purpose(script(lines));
    CHECK(found.kind == PurposeKind::templated);
    CHECK(found.engine == engine);
    CHECK_FALSE(found.why.empty());
  }
  for (const char* name : {"slurm.tmpl", "a/slurm.tpl", "job.sh.in", "slurm.j2", "job.sbatch.template"}) {
    INFO(name);
    CHECK(purpose(script("srun a\n"), name).is_complete());  // there is nothing to fill in
  }
}

TEST_CASE("what only looks like a template is a script", "[lint][purpose]") {
  for (const char* lines :
       {"srun a\n", "docker inspect -f '{{range .Networks}}{{.IP}}{{end}}' a\n",
        "parallel 'mkdir {%}; ./run {}' ::: 1 2\n", "#SBATCH --output=$HOME/a.log\nsrun a\n",
        "#SBATCH --output=${USER}_a.log\nsrun a\n", "#SBATCH --output=log_$USER_x\nsrun a\n",
        "#SBATCH --nodes=$N\nN=4\nsrun a\n", "#SBATCH --account=<account>\nsrun a\n",
        "#SBATCH --job-name=my__job__a\nsrun a\n", "#SBATCH --mail-user={a@example.org}\nsrun a\n",
        "#SBATCH --account=pXXXXX\nsrun a\n", "#SBATCH -J XXL_XX\nsrun a\n", "#SBATCH --mail-user=@example\nsrun a\n",
        "<a.txt sort\n", "#SBATCH -o a.%A_%a.log\nmatlab <<E\n% for x\nE\n", "awk '{print $1}' a > b\n"}) {
    INFO(lines);
    CHECK(purpose(script(lines)).is_complete());
  }
  CHECK(purpose(script("srun a\n"), "templates/a.sh").is_complete());  // many are copied and submitted
  CHECK(purpose(script("#SBATCH -o $HOME/x\nsrun a\n"), "templates/a.sh").is_complete());
  CHECK(purpose(script("#SBATCH -N $USER\nsrun a\n"), "templates/a.sh").kind == PurposeKind::templated);
}

TEST_CASE("wrappers, notes and outputs of jobs", "[lint][purpose]") {
  CHECK(purpose("#!/bin/bash\nfor i in 1 2; do sbatch job.sh $i; done\n#SBATCH -n 1\n").kind == PurposeKind::wrapper);
  CHECK(purpose("#!/bin/bash\nsbatch <<E\n#!/bin/bash\n#SBATCH -n 1\nsrun a\nE\n").kind == PurposeKind::wrapper);
  CHECK(purpose(script("srun a\nsbatch next.sh\n")).is_complete());  // a job that submits the next one
  CHECK(purpose(script("srun a\n\n\n#!/bin/bash\n#SBATCH -n 4\nsrun b\n")).kind == PurposeKind::notes);
  CHECK(purpose(script("srun a\n\n\n#!/bin/bash\nsrun b\n#SBATCH -n 4\n")).is_complete());
  CHECK(purpose("job.sh\n#!/bin/bash\n#SBATCH -n 4\nsrun b\n").is_complete());  // one script, and it is broken
  CHECK(purpose(script("cat > a.sh <<E\n#!/bin/bash\necho\nE\nsrun bash a.sh\n")).is_complete());
  CHECK(purpose("#SBATCH -n 1\nsrun a\n", "README.md").kind == PurposeKind::notes);
  CHECK(purpose(script("srun a\n"), "README.md").is_complete());
  CHECK(purpose("#SBATCH --nodes=2\n", "options.txt").kind == PurposeKind::notes);
  CHECK(purpose(script("srun a\n"), "job.txt").kind == PurposeKind::complete);
  CHECK(purpose(script("cd a\n#SBATCH -n 1 -c 2\n#SBATCH -n 2 -c 4\nsrun a\n")).kind == PurposeKind::notes);
  CHECK(purpose(script("cd a\n#SBATCH -n 1\n#SBATCH -c 2\nsrun a\n")).is_complete());
  const std::string two = "#SBATCH -n 1 -c 2\n# or\n#SBATCH -n 2 -c 4\n";
  CHECK(purpose(script(two)).kind == PurposeKind::notes);  // no command: not a job
  CHECK(purpose(script(two + "srun a\n")).is_complete());
  CHECK(purpose(script("#SBATCH -n 1 -c 2\n#SBATCH -n 2\n")).is_complete());
  CHECK(purpose(script("#PBS -l nodes=2\n#BSUB -n 4\nsrun a\n")).is_complete());
  CHECK(purpose(script("#PBS -l nodes=2\nsrun a\n")).is_complete());
  CHECK(purpose("#SBATCH -n 1\nsrun a\n", "slurm-5854805.out").kind == PurposeKind::log);
  CHECK(purpose(script("srun a\n"), "slurm-5854805.out").is_complete());
}

TEST_CASE("of a template lint reports what does not depend on it, without a fix", "[lint][purpose]") {
  const std::string lines = "#SBATCH --nodes={{ nodes }}\n#SBATCH --cpu-per-task=4\n#SBATCH --output=$HOME/x\n";
  CHECK(
      findings(script(lines + "export WANDB_API_KEY=7c1e9a4f0b5d2836e1f47a9c3b80d65f2e94a1c7\ncd a\n#SBATCH -c 2\n")) ==
      "SLM022 info, SLM021 error, SLM020 error, SEC001 error, SLM019 warning");
  CHECK(findings(script("#SBATCH --nodes=2\ncd a\n#SBATCH -c 2\nsrun a\n")) == "SLM019 error fix");
}

TEST_CASE("a blank to fill in does not silence the rest of a script", "[lint][purpose]") {
  CHECK(findings(script("#SBATCH --account=<account>\n#SBATCH --output=$HOME/x\n#SBATCH --cpu-per-task=4\nsrun a\n")) ==
        "SLM022 info, SLM020 error, SLM021 error fix");
  CHECK(findings(script("#SBATCH --nodes=NODES\n#SBATCH --output=$HOME/x\nsrun a\n")) == "SLM022 info, SLM020 error");
  for (const char* line : {"--mem=", "--array=0-XXX", "--gres=gpu:v100:x   # x = 1 or 2",
                           "--mail-user=[your email address]", "-A  # the account to charge"}) {
    INFO(line);
    CHECK(findings(script("#SBATCH " + std::string(line) + "\nsrun a\n")) == "SLM022 info");
  }
  for (const char* line : {"--mem=4Q", "--nodelist=node[1-3] x", "-A"}) {
    INFO(line);
    CHECK(findings(script("#SBATCH " + std::string(line) + "\nsrun a\n")) == "SLM021 error");
  }
}

TEST_CASE("a blank takes the next option as its value", "[lint][purpose]") {
  CHECK(findings(script("#SBATCH -p   # your partitions\n#SBATCH -n 1\nsrun a\n")) == "SLM022 info");
  CHECK(findings(script("#SBATCH -o\n#SBATCH -n 1\nsrun a\n")) == "SLM021 error");
  CHECK(findings(script("#SBATCH --nodes=\n#SBATCH -t\n#SBATCH -A lab\nsrun a\n")) == "SLM022 info");
  CHECK(findings(script("#SBATCH --time\n#SBATCH --cpus-per-gpu\n#SBATCH --mem-per-gpu\nsrun a\n")) == "SLM022 info");
}

TEST_CASE("a directive in a branch is not moved out of it", "[lint][purpose]") {
  CHECK(findings(script("if [ -n \"$GPU\" ]; then\n#SBATCH --gpus=1\n  module load cuda\nfi\nsrun a\n")) ==
        "SLM019 error");
  CHECK(findings(script("module load cuda\n#SBATCH --gpus=1\nif [ -n \"$GPU\" ]; then\n  srun a\nfi\n")) ==
        "SLM019 error fix");
}

TEST_CASE("words that stand for a value leave the rest of the script to be judged", "[lint][purpose]") {
  CHECK(findings(script("#SBATCH --array=INDICES (e.g., 1,2,3)\nsrun a\n")) == "SLM022 info");
  CHECK(findings(script("#SBATCH --array=LIST_OF_SUBJECTS_HERE or more\nsrun a\n")) == "SLM022 info");
  CHECK(findings(script("#SBATCH -J\n#SBATCH -p QUEUE TIME\nsrun a\n")) == "SLM022 info");
  CHECK(findings(script("#SBATCH -p gpu teslat4\nsrun a\n")) == "SLM021 error");
}

}  // namespace purpose_test
