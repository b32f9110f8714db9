// Where a text of any kind (shell, Python, YAML, prose) gives a secret away.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct SecretPlace {
  std::size_t begin = 0, end = 0;  // of the value
  std::string what;                // "`HF_TOKEN`", "the password of `curl -u`", "a token"
  bool strong = false;             // it looks generated; the others are words of a person
  bool sure = true;                // false: it could as well be an expression of a program: `token = first_word`
};

// The secrets of a text in its order, none in another: tokens known by their form, values of names and options that
// call them secret (`HF_TOKEN=…`, `--token …`, `"password": "…"`, `setenv KEY …`), what commands take as one
// (`wandb login …`, `curl -u user:…`, `sshpass -p …`), the Authorization header, and passwords in URLs. Placeholders,
// variables and paths are none. Linear in the size of the text, but for names and values of bounded length.
std::vector<SecretPlace> find_secrets(std::string_view text);

// text[begin, end) with `*` for each character of its secrets. What names one may stand in front of `begin`, some
// lines above. The length is the same.
std::string mask_part(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace muster
