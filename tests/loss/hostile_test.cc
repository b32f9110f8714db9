// Whatever bytes a user writes, a manifest gives them back exactly or the compiler refuses them: every place of a
// workload that takes text, for every target of pods. Read back by yaml-cpp with Kubernetes' own $(VAR), and by a real
// shell where the bytes stand in the prelude.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "plan/make_plan.h"
#include "rules/profiles.h"
#include "targets/target.h"
#include "tests/catch.h"
#include "tests/loss/reader.h"

using namespace muster;
using loss::expanded;
using loss::Tree;
using model::Located;

namespace {

using namespace std::string_literals;

const std::vector<std::string> hostile = {"plain",
                                          " ",
                                          "'",
                                          "\"",
                                          "\\",
                                          "a\\",
                                          "$(touch x)",
                                          "$(HOME)",
                                          "$$(HOME)",
                                          "$$$$(X)",
                                          "$$",
                                          "$",
                                          "`id`",
                                          "${x:-y}",
                                          "*",
                                          "~",
                                          "-x",
                                          "--",
                                          "#",
                                          " # a",
                                          "a: b",
                                          "- a",
                                          "a\n",
                                          "\n",
                                          "a\nb",
                                          "  a\n b",
                                          "\t",
                                          "\r",
                                          "a\r\nb",
                                          "yes",
                                          "null",
                                          "1e3",
                                          "0x10",
                                          "017",
                                          "1:30",
                                          "2001-01-01",
                                          "!!str a",
                                          "&a",
                                          "*a",
                                          "|",
                                          ">",
                                          "%",
                                          "@",
                                          "{a}",
                                          "[a]",
                                          "---",
                                          "...",
                                          "é",
                                          "日本",
                                          "\xc2\x85",
                                          "\xe2\x80\xa8",
                                          "\xef\xbb\xbf",
                                          "\x01",
                                          "\x7f",
                                          "a\0b"s,
                                          "\xff",
                                          "a,b",
                                          "a=b",
                                          "a:b",
                                          "../x",
                                          "x/../y",
                                          "EOF",
                                          "', x: '",
                                          "\"}], \"a\": [",
                                          "a b",
                                          "A",
                                          "aB",
                                          "/",
                                          "//"};

bool has_zero(const std::string& s) { return s.find('\0') != std::string::npos; }
bool has_control(const std::string& s) {
  return std::any_of(s.begin(), s.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}
bool any_of_signs(const std::string& s, std::string_view signs) { return s.find_first_of(signs) != std::string::npos; }

bool anywhere(const Tree& tree, const std::function<bool(const std::string&)>& test) {
  return (tree.is == Tree::Is::scalar && test(tree.text)) ||
         std::any_of(tree.members.begin(), tree.members.end(),
                     [&](const auto& m) { return anywhere(m.second, test); }) ||
         std::any_of(tree.items.begin(), tree.items.end(), [&](const Tree& item) { return anywhere(item, test); });
}

bool holds(const std::vector<Tree>& objects, const std::string& bytes, bool expands) {
  return std::any_of(objects.begin(), objects.end(), [&](const Tree& object) {
    return anywhere(object, [&](const std::string& value) { return (expands ? expanded(value) : value) == bytes; });
  });
}

// Where bytes go in, whether they may be refused there, and how the manifest has them.
struct Place {
  const char* name;
  std::function<void(model::Workload&, const std::string&)> put;
  std::function<bool(const std::string&)> may_refuse;
  std::string before = {};    // of the bytes, in the same value
  bool expands = false;       // Kubernetes replaces $(NAME) in it
  std::string variable = {};  // or it is what the prelude exports by this name
};

bool no_path(const std::string& s) {
  return has_zero(s) || s.ends_with('/') || s.find("..") != std::string::npos || s.find(':') != std::string::npos;
}

std::vector<Place> places() {
  const auto zero = has_zero;
  const auto label = [](const std::string& s) {
    return s.empty() || any_of_signs(s, " '\"\\$(){}[]`*~#:&|>%@!,=/\n\t\r") || has_control(s) ||
           std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7E; }) ||
           !std::isalnum(static_cast<unsigned char>(s.front())) || !std::isalnum(static_cast<unsigned char>(s.back()));
  };
  return {
      {"argument",
       [](auto& w, const auto& s) {
         w.roles[0].args = {{s, {}}};
       },
       zero, "", true},
      {"command",
       [](auto& w, const auto& s) {
         w.roles[0].program = Located<model::Program>{model::Argv{"env", s}, {}};
       },
       zero, "", true},
      {"environment",
       [](auto& w, const auto& s) {
         w.roles[0].env = {{"VALUE", s, {}, false}};
       },
       zero, "", true},
      {"script",
       [](auto& w, const auto& s) {
         w.roles[0].program = Located<model::Program>{model::Script{"bash", "b" + s}, {}};
       },
       zero, "b"},
      {"setup",
       [](auto& w, const auto& s) {
         w.roles[0].setup = Located<model::Script>{{"bash", "b" + s}, {}};
       },
       zero, "b"},
      {"file",
       [](auto& w, const auto& s) {
         w.roles[0].files = {{{"f", {}}, "b" + s, {}}};
       },
       zero, "b"},
      {"path of a file",
       [](auto& w, const auto& s) {
         w.roles[0].files = {{{"d" + s, {}}, "x", {}}};
       },
       no_path, "d"},
      {"label",
       [](auto& w, const auto& s) {
         w.labels = {{"own", {s, {}}}};
       },
       label, ""},
      {"folder",
       [](auto& w, const auto& s) {
         w.roles[0].workdir = Located<std::string>{"/w" + s, {}};
       },
       zero, "/w", false},
      {"path of a mount",
       [](auto& w, const auto& s) {
         w.roles[0].mounts = {{"data", {"/m" + s, {}}, false, {}, {}}};
       },
       [](const auto& s) { return has_zero(s) || s.find(':') != std::string::npos; }, "/m"},
      {"path of a mount in the contract",
       [](auto& w, const auto& s) {
         w.roles[0].mounts = {{"data", {"/m" + s, {}}, false, {}, {}}};
       },
       [](const auto& s) { return has_zero(s) || s.find(':') != std::string::npos; }, "/m", false, "MUSTER_MOUNT_DATA"},
      {"folder of a mount",
       [](auto& w, const auto& s) {
         w.roles[0].mounts = {{"data", {"/m", {}}, false, Located<std::string>{"s" + s, {}}, {}}};
       },
       [](const auto& s) { return has_zero(s) || s.find("..") != std::string::npos; }, "s"},
      {"secret in a file",
       [](auto& w, const auto& s) {
         w.roles[0].secrets = {{"HF_TOKEN", {}, Located<std::string>{"d" + s, {}}, {}}};
       },
       no_path, "d"},
      {"image",
       [](auto& w, const auto& s) {
         w.roles[0].image = Located<std::string>{"i" + s, {}};
       },
       [](const auto& s) { return has_control(s) || s.find(' ') != std::string::npos; }, "i"},
      {"path of a probe",
       [](auto& w, const auto& s) {
         w.roles[0].ports = {{"http", {8000, {}}, false, {}}};
         model::Probe probe;
         probe.http = Located<std::string>{"/p" + s, {}};
         w.roles[0].probes = {probe};
       },
       zero, "/p"},
      {"command of a probe",
       [](auto& w, const auto& s) {
         model::Probe probe;
         probe.command = {{"c", {}}, {s, {}}};
         w.roles[0].probes = {probe};
       },
       zero, "", true},
      {"checkpoint",
       [](auto& w, const auto& s) {
         w.checkpoint.emplace();
         w.checkpoint->path = Located<std::string>{"/c" + s, {}};
       },
       zero, "/c", false, "MUSTER_CHECKPOINT"},
  };
}

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
)";

std::size_t workload_for(std::string_view target) { return target == "kuberay" ? 1 : target == "lws" ? 2 : 0; }

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
std::string lowered(const Site& site, const model::Workload& workload, const targets::Target& target,
                    const model::Policy& policy) {
  Diagnostics diagnostics;
  plan::PlanRequest request;
  request.workload = &workload;
  request.workloads = {&workload, 1};
  request.site = &site.module.sites[0];
  request.site_given = true;
  request.fleet = &site.module.fleets[0];
  request.policy = &policy;
  request.plane_kind = "kubernetes";
  const plan::PlanResult plan = plan::make_plan(request, diagnostics);
  REQUIRE(plan.plan);
  targets::Lowered out = targets::lower(target, *plan.plan, {}, diagnostics);
  return diagnostics.has_errors() ? std::string() : out.documents.at(0).content;
}

// What a real shell has in the variable after the line of the prelude that exports it.
std::string exported(const std::vector<Tree>& objects, const std::string& variable) {
  std::string lines;
  for (const Tree& object : objects) {
    const std::string& start = object["data"]["start"].text;
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
  const std::string wanted = place.before + bytes;
  if (!place.variable.empty()) return exported(objects, place.variable) == wanted;
  if (holds(objects, wanted, place.expands)) return true;
  if (target == "trainjob" && holds(objects, wanted, true)) return true;  // its folder is a word
  // The words of a Ray program stand in a file of their own.
  for (const Tree& object : objects)
    for (const std::string& word : loss::shell_words(object["data"]["program"].text))
      if (word == wanted) return true;
  return false;
}

}  // namespace

TEST_CASE("manifests give back the user's bytes or refuse them, at every place and for every target", "[loss]") {
  const Site site = read_site();
  const model::Policy policy = rules::profile("default");
  std::size_t exact = 0, refused = 0;
  std::string wrong;
  const std::vector<Place> all = places();
  for (const targets::Target& target : targets::all_targets()) {
    if (target.capabilities.plane != "kubernetes") continue;
    for (const Place& place : all)
      for (const std::string& bytes : hostile) {
        // One shell a string is enough: all targets write the same prelude.
        if (!place.variable.empty() && target.name != "jobset" && target.name != "kuberay") continue;
        model::Workload workload = site.module.workloads[workload_for(target.name)];
        place.put(workload, bytes);
        workload.written.clear();  // of the text above
        const bool probe = target.name == "trainjob" && !workload.roles[0].probes.empty();
        const std::string text = lowered(site, workload, target, policy);
        if (text.empty()) {
          ++refused;
          if (!place.may_refuse(bytes) && !probe)
            wrong += std::string(target.name) + ", " + place.name + ": refused <" + bytes + ">\n";
        } else if (comes_back(text, place, bytes, target.name)) {
          ++exact;
        } else {
          wrong += std::string(target.name) + ", " + place.name + ": lost <" + bytes + ">\n";
        }
      }
  }
  std::printf("quoting, manifests: %zu places: %zu exact, %zu refused\n", all.size(), exact, refused);
  INFO(wrong.substr(0, 4000));
  CHECK(wrong.empty());
  CHECK(exact > refused);
}
