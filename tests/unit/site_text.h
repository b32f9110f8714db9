// A site as text, and what is asked at it: its first workload, or a file that is there already.
#pragma once

#include <memory>
#include <string>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "driver/existing_files.h"
#include "lint/fit_as_read.h"
#include "plan/steps/make_plan.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace muster::test {

struct SiteText {
  Sources sources;
  Diagnostics diagnostics;
  model::Module module;

  const model::Site& site() const { return module.sites.at(0); }
  const model::Fleet& fleet() const { return module.fleets.at(0); }

  // Of the first workload; borrows this.
  plan::PlanRequest request() const {
    plan::PlanRequest out;
    out.workload = &module.workloads.at(0);
    out.workloads = module.workloads;
    out.site = &site();
    out.site_given = true;
    out.fleet = &fleet();
    return out;
  }

  // Of a job script or manifest, which is one thing to fit.
  plan::Fit fit_of(const std::string& body, const std::string& name = "job.sbatch") {
    auto file = driver::existing_file(name, body);
    REQUIRE(file);
    file->file = sources.add(name, body);
    const auto read = driver::read_existing(*file, sources, "", site(), &fleet(), {}, diagnostics);
    REQUIRE(read.size() == 1);
    return lint::fit_as_read(read[0], site(), fleet());
  }
};

// The text has no errors.
inline std::unique_ptr<SiteText> read_site(const std::string& text) {
  auto out = std::make_unique<SiteText>();
  out->sources.add("site.muster", text);
  auto tree = syntax::parse(out->sources, 1, out->diagnostics);
  REQUIRE(tree);
  out->module = sema::check({std::move(*tree)}, out->sources, {}, out->diagnostics);
  INFO(text << messages_of(out->diagnostics));
  REQUIRE_FALSE(out->diagnostics.has_errors());
  return out;
}

}  // namespace muster::test
