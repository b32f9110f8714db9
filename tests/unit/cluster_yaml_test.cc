// Objects of a cluster as YAML, as repositories have them: the same site as from JSON, in every order and spelling.
#include <algorithm>

#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "targets/kubernetes/import_site.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace cluster_yaml_test {

using namespace muster;
using namespace muster::targets::kubernetes;

namespace {

// In flow style, which JSON and YAML share.
const std::vector<std::string> objects = {
    R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"gpu": "h100"}}, "status": {"capacity": {"cpu": "112", "memory": "2000Gi", "nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True"}]}})",
    R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "h100"}, "spec": {"nodeLabels": {"gpu": "h100"}}})",
    R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}, "spec": {"resourceGroups": [{"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "h100", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 4}]}]}]}})",
    R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": "lq", "namespace": "ml"}, "spec": {"clusterQueue": "a"}})",
    R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology", "metadata": {"name": "t"}, "spec": {"levels": []}})",
};

enum class Form { documents, list, block_keys, windows, comments };

std::string yaml_of(const std::vector<std::string>& parts, Form form) {
  std::string out = form == Form::list ? "apiVersion: v1\nkind: List\nitems:\n" : "";
  for (std::string part : parts) {
    if (form == Form::list) out += "- " + part + "\n";
    if (form == Form::documents) out += "---\n" + part + "\n";
    if (form == Form::comments) out += "# of the cluster\n---\n# an object\n" + part + " # its end\n";
    if (form != Form::block_keys && form != Form::windows) continue;
    // The outer map in block style: its members begin where a quoted key follows the end of one.
    part = part.substr(1, part.size() - 2);
    for (const std::string key : {"kind", "metadata", "spec", "status"})
      if (const std::size_t at = part.find(", \"" + key + "\": "); at != std::string::npos)
        part.replace(at, key.size() + 6, "\n" + key + ": ");
    out += "---\n" + part + "\n";
  }
  if (form != Form::windows) return out;
  std::string lines;
  for (const char c : out) lines += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return lines;
}

std::string site_of(const ClusterObjects& read) {
  Diagnostics diagnostics;
  const auto site = import_site(read, "lab", "", diagnostics);
  std::string out;
  std::vector<ast::Block> blocks;
  if (site.fleet) blocks.push_back(sema::to_syntax(*site.fleet, diagnostics));
  blocks.push_back(sema::to_syntax(site.site, diagnostics));
  for (const targets::Remark& r : site.remarks) out += r.path + ": " + r.text + "\n";
  return syntax::format(std::move(blocks), {}) + out;
}

std::string json_site() {
  std::string text = R"({"apiVersion": "v1", "kind": "List", "items": [)";
  for (const std::string& object : objects) text += (text.ends_with('[') ? "" : ", ") + object;
  Sources sources;
  Diagnostics diagnostics;
  ClusterObjects read;
  read_cluster(sources, sources.add("a.json", text + "]}"), read, diagnostics);
  INFO(test::messages_of(diagnostics));
  REQUIRE(!diagnostics.has_errors());
  return site_of(read);
}

}  // namespace

TEST_CASE("YAML of objects is the same site as JSON, in every order and spelling", "[cluster]") {
  const std::string expected = json_site();
  CHECK(expected.find("not imported: 1 Topology") != std::string::npos);
  std::vector<std::string> parts = objects;
  std::sort(parts.begin(), parts.end());
  int variants = 0;
  do {
    for (const Form form : {Form::documents, Form::list, Form::block_keys, Form::windows, Form::comments}) {
      const std::string text = yaml_of(parts, form);
      Sources sources;
      Diagnostics diagnostics;
      ClusterObjects read;
      read_cluster_yaml(sources, sources.add("a.yaml", text), read, diagnostics);
      CAPTURE(text, test::messages_of(diagnostics));
      CHECK(!diagnostics.has_errors());
      CHECK(site_of(read) == expected);
      if (form == Form::list || form == Form::block_keys || form == Form::windows) CHECK(is_yaml_of_objects(text));
      ++variants;
    }
  } while (std::next_permutation(parts.begin(), parts.end()));
  CHECK(variants == 600);
  CHECK(!is_yaml_of_objects("NodeName=a CPUs=8\nPartitionName=p Nodes=ALL\n"));
}

}  // namespace cluster_yaml_test
