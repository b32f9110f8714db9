#include <algorithm>
#include <cctype>

#include "tests/property/quoting.h"

namespace muster::test {
namespace {

using model::Located;

// As one name: folders would be in the way of other files of the same run.
std::string flat(std::string path) {
  std::replace(path.begin(), path.end(), '/', '_');
  return path;
}

bool any_ends_with(const Words& words, const std::string& end) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.ends_with(end); });
}

void add_file(Scene& scene, const std::string& path, const std::string& bytes) {
  scene.role().files.push_back({{path, {}}, bytes, Located<std::string>{"0644", {}}});
}

void add_secret(Scene& scene, const std::string& path) {
  model::SiteSecret secret;
  secret.name = "TOKEN";
  secret.file = Located<std::string>{path, {}};
  scene.site.secrets.push_back(secret);
  scene.role().secrets.push_back({"TOKEN", Located<std::string>{"VALUE", {}}, {}, {}});
}

void add_fabric(Scene& scene, const std::string& value) {
  scene.command({"dump"}).size(1, 0, 1);
  scene.pool("p", "", 0, {"n1", "n2"}).fabric = "roce";
  scene.role().fabric.value = model::FabricRequest::required;
  model::FabricAttachment fabric;
  fabric.name = "roce";
  fabric.env = {{"VALUE", value, {}}};
  scene.site.fabrics.push_back(fabric);
}

void name_image(Scene& scene, const std::string& ref) {
  scene.command({"dump"}).size(2, 1, 4);
  scene.plane().batch()->containers = model::Containers::apptainer;
  scene.role().image = Located<std::string>{"base", {}};
  scene.site.images.push_back({"base", {}, {ref, {}}, {}});
}

// Names go into those of variables.
bool no_variable(const std::string& s) {
  return std::any_of(s.begin(), s.end(),
                     [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; });
}

}  // namespace

std::vector<Place> needs_places() {
  const auto zero = [](const std::string& s) { return has_zero(s); };
  return {
      {"text of a file",
       [](Scene& x, const std::string& s) {
         x.command({"bash", ".jobs/job/script"}).size(1, 0, 1);
         add_file(x, "script", s);
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"FILE", s});
       }},
      {"path of a file",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         add_file(x, "f" + flat(s), "text");
       },
       zero, "", [](const Words& w, const std::string& s) { return any_ends_with(w, "/.jobs/job/f" + flat(s)); }},
      {"file of a secret",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         add_secret(x, "/s" + s);
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"CAT", "/s" + s});
       }},
      {"file of a secret at home",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         add_secret(x, "~/s" + s);
       },
       zero, "", [](const Words& w, const std::string& s) { return any_ends_with(w, "/s" + s); }},
      {"name of a port",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         x.role().ports = {{s, {8123, {}}, false, {}}};
       },
       no_variable, "",
       [](const Words& w, const std::string&) {
         return contains(w, {"dump", "VALUE", ""});
       }},
      {"environment of the network", add_fabric, zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"VALUE", s});
       }},
      {"image by its name at the site", [](Scene& x, const std::string& s) { name_image(x, "i" + s); },
       [](const std::string& s) { return has_control(s) || has_any(s, " "); }, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {(s.ends_with(".sif") ? "i" : "docker://i") + s});
       }},
      {"argv in a job of several parts",
       [](Scene& x, const std::string& s) {
         x.command({"p", s, "z"}).size(1, 0, 1);
         x.role().replicas = Located<model::Count>{{2, 2}, {}};
         x.shape.copies = 2;
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"p", s, "z"});
       }},
  };
}

}  // namespace muster::test
