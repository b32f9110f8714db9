// Job scripts and manifests as workloads of the language: each file by the reader of its system, lifted, under a name
// of its own, and what all of them say of their site as one draft.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/site.h"
#include "compiler/syntax/format.h"
#include "driver/discover.h"
#include "lint/outcome.h"
#include "targets/imported.h"

namespace muster::ast {
struct File;
}  // namespace muster::ast
namespace muster::targets::kubernetes {
struct Manifest;
struct Object;
}  // namespace muster::targets::kubernetes
namespace muster::targets::slurm {
struct Script;
}  // namespace muster::targets::slurm

namespace muster::shell {
struct Body;
}

namespace muster::driver {

struct ImportSettings {
  std::uint32_t command_line = 0;  // file of the sources with options of sbatch's command line; 0: none
  bool wrap = false;               // texts stay whole
  bool fix = false;                // scripts are corrected first, as `muster lint --fix` does
  bool unsafe_fixes = false;       // by the fixes too that change what a script does
  bool may_login = false;          // a script's login shell may be that of all jobs: it is alone, or the site has one
};

// A job or an object, as a workload; of a file with several there are several.
struct ImportedFile {
  std::string path;
  targets::Imported imported;
  std::string text{};  // in the language, proven to read back; "" if it could not be imported: reported

  std::string file_name() const { return imported.workload.name + ".muster"; }
};

class Importer {
 public:
  Importer(Sources& sources, Diagnostics& diagnostics, const ImportSettings& settings)
      : sources_(sources), diagnostics_(diagnostics), settings_(settings) {}

  // The site that an earlier import left, to which the files add. Before the first file.
  void begin_with(model::Site site) { site_ = std::move(site); }
  // Whether a file is one to import: a job script of any system, or a manifest.
  static bool takes(const FoundFile& file, std::string_view text);
  // Reads a file of the sources. What cannot be imported is reported.
  void read(const FoundFile& file, std::uint32_t number);

  std::vector<ImportedFile>& files() { return files_; }
  const std::vector<ImportedFile>& files() const { return files_; }
  // What the files say of their site; it has no name yet.
  const model::Site& site() const { return site_; }
  // Whether each of them names who pays.
  bool all_name_accounts() const { return all_name_accounts_; }
  // The batch system other than Slurm that a file was for; "": none.
  std::string_view other_system() const { return other_system_; }

 private:
  struct Made {
    targets::Imported imported;
    Span start;  // of the file, for people
  };

  void read_script(const FoundFile& file, std::uint32_t number);
  std::uint32_t corrected(std::uint32_t number, std::vector<targets::ImportLine>& lines);
  std::vector<lint::Result> findings(std::uint32_t number) const;
  void read_documents(const std::string& path, const targets::slurm::Script& file, const shell::Body& around);
  void read_slurm(const std::string& path, const targets::slurm::Script& script, const shell::Body& body);
  void read_other(const std::string& path, std::uint32_t number, targets::batch::System system);
  void read_manifest(const std::string& path, std::uint32_t number);
  void read_object(const std::string& path, const targets::kubernetes::Manifest& manifest,
                   const targets::kubernetes::Object& object);
  void add_findings(std::uint32_t number);
  void keep(const std::string& path, Made made, std::size_t before);
  std::string free_name(const std::string& path, const std::string& job_name) const;
  std::optional<targets::PlaneWords> plane_words() const;

  Sources& sources_;
  Diagnostics& diagnostics_;
  ImportSettings settings_;
  std::vector<ImportedFile> files_;
  model::Site site_;
  std::set<std::string> names_ = {"site"};       // the draft's own file
  std::optional<model::Containers> containers_;  // what starts their containers
  std::optional<model::Mpi> mpi_;                // how the imported scripts start ranks of MPI
  bool all_name_accounts_ = true;
  std::string_view other_system_{};
};

// A workload with its parameters as a file of the language. `found`: what cannot be written.
ast::File syntax_of(const model::Workload& workload, const std::vector<targets::Parameter>& parameters,
                    Diagnostics& found);

// Declarations as a file of the language with these comments, once it is proven that they read back: `found` is what
// writing them reported. nullopt: reported at `source`, the start of what it was imported from.
std::optional<std::string> proven_text(ast::File file, Diagnostics found, const std::vector<syntax::Note>& notes,
                                       const std::string& name, Span source, Sources& sources,
                                       Diagnostics& diagnostics);

}  // namespace muster::driver
