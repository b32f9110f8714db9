// Whether a value is a secret, by its name and its form. For scripts and manifests alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::lint {

// `sure`: the form is that of a token, or the name says secret and the value looks random. `likely`: the name
// says it, and the value is no placeholder.
enum class Secrecy : std::uint8_t { none, likely, sure };
Secrecy secrecy_of(std::string_view name, std::string_view value);

// A token by its published form: of GitHub, GitLab, Hugging Face, AWS, OpenAI, Slack.
bool is_token(std::string_view text);
bool is_hex(std::string_view text, std::size_t length);

}  // namespace muster::lint
