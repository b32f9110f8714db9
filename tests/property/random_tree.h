// Syntax trees from a seed: every kind of node, names and texts that need every sort of quoting.
#pragma once

#include <string>

#include "compiler/syntax/ast.h"
#include "tests/property/random.h"

namespace muster::property {

// A tree as the parser would build it, without places. It need not mean anything to the checker.
ast::File random_file(Random& random);

// A text of up to `most` pieces: letters, quotes, escapes, `${`, `#`, line ends, control and wide characters.
std::string random_text(Random& random, int most);

// Lines that a heredoc can hold: blank ones, indented ones, ones that look like comments and openers.
std::string random_script(Random& random);

// The tree as a careless person would type it: any white space, comments anywhere, needless
// parentheses, `_` in numbers. Shares nothing with the formatter. `comments` counts what was written.
std::string scribble(const ast::File& file, Random& random, int& comments);

}  // namespace muster::property
