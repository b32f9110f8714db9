// muster explain CAUSE: every cause that `muster why` may name has a page, and nothing of the tables shows through.
#include "cli/explain_cause.h"
#include "compiler/base/text.h"
#include "tests/catch.h"
#include "why/causes/causes.h"
#include "why/decide/limits.h"

namespace explain_cause_test {

using namespace muster;

void check_page(const std::string& code) {
  INFO(code);
  REQUIRE(cli::is_cause(code));
  const std::string text = cli::cause_text(code);
  CHECK(text.starts_with(code + " ("));
  CHECK(text.find("What it means") != std::string::npos);
  // No fact of the tables is there by its name.
  for (const why::Cause& cause : why::causes())
    for (const std::string_view part : split(cause.sentence, '{'))
      if (const std::size_t end = part.find('}'); end != std::string_view::npos && part.find('.') < end)
        CHECK(text.find(part.substr(0, end)) == std::string::npos);
  const auto json = cli::cause_json(code);
  CHECK_FALSE(json["means"].empty());
  CHECK_FALSE(json["verdicts"].empty());
}

TEST_CASE("explain: every cause has a page") {
  for (const why::Cause& cause : why::causes())
    if (cause.code != "limit") check_page(std::string(cause.code));
  CHECK_FALSE(cli::is_cause("limit"));
  CHECK_FALSE(cli::is_cause("slurm/no-such-cause"));
}

TEST_CASE("explain: every limit of Slurm has a page") {
  for (const char* reason : {"QOSMaxCpuPerUserLimit", "QOSGrpNodeLimit", "AssocGrpGRES", "MaxGRESPerAccount",
                             "QOSMaxWallDurationPerJobLimit", "AssocMaxJobsLimit", "AssocGrpMemRunMinutes",
                             "QOSGrpCpuMinutesLimit", "QOSMinGRES"}) {
    const auto limit = why::read_limit(reason);
    REQUIRE(limit.has_value());
    check_page(limit->code());
    CHECK(cli::cause_text(limit->code()).find(" is limited") != std::string::npos);
  }
}

TEST_CASE("explain: a page of a cause says what is printed, what shows the rest and what repairs it") {
  const std::string text = cli::cause_text("k8s/image-not-found");
  CHECK(text.find("not found") != std::string::npos);
  CHECK(text.find("pull access denied") == std::string::npos);  // that must be absent
  CHECK(cli::cause_text("slurm/resources-fragmented").find("--nodes=… --gpus-per-node=…") != std::string::npos);
  CHECK(cli::cause_text("slurm/resources-fragmented").find("sinfo -N") != std::string::npos);
}

}  // namespace explain_cause_test
