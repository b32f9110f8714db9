// A sample of what `muster_answers` asks.
#include "tests/answers/judge.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/places.h"

namespace answers_test {

using namespace muster;

TEST_CASE("what is decided is written and fits, and what can be written is decided", "[answers]") {
  answers::Options options;
  options.root = muster::tests::source_folder();
  options.pairs = 400 / muster::tests::case_step;
  const answers::Report report = answers::judge(options);
  for (const std::string& fault : report.faults) {
    INFO(fault);
    CHECK(false);
  }
  CHECK(report.examples > 100);
  CHECK(report.passed_over > 0);
  CHECK(2 * report.written >= report.pairs);
}

}  // namespace answers_test
