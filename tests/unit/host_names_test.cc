// Names of hosts as ranges, beside the same names one by one.
#include "compiler/base/host_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/text.h"
#include "tests/catch.h"
#include "tests/property/random.h"

namespace host_names_test {

using namespace muster;
using property::Random;

namespace {

std::string padded(std::int64_t number, std::int64_t width) {
  const std::string digits = std::to_string(number);
  return std::string(
             static_cast<std::size_t>(std::max<std::int64_t>(width - static_cast<std::int64_t>(digits.size()), 0)),
             '0') +
         digits;
}

// Lists as sites have them, and such whose prefixes end in digits, whose numbers overflow their width, and with a
// suffix.
std::string random_list(Random& random, std::vector<std::string>& names) {
  constexpr const char* prefixes[] = {"n", "n0", "n1", "gpu-", "r1n", "a.b-"};
  constexpr const char* suffixes[] = {"", "", "", "-ib", ".lan", "0x"};
  std::string out;
  for (std::int64_t item = 0, items = 1 + random.upto(7); item < items; ++item) {
    out += out.empty() ? "" : ",";
    const std::string prefix = random.any_of(prefixes), suffix = random.any_of(suffixes);
    if (random.one_in(3)) {
      names.push_back(prefix + padded(random.upto(120), random.upto(3)) + suffix);
      out += names.back();
      continue;
    }
    out += prefix + "[";
    for (std::int64_t range = 0, ranges = 1 + random.upto(2); range < ranges; ++range) {
      const std::int64_t width = 1 + random.upto(3), first = random.upto(120), last = first + random.upto(15);
      const std::string from = padded(first, width);
      out += (range > 0 ? "," : "") + from + "-" + padded(last, width);
      for (std::int64_t n = first; n <= last; ++n)
        names.push_back(prefix + padded(n, static_cast<std::int64_t>(from.size())) + suffix);
    }
    out += "]" + suffix;
  }
  return out;
}

}  // namespace

TEST_CASE("a list of hosts has the names, in the order and at the places that it spells out", "[hosts]") {
  Random random(42);
  int twice = 0, sure = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::vector<std::string> names;
    const std::string text = random_list(random, names);
    const auto hosts = HostNames::read(text);
    INFO(text);
    REQUIRE(hosts);
    REQUIRE(hosts->all() == names);
    REQUIRE(hosts->size() == names.size());
    REQUIRE(HostNames(names) == *hosts);
    for (std::size_t n = 0; n < names.size(); ++n) {
      REQUIRE(hosts->at(n) == names[n]);
      const auto first = std::find(names.begin(), names.end(), names[n]) - names.begin();
      REQUIRE(hosts->find(names[n]) == static_cast<std::uint32_t>(first));
      REQUIRE(HostNames(names).find(names[n]) == static_cast<std::uint32_t>(first));
    }
    for (const char* other : {"n", "n01", "n0001", "gpu-7", "r1n5", "n1000000000", "a.b-12.lan", "n12-ib", ""})
      REQUIRE(hosts->find(other).has_value() == (std::find(names.begin(), names.end(), other) != names.end()));
    const bool differ = std::set(names.begin(), names.end()).size() == names.size();
    const HostNames* const lists[] = {&*hosts};
    const bool said = surely_differ(lists);
    REQUIRE((!said || differ));  // a proof; no proof says nothing
    ++(differ ? sure : twice);
  }
  CHECK(sure > 200);
  CHECK(twice > 200);
}

TEST_CASE("names of one list are found in another, run by run", "[hosts]") {
  Random random(7);
  int found = 0;
  for (int i = 0; i < 2'000; ++i) {
    std::vector<std::string> names, others;
    const HostNames hosts = *HostNames::read(random_list(random, names)),
                    wanted = *HostNames::read(random_list(random, others));
    std::uint32_t done = 0;
    hosts.match(wanted, [&](std::uint32_t count, std::optional<std::uint32_t> place) {
      if (!place) REQUIRE_FALSE(hosts.find(others[done]));
      for (std::uint32_t n = 0; place && n < count; ++n) REQUIRE(hosts.at(*place + n) == others[done + n]);
      found += place && count > 1 ? 1 : 0;
      done += count;
      return true;
    });
    REQUIRE(done == others.size());
  }
  CHECK(found > 50);
}

TEST_CASE("many names cost no more than their ranges", "[hosts]") {
  const HostNames hosts = *HostNames::read("n[000001-200000]");
  CHECK(hosts.ranges().size() == 1);
  CHECK(hosts.at(99'999) == "n100000");
  CHECK(hosts.find("n200000") == 199'999);
  CHECK_FALSE(hosts.find("n200001"));
  const HostNames* const lists[] = {&hosts};
  CHECK(surely_differ(lists));
  HostNames more = hosts;
  more.add({"pool/added-", "", 1, 3, 1});
  CHECK(more.at(200'002) == "pool/added-3");
  CHECK(more.find("pool/added-1") == 200'000);
}

}  // namespace host_names_test
