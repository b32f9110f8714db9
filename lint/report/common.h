// What several reports say in the same words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "compiler/base/source.h"
#include "lint/outcome.h"
#include "lint/report/report.h"

namespace muster::lint {

using Json = nlohmann::ordered_json;

// A place as our own JSON spells it, null for one that is nowhere.
Json place_json(Span span, const Sources& sources);
// Text of ours: indented, bytes that are not UTF-8 replaced, a line end.
std::string dump(const Json& json);

// "SLM001 double-launch".
std::string title(const Named& named);
// The message with the notes and what to do, a line each: for formats with one field of text.
std::string full_text(const Finding& finding);
// The open results that surely are wrong, worst first, by file and place on a tie.
std::vector<const Result*> worst_first(const Outcome& outcome);
// "2 errors, 1 warning in 1 of 3 files"; then what was suppressed, known or fixed, if anything was.
std::string summary(const Outcome& outcome);

// At most `limit` bytes, cut between characters; the last one then is an ellipsis.
std::string clipped(std::string_view text, std::size_t limit);
// UTF-8 without control characters and with XML's five characters escaped.
std::string xml_text(std::string_view text);

}  // namespace muster::lint
