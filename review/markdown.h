// Markdown for comments of four hosts: what a stranger's text may not do in it, and what fits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::review {

// What a text counts by hosts: UTF-16 units, and bytes.
struct Extent {
  std::size_t characters = 0, bytes = 0;
  Extent& operator+=(Extent other) {
    characters += other.characters;
    bytes += other.bytes;
    return *this;
  }
};
Extent extent_of(std::string_view text);

// How a host writes what markdown has no sign for. Bitbucket shows HTML as it is spelt.
class Dialect {
 public:
  explicit Dialect(std::string_view host) : html_(host != "bitbucket") {}

  // A stranger's text as code: no host looks for mentions, references or links in it.
  std::string code(std::string_view text, std::size_t most = 120) const;
  // A number or a plain word as it stands, anything else as code.
  std::string value(std::string_view text, std::size_t most = 120) const;
  // A message of ours, whose words of the file are in backticks.
  std::string message(std::string_view text, std::size_t most = 300) const;
  std::string marker(std::string_view key, bool unchanged) const;
  // Lines that are folded away, where the host can; `title` is markdown already.
  std::string folded(const std::string& title, const std::string& body) const;
  std::string small(const std::string& text) const;

 private:
  bool html_;
};

}  // namespace muster::review
