#include "targets/slurm/read/embedded.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/shell/parse.h"

namespace muster::targets::slurm {
namespace {

// The index of the word `sbatch` of a command; its number of words if it has none.
std::uint32_t find_sbatch(std::string_view text, const shell::raw::Text& commands,
                          const shell::raw::RawCommand& command) {
  std::uint32_t i = 0;
  for (; i < command.words; ++i) {
    const shell::raw::RawWord& w = commands.words[command.first_word + i];
    const std::string_view word = text.substr(w.begin, w.end - w.begin);
    if (word.substr(word.rfind('/') + 1) == "sbatch") break;
  }
  return i;
}

// The words after sbatch without their quotes. What the shell replaces in them is not known here.
std::vector<Argument> typed_words(std::string_view text, const shell::raw::Text& commands,
                                  const shell::raw::RawCommand& command) {
  std::vector<Argument> out;
  for (std::uint32_t i = find_sbatch(text, commands, command) + 1; i < command.words; ++i) {
    const shell::raw::RawWord& w = commands.words[command.first_word + i];
    const std::string_view raw = text.substr(w.begin, w.end - w.begin);
    if (raw == "/dev/stdin") break;  // the script, and then its arguments
    const bool plain = raw.find_first_of("$`\\*?{") == std::string_view::npos;
    out.push_back({shell::raw::unquoted(raw), w.begin, w.end, 0, plain ? Certainty::literal : Certainty::expanded});
  }
  return out;
}

Document document(std::string_view text, std::uint32_t file, const shell::raw::RawRedirect& redirect) {
  Document out;
  out.text = {file, redirect.text.begin, redirect.text.end};
  out.expanded = !redirect.quoted, out.tabs_stripped = redirect.strip_tabs;
  std::string_view lines = text.substr(out.text.begin, out.text.end - out.text.begin);
  out.script = is_batch_script(lines);
  while (out.tabs_stripped && lines.starts_with('\t')) lines.remove_prefix(1);
  const bool tabbed = out.tabs_stripped && lines.find("\n\t#SBATCH") != std::string_view::npos;
  out.script = (out.script || tabbed) && lines.starts_with("#!");
  return out;
}

}  // namespace

std::vector<Document> find_documents(std::string_view text, const Script& script) {
  std::vector<Document> out;
  const std::string_view body = text.substr(script.body.begin, script.body.end - script.body.begin);
  if (script.expanded || body.find("<<") == std::string_view::npos) return out;
  const shell::raw::Text read = shell::raw::read(text, script.body.begin, script.body.end);
  std::set<std::uint32_t> submitting;  // pipelines with sbatch in them
  for (const shell::raw::RawCommand& c : read.commands)
    if (find_sbatch(text, read, c) < c.words) submitting.insert(c.pipeline);
  for (const shell::raw::RawCommand& c : read.commands) {
    std::vector<Argument> typed = typed_words(text, read, c);  // for the one that the command reads: the last
    for (std::uint32_t i = c.redirects; i > 0; --i) {
      const shell::raw::RawRedirect& redirect = read.redirects[c.first_redirect + i - 1];
      if (redirect.op != "<<" && redirect.op != "<<-") continue;
      Document found = document(text, script.file, redirect);
      found.command = {script.file, c.begin, c.end};
      found.submitted = submitting.count(c.pipeline) > 0;
      found.typed = std::exchange(typed, {});
      out.push_back(std::move(found));
    }
  }
  std::sort(out.begin(), out.end(), [](const Document& a, const Document& b) { return a.text.begin < b.text.begin; });
  return out;
}

}  // namespace muster::targets::slurm
