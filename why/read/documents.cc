// YAML and JSON: objects of Kubernetes, the lists that kubectl prints of them, and squeue --json.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "why/read/read.h"

namespace muster::why {
namespace {

class Flat {
 public:
  Flat(Object& object, Reading& reading, std::uint32_t part, std::uint32_t base)
      : object_(object), reading_(reading), part_(part), base_(base) {}

  void add(const data::Node& node, const std::string& path, std::uint32_t item) {
    if (node.is_map()) {
      for (const data::Member& member : node.members)
        add(member.value, path.empty() ? member.key : path + "." + member.key, item);
    } else if (node.is_list()) {
      for (const data::Node& one : node.items) add(one, path, ++items_);
    } else if (object_.fields.size() < 20000) {
      object_.add(path, node.text, place(node), item);
    }
  }

  Place place(const data::Node& node) const {
    return {reading_.file, base_ + reading_.sources.position(part_, node.span.begin).line - 1};
  }

 private:
  Object& object_;
  Reading& reading_;
  std::uint32_t part_, base_;
  std::uint32_t items_ = 1;
};

std::string text_of(const data::Node& node) {
  if (node.is_list()) return node.items.empty() ? std::string() : text_of(node.items[0]);
  if (node.is_map()) {
    if (const data::Node* number = node.get("number"))
      return node.get("set")->is_false() ? std::string() : number->text;
    return {};
  }
  return node.text;
}

void add_slurm_job(Reading& reading, const data::Node& node, Place place) {
  Object job{Kind::job, {}, text_of(*node.get("job_id")), {}, reading.facts.segments, place};
  constexpr std::pair<std::string_view, std::string_view> keys[] = {{"job_state", "JobState"},
                                                                    {"state_reason", "Reason"},
                                                                    {"partition", "Partition"},
                                                                    {"account", "Account"},
                                                                    {"qos", "QOS"},
                                                                    {"tres_req_str", "ReqTRES"},
                                                                    {"restart_cnt", "Restarts"},
                                                                    {"user_name", "UserId"},
                                                                    {"tres_per_node", "TresPerNode"},
                                                                    {"name", "JobName"},
                                                                    {"required_nodes", "ReqNodeList"},
                                                                    {"licenses", "Licenses"},
                                                                    {"features", "Features"},
                                                                    {"dependency", "Dependency"},
                                                                    {"command", "Command"}};
  for (const auto& [from, to] : keys)
    if (const data::Node* value = node.get(from)) {
      const std::string text = text_of(*value);
      if (!text.empty() || to == "ReqNodeList") job.add(std::string(to), text, place);
    }
  if (const data::Node* state = node.at("state.current")) job.add("JobState", text_of(*state), place);
  if (const data::Node* reason = node.at("state.reason")) job.add("Reason", text_of(*reason), place);
  job.add("listed", "json", place);
  if (!job.name.empty()) reading.facts.objects.push_back(std::move(job));
}

void add_event(Reading& reading, const data::Node& node, Place place, std::uint32_t order) {
  Object event{Kind::event, node.get("reason")->text, {}, node.at("metadata.namespace")->text, reading.facts.segments,
               place};
  const data::Node& about = *node.get("involvedObject");
  event.name = lower(about.get("kind")->text) + "/" + about.get("name")->text;
  event.add("type", node.get("type")->text, place);
  event.add("message", node.get("message")->text, place);
  for (const std::string_view key : {"lastTimestamp", "eventTime", "firstTimestamp"})
    if (const std::string time = node.get(key)->text; !time.empty()) {
      event.add("time", time, place);
      break;
    }
  event.add("order", std::to_string(order), place);
  reading.facts.objects.push_back(std::move(event));
}

void add_root(Reading& reading, const data::Node& root, std::uint32_t part, std::uint32_t base,
              std::uint32_t order = 0) {
  const Place place{reading.file, base + reading.sources.position(part, root.span.begin).line - 1};
  if (const data::Node* jobs = root.get("jobs"); jobs != nullptr && jobs->is_list()) {
    for (const data::Node& job : jobs->items) add_slurm_job(reading, job, place);
    return;
  }
  if (const data::Node* items = root.get("items"); items != nullptr && items->is_list()) {
    std::uint32_t number = 0;
    for (const data::Node& item : items->items) add_root(reading, item, part, base, number++);
    if (items->items.empty())
      reading.facts.objects.push_back({Kind::absent, {}, {}, {}, reading.facts.segments, place});
    return;
  }
  const std::string type = lower(root.get("kind")->text);
  if (type.empty()) return;
  if (type == "event") return add_event(reading, root, place, order);
  Object object{Kind::object,           type, root.at("metadata.name")->text, root.at("metadata.namespace")->text,
                reading.facts.segments, place};
  Flat flat(object, reading, part, base);
  flat.add(root, {}, 1);
  // What a server has stored has an id and a status; a file of a person has neither.
  const data::Node* status = root.get("status");
  const bool stored = !root.at("metadata.uid")->text.empty() || (status != nullptr && !status->members.empty());
  object.add(stored ? "from-server" : "from-file", "true", place);
  reading.facts.objects.push_back(std::move(object));
}

bool opens_yaml(const Reading& reading, std::size_t at) {
  std::string_view line = reading.text(at);
  if (line == "---") line = reading.text(at + 1);
  if (!line.starts_with("apiVersion:") && !line.starts_with("kind:")) return false;
  bool version = false, kind = false;
  for (std::size_t i = at; i < at + 400 && i < reading.lines.size(); ++i) {
    version |= reading.text(i).starts_with("apiVersion:");
    kind |= reading.text(i).starts_with("kind:");
    if (version && kind) return true;
  }
  return false;
}

std::size_t yaml_end(const Reading& reading, std::size_t at) {
  std::size_t end = at;
  while (end < reading.lines.size() && !reading.is_command(end)) {
    const std::string_view line = reading.text(end);
    const bool more = line.empty() || line[0] == ' ' || line[0] == '-' || line[0] == '#' ||
                      (is_lower(line[0]) && line.substr(0, line.find(' ')).find(':') != std::string_view::npos &&
                       line.find(": error") == std::string_view::npos && !line.starts_with("error: "));
    if (!more) break;
    ++end;
  }
  return end;
}

std::size_t json_end(const Reading& reading, std::size_t at) {
  std::size_t depth = 0;
  bool quoted = false, escaped = false;
  for (std::size_t i = at; i < reading.lines.size() && !reading.is_command(i); ++i) {
    for (const char c : reading.text(i)) {
      if (escaped) escaped = false;
      else if (quoted) quoted = c != '"', escaped = c == '\\';
      else if (c == '"') quoted = true;
      else if (c == '{' || c == '[') ++depth;
      else if ((c == '}' || c == ']') && --depth == 0) return i + 1;
      if (escaped) quoted = true;
    }
    if (is_cut(reading.text(i))) quoted = escaped = false;
  }
  return at;
}

// A text of JSON that a terminal cut is closed, so that what is around it can be read.
std::string closed_json(std::string_view line, std::string_view next) {
  std::size_t quotes = 0;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '\\') ++i;
    else if (line[i] == '"') ++quotes;
  std::string out(line);
  if (quotes % 2 == 0) out.resize(out.size() - cut.size());
  else out += '"';
  next = trimmed(next);
  const bool last = next.starts_with("}") || next.starts_with("]");
  if (!last && !out.ends_with(",") && !out.ends_with("{") && !out.ends_with("[")) out += ',';
  return out;
}

// The same of YAML, whose texts go on in lines that are indented more than their key.
class ClosedYaml {
 public:
  std::string line(std::string_view text, std::string_view next) {
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    std::size_t from = 0;
    if (quote_ == 0) {
      key_indent_ = indent;
      from = text.find(": ", indent);
      from = from == std::string_view::npos ? indent : from + 2;
      if (text.substr(indent).starts_with("- ") && from == indent) from = indent + 2;
      if (from < text.size() && (text[from] == '\'' || text[from] == '"')) quote_ = text[from++];
    }
    if (quote_ != 0 && closes(text.substr(from))) quote_ = 0;
    std::string out(text);
    if (!is_cut(text)) return out;
    const bool more = std::min(next.find_first_not_of(' '), next.size()) > key_indent_ && !next.empty();
    if (quote_ != 0 && !more) out += quote_, quote_ = 0;
    else if (quote_ == 0 && from == indent) out.resize(out.size() - cut.size());
    return out;
  }

 private:
  bool closes(std::string_view text) const {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (quote_ == '"' && text[i] == '\\') ++i;
      else if (text[i] == quote_ && quote_ == '\'' && i + 1 < text.size() && text[i + 1] == quote_) ++i;
      else if (text[i] == quote_) return true;
    }
    return false;
  }

  char quote_ = 0;  // of the text that goes on; 0: none does
  std::size_t key_indent_ = 0;
};

}  // namespace

std::size_t read_document(Reading& reading, std::size_t at) {
  const std::string_view first = reading.text(at);
  const bool json = first == "{" || first == "[" || first.starts_with("{\"") || first.starts_with("{ \"");
  if ((!json && !opens_yaml(reading, at)) || reading.in_vain > Reading::most_in_vain) return 0;
  const std::size_t end = json ? json_end(reading, at) : yaml_end(reading, at);
  if (end == at) return ++reading.in_vain, 0;
  std::string text;
  ClosedYaml yaml;
  for (std::size_t i = at; i < end; ++i) {
    const std::string_view line = reading.text(i);
    text += json ? (is_cut(line) ? closed_json(line, reading.text(i + 1)) : std::string(line))
                 : yaml.line(line, i + 1 < end ? reading.text(i + 1) : std::string_view());
    text += '\n';
  }
  const std::string name = reading.sources.name(reading.file);
  const std::uint32_t part = reading.sources.add(name, std::move(text));
  const std::uint32_t base = reading.lines[at].number;
  if (json) {
    const data::Document document = data::read_json(reading.sources, part);
    if (!document.diagnostics.has_errors()) add_root(reading, document.root, part, base);
  } else {
    const data::Documents documents = data::read_yaml(reading.sources, part);
    for (const data::Document& document : documents.documents)
      if (!document.diagnostics.has_errors()) add_root(reading, document.root, part, base);
  }
  reading.sources.forget(part);
  return end - at;
}

}  // namespace muster::why
