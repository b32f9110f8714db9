// What each check of a site gets, and how it says where a finding is.
#pragma once

#include <string>

#include "lint/reporter.h"
#include "lint/rules/site/site.h"

namespace muster::lint {

struct SiteScene {
  const Sources& sources;
  const model::Site& site;
  const model::Fleet* fleet;  // nullptr: the site has none
  const model::Policy& policy;
  Reporter report;

  Finding& wrong(RuleId rule, Span where, std::string path, std::string message, std::string label = {}) const {
    return report.wrong(rule, {where.known() ? where : site.span, subject(), std::move(path)}, std::move(message),
                        std::move(label));
  }
  Finding& add(Finding f, std::string path) const { return report.add(std::move(f), subject(), std::move(path)); }
  std::string subject() const { return "site/" + site.name; }
};

}  // namespace muster::lint
