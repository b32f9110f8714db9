// Files that write or submit batch scripts: which of these are imported, and what is said of the rest.
#include "driver/importer.h"
#include "tests/catch.h"

namespace lift_submitting_test {

using namespace muster;

namespace {

struct Submitter {
  Sources sources;
  Diagnostics diagnostics;
  driver::Importer importer{sources, diagnostics, {}};

  explicit Submitter(const std::string& body) {
    importer.read({"all.sh", true}, sources.add("all.sh", "#!/bin/bash\n" + body));
  }

  std::string refusal() const { return diagnostics.sorted().empty() ? "" : diagnostics.sorted()[0].message; }
  // "lost module; dropped echo": of the statements of one workload.
  std::string around(std::size_t file = 0) const {
    std::string out;
    for (const targets::ImportLine& line : importer.files().at(file).imported.lines)
      if (line.statement && (line.fate == targets::Fate::lost || line.note.starts_with("it runs where")))
        out += (out.empty() ? "" : ", ") + std::string(name(line.fate)) + " " + line.option;
    return out;
  }
};

std::string document(const std::string& end, const std::string& lines) {
  return "<<" + end + "\n#!/bin/bash\n#SBATCH --gpus=1\n" + lines + "\nE\n";
}

}  // namespace

TEST_CASE("a file that only submits others is refused") {
  const Submitter loop("for lr in 1 2; do\n  sbatch train.sbatch $lr\ndone\n");
  CHECK(loop.refusal() == "`all.sh` only submits jobs: it calls `sbatch`");
  CHECK(loop.importer.files().empty());
  CHECK(Submitter("#SBATCH -n 1\npython a.py\nsbatch next.sh\n").refusal().empty());  // a job that submits the next
}

TEST_CASE("a here-document that is the same each time is a job") {
  for (const std::string end : {"E", "'E'"}) {
    const Submitter one("sbatch " + document(end, "python a.py"));
    CHECK(one.refusal().empty());
    CHECK(one.around().empty());
    CHECK(one.importer.files().at(0).text.find("\"a.py\"") != std::string::npos);
  }
  CHECK(Submitter("sbatch " + document("'E'", "python a.py $lr `date` \\$x")).refusal().empty());
}

TEST_CASE("a here-document that the shell fills in is none") {
  for (const std::string word : {"$lr", "${lr}", "$1", "$(date)", "`date`", "\\$HOME", "\\\\x"}) {
    const Submitter filled("cat > job.sh " + document("E", "python a.py " + word) + "sbatch job.sh\n");
    CHECK(filled.refusal().starts_with("the here-document is not one job: the shell that writes it replaces `"));
  }
  CHECK(Submitter("sbatch " + document("E", "python a.py 5$ \\a")).refusal().empty());
}

TEST_CASE("a here-document in a loop, a branch or a function is none") {
  const std::string one = "sbatch " + document("'E'", "python a.py");
  CHECK(Submitter("for i in 1 2; do\n" + one + "done\n").refusal().find("a loop writes it") != std::string::npos);
  CHECK(Submitter("if test -f x; then\n" + one + "fi\n").refusal().find("only a branch") != std::string::npos);
  CHECK(Submitter("f() {\n" + one + "}\nf\nf\n").refusal().find("a function") != std::string::npos);
}

TEST_CASE("what is around a here-document is not carried over without a word") {
  const Submitter one("module load cuda\nexport A=1\necho now\ncat > job.sh " + document("'E'", "python a.py") +
                      "sbatch job.sh\nsbatch --time=5 job.sh\n");
  CHECK(one.around() == "lost module, lost export, dropped echo, lost sbatch");
  const Submitter two("mkdir logs\nsbatch " + document("E", "python a.py") + "sbatch " + document("E", "python b.py"));
  CHECK(two.importer.files().size() == 2);
  CHECK(two.around() == "lost mkdir");
  CHECK(two.around(1).empty());
  const Submitter half("mkdir logs\nsbatch <<'E'\n#!/bin/bash\n#SBATCH --bogus x\npython a.py\nE\nsbatch " +
                       document("'E'", "python b.py"));
  CHECK(half.around(0).empty());
  CHECK(half.around(1) == "lost mkdir");
}

}  // namespace lift_submitting_test
