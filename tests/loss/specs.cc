#include "tests/loss/specs.h"

#include <algorithm>
#include <set>

#include "compiler/sema/schema/schema.h"

namespace muster::loss {
namespace {

struct Value {
  std::string_view lines;
  std::string_view shapes;
};

constexpr std::string_view all = "TABPMRSVEDOGC";
constexpr Value values[] = {
#include "tests/loss/values.inc"
};

// The shapes of work: a letter, and the lines that make it.
struct Shape {
  char letter;
  std::string_view lines;
};
constexpr Shape shapes[] = {
    {'T',
     "kind = train; resources>nodes = 2; resources>gpus = 8; launch>runner = torchrun; software = torch; command = "
     "[\"train.py\"]"},
    {'A', "kind = train; resources>gpus = 2; software = torch; command = [\"./train\"]"},
    {'B', "kind = batch; resources>gpus = 1; software = torch; command = [\"./work\"]"},
    {'P',
     "kind = train; resources>nodes = 2; resources>gpus = 8; launch>runner = processes; software = torch; command = "
     "[\"./work\"]"},
    {'M',
     "kind = mpi; resources>nodes = 2; resources>gpus = 8; launch>runner = mpi; software = torch; command = "
     "[\"./work\"]"},
    {'R',
     "kind = rl; resources>nodes = 2; resources>gpus = 8; launch>runner = ray; software = torch; command = "
     "[\"./work\"]"},
    {'S',
     "kind = sweep; resources>gpus = 1; sweep>axes>seed = 1..4; env>SEED_OF = $seed; software = torch; command = "
     "[\"./work\"]"},
    {'V', "kind = serve; resources>gpus = 1; port http>number = 8000; software = torch; command = [\"./server\"]"},
    {'E',
     "kind = serve; resources>gpus = 1; port http>number = 8000; software = torch; serve>engine = vllm; serve>model "
     "= \"lab/base\""},
    {'D', "kind = dev; resources>gpus = 1; dev>interface = shell; software = torch; command = [\"sleep\", \"8h\"]"},
    {'O',
     "kind = rl; software = torch; role learn>resources>nodes = 2; role learn>resources>gpus = 8; role "
     "learn>command = [\"./learn\"]; role judge>resources>gpus = 8; role judge>command = [\"./judge\"]; role "
     "judge>port api>number = 8000; role judge>probe readiness>http = \"/ready\""},
    {'G',
     "kind = serve; resources>gpus = 1; launch>runner = ray; port http>number = 8000; software = torch; "
     "serve>config = \"applications: []\""},
    {'C', "kind = dev; resources>gpus = 1; launch>runner = ray; dev>interface = jupyter; software = torch"},
};

std::vector<std::string> split(std::string_view text, std::string_view by) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + by.size();
  }
  return out;
}

// A block under construction: settings by name, and blocks by kind and label, both in the order in which they came.
struct Draft {
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::pair<std::string, Draft>> blocks;

  Draft& block(const std::string& head) {
    for (auto& [name, inner] : blocks)
      if (name == head) return inner;
    return blocks.emplace_back(head, Draft{}).second;
  }
  void drop(const std::string& key) {
    std::erase_if(settings, [&](const auto& s) { return s.first == key; });
    std::erase_if(blocks, [&](const auto& b) { return b.first == key; });
  }
  // "key = value" replaces what is there; "key-off = 1" takes it out; a line without `=` stands as it is.
  void set(const std::string& line) {
    const std::size_t equals = line.find(" = ");
    const bool setting = equals != std::string::npos && !line.starts_with("require") && !line.starts_with("prefer");
    const std::string key = setting ? line.substr(0, equals) : line;
    drop(key);
    if (setting && key.ends_with("-off")) drop(key.substr(0, key.size() - 4));
    else settings.emplace_back(key, line);
  }
  bool has(const std::string& key) const {
    return std::any_of(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
  }
  std::string text(const std::string& indent) const {
    std::string out;
    for (const auto& [key, line] : settings) out += indent + line + "\n";
    for (const auto& [head, inner] : blocks) out += indent + head + " {\n" + inner.text(indent + "  ") + indent + "}\n";
    return out;
  }
};

// Whether a line speaks of what stands in a role as well.
bool of_a_role(const std::string& key) {
  const sema::BlockSchema* role = sema::workload_schema().block("role");
  const std::string first = key.substr(0, key.find('.'));
  return role->key(first) != nullptr || role->block(first) != nullptr;
}

std::string path_of(const std::string& line) {
  if (line.starts_with("require")) return "require";
  if (line.starts_with("prefer")) return "prefer";
  std::string out;
  for (const std::string& part : split(line.substr(0, line.find(" = ")), ">")) out += (out.empty() ? "" : ".") + part;
  return out;
}

void put(Draft& draft, const std::string& line) {
  const std::size_t equals = line.find(" = ");
  std::vector<std::string> parts = {line};
  if (!line.starts_with("require") && !line.starts_with("prefer")) {
    parts = split(line.substr(0, equals), ">");
    parts.back() += line.substr(equals);
  }
  Draft* at = &draft;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i] == "code" || parts[i] == "software")  // a name or a block
      std::erase_if(at->settings, [&](const auto& s) { return s.first == parts[i]; });
    at = &at->block(parts[i]);
  }
  at->set(parts.back());
}

// With roles, half of what may stand in a role stands in one.
void lay(Draft& draft, const Value& value, property::Random& random, bool roles) {
  const std::vector<std::string> lines = split(value.lines, "; ");
  const bool inside = roles && random.one_in(2) && std::all_of(lines.begin(), lines.end(), [](const std::string& line) {
                        const std::string path = path_of(line);
                        return !line.starts_with("role ") && of_a_role(path.substr(0, path.find_first_of(". -")));
                      });
  for (const std::string& line : lines) put(draft, inside ? "role learn>" + line : line);
}

void collect(const sema::BlockSchema& block, const std::string& prefix, std::set<std::string>& out) {
  for (const sema::KeySchema& key : block.keys)
    out.insert(prefix + (key.short_for.empty() ? "" : std::string(key.short_for) + ".") + std::string(key.name));
  if (block.extras.any_key) out.insert(prefix + "*");
  for (const sema::BlockSchema& inner : block.blocks)
    if (inner.name != "any-of") collect(inner, prefix + std::string(inner.name) + ".", out);
}

}  // namespace

std::vector<std::string> schema_keys() {
  std::set<std::string> raw, out = {"any-of", "require", "prefer"};
  collect(sema::workload_schema(), "", raw);
  for (const std::string& key : raw) {
    const bool again =
        key.starts_with("role.") && key != "role.primary" && key != "role.with" && !key.starts_with("role.depends-on.");
    if (!again) out.insert(key);
  }
  return {out.begin(), out.end()};
}

std::string key_of(std::string_view written) {
  const sema::BlockSchema* block = &sema::workload_schema();
  std::string out;
  std::string_view rest = written;
  if (rest.starts_with("any-of")) return "any-of";
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string word(rest.substr(0, dot));
    const sema::BlockSchema* inner = dot < rest.size() ? block->block(word) : nullptr;
    if (inner == nullptr) return out + (block->extras.any_key && block->key(word) == nullptr ? "*" : std::string(rest));
    rest.remove_prefix(dot + 1);
    if (inner->label == sema::LabelRule::required) {
      // A label may hold dots: what follows it is a key of the block, without one.
      const std::size_t last = inner->blocks.empty() ? rest.rfind('.') : rest.find('.');
      if (last == std::string_view::npos) return out + word;
      rest.remove_prefix(last + 1);
    }
    out += word + ".";
    block = inner;
    const bool of_roles = rest == "primary" || rest == "with" || rest.starts_with("depends-on");
    if (out == "role." && !of_roles) out.clear();
  }
  return out;
}

std::size_t values_count() { return std::size(values); }

std::string random_spec(property::Random& random, std::size_t index) {
  const Value& first = values[index % std::size(values)];
  const char letter = random.any_of(first.shapes);
  Draft draft;
  for (const Shape& shape : shapes)
    for (const std::string& line : split(shape.letter == letter ? shape.lines : std::string_view(), "; "))
      if (!line.empty()) put(draft, line);
  lay(draft, first, random, letter == 'O');
  if (const Value& value = random.any_of(values); value.shapes.find(letter) != std::string_view::npos)
    lay(draft, value, random, letter == 'O');
  const std::string text = draft.text("  ");
  const bool each = text.find("each = true") != std::string::npos;  // point by point: both have the same sweep
  return "workload work {\n" + text + "}\n\nworkload prepare {\n" +
         (each ? "  sweep {\n" + draft.block("sweep").text("    ") + "  }\n" : "") +
         "  kind = batch  cpus = 1  software = torch  command = [\"./prepare\"]\n}\n";
}

}  // namespace muster::loss
