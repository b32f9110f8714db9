// The annotation by which an object of a manifest says what may stay (see suppress.h), and where nobody reads it.
#pragma once

#include <string>
#include <string_view>

#include "lint/finding.h"

namespace muster::lint {

inline constexpr std::string_view allow_annotation = "lint.muster/allow";

// Such an annotation of a pod template, which is not read (SUP004); `place` says whose it would have to be.
Finding unread_annotation(Span where, const std::string& place);

}  // namespace muster::lint
