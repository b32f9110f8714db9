// Whatever bytes a user writes, a manifest gives them back exactly or the compiler refuses them: every place of a
// workload that takes text, for every target of pods. Read back by yaml-cpp with Kubernetes' own $(VAR), and by a real
// shell where the bytes stand in the prelude.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>

#include <unistd.h>

#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "targets/target.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/loss/reader.h"
#include "tests/property/hostile.h"

namespace hostile_test {

using namespace muster;
using loss::expanded;
using loss::Tree;
using model::Located;

namespace {

// How bytes are seen to come back: as a value of the manifest, as one in which Kubernetes replaces $(NAME), as a key
// of a map, or from a shell in which the prelude has run, by the name of the variable.
enum class As : std::uint8_t { value, expanding, key, variable };

bool has_zero(const std::string& s) { return s.find('\0') != std::string::npos; }
bool has_control(const std::string& s) {
  return std::any_of(s.begin(), s.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// Whether the test holds of anything written in a tree: a scalar, or with `keys` the key of a map.
bool anywhere(const Tree& tree, bool keys, const std::function<bool(const std::string&)>& test) {
  return (!keys && tree.is == Tree::Is::scalar && test(tree.text)) ||
         std::any_of(tree.members.begin(), tree.members.end(),
                     [&](const auto& m) { return (keys && test(m.first)) || anywhere(m.second, keys, test); }) ||
         std::any_of(tree.items.begin(), tree.items.end(),
                     [&](const Tree& item) { return anywhere(item, keys, test); });
}

bool holds(const std::vector<Tree>& objects, const std::string& bytes, As as) {
  return std::any_of(objects.begin(), objects.end(), [&](const Tree& object) {
    return anywhere(object, as == As::key,
                    [&](const std::string& value) { return (as == As::expanding ? expanded(value) : value) == bytes; });
  });
}

// A workload with the site that it goes to, which each place may change.
struct Case {
  model::Workload workload;
  model::Site site;
  model::Role& role() { return workload.roles[0]; }
};

using Bytes = const std::string&;

struct Place {
  const char* name;
  void (*put)(Case&, Bytes);
  bool (*may_refuse)(Bytes);
  As as = As::value;
  std::string (*wanted)(Bytes) = [](Bytes s) { return s; };
  std::string (*variable)(Bytes) = nullptr;
  bool (*can_be)(Bytes) = nullptr;  // what the checker lets through to there; nullptr: all
};

bool no_path(Bytes s) {
  return has_zero(s) || s.ends_with('/') || s.find("..") != std::string::npos || s.find(':') != std::string::npos;
}
bool no_mount_path(Bytes s) { return has_zero(s) || s.find(':') != std::string::npos; }
bool no_word(Bytes s, std::string_view inner) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return s.empty() || s.size() > 63 || !plain(s.front()) || !plain(s.back()) ||
         std::any_of(s.begin(), s.end(), [&](char c) { return !plain(c) && inner.find(c) == std::string_view::npos; });
}
bool no_label(Bytes s) { return !s.empty() && no_word(s, "-_."); }
// The checker's rule for names of workloads and roles, which go into file names.
bool is_name(Bytes s) { return !no_word(s + "a", "-_.") && s.size() <= 63; }
bool no_object_name(Bytes s) { return no_word(s, "-_.") || !std::isalpha(static_cast<unsigned char>(s.front())); }

template <char letter>
std::string after(Bytes s) {
  return letter + s;
}
template <char letter>
std::string below(Bytes s) {
  return std::string("/") + letter + s;
}

// As the manifest spells a name of an object, and a variable of the contract.
std::string lowered_name(Bytes s) {
  std::string out = lower(s);
  for (char& c : out)
    if (c == '_' || c == '.') c = '-';
  return out;
}
std::string variable_name(Bytes s) {
  std::string out;
  for (const char c : s)
    out += c == '-' || c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// A list finds its entries by their names, so that the first one is replaced.
template <class T, class Change>
void change_first(model::NamedList<T>& list, Change change) {
  T first = list[0];
  change(first);
  list = {};
  list.push_back(std::move(first));
}
void add_data(Case& c, Bytes path) { c.role().mounts = {{"data", {path, {}}, false, {}, {}}}; }
void add_storage(Case& c, Bytes name) {
  change_first(c.site.storage, [&](model::Storage& storage) { storage.name = name; });
  c.role().mounts = {{name, {"/m", {}}, false, {}, {}}};
}
void add_probe(Case& c, Bytes path) {
  c.role().ports = {{"http", {8000, {}}, false, {}}};
  c.role().probes.emplace_back().http = Located<model::Text>{path, {}};
}
// Names of a site need not be taken where they are more than words; what is taken comes back.
bool no_plain_word(Bytes s) { return !s.empty() && no_word(s, "-"); }
bool no_lower_word(Bytes s) {  // of objects of the cluster
  return no_plain_word(s) || std::any_of(s.begin(), s.end(), [](unsigned char c) { return std::isupper(c) != 0; });
}
bool any_target_may_refuse(Bytes) { return true; }  // TrainJob has no field for it
void add_secret(Case& c, Bytes object, Bytes key) {
  change_first(c.site.secrets, [&](model::SiteSecret& secret) {
    secret.object = Located<std::string>{object, {}};
    secret.key = Located<std::string>{key, {}};
  });
  c.role().secrets = {{"HF_TOKEN", Located<std::string>{"HF_TOKEN", {}}, {}, {}}};
}
model::Registry& add_registry(Case& c) {
  c.role().image = Located<std::string>{"host.example/i:1", {}};
  c.site.registries.emplace_back().host = "host.example";
  return c.site.registries.back();
}
bool no_port_name(Bytes s) { return no_object_name(s) || s.size() > 15; }

constexpr Place places[] = {
#include "tests/loss/hostile_places.inc"
};

struct Site {
  Sources sources;
  model::Module module;
};

// What each target takes: jobs, Ray clusters, services of several machines.
constexpr std::string_view written = R"(
fleet f {
  pool a {
    nodes = "a[1-8]"
    gpu   { model = h100  memory = 80GB  count = 8 }
    node  { cpus = 64  memory = 1TB }
  }
}
site s {
  fleet = f
  plane pods { kind = kubernetes  version = "1.34"  gang = kueue }
  queue main { default = true }
  storage data { pvc = "data" }
  secret HF_TOKEN { name = "hf"  key = "token" }
}
workload w { kind = train  gpus = 8  image = "torch:2"  command = ["env"] }
workload r { kind = rl  gpus = 8  image = "torch:2"  launch { runner = ray }  command = ["env"] }
workload s { kind = serve  nodes = 2  gpus = 8  image = "torch:2"  command = ["env"]  port http { number = 8000 } }
workload m { kind = mpi  nodes = 2  gpus = 8  image = "torch:2"  launch { runner = mpi }  command = ["env"] }
)";

std::size_t workload_for(std::string_view target) {
  return target == "kuberay" ? 1 : target == "lws" ? 2 : target == "mpijob" ? 3 : 0;
}

Site read_site() {
  Site out;
  Diagnostics diagnostics;
  out.sources.add("hostile", std::string(written));
  auto file = syntax::parse(out.sources, 1, diagnostics);
  REQUIRE(file);
  out.module = sema::check({*file}, out.sources, {}, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  return out;
}

// The manifest; nothing after a refusal.
std::string lowered(const Case& of, const model::Fleet& fleet, const targets::Target& target,
                    const model::Policy& policy) {
  Diagnostics diagnostics;
  plan::PlanRequest request;
  request.workload = &of.workload;
  request.workloads = std::span(&of.workload, 1);
  request.site = &of.site;
  request.site_given = true;
  request.fleet = &fleet;
  request.policy = &policy;
  request.plane_kind = model::PlaneKind::kubernetes;
  const plan::PlanResult plan = plan::make_plan(request, diagnostics);
  REQUIRE(plan.plan);
  targets::Lowered out = targets::lower(target, *plan.plan, {}, diagnostics);
  return diagnostics.has_errors() ? std::string() : out.documents.at(0).content;
}

// What a real shell has in the variable after the line of the prelude that exports it.
std::string exported(const std::vector<Tree>& objects, const std::string& variable) {
  std::string lines, given;
  const auto is_it = [&](const std::string&, const Tree& item) {
    const bool found = item["name"].text == variable && item["value"].there();
    if (found) given = loss::expanded(item["value"].text);
    return found;
  };
  for (const Tree& object : objects)
    if (loss::any(object, is_it)) return given;
  std::vector<std::string> starts;
  const auto keep = [&](const std::string&, const Tree& item) {
    const std::vector<Tree>& words = item["command"].items;
    if (words.size() > 2 && words[0].text == "/bin/sh" && words[1].text == "-c")
      starts.push_back("\n" + loss::expanded(words[2].text));
    return false;
  };
  for (const Tree& object : objects) {
    starts.push_back(object["data"]["start"].text);
    loss::any(object, keep);
  }
  for (const std::string& start : starts) {
    const std::size_t at = start.find(variable + "="), line = start.rfind("\nexport", at);
    // The bytes may hold line ends: what follows is run as well, up to the next command of muster's own.
    if (at == std::string::npos) continue;
    const std::size_t end = std::min(start.find("\n{ ", at), start.find("\nexec ", at));
    lines = start.substr(line + 1, end - line - 1);
  }
  std::string file = (std::filesystem::temp_directory_path() / "muster-hostile-XXXXXX").string();
  close(mkstemp(file.data()));
  std::ofstream(file) << lines << "\nprintf %s \"$" << variable << "\"\n";
  FILE* shell = popen(("sh " + file).c_str(), "r");
  std::string out;
  for (int c = fgetc(shell); c != EOF; c = fgetc(shell)) out += static_cast<char>(c);
  pclose(shell);
  std::remove(file.c_str());
  return out;
}

bool comes_back(const std::string& text, const Place& place, const std::string& bytes, std::string_view target) {
  const std::vector<Tree> objects = loss::read_output("", text, "").objects;
  const std::string wanted = place.wanted(bytes);
  if (place.as == As::variable) return exported(objects, place.variable(bytes)) == wanted;
  if (holds(objects, wanted, place.as)) return true;
  const bool script = std::string_view(place.name) == "script";  // a word of the command, where it is text
  if ((script || target == "trainjob") && holds(objects, wanted, As::expanding)) return true;  // its folder is a word
  // The words of a Ray program are text of sh, or in a file of their own.
  for (const Tree& object : objects)
    for (const Tree& text_of : {object["data"]["program"], object["spec"]["entrypoint"]})
      for (const std::string& word : loss::shell_words(text_of.text))
        if (word == wanted) return true;
  return false;
}

}  // namespace

TEST_CASE("manifests give back the user's bytes or refuse them, at every place and for every target", "[loss]") {
  const Site site = read_site();
  const model::Policy policy = rules::profile("default");
  const std::vector<std::string> strings = test::hostile_strings();
  std::size_t exact = 0, refused = 0, asked = 0;
  std::string wrong;
  for (const targets::Target& target : targets::all_targets()) {
    if (target.capabilities.plane != muster::model::PlaneKind::kubernetes) continue;
    for (const Place& place : places)
      for (const std::string& bytes : strings) {
        if (place.can_be != nullptr && !place.can_be(bytes)) continue;
        // One shell a string is enough: all targets write the same prelude.
        if (place.as == As::variable && target.name != "jobset" && target.name != "kuberay") continue;
        if (++asked % tests::case_step != 0) continue;
        Case one{site.module.workloads[workload_for(target.name)], site.module.sites[0]};
        one.workload.written.clear();  // of the text above
        place.put(one, bytes);
        if (place.as == As::variable) one.role().launch.contract.value = model::Contract::full;
        // A TrainJob declares no ports and takes no probes.
        const bool none = target.name == "trainjob" && place.as != As::variable &&
                          (!one.role().probes.empty() || !one.role().ports.empty());
        const std::string text = lowered(one, site.module.fleets[0], target, policy);
        const bool lost = !text.empty() && !none && !comes_back(text, place, bytes, target.name);
        ++(text.empty() ? refused : exact);
        if (lost || (text.empty() && !place.may_refuse(bytes) && !none))
          wrong += std::string(target.name) + ", " + place.name + (lost ? ": lost <" : ": refused <") + bytes + ">\n";
      }
  }
  std::printf("quoting, manifests: %zu places: %zu exact, %zu refused\n", std::size(places), exact, refused);
  INFO(wrong.substr(0, 4000));
  CHECK(wrong.empty());
  CHECK(exact > refused);
}

}  // namespace hostile_test
