// A second import into the folder of a first one adds to its site: in each order, what was imported before becomes the
// same file as before, or the import is refused with both values.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "driver/earlier_import.h"
#include "tests/catch.h"
#include "tests/unit/again_scene.h"

namespace import_again_test {

using namespace muster;

namespace {

namespace fs = std::filesystem;

const std::string gpu = "resources: {limits: {nvidia.com/gpu: 1}}";

std::string job(const std::string& name, const std::string& labels, const std::string& pod,
                const std::string& container) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name + ", labels: {" + labels +
         "}}\nspec:\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n" + pod +
         "      containers: [{name: c, image: x, command: [run], " + gpu + container + "}]\n";
}

// Files that say different things of one site under the same names.
struct Original {
  std::string file, text;
};
const Original originals[] = {
    {"plain.yaml", job("plain", "", "", "")},
    {"queued.yaml", job("queued", "kueue.x-k8s.io/queue-name: team", "", "")},
    {"spot.yaml", job("spot", "kueue.x-k8s.io/queue-name: team",
                      "      nodeSelector: {pool: spot}\n      tolerations: [{key: spot, operator: Exists}]\n", "")},
    {"data.yaml", job("data", "", "      volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]\n",
                      ", volumeMounts: [{name: d, mountPath: /data}]")},
    {"host.yaml", job("host", "", "      volumes: [{name: d, hostPath: {path: /srv/data}}]\n",
                      ", volumeMounts: [{name: d, mountPath: /data}]")},
    {"token.yaml", job("token", "", "", ", env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]")},
    {"other-token.yaml",
     job("other-token", "", "", ", env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: hub-token, key: token}}}]")},
    {"urgent.yaml", job("urgent", "", "      priorityClassName: urgent-jobs\n", "")},
    {"serve.yaml",
     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: serve}\nspec:\n  selector: {matchLabels: {a: "
     "b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: x, "
     "command: [serve], " +
         gpu + "}]}\n"},
    {"train.sbatch", "#!/bin/bash\n#SBATCH -p gpu\n#SBATCH --gpus-per-node=2\n#SBATCH --time=10\npython a.py\n"},
    {"gres.sbatch", "#!/bin/bash\n#SBATCH -p long\n#SBATCH --gres=gpu:v100:2\n#SBATCH --time=10\npython b.py\n"},
};

std::string text_of(const model::Site& draft) {
  Diagnostics found;
  ast::File tree;
  tree.blocks.push_back(sema::to_syntax(draft, found));
  return syntax::format(tree, Sources());
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("muster-again-" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path), fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
};

// As `muster import FILE -o DIR --force` does it. "": written; else why not.
std::string import_into(const Folder& folder, const Original& original) {
  Sources sources;
  Diagnostics found;
  driver::Importer importer(sources, found, {});
  const auto earlier = driver::earlier_import(folder.path.string(), found);
  if (earlier) importer.begin_with(earlier->site);
  importer.read({original.file, true}, sources.add(original.file, original.text));
  std::vector<driver::OutputFile> files;
  for (const driver::ImportedFile& file : importer.files()) files.push_back({file.file_name(), file.text});
  model::Site draft = importer.site();
  if (!earlier) draft.name = "site";
  const std::string site = text_of(draft);
  if (!found.has_errors() && earlier) driver::keeps_workloads(*earlier, site, files, found);
  if (found.has_errors()) {
    std::string why;
    for (const Diagnostic& d : found.sorted()) {
      why += d.message + "\n";
      for (const std::string& note : d.notes) why += note + "\n";
    }
    return why;
  }
  for (const driver::OutputFile& file : files) folder.write(file.name, file.content);
  folder.write("site.muster", site);
  return {};
}

}  // namespace

TEST_CASE("a later import leaves what earlier ones became", "[import][again]") {
  int cases = 0, refused = 0;
  const std::size_t all = std::size(originals);
  for (std::size_t a = 0; a < all; ++a)
    for (std::size_t b = 0; b < all; ++b)
      for (const std::size_t c : {(a + b + 3) % all}) {
        if (a == b || b == c || a == c) continue;
        ++cases;
        const Folder folder;
        for (const std::size_t one : {a, b, c}) {
          Diagnostics found;
          const auto earlier = driver::earlier_import(folder.path.string(), found);
          const std::string why = import_into(folder, originals[one]);
          INFO(originals[a].file << " " << originals[b].file << " " << originals[c].file << "\n" << why);
          if (!why.empty()) {
            ++refused;
            CHECK(why.find("would change what `") != std::string::npos);
            CHECK(why.find("now it becomes `") != std::string::npos);
            continue;
          }
          if (!earlier) continue;
          // Each earlier workload, with the site as it was and as it is.
          const auto now = driver::earlier_import(folder.path.string(), found);
          REQUIRE(now);
          CHECK(driver::keeps_workloads(*earlier, now->text, {}, found));
        }
        CHECK(fs::exists(folder.path / "site.muster"));
      }
  WARN(cases << " orders, " << refused << " imports refused");
  CHECK(cases >= 80);
  CHECK(refused * 3 <= cases);
}

TEST_CASE("a site of several declarations is not added to", "[import][again]") {
  const Folder folder;
  folder.write("site.muster", "site a { plane p { kind = kubernetes } }\nfleet f { pool a { nodes = 1 } }\n");
  CHECK(import_into(folder, originals[0]).find("is not one site") != std::string::npos);
}

}  // namespace import_again_test
