// Whether a text is a secret that was written down. Shared by checks of scripts and of manifests.
#pragma once

#include <string_view>

namespace muster::lint {

// Tokens that can be told by their form: of Hugging Face, OpenAI, GitHub, GitLab, AWS, Slack, Google, NVIDIA
// and Weights & Biases, JSON web tokens and private keys.
bool has_secret_form(std::string_view value);

// A name that says its value is a secret (`HF_TOKEN`, `db-password`), and not the name or place of one
// (`TOKEN_PATH`, `MAX_TOKENS`, `SECRET_NAME`).
bool names_secret(std::string_view name);

// Whether `name=value` gives a secret away: not for empty values, placeholders, paths, numbers and words
// such as `changeme`.
bool is_secret(std::string_view name, std::string_view value);

// Whether it looks generated. The others are words of a person, often of a demonstration: `minioadmin`.
bool is_strong(std::string_view value);

}  // namespace muster::lint
