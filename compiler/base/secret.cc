#include "compiler/base/secret.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "compiler/base/byte_set.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr std::size_t longest_value = 4096;  // of a name that says it is a secret
constexpr std::string_view alnum = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// The account that every emulator of Azure's storage has; its key is in Microsoft's documentation.
constexpr std::string_view emulator_key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq";

struct Form {
  std::string_view prefix;
  std::size_t least;       // characters after the prefix
  std::string_view extra;  // characters besides letters and digits
};
constexpr Form forms[] = {
    {"hf_", 30, ""},          {"sk-", 32, "-_"},    {"ghp_", 36, ""},     {"gho_", 36, ""},
    {"github_pat_", 40, "_"}, {"glpat-", 20, "-_"}, {"AKIA", 16, ""},     {"xoxb-", 20, "-"},
    {"xoxp-", 20, "-"},       {"AIza", 35, "-_"},   {"nvapi-", 40, "-_"}, {"eyJhbGciOi", 60, "-_."},
    {"wandb_v1_", 40, "_"},   {"ASIA", 16, ""},     {"ghs_", 36, ""},     {"eyJhcGlfYWRkcmVzcy", 40, "_="},
    {"gsk_", 40, ""},         {"npm_", 36, ""},     {"r8_", 37, ""},      {"dckr_pat_", 27, "-_"},
    {"lsv2_pt_", 32, "_"},    {"glsa_", 32, "_"},   {"pypi-", 60, "-_"},  {"tskey-auth-", 20, "-"},
};

// `word`, `WORD` or `Word`: as people write it, and seldom as chance does.
bool has_word(std::string_view text, std::string_view word) {
  std::string upper, capital(word);
  for (const char c : word) upper += to_upper(c);
  capital.front() = upper.front();
  for (const std::string_view form : {word, std::string_view(upper), std::string_view(capital)})
    if (text.find(form) != std::string_view::npos) return true;
  return false;
}

// Letters of both cases and digits, as a generator makes them: a short word in it is chance.
bool is_mixed(std::string_view body) {
  const auto count = [&](auto kind) { return std::count_if(body.begin(), body.end(), kind); };
  return count(is_digit) >= 2 && count(is_upper) >= 4 && count(is_lower) >= 4;
}

bool is_filler(std::string_view body) {
  for (const std::string_view word : {"your", "example", "token", "fake"})
    if (has_word(body, word)) return true;
  if (!is_mixed(body) && (has_word(body, "xxx") || has_word(body, "key"))) return true;
  std::string distinct = lower(body);
  std::sort(distinct.begin(), distinct.end());
  return std::unique(distinct.begin(), distinct.end()) - distinct.begin() < 6;  // "0000…", "abcabc…"
}

// Words of a name: HF_TOKEN, hfToken and hf-token are "hf token".
std::string parts_of_name(std::string_view name) {
  std::string out = " ";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_alnum(c)) {
      out += ' ';
      continue;
    }
    if (i > 0 && is_upper(c) && is_lower(name[i - 1])) out += ' ';
    out += to_lower(c);
  }
  return out;
}

// Whether a name ends in one of the words below: most end in none, and their words need not be told apart.
bool may_name_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 9> ends = {"token",      "secret", "password", "passwd", "key",
                                                           "passphrase", "pat",    "pass",     "pwd"};
  static constexpr ByteSet before_last("eswraESWRA");
  if (name.size() < 3 || !ends_secret_name.contains(name.back()) || !before_last.contains(name[name.size() - 2]))
    return false;
  const char last = to_lower(name.back());
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) {
    return last == end.back() && name.size() >= end.size() &&
           equal_ignoring_case(name.substr(name.size() - end.size()), end);
  });
}

// Placeholders that people write for a secret.
bool is_stand_in(std::string_view value) {
  constexpr std::array<std::string_view, 11> words = {"password", "passwd", "secret",  "change_me",
                                                      "not-used", "unused", "default", "required",
                                                      "optional", "apikey", "api-key"};
  if (value.find(emulator_key) != std::string_view::npos) return true;
  const std::string low = lower(value);
  if (value.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == std::string_view::npos) return true;  // GITHUB_TOKEN
  if (std::find(words.begin(), words.end(), low) != words.end()) return true;
  const bool of_words = low.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") == std::string::npos;
  for (const char* start : {"not-", "not_", "no-", "no_"})  // `not-needed`, `ollama-no-key-needed`
    if (of_words && (low.starts_with(start) || low.find("-" + std::string(start)) != std::string::npos)) return true;
  if (of_words && low.ends_with("_key")) return true;  // `qdrant_key`
  for (const char* part : {"your",  "changeme", "change-me",   "replace", "insert",    "xxx",      "***",
                           "...",   "example",  "placeholder", "dummy",   "fake",      "redacted", "mock",
                           "test-", "-test",    "uncomment",   "abc123",  "throwaway", "changeit"})
    if (low.find(part) != std::string::npos) return true;
  return false;
}

// "volcano-admission-secret" names an object that holds one.
bool is_object_name(std::string_view name, std::string_view value) {
  // `--serving-secret=webhook-tls`, `minio_secret = "minio-artifact"`: the name of a Secret object.
  const bool words = value.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
  const bool joined = words && value.find('-') != std::string_view::npos;
  const std::string low = lower(name);
  if (joined && (low.ends_with("-secret") || low.ends_with("_secret"))) return true;
  if (words && low.ends_with("kube_secret")) return true;  // `TS_KUBE_SECRET=tailscale`
  constexpr std::array<std::string_view, 6> ends = {"-secret",      "-secrets", "-token",
                                                    "-credentials", "-key",     "-password"};
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return value.ends_with(end); });
}

// Bytes in base64, of which a slash is a character, and no path.
bool is_base64(std::string_view value) {
  const auto any = [&](auto kind) { return std::any_of(value.begin(), value.end(), kind); };
  const bool plain = value.find_first_not_of(std::string(alnum) + "+/=") == std::string_view::npos;
  return plain && value.size() >= 32 && value.front() != '/' && any(is_digit) && any(is_upper) && any(is_lower);
}

// Longer ones are judged by their beginning, so that a text of many prefixes costs what its length says.
constexpr std::size_t longest_judged = 256;

// The token of this form that begins at `at`: its characters behind the prefix; 0: there is none.
std::size_t token_length(const Form& form, std::string_view text, std::size_t at) {
  if (at > 0 && alnum.find(text[at - 1]) != std::string_view::npos) return 0;
  const std::string set = std::string(alnum) + std::string(form.extra);
  const std::string_view rest = text.substr(at + form.prefix.size()), start = rest.substr(0, longest_judged);
  const std::size_t judged = std::min(start.find_first_not_of(set), start.size());
  if (judged < form.least || is_filler(start.substr(0, judged))) return 0;
  return std::min(rest.find_first_not_of(set, judged), rest.size());
}

// What tokens consist of, and the least number of such bytes in a row.
constexpr ByteSet token_bytes = [] {
  ByteSet set(alnum);
  for (const Form& form : forms)
    for (const std::string_view part : {form.prefix, form.extra})
      for (const char c : part) set.add(c);
  return set;
}();
constexpr std::size_t shortest_token = [] {
  std::size_t least = longest_value;
  for (const Form& form : forms) least = std::min(least, form.prefix.size() + form.least);
  return least;
}();
constexpr ByteSet first_bytes = [] {
  ByteSet set("");
  for (const Form& form : forms) set.add(form.prefix.front());
  return set;
}();
// A bit for each form that begins with a byte.
static_assert(std::size(forms) <= 32);
constexpr std::array<std::uint32_t, 256> forms_of_byte = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::size_t i = 0; i < std::size(forms); ++i)
    out[static_cast<unsigned char>(forms[i].prefix.front())] |= std::uint32_t{1} << i;
  return out;
}();

// The tokens of a run of such bytes that begins at `base`, in order. Those of one form do not lie in each other.
void add_tokens(std::string_view run, std::size_t base, std::vector<TokenPlace>& out) {
  std::array<std::size_t, std::size(forms)> ends{};  // of each form: where its last token ends
  for (std::size_t at = first_bytes.find_in(run); at != std::string_view::npos; at = first_bytes.find_in(run, at + 1)) {
    if (at > 0 && is_alnum(run[at - 1])) continue;  // as token_length asks
    for (std::uint32_t left = forms_of_byte[static_cast<unsigned char>(run[at])]; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const std::string_view prefix = forms[i].prefix;
      if (at < ends[i] || !run.substr(at).starts_with(prefix)) continue;
      const std::size_t length = token_length(forms[i], run, at);
      if (length == 0) continue;
      ends[i] = at + prefix.size() + length;
      out.push_back({base + at, base + ends[i]});
    }
  }
}

// The first place from `at` on that is no blank and no line end, which in JSON is the escape `\n`.
std::size_t skip_line_ends(std::string_view text, std::size_t at) {
  for (;;)
    if (at < text.size() && is_space(text[at])) ++at;
    else if (text.substr(at).starts_with("\\n") || text.substr(at).starts_with("\\r")) at += 2;
    else return at;
}

// The lines of base64 behind the first line of a private key. Nothing else is masked, whatever follows: a file may be
// named like that line.
void mask_private_keys(std::string& text) {
  constexpr std::string_view begin = "PRIVATE KEY-----", end = "-----END";
  constexpr std::size_t shortest_line = 16;  // but for the last
  const std::string base64 = std::string(alnum) + "+/=";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at = skip_line_ends(text, at + begin.size());
    for (;;) {
      const std::size_t behind = std::min(text.find_first_not_of(base64, at), text.size()), size = behind - at;
      const std::size_t next = skip_line_ends(text, behind);
      if (size == 0 || (size < shortest_line && !std::string_view(text).substr(next).starts_with(end))) break;
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), size, '*');
      at = next;
    }
  }
}

}  // namespace

bool is_private_key_line(std::string_view line) {
  constexpr std::string_view begin = "-----BEGIN ", end = "PRIVATE KEY-----";
  if (!line.starts_with(begin) || !line.ends_with(end) || line.size() < begin.size() + end.size()) return false;
  const std::string_view kind = line.substr(begin.size(), line.size() - begin.size() - end.size());
  return std::all_of(kind.begin(), kind.end(), [](char c) { return is_upper(c) || is_digit(c) || c == ' '; });
}

bool has_secret_form(std::string_view value) {
  constexpr std::string_view end = "PRIVATE KEY-----";
  if (const std::size_t at = value.find("-----BEGIN "), key = value.find(end);
      at != std::string_view::npos && key != std::string_view::npos && at < key &&
      is_private_key_line(value.substr(at, key + end.size() - at)))
    return true;
  for (const Form& form : forms)
    if (const std::size_t at = value.find(form.prefix);
        at != std::string_view::npos && token_length(form, value, at) > 0)
      return true;
  return false;
}

bool names_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 31> ends = {
      " token",      " secret",      " password",   " passwd",     " api key",    " apikey",     " secret key",
      " access key", " private key", " auth key",   " passphrase", " pat",        "password",    " sshpass",
      " db pass",    " user pass",   " mysql pass", " redis pass", " smtp pass",  " admin pass", " db pwd",
      " user pwd",   " mysql pwd",   " admin pwd",  " wandb key",  " kaggle key", " openai key", " anthropic key",
      " hf key",     " ngc key",     " account key"};
  // Words of a language model's vocabulary.
  static constexpr std::array<std::string_view, 16> of_text = {"pad",  "bos",     "eos", "mask", "sep",   "cls",
                                                               "unk",  "special", "end", "stop", "start", "image",
                                                               "next", "begin",   "new", "class"};
  if (!may_name_secret(name)) return false;
  const std::string words = parts_of_name(name);
  if (words == " secret") return false;                         // the option is the name of a Secret object
  if (words.ends_with(" initial cluster token")) return false;  // of etcd: it names the cluster
  if (words.ends_with(" token"))
    for (const std::string_view word : of_text)
      if (std::string_view(words).substr(0, words.size() - 6).ends_with(" " + std::string(word))) return false;
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return std::string_view(words).ends_with(end); });
}

bool is_secret(std::string_view name, std::string_view value) {
  if (has_secret_form(value)) return true;
  if (!names_secret(name) || value.size() < 6 || value.size() > longest_value || is_stand_in(value)) return false;
  if (value.find_first_not_of("0123456789") == std::string_view::npos) return false;
  if (value.find_first_of("$ {}()<>\n") != std::string_view::npos) return false;
  if (value.find('/') != std::string_view::npos && !is_base64(value)) return false;
  const bool begins_like_one =
      std::any_of(std::begin(forms), std::end(forms), [&](const Form& f) { return value.starts_with(f.prefix); });
  return !begins_like_one && !is_object_name(name, value) && !equal_ignoring_case(name, value);
}

bool is_strong(std::string_view value) {
  std::string other(value);  // than the names of programs, whose digits are no sign of chance
  for (const std::string_view program : {"k8s", "k3s", "neo4j"})
    if (const std::size_t at = other.find(program); at != std::string::npos) other.erase(at, program.size());
  const auto any = [&](std::string_view set) { return other.find_first_of(set) != std::string::npos; };
  // `my-api-key-12345`, `chatbot-k8s-demo`
  const bool made_up = value.find("1234") != std::string_view::npos ||
                       ("-" + std::string(value) + "-").find("-demo-") != std::string::npos;
  return has_secret_form(value) ||
         (value.size() >= 12 && !made_up && any(alnum.substr(0, 10)) && any(alnum.substr(10)));
}

std::vector<TokenPlace> find_tokens(std::string_view text) {
  std::vector<TokenPlace> out;
  for (std::size_t begin = 0; begin + shortest_token <= text.size();) {
    // Most runs are shorter: their last byte is looked for from behind, and what is before it is no token.
    const std::size_t other = token_bytes.find_last_not_in(text.substr(begin, shortest_token));
    if (other != std::string_view::npos) {
      begin += other + 1;
      continue;
    }
    const std::size_t end = std::min(token_bytes.find_not_in(text, begin + shortest_token), text.size());
    add_tokens(text.substr(begin, end - begin), begin, out);
    begin = end;
  }
  return out;
}

std::string mask_tokens(std::string text) {
  for (const Form& form : forms)
    for (std::size_t at = text.find(form.prefix); at != std::string::npos; at = text.find(form.prefix, at)) {
      const std::size_t length = token_length(form, text, at);
      at += form.prefix.size();
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), length, '*');
    }
  mask_private_keys(text);
  return text;
}

std::string mask_line(std::string line) { return mask_part(line, 0, line.size()); }

std::string mask_value(std::string_view name, std::string value) {
  if (is_secret(name, value)) return std::string(value.size(), '*');
  return mask_line(std::move(value));
}

}  // namespace muster
