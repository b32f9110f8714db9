// Which files of two trees can make a difference, and how much is evaluated.
#include <filesystem>
#include <fstream>

#include "driver/review_files.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace review_files_test {

using namespace muster;
using namespace muster::driver;
namespace fs = std::filesystem;

namespace {

using Paths = std::set<std::string>;

class Trees {
 public:
  // The same text on both sides, or two.
  void write(const std::string& path, const std::string& base, const std::string& head) {
    for (const auto& [side, text] : {std::pair("base", &base), std::pair("head", &head)}) {
      const fs::path file = folder_.path() / side / path;
      fs::create_directories(file.parent_path());
      if (!text->empty()) std::ofstream(file, std::ios::binary) << *text;
    }
  }
  void write(const std::string& path, const std::string& text) { write(path, text, text); }
  void link(const std::string& target, const std::string& path) {
    for (const char* side : {"base", "head"}) fs::create_symlink(target, folder_.path() / side / path);
  }

  Side side(const std::string& name) {
    Diagnostics diagnostics;
    auto side = read_side(name, folder_.path() / name, diagnostics);
    REQUIRE(side);
    REQUIRE(diagnostics.empty());
    return *side;
  }
  Paths affected() { return affected_files(side("base"), side("head")); }

 private:
  tests::TempFolder folder_;
};

}  // namespace

TEST_CASE("review files: what differs, and what names it, however far", "[review]") {
  Trees trees;
  trees.write("lib/sizes.csv", "a,1\n", "a,2\n");
  trees.write("lib/deep.muster", "template t() { command = [file(\"sizes.csv\")] }\n");
  trees.write("a/mid.muster", "import \"../lib/deep.muster\" as deep\n");
  trees.write("a/top.muster", "import \"mid.muster\" as mid\nworkload w from mid.t() {}\n");
  trees.write("a/other.muster", "workload w { command = [\"sizes.csv\"] }\n");
  trees.write("gone.sbatch", "#!/bin/sh\n#SBATCH -N 1\n", "");
  trees.write("fresh.sbatch", "", "#!/bin/sh\n#SBATCH -N 1\n");
  trees.write("same.sbatch", "#!/bin/sh\n#SBATCH -N 1\n");
  CHECK(trees.affected() ==
        Paths{"a/mid.muster", "a/top.muster", "fresh.sbatch", "gone.sbatch", "lib/deep.muster", "lib/sizes.csv"});
}

TEST_CASE("review files: a name that is put together may be that of any file", "[review]") {
  Trees trees;
  trees.write("a.muster", "workload w { script = file(\"run-${n}.sh\") }\n");
  trees.write("b.muster", "workload w { script = file(\"run.sh\") }\n");
  CHECK(trees.affected() == Paths{"a.muster"});
}

TEST_CASE("review files: nothing differs in equal trees", "[review]") {
  Trees trees;
  trees.write("a.muster", "workload w { command = [\"x\"] }\n");
  CHECK(trees.affected().empty());
}

TEST_CASE("review files: a site is a block of that name, in every form of the language", "[review]") {
  Trees trees;
  trees.write("site.muster", "site lab { }\n");
  trees.write("twin.muster.json", "{\"site\": {\"lab\": {}}}\n");
  trees.write("word.muster", "# site lab {\ntest t { site = lab }\nworkload site { command = [\"site\"] }\n");
  trees.write("text.yaml", "kind: A\napiVersion: v1\nsite: x\n");
  CHECK(site_files(trees.side("base")) == std::vector<std::string>{"site.muster", "twin.muster.json"});
}

TEST_CASE("review files: what is only counted has as many workloads as it declares", "[review]") {
  Trees trees;
  trees.write("two.muster",
              "workload a { command = [\"x\"] }\nworkload b { command = [\"workload c {\"] }\nfleet f { }\n");
  trees.write("one.sbatch", "#!/bin/sh\n#SBATCH -N 1\n");
  trees.write("list.yaml",
              "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A}, {apiVersion: v1, kind: B}]\n");
  trees.write("README.md", "workload a { }\n");
  const Side side = trees.side("base");
  const auto count = [&](const std::string& path) { return count_workloads(side, path); };
  CHECK(count("two.muster") == 2);
  CHECK(count("one.sbatch") == 1);
  CHECK(count("list.yaml") == 2);
  CHECK(count("README.md") == 0);
}

TEST_CASE("review files: what is named through a link or a hidden name may differ", "[review]") {
  Trees trees;
  trees.write("lib/v1.muster", "template t() { }\n");
  trees.write(".hidden/h.muster", "template t() { }\n", "template t() { kind = batch }\n");
  trees.write("linked.muster", "import \"now/v1.muster\" as lib\n");
  trees.write("secret.muster", "import \".hidden/h.muster\" as lib\n");
  trees.write("plain.muster", "import \"lib/v1.muster\" as lib\nworkload w { command = [\".nothing\", \"now\\n\"] }\n");
  trees.link("lib", "now");
  CHECK(trees.affected() == Paths{"linked.muster", "secret.muster"});
}

TEST_CASE("review files: names without quotes and names that are spelt with signs are followed too", "[review]") {
  Trees trees;
  trees.write("lib/rules.muster", "rules r { version = \"1\" }\n", "rules r { version = \"2\" }\n");
  trees.write("site.muster.yaml", "site:\n  lab:\n    rules: lib/rules.muster\n");
  trees.write("other.muster.yaml", "site:\n  lab:\n    rules: lib/others.muster\n");
  trees.write("spelt.muster", "import \"lib\\u002frules.muster\" as r\n");
  CHECK(trees.affected() == Paths{"lib/rules.muster", "site.muster.yaml", "spelt.muster"});
}

TEST_CASE("review files: of a file no text is kept, and one that is too large is not read", "[review]") {
  Trees trees;
  trees.write("data.bin", std::string(100'000, '\0'), std::string(99'999, '\0') + "x");
  trees.write("model.bin", std::string((std::size_t{4} << 20) + 1, 'x'));
  trees.write("big.sbatch", "#!/bin/sh\n#SBATCH -N 1\n" + std::string(std::size_t{4} << 20, '#'));
  const Side side = trees.side("base");
  CHECK(side.files.at("data.bin").id.size() == 64);
  CHECK(side.files.at("model.bin").id == "4194305 bytes");
  CHECK(side.files.at("big.sbatch").why == "it is larger than 4 MiB");
  CHECK(trees.affected() == Paths{"data.bin"});
}

}  // namespace review_files_test
