#include "why/report/redact.h"

#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "why/report/text.h"

namespace muster::why {
namespace {

class Words {
 public:
  void learn(std::string_view name, const char* word) {
    if (name.size() < 2 || name == "(null)" || name == "root" || all_digits(name)) return;
    if (!names_.contains(std::string(name))) names_.emplace(std::string(name), word + std::to_string(++counts_[word]));
  }

  // Each name where it stands by itself.
  void in(std::string& text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_part(text[at])) {
        out += text[at++];
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_part(text[end])) ++end;
      const std::string word = text.substr(at, end - at);
      const auto found = names_.find(word);
      out += found == names_.end() ? word : found->second;
      at = end;
    }
    text = std::move(out);
  }

 private:
  static bool is_part(char c) { return is_alnum(c) || c == '_' || c == '-'; }

  std::map<std::string, std::string, std::less<>> names_;
  std::map<std::string, int> counts_;
};

void learn_hosts(std::string_view list, Words& words) {
  if (const auto hosts = expand_hosts(list, 1000))
    for (const std::string& host : *hosts) words.learn(host, "node");
  // A list in its short form stands in texts as it is.
  if (list.find('[') != std::string_view::npos) words.learn(list.substr(0, list.find('[')), "nodes");
}

}  // namespace

void redact(const Facts& facts, std::vector<Finding>& findings) {
  Words words;
  for (const Object& object : facts.objects) {
    if (object.kind == Kind::node || object.kind == Kind::drained) words.learn(object.name, "node");
    if ((object.kind == Kind::object || object.kind == Kind::row) && object.type == "node")
      words.learn(object.name, "node");
    if (object.kind == Kind::association) words.learn(object.type, "user"), words.learn(object.name, "account");
    for (const Field& field : object.fields) {
      const std::string_view value = field.value;
      if (is_one_of(field.key, {"UserId", "user", "Users"})) words.learn(value.substr(0, value.find('(')), "user");
      if (is_one_of(field.key, {"Account", "account"})) words.learn(value, "account");
      if (is_one_of(field.key, {"NodeList", "ReqNodeList", "Nodes", "nodelist"})) learn_hosts(value, words);
      if (field.key == "node") words.learn(value.substr(0, value.find('/')), "node");
    }
  }
  for (Finding& finding : findings) {
    // A line of a program may have names that no other fact has.
    std::erase_if(finding.used, [](const UsedFact& fact) { return is_message(fact.key); });
    words.in(finding.sentence);
    for (UsedFact& fact : finding.used) words.in(fact.value);
    for (FoundRepair& repair : finding.repairs) {
      words.in(repair.text);
      for (auto& [option, value] : repair.changes) words.in(value);
      for (LineChange& line : repair.lines) words.in(line.from), words.in(line.to);
    }
    for (Ask& ask : finding.asks) words.in(ask.command);
  }
}

}  // namespace muster::why
