// What became of each file that could start something: lint and review account for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::lint {

enum class Fate : std::uint8_t {
  judged,
  patch,      // it changes another object, which is judged with it where that is here
  templated,  // a program fills it in first: what depends on that is not judged
  list,       // it names the files that are applied or submitted
  data,       // read to its end: no document has `apiVersion` and `kind`, no line is a directive
  not_read,
};
inline constexpr Fate all_fates[] = {Fate::judged, Fate::patch, Fate::templated,
                                     Fate::list,   Fate::data,  Fate::not_read};

std::string_view name(Fate fate);  // "template", "not read"

struct Account {
  std::string file;
  Fate fate = Fate::judged;
  std::string why{};  // of what is not judged: "it is a Git LFS pointer"

  // Something could start from it, and nothing is known of that.
  bool is_unjudged() const { return fate == Fate::templated || fate == Fate::not_read; }
  friend bool operator==(const Account&, const Account&) = default;
};

// Sorts by name; of a file that is there several times what is judged least stays.
void settle(std::vector<Account>& accounts);
// Of what is not judged after a change: what was judged before it, or was not there. Both are settled.
std::vector<Account> newly_unjudged(std::span<const Account> before, std::span<const Account> after);

std::size_t count(std::span<const Account> accounts, Fate fate);
// "2 templates, 1 list, 3 data files, 1 not read": what is neither judged nor 0; "": nothing.
std::string beside_judged(std::span<const Account> accounts);
// "jobs/x.yaml: not read: it is a Git LFS pointer".
std::string text_of(const Account& account);

}  // namespace muster::lint
