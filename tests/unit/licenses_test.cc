// Licenses: how they are spelt, and whether a site has as many as a workload or a job script requests.
#include "compiler/model/license.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/imported_text.h"
#include "tests/unit/site_text.h"

namespace licenses_test {

using namespace muster;
using plan::Verdict;
using property::Random;

namespace {

std::string site(const std::map<std::string, std::int64_t>& has) {
  std::string out =
      "fleet f { pool a { nodes = \"n[1-4]\"  node { cpus = 8  memory = 64GiB } } }\n"
      "site s { fleet = f  plane batch { kind = slurm }  queue m { default = true }\n";
  for (const auto& [name, count] : has) out += "  license " + name + " { count = " + std::to_string(count) + " }\n";
  return out + "}\n";
}

Verdict of_workload(const std::string& site, const std::vector<std::string>& asked) {
  std::string list;
  for (const std::string& one : asked) list += (list.empty() ? "\"" : ", \"") + one + "\"";
  const auto read = test::read_site(
      site + "workload w { kind = batch  command = [\"a\"]  time-limit = 1h  licenses = [" + list + "] }\n");
  Diagnostics diagnostics;
  const plan::PlanResult result = plan::make_plan(read->request(), diagnostics);
  if (!result.plan) return Verdict::does_not_fit;
  return plan::startable(result.plan->fit);
}

Verdict of_script(const std::string& site, const std::vector<std::string>& asked) {
  return plan::startable(test::read_site(site)->fit_of(
      "#!/bin/bash\n#SBATCH --time=10\n#SBATCH --licenses=" + joined(asked, ",") + "\nsrun a\n"));
}

}  // namespace

TEST_CASE("a license is a name, and a number from 1 on", "[licenses]") {
  for (const char* text : {"a", "a:1", "a-b.c@server:1000000", "a/b:3"}) {
    CAPTURE(text);
    CHECK(model::read_license(text));
  }
  for (const char* text : {"", ":1", "a:", "a:0", "a:-1", "a:1x", "a:1000001", "a:99999999999999999999", "a b", "a*2",
                           "-a", "a;b", "$(a)", "a\nb", "a:1:2", "a|b"}) {
    CAPTURE(text);
    CHECK_FALSE(model::read_license(text));
  }
  CHECK(model::read_licenses("a:2,b")->size() == 2);
  for (const char* text : {"", "a,", "a,a", "a:1,a:2", "a|b", "(a)"}) {
    CAPTURE(text);
    CHECK_FALSE(model::read_licenses(text));
  }
}

TEST_CASE("what a site has of licenses holds workloads and job scripts alike", "[licenses][fit]") {
  Random random(7);
  int fits = 0, misfits = 0;
  for (int i = 0; i < 120; ++i) {
    std::map<std::string, std::int64_t> has;
    std::vector<std::string> asked;
    bool room = true;
    for (const char* name : {"a", "b", "c"}) {
      if (!random.one_in(3)) has[name] = random.upto(4);
      if (!random.one_in(2)) continue;
      const std::int64_t need = 1 + random.upto(3);
      asked.push_back(name + (need == 1 && random.one_in(2) ? "" : ":" + std::to_string(need)));
      room &= has.contains(name) && need <= has[name];
    }
    if (asked.empty()) continue;
    const std::string text = site(has);
    CAPTURE(text, joined(asked, ","));
    const Verdict wanted = has.empty() ? Verdict::unknown : room ? Verdict::fits : Verdict::does_not_fit;
    CHECK(of_workload(text, asked) == wanted);
    CHECK(of_script(text, asked) == wanted);
    ++(room ? fits : misfits);
  }
  CHECK(std::min(fits, misfits) > 15);
}

TEST_CASE("site import reads the licenses of a controller", "[licenses][cluster]") {
  const auto imported = [](const std::string& value) {
    Diagnostics diagnostics;
    return test::import_slurm(
        "Configuration data as of 2026-11-28T12:00:00\nClusterName             = lab\nLicenses                = " +
            value + "\nSLURM_VERSION           = 22.05.8\n",
        diagnostics);
  };
  for (const char* text : {"a:4,b:2", "a*4,b*2"}) {
    const auto site = imported(text).site;
    REQUIRE(site.licenses.size() == 2);
    CHECK(site.licenses[0].name == "a");
    CHECK(site.licenses[0].count == 4);
    CHECK(site.licenses[1].count == 2);
  }
  CHECK(imported("(null)").site.licenses.empty());
  const auto odd = imported("a:x");
  CHECK(odd.site.licenses.empty());
  CHECK(std::any_of(odd.remarks.begin(), odd.remarks.end(),
                    [](const auto& remark) { return remark.text.starts_with("Licenses was not imported"); }));
}

}  // namespace licenses_test
