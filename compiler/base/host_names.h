// The names of many hosts as ranges: `n[000001-100000]` is one range, and a name is made only when it is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Hosts `prefix + number + suffix`, one after the other; the number has at least `width` digits. A name without a
// number is a range of one, whose width is 0.
struct HostRange {
  std::string prefix, suffix{};
  std::uint32_t first = 0, count = 1, width = 0;
  std::uint32_t begin = 0;  // how many names the ranges before it have

  std::string name(std::uint32_t offset) const;
  // Which of its names this is.
  std::optional<std::uint32_t> offset_of(std::string_view name) const;
  bool operator==(const HostRange&) const = default;
};

class HostNames {
 public:
  HostNames() = default;
  HostNames(const std::vector<std::string>& names);  // NOLINT: a list of names is one
  HostNames(std::initializer_list<std::string> names) : HostNames(std::vector(names)) {}

  // "n[001-032,040]". nullopt: the text is not a host list, or has more than `limit` names.
  static std::optional<HostNames> read(std::string_view host_list, std::size_t limit);
  // The same within Limit::cluster_nodes.
  static std::optional<HostNames> read(std::string_view host_list);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string at(std::size_t index) const;
  // The first that has this name. O(log ranges).
  std::optional<std::uint32_t> find(std::string_view name) const;
  // The place of the first name of a range, where the others follow; nullopt: they do not, or are not here.
  std::optional<std::uint32_t> find(const HostRange& range) const;
  std::span<const HostRange> ranges() const { return ranges_; }
  std::vector<std::string> all() const;

  // Adds names at the end.
  void add(HostRange range);
  void clear() { *this = {}; }

  friend bool operator==(const HostNames& a, const HostNames& b);

 private:
  bool read_item(std::string_view item, std::size_t limit);
  void append(HostRange range);
  void append(std::string_view name);
  void sort();

  std::vector<HostRange> ranges_;
  std::vector<std::uint32_t> sorted_;  // the ranges by prefix, suffix, width and number
  std::size_t size_ = 0;
  bool suffixes_ = false;  // a range has one
  bool overlap_ = false;   // a name is there twice
};

// Whether no name is in the lists twice. False also where that takes a look at each name.
bool surely_differ(std::span<const HostNames* const> lists);

}  // namespace muster
