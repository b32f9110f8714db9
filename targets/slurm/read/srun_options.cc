#include "targets/slurm/read/srun_options.h"

#include "targets/slurm/read/arguments.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {
namespace {

std::size_t read_srun(Launch& launch, std::span<const Word> words, std::size_t at) {
  std::vector<std::string_view> texts;
  for (const Word& word : words.subspan(at)) {
    if (word.text == ":") break;
    texts.push_back(word.text);
  }
  OptionWalk walk(Tool::srun, std::nullopt, texts);
  while (const auto item = walk.next()) {
    LaunchOption option{std::string(item->row != nullptr ? canonical_option(item->row->name) : item->name),
                        std::nullopt, words[at + item->word].span, words[at + item->word].index};
    if (item->value) option.words = words[at + item->value_word].index - option.word + 1;
    if (item->value) option.value = words[at + item->value_word].behind(item->value_at);
    launch.options.push_back(std::move(option));
  }
  return at + walk.position();
}

// `--nodes=2-4`, and what else of srun decides what starts.
void srun_counts(Launch& launch) {
  const LaunchOption* nodes = launch.option("nodes");
  if (nodes != nullptr && nodes->value && nodes->value->literal) {
    const auto range = slurm_nodes(nodes->value->text);
    launch.nodes = {};
    launch.nodes.span = nodes->span;
    if (range && range->min == range->max) launch.nodes.value = range->min;
    else launch.nodes.reason = "`" + nodes->value->text.substr(0, 40) + "` is not a single number of nodes";
  }
  launch.het |= launch.option("het-group") != nullptr;
  if (launch.option("multi-prog") != nullptr && !launch.program.empty()) launch.multi_prog = launch.program[0].text;
}

constexpr std::array options{shell::OwnOptions{Launcher::srun, read_srun, srun_counts}};

}  // namespace

std::span<const shell::OwnOptions> srun_options() { return options; }

}  // namespace muster::targets::slurm
