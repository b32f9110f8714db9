#include "targets/slurm/read/directive_reader.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/read/templates.h"

namespace muster::targets::slurm {
namespace {

constexpr std::size_t most_components = 128;  // MAX_HET_JOB_COMPS of Slurm
constexpr std::size_t most_refusals = 100;    // no person reads more
constexpr std::size_t most_nearest = 10;      // refusals for which a name is looked for that may be meant
constexpr std::size_t most_shared = 1000;     // dialect options that each component of a hetjob repeats

std::vector<std::string_view> texts(std::span<const Argument> words) {
  std::vector<std::string_view> out;
  out.reserve(words.size());
  for (const Argument& word : words) out.push_back(word.text);
  return out;
}

std::string ticked(std::string_view text) {
  constexpr std::size_t most = 60;
  return "`" + std::string(text.substr(0, most)) + (text.size() > most ? "…" : "") + "`";
}

std::string nearest_option(std::string_view written) {
  if (written.size() > 40) return {};
  std::vector<std::string_view> names;
  for (const OptionRow& row : option_rows(Tool::sbatch)) names.push_back(row.name);
  const std::string near = closest(written, names);
  return near.empty() ? near : "--" + near;
}

struct Reason {
  RefusalKind kind;
  std::string message, nearest;
};

std::string dashed(const OptionWalk::Item& item) { return (item.is_long ? "--" : "-") + std::string(item.name); }

// Why sbatch does not know an option.
Reason unknown(const OptionWalk::Item& item, std::optional<model::Version> version, bool look) {
  const std::string spelling = dashed(item);
  const OptionRow* other =
      item.is_long ? find_option(Tool::sbatch, item.name) : find_letter(Tool::sbatch, item.name[0], std::nullopt);
  if (other != nullptr && version) {
    const OptionAge age = age_of(*other);
    const bool gone = age.gone > model::Version{} && *version >= age.gone;
    return {RefusalKind::version_lacks,
            ticked(spelling) +
                (gone ? " was removed in Slurm " + to_string(age.gone) : " requires Slurm " + to_string(age.since)) +
                "; the site runs Slurm " + to_string(*version),
            {}};
  }
  const OptionRow* step =
      item.is_long ? match_option(Tool::srun, item.name, version).row : find_letter(Tool::srun, item.name[0], version);
  if (step != nullptr) return {RefusalKind::srun_option, ticked(spelling) + " is an option of srun, not of sbatch", {}};
  const std::string near = item.is_long && look ? nearest_option(item.name) : std::string();
  return {RefusalKind::unknown_option, "sbatch has no option " + ticked(spelling), near};
}

// Of an option that has a value and takes none: it may take one in a later version.
std::string value_words(const OptionWalk::Item& item, std::optional<model::Version> version) {
  const auto since = item.row != nullptr ? value_since(*item.row) : std::nullopt;
  if (!since || !version) return " does not take a value";
  return " takes a value since Slurm " + to_string(*since) + "; the site runs Slurm " + to_string(*version);
}

Reason reason_of(const OptionWalk::Item& item, std::optional<model::Version> version, bool look) {
  switch (item.kind) {
    case OptionWalk::Kind::ambiguous: {
      std::vector<std::string> dashes;
      for (const std::string_view name : item.candidates) dashes.push_back("--" + std::string(name));
      const std::vector<std::string_view> views(dashes.begin(), dashes.end());
      return {RefusalKind::ambiguous_option, ticked(dashed(item)) + " is ambiguous: " + quoted_list(views, "or"), {}};
    }
    case OptionWalk::Kind::missing_value:
      return {RefusalKind::missing_value, ticked(dashed(item)) + " requires a value", {}};
    case OptionWalk::Kind::unwanted_value:
      return {RefusalKind::unwanted_value, ticked(dashed(item)) + value_words(item, version), {}};
    default: return unknown(item, version, look);
  }
}

}  // namespace

void DirectiveReader::refuse(RefusalKind kind, Span span, std::string message, std::string nearest,
                             std::uint32_t component) {
  if (script_.refusals.size() < most_refusals)
    script_.refusals.push_back({kind, span, std::move(message), std::move(nearest), component});
}

// Names the placeholders of a line, and the words that hold one. Behind the last word is a comment, where
// `<job_number>` and the like are prose.
void DirectiveReader::mark_templates(std::uint32_t begin, std::uint32_t end, std::span<Argument> words) {
  std::size_t next = script_.templates.size();
  const std::uint32_t comment = words.empty() ? begin : words.back().end;
  find_templates(text_, script_.file, begin, comment, In::directive, script_.templates);
  find_templates(text_, script_.file, comment, end, In::text, script_.templates);
  for (Argument& word : words) {
    const auto& all = script_.templates;
    while (next < all.size() && all[next].span.end <= word.begin) ++next;
    for (; next < all.size() && all[next].span.begin < word.end; ++next)
      if (all[next].by != FilledBy::variable) word.certainty = Certainty::templated;
  }
}

void DirectiveReader::stopped(const LineStop& stop, const LinePlace& line) {
  const Span rest{script_.file, stop.at, line.end};
  switch (stop.kind) {
    case LineStop::Kind::colon: return refuse(RefusalKind::stray_colon, rest, "an argument begins with `:`");
    case LineStop::Kind::quote:
      return refuse(RefusalKind::unmatched_quote, rest,
                    "the quote " + ticked(std::string(1, stop.quote)) + " is not closed");
    case LineStop::Kind::separator:
    case LineStop::Kind::dropped:
      script_.ignored.push_back({IgnoredKind::rest_of_line, rest, line.line, {}, {}});
      return;
    case LineStop::Kind::none: return;
  }
}

LineText DirectiveReader::line_text(const LinePlace& line, std::uint32_t words) const {
  const bool blank_escapes = !options_.version || *options_.version >= model::Version{24, 5};
  return {text_, words, line.end, line.line, false, blank_escapes, script_.expanded};
}

void DirectiveReader::directive_line(const LinePlace& line, std::uint32_t words) {
  std::vector<Argument>& list = components_.back();
  const std::size_t before = list.size();
  const LineStop stop = split_line(line_text(line, words), list);
  if (stop.kind == LineStop::Kind::separator && list.size() == before) {
    script_.separators.push_back({script_.file, line.begin, line.end});
    const std::string_view word = text_.substr(stop.at, 7);
    if (equal_ignoring_case(word, "packjob"))
      script_.warnings.push_back("`packjob` is the deprecated name of `hetjob`");
    const std::uint32_t after = stop.at + (equal_ignoring_case(word, "packjob") ? 7 : 6);
    const std::size_t more = text_.substr(after, line.end - after).find_first_not_of(" \t");
    if (more != std::string_view::npos)
      script_.ignored.push_back({IgnoredKind::rest_of_line, {script_.file, after, line.end}, line.line, {}, {}});
    if (components_.size() == most_components)
      return refuse(RefusalKind::components, {script_.file, line.begin, line.end},
                    "Slurm allows at most 128 components in one job");
    components_.emplace_back();
    return;
  }
  mark_templates(words, line.end, std::span(list).subspan(before));
  stopped(stop, line);
}

void DirectiveReader::dialect_line(Origin origin, const LinePlace& line, std::uint32_t words) {
  const std::size_t index = origin == Origin::pbs ? 1 : 0;
  dialect_lines_[index].push_back(line);
  stopped(split_line(line_text(line, words), dialect_[index]), line);
}

void DirectiveReader::ignored_line(IgnoredKind kind, const LinePlace& line, std::uint32_t words) {
  Ignored out{kind, {script_.file, line.begin, line.end}, line.line, {}, {}};
  std::vector<Argument> list;
  split_line(line_text(line, words), list);
  out.directives = tokenize(list, 0, Origin::sbatch, script_.file, false);
  script_.ignored.push_back(std::move(out));
}

Directive DirectiveReader::directive(const OptionWalk::Item& item, std::span<const Argument> words,
                                     std::uint32_t file) const {
  const std::string_view text = sources_.text(file);
  const Argument& word = words[item.word];
  Directive d;
  d.name = canonical_option(item.row->name);
  d.plugin = item.row->tool == Tool::pyxis;
  d.spelling = dashed(item);
  d.line = word.line, d.certainty = word.certainty;
  const std::size_t length = item.is_long ? item.name.size() + 2 : 1;
  const std::uint32_t begin = source_offset(text, word, item.name_at <= 1 ? 0 : item.name_at);
  const std::uint32_t end = source_offset(text, word, (item.is_long ? 0 : item.name_at) + length);
  d.option = d.whole = {file, begin, end};
  if (!item.value) return d;
  const Argument& value = words[item.value_word];
  d.value = std::string(*item.value);
  d.value_span = {file, source_offset(text, value, item.value_at), value.end};
  d.whole.end = std::max(d.value_span.end, d.option.end);
  if (value.certainty != Certainty::literal) d.certainty = value.certainty;
  return d;
}

void DirectiveReader::refuse_item(const OptionWalk::Item& item, std::span<const Argument> words,
                                  std::uint32_t component, std::uint32_t file) {
  if (script_.refusals.size() >= most_refusals || words[item.word].certainty != Certainty::literal) return;
  Reason why = reason_of(item, options_.version, script_.refusals.size() < most_nearest);
  refuse(why.kind, {file, words[item.word].begin, words[item.word].end}, std::move(why.message), std::move(why.nearest),
         component);
}

// sbatch ends at the first fault. From the next word that looks like an option on, or the next line, words are
// read all the same, so that a person sees more than one fault at a time.
std::vector<Directive> DirectiveReader::tokenize(std::span<const Argument> words, std::uint32_t component,
                                                 Origin origin, std::uint32_t file, bool refusals) {
  std::vector<Directive> out;
  const std::vector<std::string_view> views = texts(words);
  OptionWalk walk(Tool::sbatch, options_.version, views);
  const auto go_on = [&](std::size_t at) {
    const std::uint32_t line = words[at++].line;
    while (at < words.size() && words[at].line == line && !words[at].text.starts_with("-")) ++at;
    walk.resume(at);
  };
  while (walk.position() < words.size()) {
    const auto item = walk.next();
    if (item && item->kind == OptionWalk::Kind::option) {
      out.push_back(directive(*item, words, file));
      out.back().component = component, out.back().origin = origin;
      continue;
    }
    const std::size_t at = item ? item->word : walk.position();
    if (at >= words.size()) break;
    if (refusals && item) refuse_item(*item, words, component, file);
    else if (refusals && words[at].certainty == Certainty::literal)
      refuse(RefusalKind::stray_word, {file, words[at].begin, words[at].end},
             ticked(words[at].text) + " is not an option, so sbatch stops here", {}, component);
    go_on(at);
  }
  return out;
}

void DirectiveReader::add_dialect(std::uint32_t component) {
  for (const Origin origin : {Origin::bsub, Origin::pbs}) {
    const std::size_t index = origin == Origin::pbs ? 1 : 0;
    const std::vector<Argument>& words = dialect_[index];
    if (dialect_lines_[index].empty()) continue;
    const Translation read = translate(origin, words);
    if (component > 0 && read.options.size() > most_shared) return;
    for (const Translated& t : read.options) {
      const Argument& word = words[t.argument];
      Directive d;
      d.name = t.name, d.spelling = t.spelling, d.value = t.value, d.line = word.line;
      d.option = d.whole = {script_.file, word.begin, word.end};
      d.component = component, d.origin = origin, d.certainty = word.certainty;
      const bool next = t.argument + 1 < words.size() && word.text.size() == 2;
      if (t.value)
        d.value_span = next ? Span{script_.file, words[t.argument + 1].begin, words[t.argument + 1].end} : d.option;
      d.whole.end = std::max(d.whole.end, d.value_span.end);
      script_.directives.push_back(std::move(d));
    }
    if (read.refused && component == 0) {
      const Argument& word = words[*read.refused];
      refuse(RefusalKind::unknown_option, {script_.file, word.begin, word.end},
             ticked(word.text) + " on a " + std::string(name(origin)) + " line " + read.reason);
    }
    return;  // sbatch translates one dialect only
  }
}

// The words typed after sbatch, by component.
std::vector<std::vector<Argument>> DirectiveReader::typed_words() {
  std::vector<std::vector<Argument>> command(1);
  if (options_.command_line == 0) return command.front() = typed_, command;
  const std::string_view typed = sources_.text(options_.command_line);
  const auto size = static_cast<std::uint32_t>(typed.size());
  std::vector<Argument> all;
  const LineStop stop = split_line({typed, 0, size, 0, true, true, false}, all);
  if (stop.kind == LineStop::Kind::quote)
    refuse(RefusalKind::unmatched_quote, {options_.command_line, stop.at, size},
           "a quote on the command line is not closed");
  for (Argument& word : all)
    if (word.text == ":" && command.size() < most_components) command.emplace_back();
    else command.back().push_back(std::move(word));
  return command;
}

bool DirectiveReader::ignores_dialects(std::span<const Argument> words) const {
  return std::any_of(words.begin(), words.end(), [&](const Argument& word) {
    if (!word.text.starts_with("--ig")) return false;
    const OptionRow* row = match_option(Tool::sbatch, word.text.substr(2), options_.version).row;
    return row != nullptr && row->name == "ignore-pbs";
  });
}

void DirectiveReader::finish() {
  const std::vector<std::vector<Argument>> command = typed_words();
  const bool ignore = ignores_dialects(components_.front()) || ignores_dialects(command.front());
  const std::size_t count = std::max(components_.size(), command.size());
  script_.components = static_cast<std::uint32_t>(count);
  const auto add = [&](std::span<const Argument> words, std::uint32_t component, Origin origin, std::uint32_t file) {
    auto read = tokenize(words, component, origin, file, true);
    std::move(read.begin(), read.end(), std::back_inserter(script_.directives));
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i < components_.size()) add(components_[i], i, Origin::sbatch, script_.file);
    if (!ignore) add_dialect(i);
    const std::uint32_t file = options_.command_line == 0 ? script_.file : options_.command_line;
    if (i < command.size()) add(command[i], i, Origin::command_line, file);
  }
  for (std::size_t index = 0; index < 2; ++index) {
    const bool beside = index == 1 && !dialect_lines_[0].empty();
    if (!ignore && !beside) continue;
    for (const LinePlace& line : dialect_lines_[index])
      script_.ignored.push_back({IgnoredKind::other_dialect, {script_.file, line.begin, line.end}, line.line, {}, {}});
  }
}

}  // namespace muster::targets::slurm
