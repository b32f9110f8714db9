// What a site says in free text, by another hand than the workload's.
#include "tests/property/quoting.h"

namespace muster::test {
namespace {

using model::Located;

Located<std::string> text(std::string value) { return {std::move(value), {}}; }

Scene& plain(Scene& scene) { return scene.command({"dump"}).size(1, 0, 1); }

void with_software(Scene& scene, model::SoftwareSpec spec) {
  plain(scene).role().software = Located<model::Software>{std::string("stack"), {}};
  scene.site.software = {{"stack", std::move(spec)}};
}

Scene& in_container(Scene& scene, model::Containers runtime) {
  scene.command({"dump"}).size(2, 1, 4);
  scene.role().image = text("img");
  scene.role().launch.contract.value = model::Contract::full;  // the folder of the job is in the container, too
  scene.plane().batch()->containers = runtime;
  return scene;
}

// Two models of GPU, so that the job must say which.
void on_h100(Scene& scene, model::GpuDialect dialect) {
  scene.command({"dump"}).size(1, 8, 1);
  scene.role().resources.gpu = Located<std::vector<std::string>>{{"h100"}, {}};
  scene.pool("p", "h100", 8, {"n1"});
  scene.site.gpus.push_back(std::move(dialect));
}

void with_code(Scene& scene, const std::string& path) {
  scene.role().code = Located<model::Code>{std::string("."), {}};
  scene.site.code.emplace();
  scene.site.code->by.value = model::CodeBy::shared_path;
  scene.site.code->path = text(path);
}

// `{{` in a pattern is a brace.
std::string pattern_of(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += c == '{' ? "{{" : std::string(1, c);
  return out;
}

bool is_no_name(const std::string& s) {
  return s.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != s.npos;
}

// The words of a mount: of Pyxis the folder stands twice in one list, of Apptainer it is a word.
bool binds(const Words& words, const std::string& folder) {
  for (const std::string& word : words)
    if (word == folder || word == "--container-mounts=" + folder + ":" + folder ||
        word.starts_with("--container-mounts=" + folder + ":" + folder + ","))
      return true;
  return false;
}

}  // namespace

std::vector<Place> site_directives() {
  const auto control = [](const std::string& s) { return has_control(s); };
  const auto queue = [](model::Optional<std::string> model::Queue::*field, const char* before) {
    return [=](Scene& x, const std::string& s) {
      plain(x).with_queue = true;
      x.queue.plane_name = "q";
      x.queue.*field = text(before + s);
    };
  };
  return {
      {"error log",
       [](Scene& x, const std::string& s) {
         plain(x).workload.logs.emplace();
         x.workload.logs->error = text(pattern_of(s));
       },
       [](const std::string& s) { return has_control(s) || has_any(s, "\\") || s.empty(); },
       "--error",
       {}},
      {"folder of logs",
       [](Scene& x, const std::string& s) {
         plain(x).site.log_dir = text("/l" + s);
         x.workload.logs.emplace();
         x.workload.logs->error = text("e");
       },
       [](const std::string& s) { return has_control(s) || has_any(s, "\\{"); },
       "--error",
       {},
       [](const std::string& s) { return "/l" + s + "/e"; }},
      {"qos of a queue", queue(&model::Queue::qos, "q"), control, "--qos", {}},
      {"reservation", queue(&model::Queue::reservation, "r"), control, "--reservation", {}},
      {"constraint", queue(&model::Queue::constraint, "c"), control, "--constraint", {}},
      {"type of a GPU",
       [](Scene& x, const std::string& s) {
         on_h100(x, {"h100", text("t" + s), {}});
       },
       is_no_name,
       "--gpus-per-node",
       {},
       [](const std::string& s) { return "t" + s + ":8"; }},
      {"type of a GPU as GRES",
       [](Scene& x, const std::string& s) {
         on_h100(x, {"h100", text("t" + s), {}});
         x.plane().gpu_request = model::GpuRequest::gres;
       },
       is_no_name,
       "--gres",
       {},
       [](const std::string& s) { return "gpu:t" + s + ":8"; }},
      {"feature of a GPU",
       [](Scene& x, const std::string& s) {
         on_h100(x, {"h100", {}, text("t" + s)});
       },
       control,
       "--constraint",
       {},
       [](const std::string& s) { return "t" + s; }},
      {"domain of mail",
       [](Scene& x, const std::string& s) {
         plain(x).workload.notify.emplace().email = {text("me")};
         x.site.mail_domain = text("d" + s);
       },
       [](const std::string& s) { return has_control(s) || has_any(s, ", "); },
       "--mail-user",
       {},
       [](const std::string& s) { return "me@d" + s; }},
      {"option of the plane",
       [](Scene& x, const std::string& s) { plain(x).plane().batch()->directives = {text("--wckey=w" + s)}; },
       control,
       "--wckey",
       {}},
  };
}

std::vector<Place> site_places() {
  const auto zero = [](const std::string& s) { return has_zero(s); };
  const auto no_bind = [](const std::string& s) { return has_zero(s) || has_any(s, ",:"); };
  return {
      {"module of the site",
       [](Scene& x, const std::string& s) {
         model::SoftwareSpec spec;
         spec.modules = {text("m" + s), text("z")};
         with_software(x, spec);
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"MODULE", "load", "m" + s, "z"});
       }},
      {"folder of modules",
       [](Scene& x, const std::string& s) {
         model::SoftwareSpec spec;
         spec.module_use = {text("/m" + s)};
         with_software(x, spec);
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"MODULE", "use", "/m" + s});
       }},
      {"prelude of the network",
       [](Scene& x, const std::string& s) {
         plain(x).pool("p", "", 0, {"n1", "n2"}).fabric = "roce";
         x.role().fabric.value = model::FabricRequest::required;
         model::FabricAttachment fabric;
         fabric.name = "roce";
         // The lines are the site's own: here they show that nothing of a text is taken for its end.
         fabric.prelude =
             Located<model::Script>{{"bash", "record BEFORE\n: <<'GIVEN'\n" + s + "\nGIVEN\nrecord AFTER\n"}, {}};
         x.site.fabrics.push_back(fabric);
       },
       zero, "",
       [](const Words& w, const std::string&) {
         return contains(w, {"BEFORE", "AFTER", "dump"});
       }},
      {"scratch",
       [](Scene& x, const std::string& s) {
         x.script("dump \"$MUSTER_TMP\"").size(1, 0, 1), x.plane().batch()->scratch = text("/t" + s);
       },
       zero, "", [](const Words&, const std::string&) { return true; }},
      {"folder of jobs in Pyxis",
       [](Scene& x, const std::string& s) { in_container(x, model::Containers::pyxis).site.job_dir = text("j" + s); },
       no_bind, "", [](const Words& w, const std::string& s) { return binds(w, "j" + s + "/job"); }},
      {"folder of jobs in Apptainer",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::apptainer).site.job_dir = text("j" + s);
       },
       no_bind, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"--bind", "j" + s + "/job:j" + s + "/job"});
       }},
      {"storage",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::apptainer);
         x.site.storage.push_back({"work", {}, {"/r" + s, {}}, false});
         x.role().mounts.push_back({"work", {"/m", {}}, false, {}, {}});
       },
       no_bind, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"--bind", "/r" + s + ":/m"});
       }},
      {"folder of the code", [](Scene& x, const std::string& s) { plain(x), with_code(x, "/c" + s); }, zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"CD", "/c" + s});
       }},
      {"folder of the code in a container",
       [](Scene& x, const std::string& s) { with_code(in_container(x, model::Containers::apptainer), "/c" + s); },
       no_bind, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"CD", "/c" + s});
       }},
      {"mirror of images",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::apptainer).role().image = text("host.example/img:1");
         model::Registry registry;
         registry.host = "host.example";
         registry.mirror = text("m" + s);
         x.site.registries.push_back(registry);
       },
       [](const std::string& s) { return has_control(s) || has_any(s, " "); }, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"docker://m" + s + "/img:1", "sh", "-c"});
       }},
      {"folder of images",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::apptainer).role().image = text("host.example/img:1");
         model::Registry registry;
         registry.host = "host.example";
         registry.squash_dir = text("/m" + s);
         x.site.registries.push_back(registry);
       },
       [](const std::string& s) { return has_control(s) || has_any(s, " "); }, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"/m" + s + (s.ends_with('/') ? "" : "/") + "img_1.sif", "sh", "-c"});
       }},
  };
}

}  // namespace muster::test
