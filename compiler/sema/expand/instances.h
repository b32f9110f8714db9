// Blocks made of templates, other workloads and conditions. Inside compiler/sema only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "compiler/sema/expand/evaluate.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/sema/expand/parameters.h"

namespace muster::sema {

class Instances {
 public:
  Instances(const std::vector<ast::File>& files, const ExpandOptions& options, Diagnostics& diagnostics)
      : files_(files),
        options_(options),
        diagnostics_(diagnostics),
        before_(diagnostics.size()),
        evaluator_(diagnostics, &options.texts) {}

  // Parameters and `let`s of a file; nullptr: reported.
  const Scope* scope_of(const ast::File& file);
  // A block of the file with everything in it resolved. nullopt: reported.
  std::optional<ast::Block> declaration(const ast::Block& block, const ast::File& file);
  // A workload of a template, as the command line asks for it. nullopt: reported.
  std::optional<ast::Block> requested(const ast::Template& blueprint, const Request& request, const ast::File& file);
  // The same block, but for `lab.hpc` of `import … as lab` as a value, which is the name hpc.
  ast::Block without_aliases(ast::Block block, const ast::File& file) const;
  // Whether a budget was exceeded, or so much is wrong that the rest is not worth reading.
  bool spent() { return evaluator_.budget().spent() || diagnostics_.size() - before_ >= most_reports; }

 private:
  // A template, or a workload used as one without parameters.
  struct Base {
    const ast::File* file = nullptr;
    const ast::Template* blueprint = nullptr;
    const ast::Block* workload = nullptr;
  };
  using Bases = std::map<std::string_view, Base>;
  using Items = std::vector<ast::Item>;
  static constexpr std::size_t most_reports = 50;

  bool is_root(const ast::File& file) const;
  const ast::File* file_behind(const ast::File& file, const ast::Name& alias);
  const Bases& bases_of(const ast::File& file);
  std::optional<Base> base_of(const ast::File& file, const ast::Instance& instance);
  bool may_open(const ast::Block* workload, const ast::Instance& instance);
  Items items_of(const Base& base, const ast::Instance& instance, const Scope& caller);
  Items made(const ast::File& file, const ast::Instance& instance, const Scope& caller);

  ast::Block expanded(const ast::Block& block, const Scope& outer, const ast::File& file);
  void add_items(const Items& items, const Scope& scope, const ast::File& file, Items& out);
  void add(const ast::Setting& s, const Scope& scope, const ast::File& file, Items& out);
  void add(const ast::Block& b, const Scope& scope, const ast::File& file, Items& out);
  void add(const ast::Requirement& r, const Scope& scope, const ast::File& file, Items& out);
  void add(const ast::Preference& p, const Scope& scope, const ast::File& file, Items& out);
  void add(const ast::Assertion& a, const Scope& scope, const ast::File& file, Items& out);
  void add(const ast::Conditional& c, const Scope& scope, const ast::File& file, Items& out);
  ast::Expr without_alias(ast::Expr value, const ast::File& file) const;
  void check_assertions(ast::Block& block, const Scope& scope);
  void refuted(const ast::Expr& condition, const std::string& message, const Scope& scope);

  const std::vector<ast::File>& files_;
  const ExpandOptions& options_;
  Diagnostics& diagnostics_;
  std::size_t before_;  // reports of others, such as of what lint made of earlier templates
  Evaluator evaluator_;
  std::map<std::uint32_t, std::unique_ptr<Scope>> scopes_;  // nullptr: it was reported
  std::map<std::uint32_t, Bases> bases_;                    // of each file
  std::vector<const ast::Block*> open_;                     // workloads whose base is being expanded
  std::set<const ast::Block*> cyclic_;                      // of a circle that was reported
  bool incomplete_ = false;                                 // the block at work lacks what was reported elsewhere
};

}  // namespace muster::sema
