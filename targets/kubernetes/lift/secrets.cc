#include "targets/kubernetes/lift/secrets.h"

#include <algorithm>
#include <optional>

#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"
#include "targets/kubernetes/names.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes::lifting {
namespace {

// Those that are surely secrets, the last one first, so that places in front of it stay as they are.
std::vector<SecretPlace> secrets_of(std::string_view text) {
  std::vector<SecretPlace> out = find_secrets(text);
  std::erase_if(out, [](const SecretPlace& place) { return !place.sure || place.begin >= place.end; });
  std::reverse(out.begin(), out.end());
  return out;
}

// A variable for what the scanner calls "`--hf-token`" or "the password in a URL".
std::string variable_for(std::string_view what) {
  const std::size_t open = what.find('`'), end = what.find('`', open + 1);
  std::string name;
  if (open != what.npos && end != what.npos) {
    for (const char c : what.substr(open + 1, end - open - 1)) {
      if (is_alnum(c)) name += is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
      else if (!name.empty() && name.back() != '_') name += '_';
    }
    while (name.ends_with('_')) name.pop_back();
  }
  const bool speaks = name.size() > 2 && is_env_name(name) && what.find(' ') == what.npos;
  return speaks ? name : what.find("password") != what.npos ? "PASSWORD" : "SECRET_TOKEN";
}

class Hiding {
 public:
  Hiding(ObjectLift& lift, const Field& where, model::Role* role) : lift_(lift), where_(where), role_(role) {}

  // ---- a role

  bool hide_in(model::Role& role) {
    for (auto variable = role.env.begin(); variable != role.env.end();) {
      if (!is_secret(variable->name, variable->value.bytes)) {
        ++variable;
        continue;
      }
      const std::string name = variable->name, value = variable->value.bytes;
      variable = role.env.erase(variable);
      use(name, value);
    }
    if (auto* argv = role.program ? std::get_if<model::Argv>(&role.program->value) : nullptr) {
      std::vector<model::Text*> words;
      for (model::Text& word : *argv) words.push_back(&word);
      for (auto& word : role.args) words.push_back(&word.value);
      hide_in_words(words);
    } else {
      std::vector<model::Text*> words;
      for (auto& word : role.args) words.push_back(&word.value);
      hide_in_words(words);
    }
    if (auto* script = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr)
      if (!hide_in_script(*script)) return false;
    return hide_in_files(role);
  }

  // ---- YAML

  bool hide_in(Node& node, std::string_view key) {
    if (node.is_map() && node.get("name") != nullptr && node.get("value") != nullptr &&
        is_secret(node.get("name")->text, node.get("value")->text)) {
      const model::SiteSecret secret = declare(node.get("name")->text, node.get("value")->text);
      std::erase_if(node.members, [](const data::Member& m) { return m.key == "value"; });
      put(node, "valueFrom", reference_to(secret));
      return true;
    }
    if (node.is_map() && (node.get("command") != nullptr || node.get("args") != nullptr)) hide_in_container(node);
    for (data::Member& member : node.members)
      if (!hide_in(member.value, member.key)) return false;
    for (Node& item : node.items)
      if (!hide_in(item, key)) return false;
    if (!node.is_scalar() || secrets_of(std::string(key) + ": " + node.text).empty()) return true;
    remember(node.text);
    return lift_.refuse(where_, "`" + std::string(key) + "` holds a secret, which muster does not copy",
                        "put it into a Secret, and refer to that");
  }

 private:
  static bool is_secret(const std::string& name, const std::string& value) {
    const std::size_t from = name.size() + 1;
    for (const SecretPlace& place : secrets_of(name + "=" + value))
      if (place.end > from) return true;
    return !secrets_of(value).empty();
  }

  void remember(const std::string& value) { lift_.out.secret_values.push_back(value); }

  static Node reference_to(const model::SiteSecret& secret) {
    return map({{"secretKeyRef", map({{"name", text(secret.object->value)}, {"key", text(secret.key->value)}})}});
  }

  // The secret of the site for a value that is a variable of that name.
  model::SiteSecret declare(const std::string& name, const std::string& value) {
    remember(value);
    model::SiteSecret secret;
    secret.name = muster::lower(dashed(name_from(name)));
    secret.object = model::unplaced(dns_label(lift_.workload().name) + "-secrets");
    secret.key = model::unplaced(name);
    if (lift_.out.site.secrets.find(secret.name, lift_.plane()) != nullptr) return secret;
    lift_.out.site.secrets.push_back(secret);
    lift_.ledger.say(where_.span(), name, Fate::question, "secret `" + secret.name + "` of the site",
                     "the file has its value, which was not copied; create it: kubectl create secret generic " +
                         secret.object->value + " --from-literal=" + name + "=…");
    return secret;
  }

  bool is_taken(const std::string& name) const {
    const auto& env = role_->env;
    return std::any_of(env.begin(), env.end(), [&](const model::EnvVar& v) { return v.name == name; }) ||
           std::any_of(role_->secrets.begin(), role_->secrets.end(),
                       [&](const model::Secret& s) { return s.env && s.env->value == name; });
  }

  // The variable of the role that has the value; it gets one.
  std::string use(const std::string& wanted, const std::string& value) {
    for (const auto& [name, known] : used_)
      if (known == value) return name;
    std::string name = wanted;
    for (int number = 2; is_taken(name); ++number) name = wanted + "_" + std::to_string(number);
    const model::SiteSecret secret = declare(name, value);
    model::Secret one;
    one.name = secret.name;
    one.env = model::unplaced(name);
    role_->secrets.push_back(std::move(one));
    used_.emplace_back(name, value);
    return name;
  }

  void hide_in_words(const std::vector<model::Text*>& words) {
    std::string line;
    std::vector<std::size_t> begins;
    for (const model::Text* word : words) {
      if (!line.empty()) line += ' ';
      begins.push_back(line.size());
      line += word->bytes;
    }
    for (const SecretPlace& place : secrets_of(line)) {
      const auto after = std::upper_bound(begins.begin(), begins.end(), place.begin);
      const auto index = static_cast<std::size_t>(after - begins.begin()) - 1;
      model::Text& word = *words[index];
      const std::size_t begin = place.begin - begins[index],
                        end = std::min(place.end - begins[index], word.bytes.size());
      if (begin >= end) continue;
      const std::string name = use(variable_for(place.what), word.bytes.substr(begin, end - begin));
      word.bytes.erase(begin, end - begin);
      std::size_t at = 0;
      for (model::Reference& reference : word.references) {
        if (reference.at <= begin) ++at;
        else reference.at -= end - begin;
      }
      word.references.insert(word.references.begin() + static_cast<std::ptrdiff_t>(at),
                             {model::RefersTo::env, name, begin, {}});
    }
  }

  // ---- a text of a shell

  enum class Quote : std::uint8_t { none, single, twice, comment, document, quoted_document };

  // What a place of the text is inside of, as a shell reads it.
  static Quote quote_at(std::string_view text, std::size_t place) {
    Quote quote = Quote::none;
    std::string end_of_document;
    bool expands = true;
    for (std::size_t at = 0; at < place; ++at) {
      const char c = text[at];
      if (quote == Quote::single) quote = c == '\'' ? Quote::none : quote;
      else if (quote == Quote::comment) quote = c == '\n' ? Quote::none : quote;
      else if (quote == Quote::document || quote == Quote::quoted_document) {
        if (c != '\n') continue;
        std::string_view line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        if (trimmed(line, " \t") == end_of_document && at + 1 + line.size() <= place) quote = Quote::none;
      } else if (c == '\\') ++at;
      else if (quote == Quote::twice) quote = c == '"' ? Quote::none : quote;
      else if (c == '\'') quote = Quote::single;
      else if (c == '"') quote = Quote::twice;
      else if (c == '#' && (at == 0 || is_space(text[at - 1]))) quote = Quote::comment;
      else if (c == '<' && text.substr(at, 2) == "<<" && text.substr(at, 3) != "<<<") {
        std::size_t word = at + 2;
        while (word < text.size() && (text[word] == '-' || text[word] == ' ')) ++word;
        std::size_t stop = word;
        while (stop < text.size() && !is_space(text[stop]) && text[stop] != ';' && text[stop] != '|') ++stop;
        std::string delimiter(text.substr(word, stop - word));
        expands = delimiter.find_first_of("'\"\\") == delimiter.npos;
        std::erase_if(delimiter, [](char d) { return d == '\'' || d == '"' || d == '\\'; });
        end_of_document = delimiter;
        const std::size_t line = text.find('\n', stop);
        if (line == text.npos || line >= place) return Quote::none;
        at = line;
        quote = expands ? Quote::document : Quote::quoted_document;
      }
    }
    return quote;
  }

  bool hide_in_script(model::Script& script) {
    for (const SecretPlace& place : secrets_of(script.bytes)) {
      const std::string value = script.bytes.substr(place.begin, place.end - place.begin);
      const Quote quote = quote_at(script.bytes, place.begin);
      remember(value);
      if (quote == Quote::quoted_document)
        return lift_.refuse(where_, "a here-document of the script holds a secret, which muster does not copy",
                            "read it from a variable, and set that from a Secret");
      std::string by = "***";
      if (quote != Quote::comment) {
        const std::string name = use(variable_for(place.what), value);
        by = quote == Quote::single ? "'\"${" + name + "}\"'"
             : quote == Quote::none ? "\"${" + name + "}\""
                                    : "${" + name + "}";
      }
      script.bytes.replace(place.begin, place.end - place.begin, by);
      lift_.ledger.say(where_.span(), "script", Fate::mended, "script",
                       quote == Quote::comment ? "a secret in a comment is left out"
                                               : "a secret of the text is read from a variable");
    }
    return true;
  }

  // A file with a secret is the secret.
  bool hide_in_files(model::Role& role) {
    for (auto file = role.files.begin(); file != role.files.end();) {
      if (secrets_of(file->bytes).empty()) {
        ++file;
        continue;
      }
      for (const SecretPlace& place : secrets_of(file->bytes))
        remember(file->bytes.substr(place.begin, place.end - place.begin));
      const std::string path = file->path.value;
      const model::SiteSecret secret = declare(name_from(path.substr(path.rfind('/') + 1)), file->bytes);
      lift_.out.secret_values.pop_back();
      model::Secret used;
      used.name = secret.name;
      used.file = model::unplaced(path);
      role.secrets.push_back(std::move(used));
      file = role.files.erase(file);
    }
    return true;
  }

  // Of a container that is kept as YAML: its words refer to variables that it gets.
  void hide_in_container(Node& container) {
    for (const char* part : {"command", "args"}) {
      if (container.get(part) == nullptr || !container.get(part)->is_list()) continue;
      std::string line;
      std::vector<std::size_t> begins;
      for (const Node& word : container.get(part)->items) {
        if (!line.empty()) line += ' ';
        begins.push_back(line.size());
        line += word.text;
      }
      for (const SecretPlace& place : secrets_of(line)) {
        const auto after = std::upper_bound(begins.begin(), begins.end(), place.begin);
        const auto index = static_cast<std::size_t>(after - begins.begin()) - 1;
        Node& word = at(container, part).items[index];
        const std::size_t begin = place.begin - begins[index];
        const std::string value = word.text.substr(begin, place.end - place.begin), name = variable_for(place.what);
        const model::SiteSecret secret = declare(name, value);
        std::string changed = word.text;
        changed.replace(begin, value.size(), "$(" + name + ")");
        word = text(changed);
        append(container, "env", map({{"name", text(name)}, {"valueFrom", reference_to(secret)}}));
      }
    }
  }

  ObjectLift& lift_;
  const Field& where_;
  model::Role* role_;
  std::vector<std::pair<std::string, std::string>> used_;
};

}  // namespace

bool hide_secrets(ObjectLift& lift, const Container& container, model::Role& role) {
  return Hiding(lift, container.field, &role).hide_in(role);
}

bool hide_secrets(ObjectLift& lift, const Field& where, Node& tree) {
  return Hiding(lift, where, nullptr).hide_in(tree, "");
}

}  // namespace muster::targets::kubernetes::lifting
