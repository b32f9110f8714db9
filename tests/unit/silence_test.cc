// A placeholder silences what depends on it and nothing else: a whole script or manifest with one is judged.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "tests/unit/linted.h"

namespace silence_test {

using namespace muster;
using tests::Linted;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// 8 tasks a node, each of which starts 8 processes: SLM001, whatever is written beside it.
std::string script(const std::string& directives, const std::string& options, const std::string& below) {
  return "#!/bin/bash\n#SBATCH --gpus-per-node=8 --ntasks-per-node=8 --time=1:00:00\n" + directives +
         "srun torchrun --nproc_per_node=8 t.py" + options + "\n" + below;
}

std::vector<std::string> decorated() {
  std::vector<std::string> out;
  for (const char* comment :
       {"# {{ x }}", "# {{- x }}", "# <% x %>", "# {% if x %}", "# {{#x}}", "# %(name)s", "# <NAME>", "# ##X##",
        "# @NAME@", "# properties = {properties}", "# % if x:", "#@ load(\"x\")", "# DEPRECATED: x", "  # {{ x }}"})
    for (const bool top : {true, false})
      out.push_back(top ? script(std::string(comment) + "\n", "", "") : script("", "", std::string(comment) + "\n"));
  for (const char* value : {"--comment=${X}",
                            "--comment=$X",
                            "--comment={{ x }}",
                            "--comment='<% x %>'",
                            "--comment=__X__",
                            "--comment=@NAME@",
                            "--comment=%%X%%",
                            "--comment=XXXnameXXX",
                            "--comment={name}",
                            "--comment=%(x)s",
                            "--comment=##X##",
                            "--job-name=${X}",
                            "--job-name={{ x }}",
                            "--output=${X}.log",
                            "--mail-user={{ mail }}",
                            "--dependency=afterok:$PREV",
                            "--account={{ account }}",
                            "--partition=${QUEUE}",
                            "--nodes=${N}",
                            "--nodes={{ n }}",
                            "--mem=__MEM__",
                            "--comment=x {{ options }}"})
    out.push_back(script("#SBATCH " + std::string(value) + "\n", "", ""));
  for (const char* below :
       {"python -c \"print(f'{{x}}')\"", "python -c \"\nx = 1\nprint(f'{{x}}')\n\"", "echo '{{ x }}'",
        "echo \"{{ x }}\"", "cat > c.yaml <<E\na: {{ x }}\nE", "cat > c.yaml <<'E'\n<% x %>\nE",
        "matlab <<E\n% if x:\nE", "docker inspect -f '{{.X}}' a", "awk '{{print $1}}' a", "python {{ script }}",
        "{{ command }}", "{{ x }}", "echo <% x %>", "\n\n\n#!/bin/bash\n#SBATCH -n 4\nsrun b",
        "#SBATCH -n 1 -c 2\n#SBATCH -n 2 -c 4", "{% if x %}\nsrun b\n{% endif %}", "% if x:\nsrun b\n% endif",
        "#PBS -l nodes=2\n#BSUB -n 4"})
    out.push_back(script("", "", std::string(below) + "\n"));
  for (const char* option : {" --tag {{ x }}", " # {{ x }}", " --tag '{{ x }}'", " --tag @NAME@", " --tag <% x %>"})
    out.push_back(script("", option, ""));
  return out;
}

bool has(Linted& linted, std::string_view id) { return linted.count(id) > 0; }

}  // namespace

TEST_CASE("no placeholder silences a script", "[lint][purpose][silence]") {
  std::size_t found = 0, all = 0;
  const std::vector<std::string> texts = decorated();
  for (const std::string& text : texts) {
    INFO(text);
    const TempFolder folder;
    write(folder.path() / "a.sbatch", text);
    Linted linted(folder.path());
    ++all;
    CHECK(has(linted, "SLM001"));
    found += has(linted, "SLM001");
  }
  for (const char* name : {"job.in", "job.sh.in", "job.tmpl", "job.sh.j2", "job.sbatch.template", "job.md",
                           "slurm-5854805.out", "templates/job.sh", "old/job.sh", "archive/job.sh", "vendor/a/job.sh",
                           "testdata/job.sh", "invalid-jobs/job.sh", "legacy/deep/er/job.sbatch"})
    for (const char* below : {"", "# {{ x }}\n", "#SBATCH --comment=${X}\n"}) {
      INFO(name << " " << below);
      const TempFolder folder;
      write(folder.path() / name, script("", "", below));
      Linted in_folder(folder.path()), named(folder.path() / name);
      all += 2;
      CHECK(has(in_folder, "SLM001"));
      CHECK(has(named, "SLM001"));
      found += has(in_folder, "SLM001") + has(named, "SLM001");
    }
  std::cout << "scripts with placeholders: " << found << " of " << all << " judged\n";
}

TEST_CASE("what a placeholder decides is not found", "[lint][purpose][silence]") {
  const std::pair<const char*, const char*> open[] = {
      {"#SBATCH --ntasks-per-node={{ n }} --gpus-per-node=8\nsrun torchrun --nproc_per_node=8 t.py\n", "SLM001"},
      {"#SBATCH --ntasks-per-node=8 --gpus-per-node=8\nsrun torchrun --nproc_per_node={{ n }} t.py\n", "SLM001"},
      {"#SBATCH --nodes={{ n }}\nsrun a\n", "SLM021"},
      {"#SBATCH --nodes=${N}\nsrun a\n", "SLM020"},
      {"#SBATCH --time=##HOURS##:0:00\nsrun a\n", "SLM021"},
      {"#SBATCH -n 1\n{% if x %}\nsrun torchrun --nproc_per_node=8 t.py\n{% endif %}\n", "SLM001"}};
  for (const auto& [lines, rule] : open) {
    INFO(lines);
    const TempFolder folder;
    write(folder.path() / "a.sbatch", "#!/bin/bash\n" + std::string(lines));
    Linted linted(folder.path());
    CHECK_FALSE(has(linted, rule));
    CHECK(has(linted, "SLM022"));
    CHECK(lint::count(linted.run.outcome().accounts, lint::Fate::templated) == 1);
  }
}

TEST_CASE("no name, comment or other file silences a manifest", "[lint][manifest][silence]") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: b/a:v1\n"
      "    resources:\n      requests: {nvidia.com/gpu: 1}\n";
  const std::string config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
  struct Case {
    const char* what;
    std::vector<std::pair<std::string, std::string>> files;  // the last one is the pod's
  };
  std::vector<Case> cases = {
      {"a chart", {{"c/Chart.yaml", "name: c\n"}, {"c/templates/p.yaml", pod}}},
      {"a chart, a comment", {{"c/Chart.yaml", "name: c\n"}, {"c/templates/p.yaml", pod + "# {{ x }}\n"}}},
      {"a chart, another value",
       {{"c/Chart.yaml", "name: c\n"}, {"c/templates/p.yaml", pod + "  nodeName: \"{{ .Values.x }}\"\n"}}},
      {"a chart, another document",
       {{"c/Chart.yaml", "name: c\n"}, {"c/templates/p.yaml", config + "data: {a: '{{ x }}'}\n---\n" + pod}}},
      {"beside the templates", {{"c/Chart.yaml", "name: c\n"}, {"c/p.yaml", pod}}},
      {"a crd of a chart", {{"c/Chart.yaml", "name: c\n"}, {"c/crds/p.yaml", pod}}},
      {"a patch", {{"kustomization.yaml", "kind: Kustomization\npatches: [{path: p.yaml}]\n"}, {"p.yaml", pod}}},
      {"an old patch", {{"kustomization.yaml", "patchesStrategicMerge: [p.yaml]\n"}, {"p.yaml", pod}}},
      {"a JSON patch", {{"kustomization.yaml", "patchesJson6902: [{path: p.yaml}]\n"}, {"p.yaml", pod}}},
      {"a patch of a folder above", {{"kustomization.yaml", "patches: [{path: a/b/p.yaml}]\n"}, {"a/b/p.yaml", pod}}},
      {"named a patch", {{"kustomization.yaml", "resources: []\n"}, {"p_patch.yaml", pod}}},
      {"a folder of patches", {{"kustomization.yaml", "resources: []\n"}, {"patches/p.yaml", pod}}},
      {"a directive of patches in a comment", {{"p.yaml", pod + "# $patch: delete\n"}}},
      {"a directive of patches elsewhere", {{"p.yaml", pod + "---\n" + config + "data: {$patch: delete}\n"}}},
      {"ytt in a comment", {{"p.yaml", "#@ load(\"@ytt:data\", \"data\")\n" + config + "---\n" + pod}}},
      {"ytt at another value",
       {{"p.yaml", "#@ load(\"@ytt:data\", \"data\")\n" + pod + "  nodeName: a #@ data.values.node\n"}}},
      {"a token", {{"p.yaml", config + "data:\n  a: #{x}#\n---\n" + pod}}},
      {"a name to fill in", {{"p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: MODEL_NAME}\n---\n" + pod}}},
      {"deprecated", {{"p.yaml", "# DEPRECATED: use q.yaml\n" + pod}}},
      {"printed", {{"p.yaml", pod + "status: {phase: Running}\n"}}},
      {"a template beside it", {{"p.yaml", pod + "---\na: {{ x }}\n"}}}};
  for (const char* folder :
       {"old", "archive", "archived", "_old", "deprecated", "obsolete", "vendor", "legacy", "retired-jobs", "testdata",
        "fixtures", "test_data", "invalid", "broken-jobs", "insecure", "src/test/resources", "tests", "e2e"})
    cases.push_back({folder, {{std::string(folder) + "/p.yaml", pod}}});
  std::size_t found = 0;
  for (const Case& one : cases) {
    INFO(one.what);
    const TempFolder folder;
    for (const auto& [name, text] : one.files) write(folder.path() / name, text);
    Linted linted(folder.path());
    CHECK(has(linted, "K8S002"));
    found += has(linted, "K8S002");
  }
  std::cout << "manifests that look like something else: " << found << " of " << cases.size() << " judged\n";
}

TEST_CASE("a finding in a rendered chart names the file of the chart", "[lint][manifest][silence]") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: b/a:v1\n"
      "    resources:\n      requests: {nvidia.com/gpu: 1}\n";
  const TempFolder folder;
  write(folder.path() / "all.yaml", "---\n# Source: c/templates/a.yaml\n" + pod +
                                        "---\n# Source: c/charts/d/templates/b.yaml\n" + pod + "---\n" + pod);
  Linted linted(folder.path());
  std::string notes;
  for (const lint::Result& r : linted.results())
    if (lint::about(r.finding).id == "K8S002")
      for (const std::string& note : r.finding.notes)
        if (note.starts_with("rendered")) notes += note + "\n";
  CHECK(notes == "rendered from `c/templates/a.yaml`\nrendered from `c/charts/d/templates/b.yaml`\n");
}

}  // namespace silence_test
