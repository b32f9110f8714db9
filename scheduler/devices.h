// Parts of a GPU: slices that are at certain places of its memory (MIG), shares in percent, or all of it.
//
// Theorem used (T8): what a GPU can still give depends on which memory slices, how many compute slices and which
// percentage are taken. These states are few, so that what a state holds is read off a table, exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace muster::scheduler {

// A kind of slice: it takes `size` memory slices from one of `starts` on.
struct Profile {
  std::vector<std::uint32_t> starts;
  std::uint32_t size = 1;
  std::uint32_t compute = 1;
};

// What a GPU can be cut into.
struct Cut {
  static constexpr std::uint32_t most_slices = 8;  // of memory; start + size goes no further
  std::uint32_t compute = 7;                       // compute slices of a GPU
  std::vector<Profile> profiles;
};

// What is taken of a GPU; of a free one nothing. Slices and shares do not meet on one.
struct Device {
  std::uint32_t slices = 0;  // a bit a memory slice
  std::uint32_t compute = 0;
  std::uint32_t percent = 0;
  bool whole = false;

  bool free() const { return *this == Device{}; }
  auto operator<=>(const Device&) const = default;
};

struct Part {
  enum class Kind : std::uint8_t { whole, slice, share } kind = Kind::whole;
  std::uint32_t amount = 0;  // of a slice the number of its profile, of a share percent (1 to 100)
  auto operator<=>(const Part&) const = default;
};

// The states that can follow when the part is taken, in the order of the profile's starts; empty: there is no room.
std::vector<Device> after(const Cut& cut, const Device& device, Part part);

// The states that some parts lead to, by number.
class DeviceTable {
 public:
  // A part more than once counts once.
  DeviceTable(Cut cut, std::span<const Part> parts);

  std::uint32_t number(const Device& device);
  const Device& device(std::uint32_t state) const { return devices_[state]; }

  // Of a part by its place in `parts`: the states that follow, and how many such parts fit one after the other.
  const std::vector<std::uint32_t>& next(std::uint32_t state, std::size_t part) const {
    return rows_[state][part].next;
  }
  std::int64_t capacity(std::uint32_t state, std::size_t part) const { return rows_[state][part].capacity; }

  // The most weight of parts that fit together; `weights` are by part, 0 or more.
  std::vector<std::int64_t> most_weight(std::span<const std::int64_t> weights) const;

  std::size_t size() const { return devices_.size(); }

 private:
  struct Row {
    std::vector<std::uint32_t> next;
    std::int64_t capacity = 0;
  };

  Cut cut_;
  std::vector<Part> parts_;
  std::map<Device, std::uint32_t> numbers_;
  std::vector<Device> devices_;
  std::vector<std::vector<Row>> rows_;  // by state, then by part
};

}  // namespace muster::scheduler
