#include "driver/review_judges.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "driver/policy_from.h"
#include "driver/tree.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// A folder as a side has it, by its name below the side's root or, of one that is not a side's, the current folder.
struct PolicyPlace {
  std::string name;
  fs::path folder;
};

// A path below a folder, "." for the folder itself; "": it lies elsewhere.
std::string path_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? std::string() : relative.generic_string();
}

class Chooser {
 public:
  Chooser(const JudgeQuestion& question, const Files& files, const Side& base, const Side& head, const Side* from,
          std::vector<std::string>& notes, Diagnostics& diagnostics)
      : question_(question),
        files_(files),
        base_(base),
        head_(head),
        from_(from),
        notes_(notes),
        diagnostics_(diagnostics) {}

  std::vector<Wanted> choose() {
    const auto [old_policy, new_policy] = policies();
    if (diagnostics_.has_errors()) return {};
    std::vector<Wanted> out;
    std::vector<std::string> sites = question_.sites;  // their order on the command line makes no difference
    std::sort(sites.begin(), sites.end());
    for (const std::string& site : sites) out.push_back(site_of_option(site));
    for (std::size_t i = 0; out.size() > 1 && i < out.size(); ++i) out[i].label = sites[i];
    if (out.empty()) out.push_back({site_of(base_, old_policy), site_of(head_, new_policy), {}});
    for (Wanted& wanted : out) {
      wanted.base.policy = old_policy.name, wanted.base.policy_folder = old_policy.folder;
      wanted.head.policy = new_policy.name, wanted.head.policy_folder = new_policy.folder;
    }
    for (std::size_t i = 0; from_ != nullptr && i < out.size(); ++i)
      take_from(place_there(sites.empty() ? std::string() : sites[i]), out[i]);
    return out;
  }

 private:
  // The policy's name below the trees; "": it lies in none of them. A reviewed file is not a tree.
  std::string name_in_trees() const {
    const fs::path policy = files_.real(question_.policy);
    if (question_.git) return path_below(policy, files_.real(files_.here()));
    std::string out;
    std::size_t longest = 0;  // one tree may lie in the other
    for (const Side* side : {&base_, &head_}) {
      const std::string name = side->only.empty() ? path_below(policy, side->root) : std::string();
      if (name.empty() || side->root.native().size() < longest) continue;
      out = name;
      longest = side->root.native().size();
    }
    return out;
  }

  bool has_policy(const fs::path& folder) const {
    std::error_code error;
    return !policy_files(folder.string(), files_, error).empty();
  }

  bool is_there() {
    std::error_code error;
    if (!policy_files(question_.policy, files_, error).empty()) return true;
    diagnostics_.add(Code::cannot_read, {},
                     "cannot read the policy `" + question_.policy +
                         "`: " + (error ? error.message() : "the folder does not contain a `*.muster` file"));
    return false;
  }

  std::pair<PolicyPlace, PolicyPlace> policies() {
    if (question_.policy.empty()) return {};
    const std::string shown = "the policy `" + question_.policy + "` ";
    const std::string name = name_in_trees();
    const bool in_base = !name.empty() && has_policy(base_.root / name);
    const bool in_head = !name.empty() && has_policy(head_.root / name);
    if (!in_base && !in_head) {
      if (!is_there()) return {};
      notes_.push_back(shown + "is outside the trees and applies to both");
      const PolicyPlace here{question_.policy, files_.here()};
      return {here, here};
    }
    notes_.push_back(shown + "is inside the trees; each tree is checked against its own" +
                     (in_base && in_head ? "" : ", and " + (in_base ? head_ : base_).name + " has none"));
    return {in_base ? PolicyPlace{name, base_.root} : PolicyPlace{},
            in_head ? PolicyPlace{name, head_.root} : PolicyPlace{}};
  }

  // Where the site and the policy of the question stand in the tree of --policy-from. What lies outside of the reviewed
  // trees is the same for all; what is in them and not in that tree is left out.
  JudgePlace place_there(const std::string& site) {
    const fs::path here = files_.here();
    const auto name = [&](const std::string& path) {
      std::vector<fs::path> roots;
      for (const Side* side : {&base_, &head_})
        if (side->only.empty()) roots.push_back(side->root);
      if (question_.git) roots.push_back(here);
      return name_below(path, files_, roots);
    };
    JudgePlace out{{}, from_->root, {}, from_->root};
    if (!question_.policy.empty()) {
      const auto policy = name(question_.policy);
      if (!policy) out.policy = question_.policy, out.policy_folder = here;
      else if (has_policy(from_->root / *policy)) out.policy = *policy;
    }
    if (site.empty()) {
      out.site = site_of(*from_, {out.policy, out.policy_folder}).site;
      return out;
    }
    const auto below = name(site);
    if (!below) out.site = site, out.site_folder = here;
    else if (from_->from.is_file(*below)) out.site = *below;
    return out;
  }

  // Prices, quotas, limits, security and fleet are those of the tree, as its rules are.
  static void take_from(JudgePlace from, Wanted& wanted) {
    wanted.from = std::move(from);
    if (!wanted.is_judged_from()) return;
    wanted.own_base = wanted.base, wanted.own_head = wanted.head;
    for (JudgePlace* side : {&wanted.base, &wanted.head})
      *side = wanted.from;  // with its policy: a site and its rules are of one tree
  }

  // A file of the repository is that of each revision.
  Wanted site_of_option(const std::string& site) const {
    const std::string path = fs::path(site).lexically_normal().string();
    if (question_.git && base_.files.contains(path) && head_.files.contains(path))
      return {{path, base_.root, {}, {}}, {path, head_.root, {}, {}}, {}};
    const fs::path here = files_.here();
    return {{site, here, {}, {}}, {site, here, {}, {}}, {}};
  }

  JudgePlace site_of(const Side& side, const PolicyPlace& policy) {
    if (declares_site(policy)) return {{}, side.root, {}, {}};
    const std::vector<std::string> files = site_files(side);
    if (files.size() > 1)
      notes_.push_back(side.name + " declares several sites and `--site` is not set; workloads without a site of " +
                       "their own are checked against the built-in site");
    return {files.size() == 1 ? files[0] : std::string(), side.root, {}, {}};
  }

  bool declares_site(const PolicyPlace& policy) const {
    if (policy.name.empty()) return false;
    std::error_code error;
    const auto files = policy_files((policy.folder / policy.name).string(), files_, error);
    return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      std::string why;
      auto text = files_.read(file, largest_file, why);
      return text && driver::declares_site(file, std::move(*text));
    });
  }

  const JudgeQuestion& question_;
  const Files& files_;
  const Side& base_;
  const Side& head_;
  const Side* from_;
  std::vector<std::string>& notes_;
  Diagnostics& diagnostics_;
};

bool same_site(const Wanted& wanted, const std::set<std::string>& affected) {
  if (wanted.base.site != wanted.head.site) return false;
  return wanted.base.site.empty() || wanted.base.site_folder == wanted.head.site_folder ||
         !affected.contains(wanted.head.site);
}

}  // namespace

std::vector<Wanted> judges_wanted(const JudgeQuestion& question, const Files& files, const Side& base, const Side& head,
                                  const Side* from, std::vector<std::string>& notes, Diagnostics& diagnostics) {
  return Chooser(question, files, base, head, from, notes, diagnostics).choose();
}

bool same_meaning(const Wanted& wanted, const Judge& base, const Judge& head, const std::set<std::string>& affected) {
  if (!same_site(wanted, affected)) return false;
  if (wanted.base.policy_folder == wanted.head.policy_folder) return true;
  // Of a policy within the trees the files may be hidden, so that no side has listed them; what they take in by
  // `file(…)` is among those that are.
  if (wanted.base.policy != wanted.head.policy || !same_texts(base, head)) return false;
  const Sources& sources = head.session->sources();
  for (std::uint32_t file = 1; file <= sources.count(); ++file)
    if (affected.contains(sources.name(file).substr(std::min(head.prefix.size(), sources.name(file).size()))))
      return false;
  return true;
}

}  // namespace muster::driver
