// The job under construction: what it is made from, and the directives, lines and loss entries so far.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "plan/plan.h"
#include "targets/loss.h"

namespace muster::targets::slurm {

// A path of the host made visible in a container. `source` is a bash word, `target` plain bytes.
struct Bind {
  std::string source;
  std::string target;  // "" where the source's own path is kept
  bool read_only = false;
};

// How the program's container is started; runtime none: there is no container.
struct Container {
  model::Containers runtime = model::Containers::none;
  std::string image;    // in the runtime's words
  std::string workdir;  // a bash word, "" for the image's own
  std::vector<Bind> binds;
};

struct Job {
  const plan::Plan& plan;
  const plan::RolePlan& shape;
  const model::Role& role;
  const model::Workload& workload;
  const model::Plane& plane;
  const model::Site& site;
  Diagnostics& diagnostics;
  std::string_view run;  // the run's identity; "" if not given

  Loss loss{};
  std::vector<std::string> directives{};  // "--nodes=4"
  std::string body{};                     // what follows them
  Container container{};

  void line(std::string_view text) { body.append(text).append("\n"); }

  // Whether the user wrote the field or anything below it, and where.
  bool wrote(std::string_view field) const;
  Span span_of(std::string_view field) const;

  // Loss entries; one for a field that the user did not write is not made.
  void exact(std::string_view field, std::string_view as);
  void approximated(std::string_view field, std::string_view as, std::string_view note);
  // An error at `field`, and the same sentence in the loss report. `help` is a note with the way out.
  void refuse(std::string_view field, std::string_view message, std::string_view help = {});
  void refuse_at(Span where, std::string_view field, std::string_view message, std::string_view help = {});

  model::Runner runner() const { return role.launch.runner.value; }
  bool in_container() const { return container.runtime != model::Containers::none; }
  // Tasks a node that Slurm starts: all processes, or one launcher that forks them.
  std::int64_t tasks() const;
  // Whether the job inherits the submitter's environment.
  bool inherits_all() const;
  bool keeps_record() const;  // of the exit code of the program that failed first
};

// The model of `role`'s GPUs in lower case, "" if nobody knows it.
std::string gpu_model(const Job& job);

// What `software` of the role is made of; nullptr without one, or where the site does not know the name.
const model::SoftwareSpec* software_of(const Job& job);

// Appends `export NAME=WORD …` lines, several names a line.
class Exports {
 public:
  explicit Exports(Job& job) : job_(job) {}
  // `word` is a bash word: quote what is not one.
  void add(std::string_view name, std::string_view word);
  // Writes what was added.
  void end();

 private:
  Job& job_;
  std::string line_;
};

}  // namespace muster::targets::slurm
