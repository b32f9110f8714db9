#include "compiler/base/secret_scan.h"

#include <algorithm>
#include <array>

#include "compiler/base/byte_set.h"
#include "compiler/base/rare_word.h"
#include "compiler/base/secret.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr std::size_t longest_secret = 4096;  // as of is_secret
constexpr std::size_t longest_secret_name = 100;
constexpr std::size_t longest_command = 2000;  // of a command, with its continued lines
constexpr std::size_t most_commands = 5000;

// Where a value without quotes ends.
constexpr ByteSet ends_secret(" \t\"'`,;&|)}]\\<>\r\n");
// What may stand in front of an option.
constexpr ByteSet before_option(" \t\n\"'[(,");
// What is between a name and its value.
constexpr ByteSet assigns("=:,");

bool in_secret_name(char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; }

// No word of a language, no path, no expression: enough digits among enough letters.
bool is_generated(std::string_view value) {
  const auto count = [&](auto kind) { return std::count_if(value.begin(), value.end(), kind); };
  return value.find_first_of(".:@") == std::string_view::npos && value.size() >= 20 && count(is_digit) >= 3 &&
         count(is_letter) >= 3 && is_secret("token", value);
}

bool is_wandb_key(std::string_view value) {
  return value.size() == 40 && value.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// A hash of a password, as notebooks are given it.
bool is_hash(std::string_view value) {
  return value.starts_with("sha1:") || value.starts_with("sha256:") || value.starts_with("argon2:");
}

struct Slice {
  std::size_t begin = 0, end = 0;
};

class SecretScan {
 public:
  explicit SecretScan(std::string_view text) : text_(text) {}

  std::vector<SecretPlace> run() {
    for (const TokenPlace& token : find_tokens(text_)) add({token.begin, token.end}, "a token", true);
    private_keys();
    assignments();
    options();
    spaced_names();
    logins();
    urls();
    return ordered();
  }

 private:
  std::string_view part(Slice p) const { return text_.substr(p.begin, p.end - p.begin); }
  void add(Slice value, std::string what, bool plain) {
    const std::string_view text = part(value);
    const bool sure = plain || has_secret_form(text) || is_generated(text);
    out_.push_back({value.begin, value.end, std::move(what), is_strong(text), sure});
  }
  // Where `name` says that it is a secret and the value is no placeholder.
  bool add_named(Slice value, std::string_view name, std::string what, bool plain) {
    if (is_hash(part(value)) || !is_secret(name, part(value))) return false;
    add(value, std::move(what), plain);
    return true;
  }
  static std::string quoted_name(std::string_view name) { return "`" + std::string(name) + "`"; }

  // `''` or `""` and nothing next to it: in a YAML text in single quotes, `''a''` is the value `a`.
  bool is_empty_at(std::size_t at) const {
    const std::string_view quotes = text_.substr(at, 2), behind = text_.substr(std::min(at + 2, text_.size()), 1);
    return (quotes == "''" || quotes == "\"\"") &&
           (behind.empty() || is_space(behind[0]) ||
            std::string_view(",;&|)}]").find(behind[0]) != std::string_view::npos);
  }

  // The value at `from` or behind blanks and quotes; up to the same quote where one is directly in front of it.
  Slice value_at(std::size_t from) const {
    const std::size_t first = std::min(text_.find_first_not_of(" \t", from), text_.size());
    if (is_empty_at(first)) return {first, first};
    const std::size_t start = std::min(text_.find_first_not_of(" \t\"'\\", from), text_.size());
    const std::string_view rest = text_.substr(start, longest_secret + 1);
    std::size_t size = std::min(ends_secret.find_in(rest), rest.size());
    const char before = start > 0 ? text_[start - 1] : ' ';
    if (start > from && (before == '"' || before == '\'')) {
      const std::size_t close = rest.substr(0, rest.find('\n')).find(before);
      if (close != std::string_view::npos && !(close > 0 && rest[close - 1] == '\\')) size = close;
    }
    return {start, start + size};
  }

  // The name that ends in front of `at`, without quotes and the bracket of `environ["NAME"]`. Empty where its last byte
  // says that it is none of interest.
  Slice name_before(std::size_t at) const {
    const auto skipped = [](char c) { return c == ' ' || c == '"' || c == '\'' || c == ']' || c == '\\'; };
    std::size_t end = at;
    while (end > 0 && at - end < longest_secret_name && skipped(text_[end - 1])) --end;
    if (end == 0 || !ends_secret_name.contains(text_[end - 1])) return {end, end};
    std::size_t begin = end;
    while (begin > 0 && end - begin < longest_secret_name && in_secret_name(text_[begin - 1])) --begin;
    return {begin, end};
  }

  // NAME=value, NAME: value, "NAME": "value", ("NAME", "value").
  void assignments() {
    for (std::size_t at = assigns.find_in(text_); at != std::string_view::npos; at = assigns.find_in(text_, at + 1)) {
      const bool call = text_[at] == ',';
      if (call && (at == 0 || (text_[at - 1] != '"' && text_[at - 1] != '\''))) continue;
      const Slice named = name_before(at);
      const std::string_view name = part(named);
      if (name.empty()) continue;
      if (equal_ignoring_case(name, "authorization")) authorization(at + 1);
      const bool key = name == "key" && is_key_of_login(at);
      if (!key && !names_secret(name)) continue;
      std::size_t from = at + 1;
      if (text_[at] == ':' && from < text_.size() && (text_[from] == '-' || text_[from] == '=')) ++from;
      const std::string_view behind = text_.substr(from, 1);
      const bool tight = named.end == at && text_[at] == '=' && !behind.empty() && !is_space(behind[0]);
      const Slice value = value_at(from);
      // `Minio(secret_key=minio_pass, …)`: a variable of a program.
      const std::string_view end = text_.substr(std::min(value.end, text_.size()), 1);
      const bool variable = value.begin == from && (end == "," || end == ")");
      add_named(value, key ? "key token" : name, quoted_name(bare(name)), tight && !call && !variable);
    }
  }
  // `login(key=…`, `{"username": "…", "key": …`
  bool is_key_of_login(std::size_t at) const {
    constexpr std::size_t near = 80;
    const std::string_view before = text_.substr(at > near ? at - near : 0, std::min(at, near));
    return before.find("login(") != std::string_view::npos || before.find("username\"") != std::string_view::npos;
  }
  static std::string_view bare(std::string_view option) {
    return option.starts_with("-") ? option : option.substr(std::min(option.find_first_not_of('.'), option.size()));
  }

  // The header's value behind its scheme.
  void authorization(std::size_t from) {
    Slice value = value_at(from);
    for (const std::string_view scheme : {"bearer", "basic", "token", "apikey", "digest"})
      if (equal_ignoring_case(part(value), scheme)) {
        value = value_at(value.end);
        break;
      }
    if (is_strong(part(value))) add_named(value, "token", "the `Authorization` header", true);
  }

  // The end of the command around `at`: its line, and the lines that a backslash joins to it.
  std::size_t command_end(std::size_t at) const {
    const std::size_t most = std::min(at + longest_command, text_.size());
    std::size_t end = text_.find('\n', at);
    while (end < most && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    return std::min(end, most);
  }
  std::size_t command_begin(std::size_t at) const {
    const std::size_t least = at > longest_command ? at - longest_command : 0;
    std::size_t begin = at;
    while (begin > least && (text_[begin - 1] != '\n' || (begin > 1 && text_[begin - 2] == '\\'))) --begin;
    return begin;
  }
  // Empty once so many were asked for that more of them would not help a reader.
  std::string_view command_before(std::size_t at) {
    if (++asked_ > most_commands) return {};
    const std::size_t begin = command_begin(at);
    return text_.substr(begin, at - begin);
  }

  // What follows an option as its own word, over the end of a continued line or to the next of a list.
  Slice next_word(std::size_t at) const {
    std::size_t from = at;
    while (from < text_.size()) {
      const bool joined = text_[from] == '\\' && text_.substr(from + 1, 1) == "\n";
      if (joined) from += 2;
      else if (std::string_view(" \t\"',").find(text_[from]) != std::string_view::npos) ++from;
      else break;
    }
    return from == at ? Slice{at, at} : value_at(from - 1);
  }

  // `--token value`, `-u user:password`, `-p password`.
  void options() {
    for (std::size_t at = text_.find('-'); at != std::string_view::npos; at = text_.find('-', at + 1)) {
      if (at > 0 && !before_option.contains(text_[at - 1])) continue;
      const std::size_t start = std::min(text_.find_first_not_of('-', at), text_.size());
      std::size_t end = start;
      while (end < text_.size() && end - start < longest_secret_name && in_secret_name(text_[end])) ++end;
      const std::string_view name = text_.substr(start, end - start);
      if (name.empty()) continue;
      const bool joined = end < text_.size() && text_[end] == '=';  // a secret's name in front of it is an assignment
      // `mysql -pKEY`: the name has the value in it.
      const bool of_login = start == at + 1 && name.front() == 'p' && !with_password(command_before(at)).empty();
      if (of_login || !names_secret(name)) other_option(at, start, end);
      else if (!joined) named_option({at, end}, name);
      at = std::max(at, end - 1);
    }
  }
  void named_option(Slice option, std::string_view name) {
    // `adduser --disabled-password NAME`: it switches something off.
    for (const std::string_view start : {"disabled-", "disable-", "no-", "without-", "skip-"})
      if (name.starts_with(start)) return;
    const Slice value = next_word(option.end);
    if (value.begin == value.end || text_[value.begin] == '-') return;
    add_named(value, name, quoted_name(part(option)), true);
  }
  void other_option(std::size_t at, std::size_t start, std::size_t end) {
    const std::string_view name = text_.substr(start, end - start);
    if (name == "u" || name == "user" || name == "U" || name == "proxy-user" || name.ends_with("creds"))
      return user_and_password(at, end, name);
    if (name == "p") return short_password(next_word(end), at);
    // `sshpass -pVALUE`, `mysql -pVALUE`
    if (name.front() == 'p' && start == at + 1 && name.size() > 6) short_password(value_at(start + 1), at);
  }
  void user_and_password(std::size_t at, std::size_t end, std::string_view name) {
    const std::string_view command = command_before(at);
    const bool fetches =
        command.find("curl") != std::string_view::npos || command.find("wget") != std::string_view::npos;
    if (!fetches && !name.ends_with("creds")) return;
    Slice value = end < text_.size() && text_[end] == '=' ? value_at(end + 1) : next_word(end);
    const std::size_t colon = part(value).find(':');
    if (colon == std::string_view::npos || part(value).starts_with('+')) return;  // `curl … $(date -u +%H:%M)`
    value.begin += colon + 1;
    add_named(value, "password", "the password of " + quoted_name(text_.substr(at, end - at)), true);
  }
  // The program whose option -p is a password; "" of others, to which it is a port or a path.
  static std::string_view with_password(std::string_view command) {
    const auto has = [&](std::string_view word) { return command.find(word) != std::string_view::npos; };
    return has("sshpass") ? "sshpass" : has("mysql") ? "mysql" : has(" login") || has("login ") ? "login" : "";
  }
  void short_password(Slice value, std::size_t at) {
    const std::string_view program = with_password(command_before(at));
    if (program.empty() || !is_secret("password", part(value))) return;
    add(value, "the password of `" + std::string(program) + " -p`", true);
  }

  // `setenv NAME value`, `ENV NAME value`, `login NAME password value` of a .netrc.
  void spaced_names() {
    constexpr std::array<RareWord, 3> marks = {{{"setenv ", 5}, {"ENV ", 2}, {"login ", 2}}};
    for (const RareWord& mark : marks)
      for (std::size_t at = mark.find_in(text_); at != std::string_view::npos;
           at = mark.find_in(text_, at + mark.word.size())) {
        const Slice name = value_at(at + mark.word.size());
        if (mark.word != "login ") {
          add_named(value_at(name.end), part(name), quoted_name(part(name)), true);
          continue;
        }
        const Slice key = value_at(std::min(text_.find_first_not_of(" \t\n", name.end), text_.size()));
        if (part(key) == "password") add_named(value_at(key.end), "password", "the password of `.netrc`", true);
      }
  }

  // `wandb login KEY`, `echo KEY | wandb login`, `login("KEY")`.
  void logins() {
    constexpr RareWord login = {"login", 2};
    for (std::size_t at = login.find_in(text_); at != std::string_view::npos; at = login.find_in(text_, at + 5)) {
      if (text_.substr(at + 5, 1) == "(") {
        if (const Slice value = value_at(at + 6); is_wandb_key(part(value))) add(value, "the key of `login()`", true);
        continue;
      }
      const std::string_view before = command_before(at);
      const std::size_t tool = before.find_last_not_of(" \"',\t");
      if (before.empty() || tool == std::string_view::npos || !before.substr(0, tool + 1).ends_with("wandb")) continue;
      generated_words({at + 5, command_end(at)});
      if (before.find("echo ") != std::string_view::npos) generated_words({at - before.size(), at});
    }
  }
  void generated_words(Slice range) {
    for (Slice word = value_at(range.begin); word.begin < range.end; word = value_at(word.end)) {
      if (word.begin == word.end) ++word.end;
      else if (is_wandb_key(part(word))) add(word, "the key of `wandb login`", true);
    }
  }

  // scheme://user:password@host
  void urls() {
    for (std::size_t at = text_.find("://"); at != std::string_view::npos; at = text_.find("://", at + 3)) {
      const std::string_view rest = text_.substr(at + 3, 512);
      const std::string_view authority = rest.substr(0, rest.find_first_of("/ \t\"'`<>)\n?#,"));
      const std::size_t host = authority.rfind('@'), colon = authority.find(':');
      if (host == std::string_view::npos || colon >= host) continue;
      // `airflow:airflow@`: the account that an image has at first.
      const std::string_view password = authority.substr(colon + 1, host - colon - 1);
      if (authority.substr(0, colon) == password && !is_strong(password)) continue;
      add_named({at + 3 + colon + 1, at + 3 + host}, "password", "the password in a URL", true);
    }
  }

  // The first line of one that has lines of base64.
  void private_keys() {
    constexpr std::string_view end = "PRIVATE KEY-----";
    constexpr RareWord key = {end, 8};
    for (std::size_t at = key.find_in(text_); at != std::string_view::npos; at = key.find_in(text_, at + end.size())) {
      const std::size_t line = at == 0 ? std::string_view::npos : text_.rfind("-----BEGIN", at);
      // A pattern that finds keys, such as `-----BEGIN (?:[A-Z ]+)?PRIVATE KEY-----`, is none.
      if (line == std::string_view::npos || !is_private_key_line(text_.substr(line, at + end.size() - line))) continue;
      const std::string_view next = text_.substr(std::min(at + end.size() + 1, text_.size()), 64);
      if (std::count_if(next.begin(), next.end(), is_alnum) >= 16)
        out_.push_back({line, at + end.size(), "a private key", true, true});
    }
  }

  // By place; of those in one place the one with a name.
  std::vector<SecretPlace> ordered() {
    std::stable_sort(out_.begin(), out_.end(), [](const SecretPlace& a, const SecretPlace& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<SecretPlace> kept;
    for (SecretPlace& place : out_) {
      if (kept.empty() || kept.back().end <= place.begin) {
        kept.push_back(std::move(place));
        continue;
      }
      SecretPlace& last = kept.back();
      if (last.what == "a token") last.what = place.what;
      last.end = std::max(last.end, place.end);
      last.strong |= place.strong, last.sure |= place.sure;
    }
    return kept;
  }

  std::string_view text_;
  std::size_t asked_ = 0;
  std::vector<SecretPlace> out_;
};

}  // namespace

std::vector<SecretPlace> find_secrets(std::string_view text) { return SecretScan(text).run(); }

std::string mask_part(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t from = begin > longest_command ? begin - longest_command : 0;
  const std::size_t to = std::min(end + longest_command, text.size());
  std::string out(text.substr(begin, end - begin));
  for (const SecretPlace& place : find_secrets(text.substr(from, to - from))) {
    const std::size_t first = std::max(place.begin + from, begin), last = std::min(place.end + from, end);
    if (first < last && place.what != "a private key")
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(first - begin), last - first, '*');
  }
  return mask_tokens(std::move(out));
}

}  // namespace muster
