// The manifest rules against tests/lint/manifests/*.yaml. A line that ends with `# expect: RULE severity`
// (or `… unclear`; several joined by commas) has these findings, every other line none. A first line
// `# site: PROVIDER` gives a site whose Kubernetes plane has that gang provider, `# site: FILE.muster` that of a file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "lint/rules/manifest/manifest.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/applied_fix.h"
#include "tests/unit/site_file.h"

namespace muster::lint::manifest_lint_test {
namespace {

namespace fs = std::filesystem;
namespace k8s = targets::kubernetes;

std::vector<fs::path> fixtures() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(muster::tests::source_folder()) / "tests/lint/manifests"))
    if (entry.path().extension() == ".yaml") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

SiteFile site_of(const std::string& text, Sources& sources) {
  if (!text.starts_with("# site: ")) return {};
  const std::string provider = text.substr(8, text.find('\n') - 8);
  Diagnostics diagnostics;
  if (provider.ends_with(".muster"))
    return read_site_file(fs::path(muster::tests::source_folder()) / "tests/lint/manifests" / provider, sources,
                          diagnostics);
  model::Plane plane;
  plane.name = "main";
  plane.set_kind(model::PlaneKind::kubernetes);
  model::GangProvider& gang = plane.pods()->gang;
  while (name(gang) != provider) gang = static_cast<model::GangProvider>(static_cast<int>(gang) + 1);
  SiteFile out;
  out.module.sites.emplace_back().planes.push_back(plane);
  return out;
}

struct Linted {
  Sources sources;
  k8s::Manifest manifest;
  std::vector<Finding> findings;  // that are asked for below profile strict
  std::vector<Finding> strict;    // the others
  explicit Linted(const std::string& text) {
    sources.add("x.yaml", text);
    const SiteFile site = site_of(text, sources);
    manifest = k8s::read_manifest(sources, 1);
    check_manifest(manifest, {sources, site.site(), site.fleet()}, findings);
    const auto late = std::stable_partition(findings.begin(), findings.end(),
                                            [](const Finding& f) { return f.since < Profile::strict; });
    strict.assign(late, findings.end());
    findings.erase(late, findings.end());
  }
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// "12: K8S001 warning"
std::multiset<std::string> expected(const std::string& text) {
  std::multiset<std::string> out;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t at = line.find("# expect: ");
    if (at == std::string::npos) continue;
    std::istringstream parts(line.substr(at + 10));
    for (std::string part; std::getline(parts, part, ',');) out.insert(std::to_string(number) + ": " + trimmed(part));
  }
  return out;
}

std::string described(const Sources& sources, const Finding& f) {
  return std::to_string(sources.position(1, f.primary.begin).line) + ": " + std::string(info(f.rule).id) + " " +
         std::string(severity_name(f.severity)) + (f.verdict == Verdict::unclear ? " unclear" : "");
}

// What is surely wrong, without what a site would tell.
std::vector<Finding> sure(const Linted& linted) {
  std::vector<Finding> out = linted.findings;
  std::erase_if(out, [](const Finding& f) { return f.verdict == Verdict::unclear; });
  return out;
}

}  // namespace

TEST_CASE("manifest rules find what the fixtures say, and no more", "[lint][manifest]") {
  for (const fs::path& path : fixtures()) {
    const std::string text = file_text(path);
    const Linted linted(text);
    std::multiset<std::string> found;
    for (const Finding& f : linted.findings) found.insert(described(linted.sources, f));
    INFO(path.filename().string());
    CHECK(linted.manifest.diagnostics.empty());
    CHECK(found == expected(text));
    for (const Finding& f : linted.findings) {
      INFO(f.message);
      CHECK(f.primary.known());
      CHECK(f.subject.find('/') != std::string::npos);
      CHECK_FALSE(f.path.empty());
      CHECK((f.verdict == Verdict::wrong || f.severity == Severity::info));
    }
  }
}

TEST_CASE("every manifest rule fires in some fixture", "[lint][manifest]") {
  std::set<std::string_view> fired;
  for (const fs::path& path : fixtures())
    for (const Finding& f : Linted(file_text(path)).findings) fired.insert(info(f.rule).id);
  for (const Rule& rule : all_rules())
    if (rule.places.has(Place::manifest) && !rule.id.starts_with("SUP") && rule.id != "SLM022") {
      INFO(rule.id);
      CHECK(fired.count(rule.id) == 1);
    }
}

TEST_CASE("applying a manifest fix ends its finding and keeps the rest", "[lint][manifest]") {
  std::set<std::string_view> fixed;
  for (const fs::path& path : fixtures()) {
    const std::string text = file_text(path);
    const Linted before(text);
    for (const Finding& f : before.findings) {
      if (!f.fix) continue;
      fixed.insert(info(f.rule).id);
      const std::string after_text = applied(text, *f.fix);
      const Linted after(after_text);
      INFO(path.filename().string() << " " << info(f.rule).id << "\n" << after_text);
      CHECK(after.manifest.diagnostics.empty());
      CHECK(after.manifest.objects.size() == before.manifest.objects.size());
      const auto same = [&](const Finding& g) {
        return g.rule == f.rule && g.subject == f.subject && g.path == f.path;
      };
      CHECK(std::none_of(after.findings.begin(), after.findings.end(), same));
      CHECK(after.findings.size() < before.findings.size());
      const bool removes = info(f.rule).id == "SRV002";
      CHECK(std::count(after_text.begin(), after_text.end(), '#') ==
            std::count(text.begin(), text.end(), '#') - (removes ? 1 : 0));
    }
  }
  CHECK(fixed == std::set<std::string_view>{"K8S002", "K8S003", "K8S006", "K8S010", "K8S012", "K8S014", "K8S015",
                                            "K8S017", "K8S018", "K8S024", "NET006", "SCH002", "SCH012", "SEC002",
                                            "SLM053", "SLM054", "SLM059", "SRV002"});
}

TEST_CASE("a taint is tolerated without being asked where it bears the device's name", "[lint][manifest]") {
  const fs::path folder = fs::path(muster::tests::source_folder()) / "tests/lint/manifests";
  std::size_t seen = 0;
  for (const auto& [file, safe] : {std::pair<std::string, bool>{"device-taint.yaml", true}, {"cluster.yaml", false}})
    for (const Finding& f : Linted(file_text(folder / file)).findings) {
      if (info(f.rule).id != "SCH012" || !f.fix) continue;
      CHECK(f.fix->safe == safe);
      ++seen;
    }
  CHECK(seen >= 3);
}

TEST_CASE("a tag without a digest is a remark of profile strict", "[lint][manifest]") {
  const auto pod = [](const std::string& image) {
    return Linted("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    image: " +
                  image + "\n    command: [vllm, serve, m]\n");
  };
  CHECK(pod("b/a:v1").findings.empty());
  REQUIRE(pod("b/a:v1").strict.size() == 1);
  CHECK(pod("b/a:v1").strict[0].severity == Severity::info);
  CHECK(info(pod("b/a:v1").strict[0].rule).id == "K8S001");
  CHECK(pod("b/a:v1@sha256:" + std::string(64, '0')).strict.empty());
  CHECK(pod("b/a:latest").strict.empty());  // that is said to everyone
  CHECK(pod("b/a:latest").findings.size() == 1);
}

TEST_CASE("a Ray cluster is no gang for some versions of some schedulers", "[lint][manifest]") {
  const auto found = [](const std::string& provider, const std::string& component, const std::string& version,
                        int groups) {
    Sources sources;
    model::Site site;
    model::Plane& plane = site.planes.emplace_back();
    plane.name = "main";
    plane.set_kind(model::PlaneKind::kubernetes);
    model::GangProvider& gang = plane.pods()->gang;
    while (name(gang) != provider) gang = static_cast<model::GangProvider>(static_cast<int>(gang) + 1);
    plane.pods()->operators.push_back({component, model::Located<std::string>{version, {}}, {}, {}});
    std::string text =
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata:\n  name: r\n  labels: {ray.io/gang-scheduling-enabled: "
        "\"true\"}\nspec:\n  workerGroupSpecs:\n";
    for (int i = 0; i < groups; ++i) text += "  - {groupName: g" + std::to_string(i) + ", replicas: 1}\n";
    std::vector<Finding> out;
    const k8s::Manifest manifest = k8s::read_manifest(sources, sources.add("r.yaml", text));
    check_manifest(manifest, {sources, &site, nullptr}, out);
    return std::count_if(out.begin(), out.end(),
                         [](const Finding& f) { return info(f.rule).id == "SCH005" && f.verdict == Verdict::wrong; });
  };
  CHECK(found("volcano", "kuberay", "1.0", 2) == 1);
  CHECK(found("volcano", "kuberay", "1.0", 1) == 0);
  CHECK(found("volcano", "kuberay", "1.1", 2) == 0);
  CHECK(found("yunikorn", "kuberay", "v1.1.1", 1) == 1);
  CHECK(found("yunikorn", "kuberay", "1.2", 1) == 0);
  CHECK(found("coscheduling", "kuberay", "1.3", 1) == 1);
  CHECK(found("coscheduling", "kuberay", "1.4", 1) == 0);
  CHECK(found("kai", "kai", "0.9.4", 1) == 1);
  CHECK(found("kai", "kai-scheduler", "v0.9.4", 1) == 1);
  CHECK(found("kai", "kai", "0.10", 1) == 0);
  CHECK(found("kai", "kuberay", "1.0", 1) == 0);
}

TEST_CASE("fixes keep line ends and refuse flow style", "[lint][manifest]") {
  const std::string crlf =
      "apiVersion: v1\r\nkind: Pod\r\nmetadata: {name: p}\r\nspec:\r\n  containers:\r\n  - name: a\r\n    image: "
      "a:v1\r\n"
      "    resources:\r\n      requests:\r\n        nvidia.com/gpu: 1  # one\r\n        cpu: 1\r\n        memory: "
      "1Gi\r\n";
  const Linted block(crlf);
  REQUIRE(sure(block).size() == 1);
  REQUIRE(sure(block)[0].fix);
  CHECK(applied(crlf, *sure(block)[0].fix) ==
        crlf.substr(0, crlf.size() - 2) + "\r\n      limits:\r\n        nvidia.com/gpu: 1\r\n");
  const Linted flow(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: \"a:v1\", "
      "resources: {requests: {nvidia.com/gpu: 1, cpu: 1, memory: 1Gi}}}]}}");
  REQUIRE(sure(flow).size() == 1);
  CHECK_FALSE(sure(flow)[0].fix);
}

TEST_CASE("what is no manifest is named and not guessed", "[lint][manifest]") {
  const Linted linted(
      "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: {{ .Values.image }}\n---\nname: values\n---\na: "
      "[\n---\n"
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: "
      "[{image: a/x, command: [vllm, serve, m]}]}}\n");
  REQUIRE(linted.manifest.skipped.size() == 3);
  CHECK(linted.manifest.skipped[0].why == k8s::Skipped::Why::helm_template);
  CHECK(linted.manifest.skipped[1].why == k8s::Skipped::Why::not_an_object);
  CHECK(linted.manifest.skipped[2].why == k8s::Skipped::Why::unreadable);
  CHECK(linted.manifest.diagnostics.size() == 1);
  REQUIRE(linted.findings.size() == 1);
  CHECK(linted.findings[0].subject == "Pod/a");
  CHECK(linted.findings[0].path == "items[0].spec.containers[0].image");
  CHECK(k8s::is_manifest("# x\nkind: Pod\napiVersion: v1\n"));
  CHECK_FALSE(k8s::is_manifest("kind: Pod\n---\napiVersion: v1\n"));
  CHECK_FALSE(k8s::is_manifest("spec:\n  apiVersion: v1\n  kind: Pod\n"));
  CHECK(k8s::is_manifest("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}"));
}

}  // namespace muster::lint::manifest_lint_test
