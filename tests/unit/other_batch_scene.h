// A job script of PBS or LSF, imported: what each directive became, and the workload and site as text.
#pragma once

#include <string>

#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "targets/imported.h"
#include "targets/lsf/read/import.h"
#include "targets/pbs/read/import.h"

namespace muster::tests {

struct OtherImport {
  Sources sources;
  Diagnostics diagnostics;
  targets::Imported made;
  std::string text;

  explicit OtherImport(const std::string& bytes, bool lifted = true) {
    const std::uint32_t file = sources.add("job", bytes);
    if (targets::batch::system_of(bytes) == targets::batch::System::lsf) {
      targets::batch::JobScript script = targets::lsf::read_script(sources, file);
      made = targets::lsf::import_script(sources, script, "job", lifted, diagnostics);
    } else {
      targets::pbs::Script script = targets::pbs::read_script(sources, file);
      made = targets::pbs::import_script(sources, script, "job", lifted, diagnostics);
    }
    if (diagnostics.has_errors()) return;
    made.site.name = "site";
    text = syntax::format({sema::to_syntax(made.workload, diagnostics), sema::to_syntax(made.site, diagnostics)});
  }

  // Whether the text has this part; how items are aligned is the formatter's business.
  bool has(std::string_view part) const {
    std::string plain;
    for (const char c : text)
      if (c != ' ' || (!plain.empty() && plain.back() != ' ')) plain += c;
    return plain.find(part) != std::string::npos;
  }
  // "-q mapped, -l walltime lost": of the directives, in the order of the file.
  std::string fates() const {
    std::string out;
    for (const targets::ImportLine& line : made.lines)
      if (!line.statement) out += (out.empty() ? "" : ", ") + line.option + " " + std::string(name(line.fate));
    return out;
  }
  // What a line says of an option or statement: "resources.cpus: note".
  std::string said(std::string_view option) const {
    for (const targets::ImportLine& line : made.lines)
      if (line.option == option) return line.as + (line.note.empty() ? "" : ": " + line.note);
    return "no line";
  }
  // Where a line points, as the file has it.
  std::string shown(std::string_view option) const {
    for (const targets::ImportLine& line : made.lines)
      if (line.option == option) return std::string(sources.text(line.span));
    return "no line";
  }
  bool refused(std::string_view part) const {
    return diagnostics.has_errors() && diagnostics.sorted()[0].message.find(part) != std::string::npos;
  }
};

// Directives, one a line, in front of a text.
inline std::string job_text(const std::string& mark, const std::string& directives, const std::string& body) {
  std::string text = "#!/bin/bash\n";
  for (std::size_t at = 0; at < directives.size();) {
    const std::size_t end = std::min(directives.find('\n', at), directives.size());
    text += mark + " " + directives.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text + body;
}

}  // namespace muster::tests
