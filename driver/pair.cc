#include "driver/pair.h"

#include <algorithm>
#include <map>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"
#include "compiler/sema/check/to_syntax.h"

namespace muster::driver {
namespace {

using targets::Imported;

const std::string& plane_of(const model::Site& site, const Imported& imported) {
  const auto family = imported.site.planes.front().traits().family;
  const auto found = std::find_if(site.planes.begin(), site.planes.end(),
                                  [&](const model::Plane& plane) { return plane.traits().family == family; });
  return found->name;
}

class Joiner {
 public:
  Joiner(const ImportedFile& script, const ImportedFile& manifest, const model::Site& site)
      : second_(manifest.imported.workload), out_{script.imported.workload, script.imported.parameters, site, {}} {
    planes_[0] = plane_of(site, script.imported), planes_[1] = plane_of(site, manifest.imported);
  }

  Pair run() {
    join_names();
    join_queues();
    join_software();
    join_secrets();
    join_targets();
    compare_environment();
    compare_the_rest();
    return std::move(out_);
  }

 private:
  model::Role& role() { return out_.workload.roles.front(); }
  model::Role& other() { return second_.roles.front(); }

  // Of two equal names the importer made one longer.
  void join_names() {
    if (second_.name.size() < out_.workload.name.size()) out_.workload.name = second_.name;
    second_.name = out_.workload.name;
    for (model::Workload* w : {&out_.workload, &second_})
      if (w->title && w->title->value == w->name) w->title.reset();
  }

  // The first queue that a plane has is the one for its files.
  void join_queues() {
    out_.workload.queues.insert(out_.workload.queues.end(), second_.queues.begin(), second_.queues.end());
    second_.queues.clear();
  }

  // ---- software: modules on one plane, an image on the other --------------------------------------------

  void join_software() {
    const bool images = role().image && other().image;
    if (images || (!role().software && !other().software && !role().image && !other().image)) return join_images();
    const std::string name = name_of_software();
    std::vector<std::pair<std::string, model::SoftwareSpec>> own;
    own.emplace_back(name, spec_of(role(), planes_[0]));
    own.emplace_back(name, spec_of(other(), planes_[1]));
    std::erase_if(out_.site.software, [&](const auto& one) { return is_used(one.first); });
    for (auto& [n, spec] : own) out_.site.software.emplace_back(n, std::move(spec));
    role().software = model::unplaced(model::Software{name});
    role().image.reset();
    other().software.reset(), other().image.reset();
  }

  static const std::string* software_of(const model::Role& role) {
    return role.software ? std::get_if<std::string>(&role.software->value) : nullptr;
  }
  bool is_used(const std::string& name) {
    const std::string *a = software_of(role()), *b = software_of(other());
    return (a != nullptr && *a == name) || (b != nullptr && *b == name);
  }
  std::string name_of_software() {
    if (const std::string* name = software_of(role())) return *name;
    if (const std::string* name = software_of(other())) return *name;
    return out_.workload.name;
  }

  model::SoftwareSpec spec_of(const model::Role& role, const std::string& plane) const {
    model::SoftwareSpec out;
    if (const std::string* name = software_of(role))
      for (const auto& [n, spec] : out_.site.software)
        if (n == *name) out = spec;
    if (role.image) out.image = role.image;
    out.plane = plane;
    return out;
  }

  // Two images become one name, which each plane resolves.
  void join_images() {
    if (!role().image || !other().image || role().image->value == other().image->value)
      return void(other().image = role().image);
    const std::string name = out_.workload.name;
    model::Role* roles[] = {&role(), &other()};
    for (std::size_t i = 0; i < 2; ++i) {
      model::ImageName image;
      image.name = name;
      image.ref = *roles[i]->image;
      image.plane = planes_[i];
      out_.site.images.push_back(std::move(image));
    }
    role().image = model::unplaced(name);
    other().image = role().image;
  }

  // ---- secrets of one variable ------------------------------------------------------------------------

  // One secret of the site, which the jobs have by a variable and the pods by an object.
  void join_secrets() {
    for (const model::Secret& theirs : std::vector<model::Secret>(other().secrets)) {
      const auto mine = std::find_if(role().secrets.begin(), role().secrets.end(), [&](const model::Secret& s) {
        return s.env && theirs.env && s.env->value == theirs.env->value;
      });
      if (mine == role().secrets.end()) {
        differ("secret." + theirs.name, "", "there");
        continue;
      }
      join_secret(mine->name, theirs.name);
      std::erase_if(other().secrets, [&](const model::Secret& s) { return s.name == theirs.name; });
      other().secrets.push_back(*mine);
    }
    for (const model::Secret& mine : role().secrets)
      if (std::none_of(other().secrets.begin(), other().secrets.end(),
                       [&](const model::Secret& s) { return s.name == mine.name; }))
        differ("secret." + mine.name, "there", "");
    other().secrets = role().secrets;
  }

  void join_secret(const std::string& mine, const std::string& theirs) {
    if (mine == theirs) return;
    model::NamedList<model::SiteSecret> joined;
    model::Optional<std::string> object, key;
    for (const model::SiteSecret& s : out_.site.secrets)
      if (s.name == theirs) object = s.object, key = s.key;
    for (model::SiteSecret s : out_.site.secrets) {
      if (s.name == theirs) continue;
      if (s.name == mine) s.object = object, s.key = key;
      joined.push_back(std::move(s));
    }
    out_.site.secrets = std::move(joined);
  }

  // ---- the rest ------------------------------------------------------------------------------------------

  // What is for one target alone goes along.
  void join_targets() {
    auto& own = out_.workload.targets;
    for (model::TargetOptions& block : second_.targets) {
      const bool there =
          std::any_of(own.begin(), own.end(), [&](const model::TargetOptions& t) { return t.target == block.target; });
      if (!there) own.push_back(block);
    }
    second_.targets.clear();
  }

  void differ(std::string key, std::string first, std::string second) {
    out_.differences.push_back({std::move(key), mask_line(std::move(first)), mask_line(std::move(second))});
  }

  void compare_environment() {
    std::map<std::string, std::pair<std::string, std::string>> values;
    for (const model::EnvVar& v : role().env) values[v.name].first = text_of(v);
    for (const model::EnvVar& v : other().env) values[v.name].second = text_of(v);
    for (auto& [name, both] : values)
      if (both.first != both.second) differ("env." + name, mask_value(name, both.first), mask_value(name, both.second));
    other().env = role().env;
  }

  // The value of a variable as the language has it.
  std::string text_of(const model::EnvVar& v) {
    model::Workload only;
    only.kind = out_.workload.kind;
    only.name = "w";
    only.roles.emplace_back();
    only.roles.front().env.push_back(v);
    std::string item = items_of(only)["env"];  // "{ NAME = value }"
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || !item.ends_with("}")) return item;
    return std::string(trimmed(std::string_view(item).substr(equals + 1, item.size() - equals - 2)));
  }

  // The items of a workload by their keys, each on one line.
  static std::map<std::string, std::string> items_of(const model::Workload& workload) {
    Diagnostics unused;
    std::vector<ast::Block> blocks;
    blocks.push_back(sema::to_syntax(workload, unused));
    const std::string text = syntax::format(std::move(blocks), {});
    std::map<std::string, std::string> out;
    std::string key;
    for (const std::string_view line : split(text, '\n')) {
      if (!line.starts_with("  ") || line.size() < 3) continue;
      const bool begins = line[2] != ' ' && line[2] != '}' && line[2] != '>' && line[2] != ']';
      if (begins) {
        const std::size_t end = std::min(line.find_first_of("={", 2), line.size());
        key = std::string(trimmed(line.substr(2, end - 2)));
        const std::size_t value = end < line.size() && line[end] == '=' ? end + 1 : end;
        out[key] += std::string(trimmed(line.substr(value)));
      } else {
        out[key] += " " + std::string(trimmed(line));
      }
    }
    return out;
  }

  void compare_the_rest() {
    model::Workload first = out_.workload;
    first.queues.clear(), first.targets.clear();
    first.roles.front().software.reset(), other().software.reset();
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (auto& [key, value] : items_of(first)) both[key].first = std::move(value);
    for (auto& [key, value] : items_of(second_)) both[key].second = std::move(value);
    for (auto& [key, values] : both)
      if (values.first != values.second) differ(key, values.first, values.second);
  }

  model::Workload second_;
  Pair out_;
  std::string planes_[2];
};

}  // namespace

Pair pair_of(const ImportedFile& script, const ImportedFile& manifest, const model::Site& site) {
  return Joiner(script, manifest, site).run();
}

}  // namespace muster::driver
