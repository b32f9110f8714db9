#include "compiler/base/secret.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/base/blank.h"
#include "compiler/base/byte_set.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr std::size_t longest_value = 4096;  // of a name that says it is a secret
constexpr std::string_view alnum = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// The account that every emulator of Azure's storage has; its key is in Microsoft's documentation.
constexpr std::string_view emulator_key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq";

enum class Alphabet : std::uint8_t { alnum, hex, upper };
constexpr ByteSet alphabets[] = {ByteSet(alnum), ByteSet("0123456789abcdefABCDEF"),
                                 ByteSet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")};

struct Form {
  std::string_view prefix;
  Alphabet alphabet;
  std::string_view extra;   // characters besides those of the alphabet
  std::size_t least, most;  // characters after the prefix; `most` 0: any number
};
// By prefix.
constexpr auto forms = [] {
  std::array all{
#define FORM(prefix, alphabet, extra, least, most, source) Form{prefix, Alphabet::alphabet, extra, least, most},
#include "compiler/base/secret_forms.def"
#undef FORM
  };
  std::sort(all.begin(), all.end(), [](const Form& a, const Form& b) { return a.prefix < b.prefix; });
  return all;
}();

// Letters of both cases and digits, as a generator makes them: a short word in it is chance.
bool is_mixed(std::string_view body) {
  const auto count = [&](auto kind) { return std::count_if(body.begin(), body.end(), kind); };
  return count(is_digit) >= 2 && count(is_upper) >= 4 && count(is_lower) >= 4;
}

// Letters alike but for their case, and other characters.
std::size_t distinct_signs(std::string_view text) {
  std::bitset<256> seen;
  for (const char c : text) seen.set(static_cast<unsigned char>(to_lower(c)));
  return seen.count();
}

bool is_filler(std::string_view body) {
  if (distinct_signs(body) < 6) return true;  // "0000…", "abcabc…"
  return blank_in(body, In::token) || (!is_mixed(body) && blank_in(body, In::secret).form == "word");
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

// What people write in place of a secret.
bool is_stand_in(std::string_view value) {
  // `########` and `<key>`.
  if (value.find(emulator_key) != std::string_view::npos || distinct_signs(value) < 3 || blank_in(value, In::secret))
    return true;
  const std::string low = lower(value);
  const bool of_words = low.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") == std::string::npos;
  for (const char* start : {"not-", "not_", "no-", "no_"})  // `not-needed`, `ollama-no-key-needed`
    if (of_words && (low.starts_with(start) || low.find("-" + std::string(start)) != std::string::npos)) return true;
  return of_words && low.ends_with("_key");  // `qdrant_key`
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

// The first of at most `most` characters from `at` on that cannot be one of the form's.
std::size_t end_of(const Form& form, std::string_view text, std::size_t at, std::size_t most) {
  const ByteSet& set = alphabets[static_cast<std::size_t>(form.alphabet)];
  const std::size_t end = text.size() - at > most ? at + most : text.size();
  while (at < end && (set.contains(text[at]) || form.extra.find(text[at]) != std::string_view::npos)) ++at;
  return at;
}

// The token of this form that begins at `at`: its characters behind the prefix; 0: there is none.
std::size_t token_length(const Form& form, std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + form.prefix.size());
  std::size_t end = end_of(form, rest, 0, longest_judged);
  const auto trim = [&] {  // the end of a sentence
    while (end > 0 && rest[end - 1] == '.') --end;
  };
  if (form.most > 0) trim();
  if (end < form.least || (form.most > 0 && end > form.most) || is_filler(rest.substr(0, end))) return 0;
  if (form.most == 0) end = end_of(form, rest, end, rest.size()), trim();
  return end;
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
// By their first byte: the forms from one index to another.
struct FormRange {
  std::uint8_t begin = 0, end = 0;
};
static_assert(std::size(forms) < 256);
constexpr std::array<FormRange, 256> forms_of_byte = [] {
  std::array<FormRange, 256> out{};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    FormRange& range = out[static_cast<unsigned char>(forms[i].prefix.front())];
    if (range.end == 0) range.begin = static_cast<std::uint8_t>(i);
    range.end = static_cast<std::uint8_t>(i + 1);
  }
  return out;
}();

// The token that begins at `at` of a run of such bytes: that of the longest prefix; nullopt: none does.
std::optional<TokenPlace> token_at(std::string_view run, std::size_t at) {
  const FormRange range = forms_of_byte[static_cast<unsigned char>(run[at])];
  for (std::size_t i = range.end; i > range.begin; --i) {
    const Form& form = forms[i - 1];
    if (run.compare(at, form.prefix.size(), form.prefix) != 0) continue;
    const std::size_t body = at + form.prefix.size(), length = token_length(form, run, at);
    if (length > 0) return TokenPlace{at, body + length, body};
  }
  return std::nullopt;
}

// The tokens of a run that begins at `base`, in order.
void add_tokens(std::string_view run, std::size_t base, std::vector<TokenPlace>& out) {
  for (std::size_t at = 0; at + shortest_token <= run.size(); ++at) {
    if (at > 0 && is_alnum(run[at - 1])) continue;  // it is in a word
    const auto token = token_at(run, at);
    if (!token) continue;
    out.push_back({base + token->begin, base + token->end, base + token->body});
    at = token->end - 1;
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
  return !find_tokens(value).empty();
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
  const auto is_like = [&](const Form& form) {
    const bool tells = form.prefix.size() > 3 || !is_alnum(form.prefix.back());
    return tells && value.starts_with(form.prefix);
  };
  const bool begins_like_one = std::any_of(forms.begin(), forms.end(), is_like);
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
  for (const TokenPlace& token : find_tokens(text))
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(token.body),
              text.begin() + static_cast<std::ptrdiff_t>(token.end), '*');
  mask_private_keys(text);
  return text;
}

std::string mask_line(std::string line) { return mask_part(line, 0, line.size()); }

std::string mask_value(std::string_view name, std::string value) {
  if (is_secret(name, value)) return std::string(value.size(), '*');
  return mask_line(std::move(value));
}

}  // namespace muster
