#include "compiler/base/byte_set.h"
#include "compiler/base/byte_triples.h"
#include "compiler/base/diagnostic.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "tests/catch.h"

namespace base_test {

using namespace muster;

namespace {

template <class T>
T quantity(std::string_view text) {
  const auto parsed = parse_quantity(text);
  REQUIRE(std::holds_alternative<Quantity>(parsed));
  return std::get<T>(std::get<Quantity>(parsed));
}

QuantityError error_of(std::string_view text) {
  const auto parsed = parse_quantity(text);
  REQUIRE(std::holds_alternative<QuantityError>(parsed));
  return std::get<QuantityError>(parsed);
}

}  // namespace

TEST_CASE("quantities are integers of one unit") {
  CHECK(quantity<Size>("80GB").bytes == 80'000'000'000);
  CHECK(quantity<Size>("64GiB").bytes == 68'719'476'736);
  CHECK(quantity<Size>("64Gi").bytes == quantity<Size>("64GiB").bytes);
  CHECK(quantity<Size>("1.5TB").bytes == 1'500'000'000'000);
  CHECK(quantity<Size>("1_000MB").bytes == 1'000'000'000);
  CHECK(quantity<Duration>("1h30m").ms == 5'400'000);
  CHECK(quantity<Duration>("2d").ms == 172'800'000);
  CHECK(quantity<Rate>("400Gbps").bits_per_second == 400'000'000'000);
  CHECK(quantity<Percent>("99.9%").millis == 99'900);
  CHECK(quantity<Size>("1B").mebibytes_up() == 1);
  CHECK(quantity<Size>("1MiB").mebibytes_up() == 1);
}

TEST_CASE("a quantity that is none says why") {
  using Kind = QuantityError::Kind;
  CHECK(error_of("64G").kind == Kind::ambiguous);
  CHECK(error_of("64gb").suggestion == "GB");
  CHECK(error_of("2hours").suggestion == "h");
  CHECK(error_of("1GB2MB").kind == Kind::mixed);
  CHECK(error_of("1h2GB").kind == Kind::mixed);
  CHECK(error_of("0.5B").kind == Kind::fraction);
  CHECK(error_of("99999999PB").kind == Kind::overflow);
  CHECK(error_of("99999999999999999999999GB").kind == Kind::overflow);
  CHECK(error_of("1parsec").kind == Kind::unknown_unit);
}

TEST_CASE("quantities print as they are read") {
  for (std::string_view text :
       {"80GB", "64GiB", "1h30m", "3d", "400Gbps", "99.9%", "1500MB", "0B", "1B", "250ms", "1h1ms"}) {
    const auto parsed = std::get<Quantity>(parse_quantity(text));
    CHECK(std::visit([](const auto& q) { return to_string(q); }, parsed) == text);
  }
}

TEST_CASE("UTF-8 is checked to the letter") {
  CHECK_FALSE(first_invalid_utf8("aé€😀"));
  CHECK(first_invalid_utf8("a\xC0\x80") == 1u);         // overlong
  CHECK(first_invalid_utf8("\xED\xA0\x80") == 0u);      // surrogate
  CHECK(first_invalid_utf8("\xF4\x90\x80\x80") == 0u);  // above U+10FFFF
  CHECK(first_invalid_utf8("ab\xE2\x82") == 2u);        // cut off
  CHECK(first_invalid_utf8("\x80") == 0u);
}

TEST_CASE("host lists expand and compress") {
  CHECK(expand_hosts("n[08-11]")->size() == 4);
  CHECK(expand_hosts("n[08-11]")->front() == "n08");
  CHECK(expand_hosts("a1,b[1-2]-ib,c")->back() == "c");
  for (std::string_view bad : {"n[2-1]", "n[1-", "n[]", "n[a-b]", "", "a,,b", "n[1-9999999]", "a b", "n[1-2"})
    CHECK_FALSE(expand_hosts(bad));
  for (std::string_view text : {"n[001-064]", "a1", "gpu[1-3,7],login", "n[09-11]"})
    CHECK(compress_hosts(*expand_hosts(text)) == text);
}

TEST_CASE("the nearest word is found, a far one is not") {
  const std::string_view words[] = {"nodes", "gpus", "memory", "time-limit"};
  CHECK(closest("noeds", words) == "nodes");
  CHECK(closest("memroy", words) == "memory");
  CHECK(closest("banana", words).empty());
  CHECK(edit_distance("ab", "ba", 3) == 1);
  CHECK(edit_distance("abc", "xyz", 1) == 2);
}

TEST_CASE("codes: ids ascend within their kind, are found by id and name, and explain themselves") {
  std::string last;
  for (const CodeInfo& code : all_codes()) {
    INFO(code.id);
    CHECK(std::string(code.id.substr(1)) > last);
    last = code.id.substr(1);
    CHECK(find_code(code.id) == &code);
    CHECK(find_code(code.name) == &code);
    CHECK(code.explanation.size() > 40);
    CHECK((code.id[0] == 'E') == (code.severity == Severity::error));
  }
  CHECK(find_code("E9999") == nullptr);
}

TEST_CASE("a set of bytes finds what is in it and what is not", "[text]") {
  constexpr ByteSet set(" \t\xFF");
  CHECK(set.contains('\t'));
  CHECK_FALSE(set.contains('a'));
  CHECK(set.contains('\xFF'));
  CHECK(set.find_in("ab cd ") == 2);
  CHECK(set.find_in("ab cd ", 3) == 5);
  CHECK(set.find_in("abcd") == std::string_view::npos);
  CHECK(set.find_in("ab ", 3) == std::string_view::npos);
  CHECK(set.find_not_in(" \ta ") == 2);
  CHECK(set.find_not_in("  ") == std::string_view::npos);
  CHECK(set.find_last_not_in("a b  ") == 2);
  CHECK(set.find_last_not_in("  ") == std::string_view::npos);
  CHECK(set.find_last_not_in("") == std::string_view::npos);
}

TEST_CASE("a word that is in a text is never denied, whatever its case", "[text]") {
  const std::string text = "#!/bin/bash\nexport NCCL_DEBUG=INFO\nsrun python Train.py --resume\n\xC3\xA9";
  const ByteTriples triples(text);
  for (std::size_t begin = 0; begin < text.size(); ++begin)
    for (std::size_t size = 0; begin + size <= text.size(); ++size)
      CHECK(triples.may_hold(std::string_view(text).substr(begin, size)));
  CHECK(triples.may_hold("nccl_debug"));
  CHECK(triples.may_hold("TRAIN"));
}

TEST_CASE("a word of which three bytes are in no row of a text is denied", "[text]") {
  const ByteTriples triples("srun python train.py --resume\n");
  CHECK_FALSE(triples.may_hold("checkpoint"));
  CHECK_FALSE(triples.may_hold("resumed by"));
  CHECK(triples.may_hold("xy"));  // too short to tell
  CHECK_FALSE(ByteTriples("").may_hold("srun"));
}

}  // namespace base_test
