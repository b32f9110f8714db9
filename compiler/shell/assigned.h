// Which names the commands of a text give values, other than by an assignment alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/shell/parse.h"

namespace muster::shell {

// The length of `NAME` before `=` or `+=` where a word is an assignment; 0 where it is none.
std::size_t assigned_name(std::string_view word);

// The program of a command, behind its assignments; the number of words where it only assigns.
std::uint32_t program_word(std::string_view text, const raw::Text& raw, const raw::RawCommand& c);

// `read -r -d '' NAME <<'END'`: its only name gets the lines of a document in which nothing is replaced. nullptr for
// any other command.
const raw::RawRedirect* document_for_name(std::string_view text, const raw::Text& raw, const raw::RawCommand& c);

// Whether it has an option of one of these letters: `declare -i N`.
bool declares_with(std::string_view text, const raw::Text& raw, const raw::RawCommand& c, std::string_view letters);

// Whether a command of a text may give names values in passing: most texts have none.
bool may_set_by_words(std::string_view text);

// The names that its words give values in passing: `((i++))`, `let n=2`, `: ${X:=4}`, `printf -v line`, `A[i++]=1`;
// "" for one that the text does not say.
std::vector<std::string_view> assigned_by_words(std::string_view text, const raw::Text& raw, const raw::RawCommand& c);

}  // namespace muster::shell
