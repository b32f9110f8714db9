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

  // "n[001-032,040]". nullopt: the text is not a host list, has more than `limit` names, or a name is longer than 255.
  static std::optional<HostNames> read(std::string_view host_list, std::size_t limit);
  // The same within Limit::cluster_nodes.
  static std::optional<HostNames> read(std::string_view host_list);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string at(std::size_t index) const;
  // The first that has this name. O(log ranges).
  std::optional<std::uint32_t> find(std::string_view name) const;
  // Where the names of another list are here, run by run: `take(count, place)` for so many of its next names, which
  // are here from `place` on, one after the other; nullopt: that one name is not here. Of a name that is here twice it
  // is one of its places. Ends at false.
  template <class Take>
  void match(const HostNames& other, Take take) const {
    for (const HostRange& range : other.ranges_)
      for (std::uint32_t done = 0; done < range.count;) {
        const Run run = run_of(range, done);
        if (!take(run.count, run.place)) return;
        done += run.count;
      }
  }
  std::span<const HostRange> ranges() const { return ranges_; }
  std::vector<std::string> all() const;

  // Adds names at the end.
  void add(HostRange range);
  void add(std::span<const HostNames* const> lists);
  void clear() { *this = {}; }

  friend bool operator==(const HostNames& a, const HostNames& b);

 private:
  bool read_item(std::string_view item, std::size_t limit);
  // Names of a range that follow one another here.
  struct Run {
    std::uint32_t count = 1;
    std::optional<std::uint32_t> place{};
  };
  Run run_of(const HostRange& range, std::uint32_t from) const;
  void append(HostRange range);
  void append(std::string_view name);
  void sort();

  // Numbers of a range that no range before it has.
  struct Piece {
    std::uint32_t range, first, count;
  };
  void add_pieces(std::span<std::uint32_t> ranges);

  std::vector<HostRange> ranges_;
  std::vector<Piece> pieces_;  // by prefix, suffix, width and number; none overlap
  std::size_t size_ = 0;
  bool suffixes_ = false;  // a range has one
};

// Whether no name is in the lists twice. False also where that takes a look at each name.
bool surely_differ(std::span<const HostNames* const> lists);

}  // namespace muster
