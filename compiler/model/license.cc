#include "compiler/model/license.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "compiler/base/text.h"

namespace muster::model {
namespace {

constexpr std::int64_t most = 1'000'000;

bool is_name(std::string_view text) {
  const auto is_of_name = [](char c) { return is_name_char(c) || c == '-' || c == '.' || c == '@' || c == '/'; };
  return !text.empty() && text.size() <= 255 && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_of_name);
}

}  // namespace

std::optional<LicenseRequest> read_license(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  LicenseRequest out{std::string(text.substr(0, colon)), 1};
  if (!is_name(out.name)) return std::nullopt;
  if (colon == text.size()) return out;
  const std::string_view count = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), out.count);
  const bool good = error == std::errc() && end == count.data() + count.size() && out.count >= 1 && out.count <= most;
  return good ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::vector<LicenseRequest>> read_licenses(std::string_view list) {
  std::vector<LicenseRequest> out;
  for (const std::string_view item : split(list, ',')) {
    auto one = read_license(item);
    const auto is_same = [&](const LicenseRequest& other) { return other.name == one->name; };
    if (!one || std::any_of(out.begin(), out.end(), is_same)) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

}  // namespace muster::model
