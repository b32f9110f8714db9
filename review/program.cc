#include "review/program.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::review {
namespace {

class Program {
 public:
  explicit Program(const model::Workload& workload) { out_.kind = program_kind, out_.name = workload.name; }

  void add(const model::Role& role, bool several) {
    prefix_ = several ? role.name + " " : "";
    if (role.program) {
      if (const auto* argv = std::get_if<model::Argv>(&role.program->value))
        add_words("command", model::spellings(*argv));
      else add_lines(std::get<model::Script>(role.program->value).bytes);
    }
    std::vector<std::string> args;
    for (const auto& word : role.args) args.push_back(model::spelling(word.value));
    add_words("args", args);
    for (const model::EnvVar& variable : role.env)
      add_field("env[" + variable.name + "]", model::spelling(variable.value));
    if (role.setup) add_lines(role.setup->value.bytes);
  }

  Object take() {
    std::stable_sort(out_.fields.begin(), out_.fields.end(),
                     [](const Field& a, const Field& b) { return a.path < b.path; });
    std::map<std::string, int> seen;
    for (Field& field : out_.fields)  // an option that is given twice
      if (const int n = ++seen[field.path]; n > 1) field.path += " #" + std::to_string(n);
    return std::move(out_);
  }

 private:
  void add_field(const std::string& path, const std::string& value) { out_.fields.push_back({prefix_ + path, value}); }

  // An option's value is the next word, unless that is an option too.
  void add_words(const std::string& what, const std::vector<std::string>& words) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!word.starts_with('-') || word == "-" || word == "--") {
        add_field(what + "[" + std::to_string(place++) + "]", word);
        continue;
      }
      const std::size_t equal = word.find('=');
      const bool has_next = equal == word.npos && i + 1 < words.size() && !words[i + 1].starts_with('-');
      add_field(what + " " + word.substr(0, equal), equal != word.npos ? word.substr(equal + 1)
                                                    : has_next         ? words[++i]
                                                                       : "given");
    }
  }

  void add_lines(const std::string& bytes) {
    for (std::size_t at = 0, end = 0; at < bytes.size(); at = end + 1) {
      end = std::min(bytes.find('\n', at), bytes.size());
      out_.lines.push_back(bytes.substr(at, end - at));
    }
  }

  Object out_;
  std::string prefix_;
};

}  // namespace

Object program_of(const model::Workload& workload) {
  Program out(workload);
  for (const model::Role& role : workload.roles) out.add(role, workload.roles.size() > 1);
  return out.take();
}

}  // namespace muster::review
