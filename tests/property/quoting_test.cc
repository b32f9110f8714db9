// Whatever bytes a user writes, the sbatch file gives them back exactly or the compiler refuses them.
// Read back by bash itself, with functions in place of the programs, and by a second reading of
// Slurm's rules for #SBATCH lines that shares no code with the writer.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include <unistd.h>

#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/oracles/sbatch_reader.h"
#include "tests/property/hostile.h"
#include "tests/property/quoting.h"

namespace quoting_test {

using namespace muster;
using namespace muster::test;
using model::Located;

namespace {

void in_container(Scene& scene, model::Containers runtime) {
  scene.command({"dump"}).size(2, 1, 4);
  scene.role().image = Located<std::string>{"img", {}};
  scene.plane().batch()->containers = runtime;
  scene.role().launch.contract.value = model::Contract::full;
}

void add_mount(Scene& scene, const std::string& s) {
  scene.site.storage.push_back({"work", {}, {"/real", {}}, false});
  scene.role().mounts.push_back({"work", {"/m" + s, {}}, false, {}, {}});
}

std::vector<Place> directive_places() {
  const auto control = [](const std::string& s) { return has_control(s); };
  const auto plain = [](Scene& scene) { scene.command({"dump"}).size(1, 0, 1); };
  return {
      {"qos of a priority",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.workload.priority = Located<std::string>{"high", {}};
         x.site.priorities.push_back({"high", {}, {}, {}, Located<std::string>{"q" + s, {}}, {}, {}});
       },
       control,
       "--qos",
       {}},
      {"account",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.account = "a" + s;
       },
       control,
       "--account",
       {}},
      {"job name",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.workload.name = "n" + s;
       },
       control,
       "--job-name",
       {}},
      {"partition",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.with_queue = true;
         x.queue.plane_name = "q" + s;
       },
       control,
       "--partition",
       {}},
      {"label",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.workload.labels = {{"k", {s, {}}}};
       },
       [](const std::string& s) { return has_control(s) || has_any(s, ","); },
       "--comment",
       {}},
      {"output",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.workload.logs.emplace();
         std::string pattern;  // `{{` is a brace, whatever follows
         for (const char c : s) pattern += c == '{' ? "{{" : std::string(1, c);
         x.workload.logs->output = Located<std::string>{pattern, {}};
       },
       [](const std::string& s) { return has_control(s) || has_any(s, "\\") || s.empty(); },
       "--output",
       {}},
      {"folder",
       [=](Scene& x, const std::string& s) {
         plain(x);
         x.role().workdir = Located<model::Text>{"/w" + s, {}};
       },
       control,
       "--chdir",
       {}},
  };
}

std::vector<Place> shell_places() {
  const auto zero = [](const std::string& s) { return has_zero(s); };
  const auto bad_image = [](const std::string& s) { return has_control(s) || has_any(s, " "); };
  const auto bad_mount = [](const std::string& s) { return has_zero(s) || has_any(s, ",:"); };
  return {
      {"argv",
       [](Scene& x, const std::string& s) {
         x.command({"dump", s, "z"}).size(1, 0, 1);
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"dump", s, "z"});
       }},
      {"argv of a step",
       [](Scene& x, const std::string& s) {
         x.command({"p", s, "z"}).size(2, 0, 1);
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"p", s, "z"});
       }},
      {"args",
       [](Scene& x, const std::string& s) {
         x.script(":").size(2, 0, 1);
         x.role().args = {{s, {}}, {"z", {}}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"bash", "-c", ":", "pretrain", s, "z"});
       }},
      {"env",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         x.role().env = {{"VALUE", s, {}}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"VALUE", s});
       }},
      {"body",
       [](Scene& x, const std::string& s) {
         x.script(s).size(1, 0, 1);
         x.role().args = {{"z", {}}};
         x.role().script_flags = {{"-e", {}}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"-e", "-c", s, "pretrain", "z"});
       }},
      {"body of a step", [](Scene& x, const std::string& s) { x.script(s).size(2, 0, 1); }, zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"bash", "-c", s, "pretrain"});
       }},
      {"long body",
       [](Scene& x, const std::string& s) {
         x.script(std::string(99'000, 'x') + s).size(1, 0, 1);
         x.site.job_dir = Located<std::string>{".", {}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"FILE", std::string(99'000, 'x') + s});
       }},
      {"setup",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         x.role().setup = Located<model::Script>{{"bash", s}, {}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"-c", s, "pretrain"});
       }},
      {"relative folder",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         x.role().workdir = Located<model::Text>{"w" + s, {}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"CD", "w" + s});
       }},
      {"module",
       [](Scene& x, const std::string& s) {
         x.command({"dump"}).size(1, 0, 1);
         model::SoftwareSpec spec;
         spec.modules = {{s, {}}, {"z", {}}};
         x.role().software = Located<model::Software>{spec, {}};
       },
       zero, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"MODULE", "load", s, "z"});
       }},
      {"image",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::apptainer);
         x.role().image->value = "i" + s;
       },
       bad_image, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {(s.ends_with(".sif") ? "i" : "docker://i") + s, "sh", "-c"});
       }},
      {"image of Pyxis",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::pyxis);
         x.role().image->value = "i" + s;
       },
       [=](const std::string& s) { return bad_image(s) || has_any(s, "@") || s.find("//") != std::string::npos; }, "",
       [](const Words& w, const std::string& s) {
         std::string image = "i" + s, apart = image;
         if (const std::size_t slash = image.find('/'); slash != std::string::npos) apart[slash] = '#';
         return contains(w, {"--container-image=" + image}) || contains(w, {"--container-image=" + apart});
       }},
      {"mount",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::apptainer);
         add_mount(x, s);
       },
       bad_mount, "",
       [](const Words& w, const std::string& s) {
         return contains(w, {"--bind", "/real:/m" + s});
       }},
      {"mount of Pyxis",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::pyxis);
         add_mount(x, s);
       },
       bad_mount, "",
       [](const Words& w, const std::string& s) {
         for (const std::string& word : w)
           if (word.starts_with("--container-mounts=") && word.ends_with(",/real:/m" + s)) return true;
         return false;
       }},
      {"folder in a container",
       [](Scene& x, const std::string& s) {
         in_container(x, model::Containers::pyxis);
         x.role().workdir = Located<model::Text>{"/w" + s, {}};
       },
       zero, "", [](const Words& w, const std::string& s) { return contains(w, {"--container-workdir=/w" + s}); }},
  };
}

// Runs every file in one bash: each is sourced in a subshell in which functions stand for programs.
// Every 50th is run by a bash of its own as well.
constexpr std::string_view driver = R"bash(
record() { printf '%s\0' "$@" >> "$OUT"; }
dump() { record dump "$@" VALUE "${VALUE-}"; }
srun() { record "$@"; }
bash() { record "$@"; if [[ $1 == */script ]]; then printf 'FILE\0' >> "$OUT"; command cat "$1" >> "$OUT"; printf '\0' >> "$OUT"; command rm "$1"; fi; }
cd() { record CD "$@"; }
module() { record MODULE "$@"; }
mkdir() { command mkdir "$@" 2> /dev/null || :; }
chmod() { record CHMOD "$@"; }
cat() { if [[ $1 == -- ]]; then record CAT "$2"; else command cat "$@"; fi; }
scontrol() { echo n1; echo n2; }
export -f record dump srun bash cd module mkdir chmod cat scontrol
export SLURM_JOB_ID=job SLURM_SUBMIT_DIR=$PWD SLURM_JOB_NODELIST='n[1-2]' SLURMD_NODENAME=n1 SLURM_CPUS_ON_NODE=4
command mkdir -p .jobs/job job
for ((i = 0; i < $1; i++)); do
  OUT=$PWD/$i.out
  : > "$OUT"
  export OUT
  (source "./$i.sh") < /dev/null
  if ((i % 50 == 0)); then OUT=$PWD/$i.again; export OUT; : > "$OUT"; command bash "./$i.sh" < /dev/null; fi
done
)bash";

Words tokenize(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Words words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

struct Run {
  const Place* place;
  const std::string* bytes;
};

struct Tally {
  std::size_t exact = 0, refused = 0;
  std::string wrong;  // of the first few

  void fail(const Place& place, const std::string& bytes, const std::string& why) {
    if (wrong.size() > 2000) return;
    wrong += place.name + ": " + why + ":";
    for (unsigned char c : bytes) {
      char hex[8];
      std::snprintf(hex, sizeof hex, c > ' ' && c < 0x7F ? " %c" : " %02x", c);
      wrong += hex;
    }
    wrong += "\n";
  }
};

// Lowers; counts a refusal and checks that it is one that may be.
std::optional<std::string> emitted(const Place& place, const std::string& bytes, Tally& tally) {
  Scene scene;
  place.put(scene, bytes);
  const Result result = lower(scene);
  if (result.ok() != place.may_refuse(bytes)) {
    if (result.ok()) return result.text();
    ++tally.refused;
    return std::nullopt;
  }
  tally.fail(place, bytes, result.ok() ? "taken" : "refused, " + result.refusals());
  return std::nullopt;
}

void check_directive(const Place& place, const std::string& bytes, Tally& tally) {
  const auto text = emitted(place, bytes, tally);
  if (!text) return;
  const auto options = oracle::slurm_options(*text);
  if (!options || !options->contains(place.option)) return tally.fail(place, bytes, "sbatch refuses");
  std::string value = options->at(place.option);
  std::string expected = place.wanted ? place.wanted(bytes) : bytes;
  if (place.option == "--output" || place.option == "--error") {
    value = oracle::expanded(value.starts_with("./") && !bytes.starts_with("./") ? value.substr(2) : value);
  } else if (place.option == "--comment") {
    value = value.substr(2);
  } else if (!place.wanted) {
    value = value.substr(place.option == "--chdir" ? 2 : 1);
  }
  if (value == expected) ++tally.exact;
  else tally.fail(place, bytes, "came back as " + value);
}

void check_run(const Run& run, const Words& words, Tally& tally) {
  if (run.place->carried(words, *run.bytes)) ++tally.exact;
  else tally.fail(*run.place, *run.bytes, "bash ran something else");
}

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "muster-quoting-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  return name;
}

// Every place with every string, run by one bash.
void check_in_bash(const std::vector<Place>& places, const Words& strings) {
  const std::filesystem::path folder = make_folder();
  Tally tally;
  std::vector<Run> runs;
  for (const Place& place : places) {
    // A long body costs as much as a hundred others.
    const std::size_t step = (place.name == "long body" ? 25 : 1) * tests::case_step;
    for (std::size_t i = runs.size() % step; i < strings.size(); i += step) {
      const auto text = emitted(place, strings[i], tally);
      if (!text) continue;
      if (!oracle::slurm_options(*text)) tally.fail(place, strings[i], "sbatch refuses");
      std::ofstream(folder / (std::to_string(runs.size()) + ".sh"), std::ios::binary) << *text;
      runs.push_back({&place, &strings[i]});
    }
  }
  std::ofstream(folder / "driver") << driver;
  const std::string command =
      "cd '" + folder.string() + "' && LC_ALL=C.UTF-8 exec bash driver " + std::to_string(runs.size()) + " 2> errors";
  CHECK(std::system(command.c_str()) == 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    check_run(runs[i], tokenize(folder / (std::to_string(i) + ".out")), tally);
    if (i % 50 == 0 && !runs[i].place->carried(tokenize(folder / (std::to_string(i) + ".again")), *runs[i].bytes))
      tally.fail(*runs[i].place, *runs[i].bytes, "a bash of its own ran something else");
  }
  std::printf("quoting, bash: %zu places, %zu strings: %zu exact, %zu refused\n", places.size(), strings.size(),
              tally.exact, tally.refused);
  INFO(tally.wrong);
  CHECK(tally.wrong.empty());
  CHECK(tally.exact == runs.size());
  if (tally.wrong.empty()) std::filesystem::remove_all(folder);
}

}  // namespace

TEST_CASE("directive lines give back the user's bytes or refuse them") {
  const Words strings = hostile_strings(4000);
  auto places = directive_places();
  for (Place& place : site_directives()) places.push_back(std::move(place));
  Tally tally;
  for (const Place& place : places)
    for (const std::string& bytes : strings) check_directive(place, bytes, tally);
  std::printf("quoting, #SBATCH: %zu places x %zu strings: %zu exact, %zu refused\n", places.size(), strings.size(),
              tally.exact, tally.refused);
  INFO(tally.wrong);
  CHECK(tally.exact + tally.refused == places.size() * strings.size());
}

TEST_CASE("bash gives back the user's bytes or the compiler refuses them") {
  auto places = shell_places();
  for (Place& place : needs_places()) places.push_back(std::move(place));
  check_in_bash(places, hostile_strings(500));
}

TEST_CASE("bash gives back a site's bytes or the compiler refuses them") {
  check_in_bash(site_places(), hostile_strings(150));
}

}  // namespace quoting_test
