// Secrets that are written into files: recognized by lint, and never shown by what muster prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/byte_set.h"

namespace muster {

// text[begin, end) is a token that is known by its form; its prefix ends before `body`.
struct TokenPlace {
  std::size_t begin = 0, end = 0, body = 0;
};

// Tokens that can be told by their form (secret_forms.def), and private keys.
bool has_secret_form(std::string_view value);
// "-----BEGIN RSA PRIVATE KEY-----", and no pattern that finds such lines.
bool is_private_key_line(std::string_view line);

// All tokens of a text (no private keys) in its order.
std::vector<TokenPlace> find_tokens(std::string_view text);

// A name that says its value is a secret (`HF_TOKEN`, `db-password`), and not the name or place of one
// (`TOKEN_PATH`, `MAX_TOKENS`, `SECRET_NAME`).
bool names_secret(std::string_view name);
// The last bytes of all such names: a look at them saves most of the calls.
inline constexpr ByteSet ends_secret_name("ntdyesNTDYES");

// Whether `name=value` gives a secret away: not for empty values, placeholders, paths, numbers and words
// such as `changeme`.
bool is_secret(std::string_view name, std::string_view value);

// Whether it looks generated. The others are words of a person, often of a demonstration: `minioadmin`.
bool is_strong(std::string_view value);

// The text with `*` for each character of a token or private key that has_secret_form recognizes; prefixes such as
// `hf_` stay. The length is the same.
std::string mask_tokens(std::string text);

// A line of a file with `*` for what find_secrets (secret_scan.h) finds in it. The length is the same.
std::string mask_line(std::string line);

// The value of a name: all `*` if is_secret says so, else as mask_line.
std::string mask_value(std::string_view name, std::string value);

}  // namespace muster
