// What `muster why` takes from a site: its nodes and partitions as facts, and whether a changed job fits it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "plan/plan.h"
#include "why/facts.h"

namespace muster::driver {
class Session;
}

namespace muster::cli {

class WhySite {
 public:
  explicit WhySite(std::string file);
  ~WhySite();

  // False: the site cannot be read, and the diagnostics of its session say why.
  bool load();
  driver::Session& session() { return *session_; }
  // Adds nodes and partitions that the facts do not have. The text of the site is added to `sources`, for the places.
  void add_to(why::Facts& facts, Sources& sources) const;
  // Whether a job script or a manifest fits the site, whatever is in use there. `note`: the certificate, or "".
  plan::Verdict fit(const std::string& name, const std::string& text, std::string& note) const;

 private:
  std::string file_;
  std::unique_ptr<driver::Session> session_;
};

}  // namespace muster::cli
