#include "lint/report/json_writer.h"

#include <array>
#include <nlohmann/json.hpp>

#include "compiler/base/ci_commands.h"
#include "compiler/base/text.h"

namespace muster::lint {
namespace {

constexpr std::size_t full = 1 << 16;

// What a byte of a text is to JSON.
enum class Byte : std::uint8_t { plain, escaped, beyond_ascii };

constexpr auto bytes = [] {
  std::array<Byte, 256> out{};
  for (std::size_t c = 0; c < 0x20; ++c) out[c] = Byte::escaped;
  out['"'] = out['\\'] = out[0x7F] = Byte::escaped;
  for (std::size_t c = 0x80; c < 0x100; ++c) out[c] = Byte::beyond_ascii;
  return out;
}();

}  // namespace

// Almost every text is written as it is; the few others as the library writes them.
void JsonWriter::quoted(std::string_view text) {
  bool escaped = text.find("##") != text.npos, ascii = true;
  for (const char c : text) {
    const Byte byte = bytes[static_cast<unsigned char>(c)];
    escaped |= byte == Byte::escaped;
    ascii &= byte != Byte::beyond_ascii;
  }
  if (escaped || (!ascii && (first_invalid_utf8(text) || has_hidden(text)))) {
    buffer_ += safe_to_print(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                             TextForm::json);
    return;
  }
  buffer_ += '"';
  buffer_ += text;
  buffer_ += '"';
}

void JsonWriter::new_line() {
  buffer_ += '\n';
  buffer_.append(open_.size(), ' ');
}

void JsonWriter::begin_value(std::string_view name) {
  if (buffer_.size() >= full) {
    write_(buffer_);
    buffer_.clear();
  }
  if (!first_) buffer_ += ',';
  if (!open_.empty()) new_line();
  first_ = false;
  if (name.empty()) return;
  quoted(name);
  buffer_ += ": ";
}

void JsonWriter::open(std::string_view name, char bracket) {
  begin_value(name);
  buffer_ += bracket;
  open_ += bracket;
  first_ = true;
}

void JsonWriter::close() {
  const char bracket = open_.back() == '{' ? '}' : ']';
  open_.pop_back();
  if (!first_) new_line();
  buffer_ += bracket;
  first_ = false;
}

void JsonWriter::text(std::string_view name, std::string_view value) {
  begin_value(name);
  quoted(value);
}

void JsonWriter::number(std::string_view name, std::uint64_t value) {
  begin_value(name);
  buffer_ += std::to_string(value);
}

void JsonWriter::flag(std::string_view name, bool value) {
  begin_value(name);
  buffer_ += value ? "true" : "false";
}

void JsonWriter::null(std::string_view name) {
  begin_value(name);
  buffer_ += "null";
}

void JsonWriter::finish() {
  buffer_ += '\n';
  write_(buffer_);
  buffer_.clear();
}

}  // namespace muster::lint
