// kubectl describe: a tree by its indentation, whose keys are those of the object's YAML.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "why/read/read.h"
#include "why/read/table.h"

namespace muster::why {
namespace {

// "Scheduler Name" is schedulerName, "API Version" apiVersion; names with a dot or a dash are the user's own.
std::string key_of(std::string_view title) {
  if (title.find_first_of("./") != std::string_view::npos) return std::string(title);
  std::string out;
  bool word = false;
  for (std::size_t i = 0; i < title.size(); ++i) {
    if (title[i] == ' ') {
      word = true;
      continue;
    }
    out += word ? to_upper(title[i]) : title[i];
    word = false;
  }
  const std::string_view first = title.substr(0, title.find(' '));
  const bool capitals = first.size() > 1 && std::all_of(first.begin(), first.end(), is_upper);
  for (std::size_t i = 0; i < (capitals ? first.size() : std::size_t{1}) && i < out.size(); ++i)
    out[i] = to_lower(out[i]);
  return out;
}

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? line.size() : at;
}

// The end of a title: the first colon that ends the line or has a blank behind it.
std::size_t title_end(std::string_view text) {
  for (std::size_t i = 0; i < text.size() && i < 100; ++i) {
    if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) return i;
    if (!is_alnum(text[i]) && std::string_view(" -./_()").find(text[i]) == std::string_view::npos)
      return std::string_view::npos;
  }
  return std::string_view::npos;
}

bool is_top_title(std::string_view line) {
  return !line.empty() && is_letter(line[0]) && title_end(line) != std::string_view::npos && title_end(line) < 40 &&
         is_upper(line[0]);
}

// Two of the titles that kubectl prints at the top of each kind.
bool begins(const Reading& reading, std::size_t at) {
  if (!reading.text(at).starts_with("Name:")) return false;
  for (std::size_t i = at + 1; i < at + 4; ++i)
    for (const std::string_view title :
         {"Namespace:", "Roles:", "Labels:", "API Version:", "Priority:", "Annotations:"})
      if (reading.text(i).starts_with(title)) return true;
  return false;
}

struct Frame {
  std::size_t indent;
  std::string path;
  std::uint32_t item;            // of the fields below
  std::set<std::string> seen{};  // titles of this item
};

class Described {
 public:
  Described(Reading& reading, std::size_t at) : reading_(reading), at_(at), begin_(at) {}

  std::size_t read() {
    frames_.push_back({0, {}, next_item()});
    object_ = {Kind::object, {}, {}, {}, reading_.facts.segments, reading_.place(at_)};
    while (at_ < reading_.lines.size() && !reading_.is_command(at_)) {
      const std::string_view line = reading_.text(at_);
      if (line.empty()) {
        if (reading_.text(at_ + 1).empty() || indent_of(reading_.text(at_ + 1)) == 0) break;
        ++at_;
        continue;
      }
      const std::size_t indent = indent_of(line);
      if (indent == 0 && (!is_top_title(line) || (line.starts_with("Name:") && at_ != begin_))) break;
      if (line.starts_with("Events:")) {
        read_events();
        continue;
      }
      take(line.substr(indent), indent);
      ++at_;
    }
    finish();
    return at_ - begin_;
  }

 private:
  std::uint32_t next_item() { return ++items_; }

  void take(std::string_view text, std::size_t indent) {
    const std::size_t end = title_end(text);
    while (frames_.size() > 1 && frames_.back().indent >= indent) {
      // A value that goes on below itself, aligned with it.
      if (end == std::string_view::npos && frames_.back().indent < indent) break;
      frames_.pop_back();
    }
    if (end == std::string_view::npos) return loose(text, indent);
    const std::string title = key_of(text.substr(0, end));
    Frame& parent = deepest(indent);
    if (!parent.seen.insert(title).second) {
      parent.item = next_item();
      parent.seen = {title};
    }
    std::string path = parent.path.empty() ? title : parent.path + "." + title;
    const std::string_view value = trimmed(text.substr(end + 1));
    if (!value.empty()) object_.add(path, std::string(value), reading_.place(at_), parent.item);
    if (frames_.size() < 40) frames_.push_back({indent, std::move(path), next_item()});
  }

  Frame& deepest(std::size_t indent) {
    while (frames_.size() > 1 && frames_.back().indent >= indent) frames_.pop_back();
    return frames_.back();
  }

  // A line without a title: an item of a list, or a row of a small table.
  void loose(std::string_view text, std::size_t) {
    Frame& frame = frames_.back();
    const std::size_t blank = text.find(' ');
    const std::string word(text.substr(0, blank));
    const std::string_view rest = blank == std::string_view::npos ? std::string_view() : trimmed(text.substr(blank));
    if (frame.path == "conditions")
      object_.add("conditions." + word, std::string(rest.substr(0, rest.find(' '))), reading_.place(at_));
    else if (frame.path == "allocatedResources")
      object_.add("allocated." + word, std::string(rest.substr(0, rest.find(' '))), reading_.place(at_));
    else object_.add(frame.path, std::string(text), reading_.place(at_), frame.item);
  }

  void read_events() {
    const std::string_view none = trimmed(reading_.text(at_).substr(7));
    object_.add("events", none.empty() ? "some" : std::string(none), reading_.place(at_));
    events_at_ = at_ + 1;
    ++at_;
    while (at_ < reading_.lines.size() && !reading_.is_command(at_) && !reading_.text(at_).empty() &&
           indent_of(reading_.text(at_)) > 0)
      ++at_;
    events_end_ = at_;
  }

  void finish() {
    object_.name = object_.get("name");
    object_.name_space = object_.get("namespace");
    object_.type = lower(object_.get("kind"));
    if (object_.type.empty()) object_.type = kind_by_titles();
    const std::string type = object_.type, name = object_.name, space = object_.name_space;
    reading_.facts.objects.push_back(std::move(object_));
    if (events_end_ <= events_at_ + 1) return;
    std::uint32_t row = 0;
    // The age and the program are told apart by two blanks or more; the message is the rest.
    for (std::size_t i = events_at_; i < events_end_; ++i) {
      std::vector<std::string_view> cells;
      std::string_view rest = trimmed(reading_.text(i));
      while (cells.size() < 4 && !rest.empty()) {
        const std::size_t gap = rest.find("  ");
        cells.push_back(trimmed(rest.substr(0, gap)));
        rest = gap == std::string_view::npos ? std::string_view() : trimmed(rest.substr(gap));
      }
      if (cells.size() < 3 || cells[0] == "Type" || cells[0].starts_with("--")) continue;
      Object& event = reading_.add(Kind::event, type + "/" + name, i);
      event.type = cells[1];
      event.name_space = space;
      event.add("type", std::string(cells[0]), event.place);
      event.add("age", std::string(cells[2]), event.place);
      event.add("from", std::string(cells.size() > 3 ? cells[3] : std::string_view()), event.place);
      event.add("message", std::string(rest), event.place);
      event.add("order", std::to_string(row++), event.place);
    }
  }

  std::string kind_by_titles() const {
    const auto has = [&](std::string_view key) {
      return std::any_of(object_.fields.begin(), object_.fields.end(), [&](const Field& field) {
        return field.key == key || field.key.starts_with(std::string(key) + ".");
      });
    };
    if (has("allocatable") || has("capacity.pods") || has("unschedulable")) return "node";
    if (has("podsStatuses")) return "job";
    if (has("storageClass") && has("volume")) return "persistentvolumeclaim";
    if (has("qoSClass") || has("containers") || has("node-Selectors") || has("ip")) return "pod";
    return {};
  }

  Reading& reading_;
  std::size_t at_, begin_;
  std::size_t events_at_ = 0, events_end_ = 0;
  std::uint32_t items_ = 0;
  std::vector<Frame> frames_;
  Object object_;
};

}  // namespace

std::size_t read_described(Reading& reading, std::size_t at) {
  if (!begins(reading, at)) return 0;
  return Described(reading, at).read();
}

}  // namespace muster::why
