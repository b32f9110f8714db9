#include "targets/batch/read/job_script.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/read/templates.h"

namespace muster::targets::batch {
namespace {

struct SystemRow {
  System system;
  std::string_view name, title, submits;
};
constexpr std::array system_rows = std::to_array<SystemRow>({
    {System::slurm, "slurm", "Slurm", "sbatch"},
    {System::pbs, "pbs", "PBS", "qsub"},
    {System::lsf, "lsf", "LSF", "bsub"},
    {System::grid_engine, "grid-engine", "Grid Engine", "qsub"},
    {System::flux, "flux", "Flux", "flux"},
    {System::cobalt, "cobalt", "Cobalt", "qsub"},
    {System::htcondor, "htcondor", "HTCondor", "condor_submit"},
    {System::nqsv, "nqsv", "NQSV", "qsub"},
});

// How a directive of each system begins; Flux takes any prefix that is not a word.
constexpr std::array marks = std::to_array<std::pair<std::string_view, System>>({
    {"#SBATCH", System::slurm},
    {"#PBS", System::pbs},
    {"#BSUB", System::lsf},
    {"#$ -", System::grid_engine},
    {"#flux:", System::flux},
    {"# flux:", System::flux},
    {"#FLUX:", System::flux},
    {"# FLUX:", System::flux},
    {"#COBALT", System::cobalt},
});

bool follows_mark(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return false;
  const std::string_view rest = line.substr(mark.size());
  return mark.ends_with(':') || mark.ends_with('-') || rest.empty() || !is_name_char(rest[0]);
}

std::optional<System> marked(std::string_view line) {
  if (line.starts_with("#SBATCH")) return System::slurm;
  const std::size_t blanks = line.find_first_not_of(" \t");
  if (blanks == std::string_view::npos || line[blanks] != '#') return std::nullopt;
  for (const auto& [mark, system] : marks)
    if (follows_mark(line.substr(system == System::pbs ? blanks : 0), mark)) return system;
  return std::nullopt;
}

// A `#PBS` line of NEC NQSV, which has long options, and limits named by what and for whom: `elapstim_req`,
// `cpunum_job`, `memsz_prc`. No PBS has either.
bool is_of_nqsv(std::string_view line) {
  line = line.substr(0, line.find('#', line.find('#') + 1));  // without a comment
  for (std::size_t at = line.find(" --"); at != std::string_view::npos; at = line.find(" --", at + 1))
    if (at + 3 < line.size() && is_letter(line[at + 3])) return true;
  const std::size_t list = line.find(" -l");
  for (const std::string_view what : {"tim_", "num_", "sz_"}) {
    const std::size_t at = list == std::string_view::npos ? list : line.find(what, list);
    if (at == std::string_view::npos) continue;
    const std::string_view whom = line.substr(at + what.size());
    if (whom.starts_with("req=") || whom.starts_with("job=") || whom.starts_with("prc=")) return true;
  }
  return false;
}

// A submit file of HTCondor: `NAME = value` lines, and one that begins with `queue`.
struct SubmitFile {
  bool queues = false, names_program = false, other = false;

  void add(std::string_view line) {
    line = trimmed(line.substr(0, 200));
    if (other || line.empty() || line[0] == '#') return;
    const std::string low = muster::lower(line);
    if (low == "queue" || low.starts_with("queue ") || low.starts_with("queue\t")) queues = true;
    else if (low.find('=') == std::string::npos && !low.starts_with("if") && !low.starts_with("endif") &&
             !low.starts_with("else") && !low.starts_with("include"))
      other = true;
    names_program |= low.starts_with("executable") || low.starts_with("universe") || low.starts_with("+") ||
                     low.starts_with("container_image") || low.starts_with("docker_image");
  }
  bool is_one() const { return queues && names_program && !other; }
};

}  // namespace

std::string_view name(System system) { return system_rows[static_cast<std::size_t>(system)].name; }
std::string_view title(System system) { return system_rows[static_cast<std::size_t>(system)].title; }
std::string_view submit_command(System system) { return system_rows[static_cast<std::size_t>(system)].submits; }
bool submits_jobs(std::string_view command) {
  return std::any_of(system_rows.begin(), system_rows.end(),
                     [&](const SystemRow& row) { return row.submits == command; });
}

std::optional<System> system_of(std::string_view text) {
  std::array<std::size_t, system_rows.size()> lines{};
  SubmitFile submit;
  bool nqsv = false;
  std::optional<System> first;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (auto system = marked(line)) {
      if (*system == System::slurm) return system;
      nqsv |= *system == System::pbs && is_of_nqsv(line);
      ++lines[static_cast<std::size_t>(*system)];
      if (!first) first = system;
    }
    submit.add(line);
  }
  if (!first) return submit.is_one() ? std::optional(System::htcondor) : std::nullopt;
  const auto most = static_cast<std::size_t>(std::max_element(lines.begin(), lines.end()) - lines.begin());
  const System system = lines[most] > lines[static_cast<std::size_t>(*first)] ? static_cast<System>(most) : *first;
  return system == System::pbs && nqsv ? System::nqsv : system;
}

std::size_t stray_words(const Sources& sources, std::span<const DirectiveWord> words, std::size_t at,
                        std::vector<Fault>& faults) {
  std::size_t end = at + 1;
  while (end < words.size() && !is_option(words[end])) ++end;
  const Span all{words[at].span.file, words[at].span.begin, words[end - 1].span.end};
  faults.push_back({FaultKind::not_an_option, all, "`" + printable(sources.text(all), 40) + "` is not an option"});
  return end;
}

Span split_words(const Sources& sources, Span line, std::vector<DirectiveWord>& words,
                 std::vector<slurm::Template>& templates) {
  const std::string_view text = sources.text(line);
  const std::size_t first = templates.size();
  slurm::find_templates(sources.text(line.file), line.file, line.begin, line.end, In::directive, templates);
  auto blank = templates.begin() + static_cast<std::ptrdiff_t>(first);
  const auto at_file = [&](std::size_t at) { return line.begin + static_cast<std::uint32_t>(at); };
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at]) || (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '\n')) {
      ++at;
      continue;
    }
    if (text[at] == '#') {
      std::erase_if(templates, [&](const slurm::Template& t) { return t.span.begin >= at_file(at); });
      return {line.file, at_file(at), line.end};
    }
    DirectiveWord word;
    const std::size_t begin = at;
    char quote = 0;
    for (; at < text.size() && (quote != 0 || !is_space(text[at])); ++at) {
      const char c = text[at];
      while (blank != templates.end() && blank->span.begin < at_file(at)) ++blank;
      if (blank != templates.end() && blank->span.begin == at_file(at)) {  // one word, whatever is in it
        word.text += sources.text(blank->span);
        at = blank->span.end - line.begin - 1;
        continue;
      }
      if (quote == 0 && c == '\\' && at + 1 < text.size() && text[at + 1] == '\n') break;
      if (quote == 0 && (c == '"' || c == '\'')) quote = c;
      else if (c == quote) quote = 0;
      else word.text += c;
    }
    word.span = {line.file, at_file(begin), at_file(at)};
    words.push_back(std::move(word));
  }
  return {};
}

Span part_of(const Sources& sources, const DirectiveWord& word, std::size_t at, std::size_t length) {
  const std::string_view written = sources.text(word.span);
  const bool quoted = written.size() == word.text.size() + 2 && written.substr(1, word.text.size()) == word.text;
  if ((written != word.text && !quoted) || at + length > word.text.size()) return word.span;
  const std::uint32_t begin = word.span.begin + static_cast<std::uint32_t>(at) + (quoted ? 1 : 0);
  return {word.span.file, begin, begin + static_cast<std::uint32_t>(length)};
}

slurm::Script shell_text(const Sources& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  slurm::Script script;
  script.file = file;
  script.span = {file, 0, static_cast<std::uint32_t>(text.size())};
  if (text.starts_with("#!")) {
    const auto end = static_cast<std::uint32_t>(std::min(text.find('\n'), text.size()));
    script.shebang = {file, 0, end};
    script.interpreter = trimmed(text.substr(2, end - 2));
  }
  script.body = {file, script.span.end, script.span.end};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    if (!line.empty() && line[0] != '#') {
      script.body.begin = static_cast<std::uint32_t>(at);
      break;
    }
    at = end + 1;
  }
  return script;
}

const DirectivePart* last_part(const JobScript& script, std::string_view option) {
  const DirectivePart* found = nullptr;
  for (const DirectivePart& part : script.parts)
    if (part.option == option) found = &part;
  return found;
}

const DirectivePart* first_part(const JobScript& script, std::string_view option) {
  for (const DirectivePart& part : script.parts)
    if (part.option == option) return &part;
  return nullptr;
}

}  // namespace muster::targets::batch
