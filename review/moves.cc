#include "review/moves.h"

#include <algorithm>
#include <map>
#include <set>

#include "lint/outcome.h"
#include "review/documents.h"

namespace muster::review {
namespace {

// A comment of an emitted file names the spec that it was made of.
std::string with_name(std::string line, const std::string& from, const std::string& to) {
  const std::size_t at = from.empty() ? line.npos : line.find(from);
  if (at != line.npos) line.replace(at, from.size(), to);
  return line;
}

// Of what is emitted; of a script, which is called after its file, without the name.
std::uint64_t hash_of_objects(const Workload& w) {
  std::string text;
  const auto add = [&](const std::string& word) { text += std::to_string(word.size()) + " " + word; };
  for (const Object& o : w.objects) {
    add(o.kind);
    add(o.name_space);
    if (w.form != Form::script) add(o.name);
    for (const review::Field& field : o.fields) add(field.path), add(field.value);
    for (const std::string& line : o.lines) add(with_name(line, w.file, ""));
  }
  return hash_of(text);
}

// What a workload has in common with itself at another path.
std::string identity(const Workload& w) {
  const std::string form = std::to_string(static_cast<int>(w.form)) + "\n" + w.site + "\n";
  if (w.form == Form::manifest) return form + w.name;
  return form + (w.form == Form::spec ? w.name : std::string()) + "\n" + std::to_string(hash_of_objects(w));
}

struct Candidates {
  std::vector<Workload*> gone, fresh;
};

}  // namespace

Workload called_as(Workload before, const Workload& after) {
  for (Object& object : before.objects) {
    if (before.form == Form::script) object.name = after.name;
    for (std::string& line : object.lines) line = with_name(std::move(line), before.file, after.file);
  }
  for (Finding& f : before.findings) {
    f.key = renamed_key(renamed_key(f.key, before.file, after.file), before.id, after.id);
    if (f.place.file == before.file) f.place.file = after.file;
  }
  before.id = after.id;
  before.file = after.file;
  return before;
}

std::string renamed_key(std::string_view key, std::string_view from, std::string_view to) {
  const std::string spelling = lint::key_part(from);
  std::string out;
  for (std::size_t at = 0, end = 0; at <= key.size(); at = end + 1) {
    for (end = at; end < key.size() && key[end] != '|'; ++end) end += key[end] == '\\';
    end = std::min(end, key.size());
    const std::string_view part = key.substr(at, end - at);
    out += (at == 0 ? "" : "|") + (!from.empty() && part == spelling ? lint::key_part(to) : std::string(part));
  }
  return out;
}

std::vector<std::pair<Workload*, Workload*>> take_moves(std::vector<Workload*>& gone, std::vector<Workload*>& fresh) {
  std::vector<std::pair<Workload*, Workload*>> out;
  if (gone.empty() || fresh.empty()) return out;
  std::map<std::string, Candidates> by_identity;
  for (Workload* w : gone) by_identity[identity(*w)].gone.push_back(w);
  for (Workload* w : fresh) by_identity[identity(*w)].fresh.push_back(w);
  std::set<const Workload*> moved;
  for (const auto& [identity, all] : by_identity) {
    if (all.gone.size() != 1 || all.fresh.size() != 1) continue;
    out.emplace_back(all.gone.front(), all.fresh.front());
    moved.insert({all.gone.front(), all.fresh.front()});
  }
  const auto has_moved = [&](const Workload* w) { return moved.contains(w); };
  std::erase_if(gone, has_moved);
  std::erase_if(fresh, has_moved);
  return out;
}

}  // namespace muster::review
