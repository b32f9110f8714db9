// Where in a target's output a field of a workload is found, read by hand: YAML by yaml-cpp, batch scripts by their
// lines and words. Shares nothing with the lowering but the model, which says what was asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::loss {

// A document of YAML as plain values. What is not there is an empty tree.
struct Tree {
  enum class Is : std::uint8_t { nothing, scalar, map, list } is = Is::nothing;
  std::string text;  // of a scalar
  std::vector<std::pair<std::string, Tree>> members;
  std::vector<Tree> items;

  bool there() const { return is != Is::nothing; }
  explicit operator bool() const { return is != Is::nothing; }
  const Tree& operator[](std::string_view key) const;
};

// Calls `visit(key, tree)` for everything below a tree, itself included.
void each(const Tree& tree, const std::string& key, const std::function<void(const std::string&, const Tree&)>& visit);
bool any(const Tree& tree, const std::function<bool(const std::string&, const Tree&)>& test);
// Whether a member of that name, anywhere below, has the value; whether anything below is it.
bool says(const Tree& tree, const std::string& name, const std::string& value);
bool says(const Tree& tree, const std::string& name, std::int64_t value);
bool holds(const Tree& tree, const std::string& value);

// What a target wrote, with the script that submits it where there is one.
struct Output {
  std::string target;
  std::string text;
  std::string submit;
  std::vector<Tree> objects;  // of manifests
  Tree task{};                // of a broker

  bool is_yaml() const { return !objects.empty() || task.there(); }
};
Output read_output(std::string target, std::string text, std::string submit);

// The field: its key, and the name in it ("data" of mount.data.path, "SEED" of env.SEED).
struct Asked {
  const model::Workload& workload;
  const model::Role& role;
  const model::Site& site;
  const model::Plane& plane;
  std::string key;
  std::string name;
};

// The place, "" where the field is not found.
std::string find_in_sbatch(const Output& output, const Asked& asked);
std::string find_in_manifests(const Output& output, const Asked& asked);
std::string find_in_task(const Output& output, const Asked& asked);
// The first container that leaves a request or a limit of CPU or memory open, which a LimitRange of the namespace
// would fill in: "NAME: requests.cpu". "" where there is none. What the site's own YAML adds is the site's to say.
std::string open_amount(const Output& output, const model::Site& site, const model::Workload& workload);

// Words of sh as the shell reads them; an expansion stays as it is written.
std::vector<std::string> shell_words(std::string_view text);

// A value as the kubelet reads it: $$ is $, and "<expanded>" where it would replace $(NAME).
std::string expanded(const std::string& value);

// "96Gi", "1500M" or plain bytes.
std::int64_t bytes_of(const std::string& quantity);

// Whether `words` stand one after the other in `all`.
bool in_a_row(const std::vector<std::string>& all, const std::vector<std::string>& words);

// The role's image without the host of its registry, which a mirror may stand for.
std::string image_path(const Asked& asked);

std::vector<std::string> values_of(const std::vector<model::Located<std::string>>& items);
std::vector<std::string> values_of(const std::vector<model::Located<model::Text>>& items);  // as they are spelt

}  // namespace muster::loss
