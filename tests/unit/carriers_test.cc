// The lines that carry an entry of the loss report, in texts written by hand.
#include "targets/carriers.h"

#include "tests/catch.h"

namespace carriers_test {

using namespace muster;
using targets::Carriers;
using targets::Document;
using targets::Field;
using targets::Lines;
using targets::LossEntry;

namespace {

LossEntry exact(targets::FieldRef field, std::string as) {
  return {LossEntry::Status::exact, std::move(field), std::move(as), {}};
}

model::Workload two_roles() {
  model::Workload out;
  out.roles.resize(2);
  out.roles[0].name = "learn";
  out.roles[0].program.emplace(model::Program(model::Argv{"python", "a b.py"}), Span{});
  out.roles[0].env.push_back({"SEED", {"1"}, {}});
  out.roles[1].name = "act";
  return out;
}

std::vector<Lines> lines_in(const Document& document, const LossEntry& entry) {
  const model::Workload workload = two_roles();
  const model::Site site;
  const std::vector<Document> documents = {document};
  const auto found = Carriers(documents, workload, site).of(entry);
  if (found.empty()) return {};
  CHECK(found.size() == 1);
  CHECK(found[0].document == document.name);
  return found[0].lines;
}

const Document script = {"w.slurm.sbatch",
                         "#!/bin/bash\n"
                         "#SBATCH --time=0-01:00:00\n"
                         "#SBATCH --gpus-per-node=8\n"
                         "export A=1 SEED=1\n"
                         "srun sh -c \"$node\" sh \\\n"
                         "  python 'a b.py'\n"};

const Document manifest = {"w.jobset.yaml",
                           "kind: JobSet\n"
                           "spec:\n"
                           "  replicatedJobs:\n"
                           "    - name: learn\n"
                           "      replicas: 1\n"
                           "      template:\n"
                           "        cpu: 8\n"
                           "        args: [python, \"a b.py\"]\n"
                           "        env:\n"
                           "          - name: SEED\n"
                           "            value: \"1\"\n"
                           "    - name: act\n"
                           "      replicas: 2\n"
                           "      template:\n"
                           "        cpu: 8\n"};

}  // namespace

TEST_CASE("an option, a variable and a command are found in a script", "[carriers]") {
  CHECK(lines_in(script, exact(Field::time_limit, "--time=0-01:00:00, the default-time of queue gpu")) ==
        std::vector<Lines>{{2, 2}});
  CHECK(lines_in(script, exact(Field::env, "export lines")) == std::vector<Lines>{{4, 4}});
  CHECK(lines_in(script, exact(Field::command, "the program")) == std::vector<Lines>{{6, 6}});
}

TEST_CASE("a key and an item are found in the part of their role", "[carriers]") {
  CHECK(lines_in(manifest, exact({Field::resources_cpus, "", "act"}, "cpu: 8")) == std::vector<Lines>{{15, 15}});
  CHECK(lines_in(manifest, exact(Field::resources_cpus, "cpu: 8")) == std::vector<Lines>{{7, 7}, {15, 15}});
  CHECK(lines_in(manifest, exact({Field::env, "", "learn"}, "env")) == std::vector<Lines>{{10, 11}});
  CHECK(lines_in(manifest, exact({Field::command, "", "learn"}, "args")) == std::vector<Lines>{{8, 8}});
}

TEST_CASE("what is not carried has no lines", "[carriers]") {
  CHECK(lines_in(script, exact(Field::title, "--job-name")).empty());
  CHECK(lines_in(script, {LossEntry::Status::approximated, Field::time_limit, "nothing", "why"}).empty());
  CHECK(lines_in(script, {LossEntry::Status::read, Field::time_limit, "--time=0-01:00:00", ""}).empty());
}

}  // namespace carriers_test
