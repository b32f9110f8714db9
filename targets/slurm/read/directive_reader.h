// Lines that hold options, gathered and read as sbatch reads them: all of a component as one list of words.
#pragma once

#include "targets/slurm/read/arguments.h"
#include "targets/slurm/read/dialects.h"

namespace muster::targets::slurm {

struct LinePlace {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t line = 0;
};

class DirectiveReader {
 public:
  DirectiveReader(const Sources& sources, Script& script, const ScriptOptions& options)
      : sources_(sources), text_(sources.text(script.file)), script_(script), options_(options) {}

  // The lines in the order of the file; `words` is where a line's options begin.
  void directive_line(const LinePlace& line, std::uint32_t words);
  void dialect_line(Origin origin, const LinePlace& line, std::uint32_t words);
  void ignored_line(IgnoredKind kind, const LinePlace& line, std::uint32_t words);

  // Words that are after the sbatch of a here-document, in the script's own file.
  void typed(std::vector<Argument> words) { typed_ = std::move(words); }

  // After the last line of the script, for sbatch translates the other dialects further down than its own.
  void finish();

 private:
  std::vector<Directive> tokenize(std::span<const Argument> words, std::uint32_t component, Origin origin,
                                  std::uint32_t file, bool refusals);
  Directive directive(const OptionWalk::Item& item, std::span<const Argument> words, std::uint32_t file) const;
  LineText line_text(const LinePlace& line, std::uint32_t words) const;
  void refuse_item(const OptionWalk::Item& item, std::span<const Argument> words, std::uint32_t component,
                   std::uint32_t file);
  void refuse(RefusalKind kind, Span span, std::string message, std::string nearest = {}, std::uint32_t component = 0);
  void stopped(const LineStop& stop, const LinePlace& line);
  void add_dialect(std::uint32_t component);
  std::vector<std::vector<Argument>> typed_words();
  bool ignores_dialects(std::span<const Argument> words) const;
  void mark_templates(std::uint32_t begin, std::uint32_t end, std::span<Argument> words);

  const Sources& sources_;
  std::string_view text_;
  Script& script_;
  const ScriptOptions& options_;
  std::vector<std::vector<Argument>> components_{1};
  std::vector<Argument> typed_;
  std::vector<Argument> dialect_[2];  // bsub, pbs
  std::vector<LinePlace> dialect_lines_[2];
};

}  // namespace muster::targets::slurm
