// An imported workload in the names of a site that people declare, where it has those of its own draft.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/imported.h"

namespace muster::targets {
namespace {

bool same_text(const model::Optional<std::string>& a, const model::Optional<std::string>& b) {
  return a.has_value() == b.has_value() && (!a || a->value == b->value);
}

auto entry_of(const auto& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

class Bringer {
 public:
  Bringer(Imported& imported, const model::Site& site) : in_(imported), site_(site) {}

  void run() {
    bring_queue();
    bring_gpus();
    bring_software();
    bring_secrets();
    bring_storage();
    bring_images();
    bring_priority();
  }

 private:
  model::Workload& workload() { return in_.workload; }

  void lost(Span at, std::string what, std::string note) {
    in_.lines.push_back({at, std::move(what), Fate::lost, {}, std::move(note), true});
  }

  // The directive or field that became a thing of the site.
  Span said_at(std::string_view thing) const {
    const auto line = std::find_if(in_.lines.begin(), in_.lines.end(),
                                   [&](const ImportLine& l) { return std::string_view(l.as).starts_with(thing); });
    return line == in_.lines.end() ? Span{} : line->span;
  }

  // ---- queues -----------------------------------------------------------------------------------------

  bool is_of_family(const model::Queue& queue, model::PlaneFamily family) const {
    return std::any_of(site_.planes.begin(), site_.planes.end(), [&](const model::Plane& p) {
      return p.traits().family == family && (queue.plane.empty() || queue.plane == p.name);
    });
  }

  // The one that means the same on the plane of the original, else one that has its name.
  const model::Queue* queue_for(const model::Queue& drafted) const {
    const auto family = in_.site.planes.front().traits().family;
    for (const model::Queue& q : site_.queues)
      if (q.plane_name == drafted.plane_name && is_of_family(q, family)) return &q;
    return entry_of(site_.queues, drafted.name);
  }

  void bring_queue() {
    auto& queues = workload().queues;
    const model::Queue* drafted = queues.empty() ? nullptr : entry_of(in_.site.queues, queues.front().value);
    if (drafted == nullptr) return;
    const Span at = said_at("queue");
    const model::Queue* found = queue_for(*drafted);
    if (found == nullptr) {
      queues.clear();
      return lost(at, "queue " + drafted->name, "site `" + site_.name + "` has none for it; its default applies");
    }
    queues.front().value = found->name;
    std::string apart;
    const auto compare = [&](const char* what, const auto& own, const auto& there) {
      if (own && !same_text(own, there)) apart += (apart.empty() ? "" : ", ") + std::string(what);
    };
    compare("QOS", drafted->qos, found->qos);
    compare("reservation", drafted->reservation, found->reservation);
    compare("constraint", drafted->constraint, found->constraint);
    compare("node selector and tolerations", drafted->pod, found->pod);
    if (!apart.empty()) lost(at, apart, "queue `" + found->name + "` of site `" + site_.name + "` decides instead");
  }

  // ---- GPUs -------------------------------------------------------------------------------------------

  // `v100` of the draft is what the site calls by the same word of the plane.
  void bring_gpus() {
    const auto word = [](const model::GpuDialect& g) {
      return g.gres ? g.gres->value : g.label ? g.label->value : g.model;
    };
    for (const model::GpuDialect& drafted : in_.site.gpus)
      for (const model::GpuDialect& own : site_.gpus) {
        if (word(own) != word(drafted) || own.model == drafted.model) continue;
        for (model::Role& role : workload().roles)
          if (auto& asked = role.resources.gpu)
            std::replace(asked->value.begin(), asked->value.end(), drafted.model, own.model);
      }
  }

  // The site has what the draft asked people for.
  void answer(std::string_view question) {
    for (ImportLine& line : in_.lines)
      if (line.fate == Fate::question && line.as == question) line.fate = Fate::moved, line.note.clear();
  }

  // ---- software, secrets, storage -----------------------------------------------------------------------

  static bool has(const std::vector<std::pair<std::string, model::SoftwareSpec>>& list, std::string_view name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.first == name; });
  }

  void bring_software() {
    for (model::Role& role : workload().roles) {
      const auto* name = role.software ? std::get_if<std::string>(&role.software->value) : nullptr;
      if (name == nullptr || has(site_.software, *name)) continue;
      const auto drafted = std::find_if(in_.site.software.begin(), in_.site.software.end(),
                                        [&](const auto& one) { return one.first == *name; });
      if (drafted != in_.site.software.end()) role.software->value = drafted->second;
    }
  }

  // A secret of the site that comes out of the same variable, file or object.
  void bring_secrets() {
    const auto same = [](const model::SiteSecret& a, const model::SiteSecret& b) {
      const bool variable = a.env && same_text(a.env, b.env), file = a.file && same_text(a.file, b.file);
      return variable || file || (a.object && same_text(a.object, b.object) && same_text(a.key, b.key));
    };
    for (model::Role& role : workload().roles)
      for (model::Secret& secret : role.secrets) {
        const model::SiteSecret* drafted = entry_of(in_.site.secrets, secret.name);
        if (drafted == nullptr) continue;
        if (entry_of(site_.secrets, secret.name) == nullptr)
          for (const model::SiteSecret& own : site_.secrets)
            if (same(*drafted, own)) secret.name = own.name;
        if (entry_of(site_.secrets, secret.name) != nullptr) answer("secret `" + drafted->name + "` of the site");
      }
  }

  void bring_storage() {
    const auto same = [](const model::Storage& a, const model::Storage& b) {
      const bool path = !a.path.value.empty() && a.path.value == b.path.value;
      return path || (a.pvc && same_text(a.pvc, b.pvc)) || (a.host_path && same_text(a.host_path, b.host_path));
    };
    for (model::Role& role : workload().roles)
      for (model::Mount& mount : role.mounts) {
        const model::Storage* drafted = entry_of(in_.site.storage, mount.name);
        if (drafted == nullptr || entry_of(site_.storage, mount.name) != nullptr) continue;
        for (const model::Storage& own : site_.storage)
          if (same(*drafted, own)) mount.name = own.name;
      }
  }

  // The site's name for the same file, or the file itself.
  void bring_images() {
    for (model::Role& role : workload().roles) {
      const model::ImageName* drafted = role.image ? entry_of(in_.site.images, role.image->value) : nullptr;
      if (drafted == nullptr || entry_of(site_.images, role.image->value) != nullptr) continue;
      role.image->value = drafted->ref.value;
      for (const model::ImageName& own : site_.images)
        if (own.ref.value == drafted->ref.value) role.image->value = own.name;
    }
  }

  // ---- how urgent -------------------------------------------------------------------------------

  void bring_priority() {
    auto& priority = workload().priority;
    const model::Priority* drafted = priority ? entry_of(in_.site.priorities, priority->value) : nullptr;
    if (drafted == nullptr || entry_of(site_.priorities, priority->value) != nullptr) return;
    const auto same = [&](const model::Priority& p) {
      return same_text(p.priority_class, drafted->priority_class) && same_text(p.queue_class, drafted->queue_class) &&
             same_text(p.qos, drafted->qos);
    };
    const auto own = std::find_if(site_.priorities.begin(), site_.priorities.end(), same);
    if (own != site_.priorities.end()) return void(priority->value = own->name);
    lost(said_at("priority"), "priority " + drafted->name, "site `" + site_.name + "` has none for it");
    priority.reset();
  }

  Imported& in_;
  const model::Site& site_;
};

}  // namespace

void bring_to_site(Imported& imported, const model::Site& site) { Bringer(imported, site).run(); }

}  // namespace muster::targets
