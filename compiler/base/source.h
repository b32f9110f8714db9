// Source text and places in it. Spans are byte offsets; lines and columns are worked out only
// when a person or a report asks for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Whether a byte begins a character of UTF-8, as all but the continuation bytes do.
constexpr bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// A half-open range of bytes in one file. File 0 means "nowhere": a value the user did not write.
struct Span {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool known() const { return file != 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

// 1-based line, 1-based column counted in code points, as editors show them.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// All texts of one run, in the order they were added. Spans stay valid while this lives.
class Sources {
 public:
  // Takes the text as it is (not yet checked for UTF-8) and returns the file's number, from 1.
  std::uint32_t add(std::string name, std::string text);

  // Gives back a text that nothing refers to any more, and, if it is the last one, its number too.
  void forget(std::uint32_t file);
  // Gives back the texts of all files after the first `count`. They keep their numbers and names.
  void drop_texts_after(std::size_t count);

  const std::string& name(std::uint32_t file) const { return files_[file - 1].name; }
  std::string_view text(std::uint32_t file) const { return files_[file - 1].text; }
  std::string_view text(Span span) const;
  std::size_t count() const { return files_.size(); }

  Position position(std::uint32_t file, std::uint32_t offset) const;
  // The text of one line (1-based) without its line end.
  std::string_view line(std::uint32_t file, std::uint32_t line) const;
  // "file:line:column" of where a span begins; "" for a span that is nowhere.
  std::string place(Span span) const;

 private:
  // Where what is in a text; made on the first question.
  struct Index {
    std::vector<std::uint32_t> lines;  // where each begins
    std::vector<std::uint32_t>
        characters;  // how many begin before each block of bytes: a line may be as long as the file
  };
  struct File {
    std::string name;
    std::string text;
    mutable Index index;
  };
  static const Index& index_of(const File& file);

  std::vector<File> files_;
};

}  // namespace muster
