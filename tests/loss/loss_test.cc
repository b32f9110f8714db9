// A sample of the loss contract; `muster_loss` and the judge `loss` run the whole of it.
#include "tests/loss/contract.h"

#include <set>
#include <sstream>

#include "targets/carriage.h"
#include "targets/target.h"
#include "tests/catch.h"
#include "tests/loss/reader.h"
#include "tests/loss/specs.h"
#include "tests/places.h"

namespace loss_test {

using namespace muster;

TEST_CASE("each field is found in the output, in the loss report, or refused", "[loss]") {
  loss::Options options;
  options.root = muster::tests::source_folder();
  options.specs = 80;
  options.step = 23;  // no divisor of the number of values: others at each site
  options.mutants = 1;
  const loss::Report report = loss::judge(options);
  for (const std::string& fault : report.faults) {
    INFO(fault);
    CHECK(fault.starts_with("no spec ever said"));  // of a sample
  }
  for (const std::string& cell : report.not_in_table) {
    INFO(cell << ": its target's column does not have it; `muster_loss . --table` prints the table");
    CHECK(false);
  }
  CHECK(report.compiled > 200);
  CHECK(report.mutants > 100);
  CHECK(report.noticed == report.mutants);
  CHECK(report.lines > 2000);
  CHECK(report.missed == 0);
}

TEST_CASE("the columns of what becomes of each key have every key of the schema, each once", "[loss]") {
  std::vector<std::string> keys;
  for (const targets::Carriage& row : targets::carriage()) keys.emplace_back(row.key);
  CHECK(keys == loss::schema_keys());
  for (const targets::Target& target : targets::all_targets()) {
    std::istringstream all([&] {
      std::string out;
      for (const targets::Carried& part : target.carriage()) out += std::string(part.keys) + " ";
      return out;
    }());
    std::set<std::string> once;
    for (std::string key; all >> key;) {
      INFO(target.name << ": " << key);
      CHECK(once.insert(key).second);
    }
  }
}

TEST_CASE("a written path is that of its key", "[loss]") {
  CHECK(loss::key_of("resources.nodes") == "resources.nodes");
  CHECK(loss::key_of("role.learn.mount.data.sub-path") == "mount.sub-path");
  CHECK(loss::key_of("file.conf/a.b.yaml.text") == "file.text");
  CHECK(loss::key_of("role.learn.depends-on.judge.on") == "role.depends-on.on");
  CHECK(loss::key_of("depends-on.prepare.on") == "depends-on.on");
  CHECK(loss::key_of("env.SEED") == "env.*");
  CHECK(loss::key_of("target.slurm.nice") == "target.*");
  CHECK(loss::key_of("code.git.url") == "code.git.url");
}

TEST_CASE("the reader of words reads as a shell does", "[loss]") {
  CHECK(loss::shell_words("a 'b c' \"d \\\" $e\" f\\ g # it's a comment\nh") ==
        std::vector<std::string>{"a", "b c", "d \" $e", "f g", "h"});
}

}  // namespace loss_test
