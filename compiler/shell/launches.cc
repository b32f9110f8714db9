#include "compiler/shell/launches.h"

#include <algorithm>
#include <array>
#include <bit>

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "compiler/shell/launch_options.h"
#include "compiler/shell/programs.h"

namespace muster::shell {
namespace {

constexpr std::size_t longest_chain = 8;    // srun apptainer bash torchrun python
constexpr std::size_t most_parts = 16;      // of srun A : B : C
constexpr std::size_t most_words = 20'000;  // of a command that is looked into

// What a shell reads: a text in its words, or its input where it is given neither a text nor a file.
struct ShellReads {
  std::size_t text = 0;  // the index of TEXT in `bash -lc TEXT`, `bash -euo pipefail -c TEXT`
  bool input = false;
};

ShellReads read_by(std::span<const Word> words, std::size_t at) {
  bool text = false, input = false;
  std::size_t i = at + 1;
  for (; i < words.size() && words[i].text.size() > 1 && (words[i].text[0] == '-' || words[i].text[0] == '+'); ++i) {
    const std::string_view option = words[i].text;
    if (option == "--") break;
    if (is_one_of(option, {"--rcfile", "--init-file"})) ++i;
    if (option[1] == '-') continue;
    text |= option[0] == '-' && option.find('c') != std::string_view::npos;
    input |= option[0] == '-' && option.find('s') != std::string_view::npos;
    if (option.find_first_of("oO") != std::string_view::npos) ++i;  // `-o pipefail`
  }
  if (i < words.size() && words[i].text == "--") ++i;
  if (text) return {i < words.size() ? i : 0, false};
  return {0, input || i >= words.size()};
}

// `mpirun_rsh`, `mpiexec.hydra`: what a site calls its own build of a launcher.
bool is_variant(const LauncherRow& row, std::string_view name) {
  const std::vector<std::string_view> known = names_in(row.variants_of);
  return std::any_of(known.begin(), known.end(), [&](std::string_view of) {
    return name.starts_with(of) && name.size() > of.size() && !is_letter(name[of.size()]);
  });
}

// The rows whose programs begin with a letter, as bits: most words of a script are none of them.
std::uint64_t rows_with(char letter) {
  static const auto by_letter = [] {
    std::array<std::uint64_t, 256> out{};
    for (std::size_t i = 0; i < launcher_rows().size(); ++i)
      for (const std::string_view names : {launcher_rows()[i].programs, launcher_rows()[i].variants_of})
        for (const std::string_view name : names_in(names))
          out[static_cast<unsigned char>(name.front())] |= std::uint64_t{1} << i;
    return out;
  }();
  return by_letter[static_cast<unsigned char>(letter)];
}

// What the words at `at` start, and how many of them name it.
struct Found {
  Launcher kind;
  std::size_t words;
};
std::optional<Found> recognise(std::span<const Word> words, std::size_t at) {
  const std::string_view name = base_name(words[at].text);
  const std::string_view second = at + 1 < words.size() ? std::string_view(words[at + 1].text) : std::string_view{};
  if (is_one_of(second, {"exec", "run", "start"}) && has_trait(name, contains)) return Found{Launcher::container, 2};
  if (name == "shifter") return Found{Launcher::container, 1};
  for (std::uint64_t left = name.empty() ? 0 : rows_with(name.front()); left != 0; left &= left - 1) {
    const LauncherRow& row = launcher_rows()[static_cast<std::size_t>(std::countr_zero(left))];
    if (!lists_name(row.programs, name) && !is_variant(row, name)) continue;
    if (row.subcommands.empty()) return Found{row.launcher, 1};
    if (!lists_name(row.subcommands, second)) return std::nullopt;
    return Found{row.launcher, 2};
  }
  if (const Program* row = program_named(name); row != nullptr && row->name == "python")
    return Found{Launcher::python, 1};
  return std::nullopt;
}

Span span_of(std::span<const Word> words) {
  Span span = words.front().span;
  if (words.back().span.file == span.file) span.end = std::max(span.end, words.back().span.end);
  return span;
}

class LaunchFinder {
 public:
  LaunchFinder(Body& body, const LaunchPlace& place, std::vector<NestedText>& nested)
      : body_(body),
        options_(place.options),
        command_(place.command),
        depth_(place.depth),
        input_(place.input),
        nested_(nested) {}

  void run(std::int32_t parent) {
    if (body_.commands[command_].words.size() > most_words) return;
    follow(body_.commands[command_].words, parent);
    for (std::size_t i = 0; i < parts_.size() && i < most_parts; ++i) {
      const std::vector<Word> part = parts_[i];  // there may be more of them meanwhile
      follow(part, parent);
    }
  }

 private:
  void follow(std::span<const Word> words, std::int32_t parent) {
    std::vector<Word> program;  // of the launch at hand: the list of launches grows
    for (std::size_t chain = 0; chain < longest_chain && !words.empty(); ++chain) {
      const std::size_t at = skip_wrappers(words);
      if (at >= words.size()) return;
      if (has_trait(words[at].text, bourne) && shell_text(words, at, parent)) return;
      if (at > 0 && words[at - 1].text == "eval" && evaluated(words.subspan(at), parent)) return;
      const auto found = recognise(words, at);
      if (!found && (parent < 0 || (chain == 0 && prepares(words[at].text)))) return;
      parent = found ? add(words, at, *found, parent) : add_program(words, at, parent);
      if (!found || parent < 0) return;
      words = program = body_.launches[static_cast<std::size_t>(parent)].program;
      if (!starts_more(body_.launches[static_cast<std::size_t>(parent)].kind)) return;
    }
  }

  // A line of a `bash -c` text before its program: cd, export, module.
  static bool prepares(std::string_view program) {
    const Program* row = program_named(program);
    if (bash_runs(program)) return true;
    return row != nullptr && Doing{row, row->effect}.is({Effect::sets, Effect::writes, Effect::installs});
  }

  static bool starts_more(Launcher kind) { return kind == Launcher::container || row_of(kind).starts == Starts::tasks; }

  bool shell_text(std::span<const Word> words, std::size_t at, std::int32_t parent) {
    const auto [text, input] = read_by(words, at);
    if (text > 0) {
      const auto behind = words.begin() + static_cast<std::ptrdiff_t>(text) + 1;
      add_text(words[text].text, words[text].span, parent, {behind, words.end()}, {});
    } else if (input && input_) {
      add_text({}, words[at].span, parent, {}, input_);
    }
    return text > 0 || (input && input_);
  }

  // `eval "$CMD" --more`: the shell joins its words and reads them.
  bool evaluated(std::span<const Word> words, std::int32_t parent) {
    std::string text;
    for (const Word& word : words) {
      if (!word.literal) return false;
      text += (text.empty() ? "" : " ") + word.text;
    }
    if (text.empty()) return false;
    add_text(std::move(text), span_of(words), parent, {}, {});
    return true;
  }

  void add_text(std::string text, Span span, std::int32_t parent, std::vector<Word> arguments,
                std::optional<Document> document) {
    nested_.push_back({std::move(text), span, static_cast<std::int32_t>(command_), parent, depth_ + 1,
                       std::move(arguments), document});
  }

  std::int32_t push(Launch launch) {
    body_.launches.push_back(std::move(launch));
    return static_cast<std::int32_t>(body_.launches.size()) - 1;
  }

  std::int32_t add_program(std::span<const Word> words, std::size_t at, std::int32_t parent) {
    Launch launch;
    launch.kind = Launcher::program, launch.command = command_, launch.parent = parent;
    launch.span = span_of(words.subspan(at));
    launch.word = words[at].index;
    launch.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    return push(std::move(launch));
  }

  std::int32_t add(std::span<const Word> words, std::size_t at, const Found& found, std::int32_t parent) {
    Launch launch;
    launch.kind = found.kind, launch.command = command_, launch.parent = parent;
    launch.span = span_of(words.subspan(at));
    launch.word = words[at].index;
    launch.tool = base_name(words[at].text);
    if (launch.kind == Launcher::container && found.words > 1) launch.tool += " " + words[at + 1].text;
    std::size_t rest = read_launch_options(launch, words, at + found.words, options_);
    if (launch.kind == Launcher::python) rest = python_module(launch, words, rest);
    if (launch.kind == Launcher::container) rest = find_image(launch, words, rest);
    const std::size_t end = launch.kind == Launcher::srun ? end_of_part(words, rest) : words.size();
    launch.program.assign(words.begin() + static_cast<std::ptrdiff_t>(rest),
                          words.begin() + static_cast<std::ptrdiff_t>(end));
    launch.het = end < words.size();
    if (launch.het) {  // the next part has options of its own after the colon
      std::vector<Word> part{words[at]};
      part.insert(part.end(), words.begin() + static_cast<std::ptrdiff_t>(end) + 1, words.end());
      if (parts_.size() < most_parts) parts_.push_back(std::move(part));
    }
    read_counts(launch, options_);
    return push(std::move(launch));
  }

  // The word behind the options; Shifter has an option for it.
  static std::size_t find_image(Launch& launch, std::span<const Word> words, std::size_t at) {
    if (launch.tool == "shifter") {
      for (const LaunchOption& o : launch.options)
        if (is_one_of(o.name, {"image", "i"})) launch.image = o.value;
      return at;
    }
    if (at < words.size()) launch.image = words[at++];
    return at;
  }

  // `srun A : B`: each part starts its own tasks.
  static std::size_t end_of_part(std::span<const Word> words, std::size_t at) {
    while (at < words.size() && words[at].text != ":") ++at;
    return at;
  }

  // `python -m torch.distributed.run …` is the launcher of that module.
  std::size_t python_module(Launch& launch, std::span<const Word> words, std::size_t at) const {
    const LaunchOption* module = launch.option("m");
    if (module == nullptr || at >= words.size()) return at;
    for (const LauncherRow& row : launcher_rows()) {
      if (!lists_name(row.modules, words[at].text)) continue;
      launch.kind = row.launcher;
      launch.options.clear();
      return read_launch_options(launch, words, at + 1, options_);
    }
    return at;
  }

  Body& body_;
  std::span<const OwnOptions> options_;
  std::uint32_t command_;
  std::size_t depth_;
  std::optional<Document> input_;
  std::vector<NestedText>& nested_;
  std::vector<std::vector<Word>> parts_;
};

}  // namespace

std::size_t text_for_shell(std::span<const Word> words) {
  const std::size_t at = skip_wrappers(words);
  return at < words.size() && has_trait(words[at].text, bourne) ? read_by(words, at).text : 0;
}

const LaunchOption* Launch::option(std::string_view wanted) const {
  const LaunchOption* found = nullptr;
  for (const LaunchOption& o : options)
    if (o.name == wanted) found = &o;
  return found;
}

void find_launches(Body& body, const LaunchPlace& place, std::vector<NestedText>& nested) {
  LaunchFinder(body, place, nested).run(place.parent);
}

}  // namespace muster::shell
