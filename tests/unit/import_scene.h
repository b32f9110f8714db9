// What tests of imports share: an imported file, and the workload and site that it becomes as text.
#pragma once

#include <string>

#include "compiler/base/text.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "driver/importer.h"
#include "targets/imported.h"

namespace muster::tests {

// Each run of blanks and line ends as one blank: how items are aligned is the formatter's business.
inline std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (const bool blank = c == ' ' || c == '\n'; !blank || out.empty() || out.back() != ' ') out += blank ? ' ' : c;
  return out;
}

struct ImportScene {
  Sources sources;
  Diagnostics diagnostics;
  targets::Imported made;
  std::string text;  // workload and site; "" where the import was refused

  // Once `made` is there.
  void write_text() {
    if (diagnostics.has_errors()) return;
    if (made.site.name.empty()) made.site.name = "site";
    ast::File file = driver::syntax_of(made.workload, made.parameters, diagnostics);
    file.blocks.push_back(sema::to_syntax(made.site, diagnostics));
    text = syntax::format(file, Sources());
  }

  bool has(std::string_view part) const { return one_line(text).find(one_line(part)) != std::string::npos; }
  bool refused(std::string_view part) const {
    return diagnostics.has_errors() && diagnostics.sorted()[0].message.find(part) != std::string::npos;
  }
  // "nodes mapped, ntasks raw": of the directives, in the order of the file.
  std::string fates() const {
    std::string out;
    for (const targets::ImportLine& line : made.lines)
      if (!line.statement) out += (out.empty() ? "" : ", ") + line.option + " " + std::string(name(line.fate));
    return out;
  }
};

// Directives, one a line, in front of a text: "#SBATCH " is a mark.
inline std::string with_directives(const std::string& mark, const std::string& directives, const std::string& body,
                                   const std::string& shebang = "#!/bin/bash\n") {
  std::string text = shebang;
  for (const std::string_view line : split(directives, '\n'))
    if (!line.empty()) text += mark + std::string(line) + "\n";
  return text + body;
}

}  // namespace muster::tests
