// What a container runs as the program of a role: words, a launcher and its program, or a text for a shell.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/lift/words.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes::lifting {
namespace {

using Texts_ = std::vector<model::Text>;

// Variables by which the processes of a launcher find each other; the runner sets its own.
constexpr std::string_view meeting_variables[] = {"MASTER_ADDR",       "MASTER_PORT",     "RANK",
                                                  "NODE_RANK",         "WORLD_SIZE",      "PET_NNODES",
                                                  "PET_NODE_RANK",     "PET_MASTER_ADDR", "PET_MASTER_PORT",
                                                  "PET_NPROC_PER_NODE"};

// A word that is known: itself, or the value of the variable of the container that it is.
std::string known(const Container& container, const model::Text& word) {
  if (word.is_plain()) return word.bytes;
  if (!word.bytes.empty() || word.references.size() != 1) return {};
  return std::string(container.env(word.references.front().name));
}

struct Flag {
  std::string name;  // "nproc-per-node"
  model::Text value;
  std::size_t words = 1;
};

// The option at the front of the words, as torchrun reads it.
Flag flag_at(const Texts_& words, std::size_t i) {
  Flag out;
  std::string word = words[i].bytes;
  word.erase(0, word.find_first_not_of('-'));
  const std::size_t equals = word.find('=');
  out.name = dashed(word.substr(0, equals));
  if (equals != word.npos) {
    const std::size_t cut = words[i].bytes.size() - (word.size() - equals - 1);
    out.value.bytes = word.substr(equals + 1);
    for (model::Reference reference : words[i].references) {
      reference.at -= cut;
      out.value.references.push_back(std::move(reference));
    }
    return out;
  }
  const bool alone = lists_name(row_of(shell::Launcher::torchrun).flags, out.name) ||
                     is_one_of(out.name, {"standalone", "no-python", "run-path", "m", "module"});
  if (!alone && i + 1 < words.size()) out.value = words[i + 1], out.words = 2;
  return out;
}

// torchrun and what it starts.
class TorchrunLifter {
 public:
  TorchrunLifter(const ObjectLift& lift, const Container& container, model::Role& role, const ProgramRules& rules)
      : lift_(lift), container_(container), role_(role), rules_(rules) {}

  // False: the words stay as they are, and `why` says why.
  bool lift(const Texts_& words) {
    std::size_t i = begin_of(words);
    if (i == 0) return false;
    std::vector<model::Located<std::string>> args;
    while (i < words.size() && words[i].bytes.starts_with('-')) {
      const Flag flag = flag_at(words, i);
      said_.insert(flag.name);
      is_static_ &= flag.name != "rdzv-backend" || flag.value.bytes == "static";
      if (flag.name == "m" || flag.name == "module" || flag.name == "no-python") {
        args.push_back(model::unplaced(words[i++].bytes));
        continue;
      }
      if (!take(flag)) {
        if (!why.empty()) return false;
        for (std::size_t k = 0; k < flag.words; ++k) {
          if (!words[i + k].is_plain()) return refuse("`--" + flag.name + "` is only known in the pod");
          args.push_back(model::unplaced(words[i + k].bytes));
        }
      }
      i += flag.words;
    }
    if (i >= words.size()) return refuse("no program follows");
    role_.launch.runner = {model::Runner::torchrun, {}};
    role_.launch.args = std::move(args);
    if (processes_) role_.launch.processes = model::unplaced(*processes_);
    role_.program =
        model::unplaced(model::Program(Texts_(words.begin() + static_cast<std::ptrdiff_t>(i), words.end())));
    return true;
  }

  // What neither the words nor the pod say of the meeting of several pods, for which torchrun has a default that parts
  // them; "": they meet.
  std::string parted() const {
    if (rules_.nodes == 1) return {};
    if (!is_given("nnodes", "PET_NNODES")) return "without `--nnodes` each pod trains alone";
    const bool endpoint = is_given("rdzv-endpoint", "PET_RDZV_ENDPOINT");
    if (!endpoint && !is_given("master-addr", "PET_MASTER_ADDR"))
      return "without `--rdzv-endpoint` no pod finds the others";
    const bool ranked = !is_static_ || is_given("node-rank", "PET_NODE_RANK") || is_in_pod("PET_RDZV_BACKEND");
    return ranked ? "" : "without `--node-rank` each pod is the first";
  }

  std::string why;
  std::vector<std::string> dropped;

 private:
  bool refuse(std::string reason) {
    why = std::move(reason);
    return false;
  }

  // `envFrom`: what it has is not in the file.
  bool is_in_pod(std::string_view variable) const {
    return container_.sets(variable) || operator_name(lift_.givers, variable) != nullptr ||
           !container_.field.get("envFrom").items().empty();
  }

  bool is_given(const std::string& option, std::string_view variable) const {
    return said_.contains(option) || is_in_pod(variable);
  }

  static std::size_t begin_of(const Texts_& words) {
    if (words.empty() || !words[0].is_plain()) return 0;
    if (base_name(words[0].bytes) == "torchrun") return 1;
    const bool python = base_name(words[0].bytes).starts_with("python");
    if (python && words.size() > 2 && words[1].bytes == "-m" && words[2].bytes == "torch.distributed.run") return 3;
    return 0;
  }

  // Whether the option says what the runner and the counts of the role say; `why`: it says otherwise.
  bool take(const Flag& flag) {
    const bool meets =
        flag.name.starts_with("rdzv-") || is_one_of(flag.name, {"master-addr", "master-port", "node-rank"});
    const bool alone = flag.name == "standalone" && rules_.nodes == 1;
    if (meets || alone) {
      if (flag.name == "rdzv-backend" && !is_one_of(known(container_, flag.value), {"c10d", "static", "etcd-v2", ""}))
        return refuse("`--rdzv-backend` is not c10d");
      dropped.push_back("--" + flag.name);
      return true;
    }
    if (is_one_of(flag.name, {"nnodes"})) return take_nodes(flag);
    if (is_one_of(flag.name, {"nproc-per-node"})) return take_processes(flag);
    return false;
  }

  // Whether a word is one variable of the operator with such a meaning, and nothing else.
  bool is_of_operator(const model::Text& word, std::initializer_list<Meaning> meanings) const {
    if (!word.bytes.empty() || word.references.size() != 1) return false;
    const OperatorName* row = operator_name(lift_.givers, word.references.front().name);
    return row != nullptr && std::find(meanings.begin(), meanings.end(), row->meaning) != meanings.end();
  }

  bool take_nodes(const Flag& flag) {
    const std::string text = known(container_, flag.value);
    const std::string size = std::to_string(rules_.nodes);
    const bool of_size = text == size || text == size + ":" + size;
    if (of_size && !rules_.range.empty() && text != rules_.range) return false;  // it does not follow the range
    const bool same = rules_.range.empty() ? of_size : text == rules_.range;
    // The operator's own count, which is that of the pods.
    const bool of_operator = is_of_operator(flag.value, {Meaning::nodes, Meaning::range}) ||
                             (lift_.pods_are_ranks && is_of_operator(flag.value, {Meaning::world}));
    if (text.empty() && !of_operator) return refuse("the number of nodes is only known in the pod");
    if (!same && !of_operator) return refuse("`--nnodes=" + text + "`, but there are " + counted(rules_.nodes, "pod"));
    dropped.emplace_back("--nnodes");
    return true;
  }

  bool take_processes(const Flag& flag) {
    const std::string text = known(container_, flag.value);
    const bool of_gpus = is_one_of(text, {"gpu", "auto"}) && role_.gpus() > 0;
    if (of_gpus || (text.empty() && is_of_operator(flag.value, {Meaning::processes}))) {
      dropped.emplace_back("--nproc-per-node");
      return true;
    }
    const auto count = whole_number(text);
    if (!count || *count < 1 || *count > 4096) return refuse("the number of processes is only known in the pod");
    if (*count != std::max<std::int64_t>(role_.gpus(), 1)) processes_ = *count;
    dropped.emplace_back("--nproc-per-node");
    return true;
  }

  const ObjectLift& lift_;
  const Container& container_;
  model::Role& role_;
  const ProgramRules& rules_;
  std::optional<std::int64_t> processes_;
  std::set<std::string> said_;  // options in front of the program
  bool is_static_ = true;       // each pod is told its rank
};

class ProgramLift {
 public:
  ProgramLift(ObjectLift& lift, const Container& container, model::Role& role, const ProgramRules& rules)
      : lift_(lift), container_(container), role_(role), rules_(rules) {}

  void run() {
    const Field command = container_.field.get("command"), args = container_.field.get("args");
    const Texts_ words = words_of(command), more = words_of(args);
    if (words.empty()) {
      for (const model::Text& word : more) role_.args.push_back(model::unplaced(word));
      lift_.ledger.line(command, Fate::mapped, "the image's entrypoint");
      return lift_.ledger.line(args, Fate::mapped, "args");
    }
    Texts_ all = words;
    all.insert(all.end(), more.begin(), more.end());
    if (!lift_shell(all)) lift_words(all);
    lift_.ledger.line(command, fate_, as_, note_);
    lift_.ledger.line(args, fate_, as_, note_);
  }

  void lift_text(const Field& line) {
    if (auto words = words_of_line(lift_, container_, line.text())) {
      lift_words(*words);
    } else {
      set_script("bash", std::string(line.text()));
      note_ = "Ray gives the line to a shell, and muster starts bash for it";
    }
    lift_.ledger.line(line, fate_, as_, note_);
  }

 private:
  Texts_ words_of(const Field& list) const {
    Texts_ out;
    for (const Field& word : list.items()) {
      out.push_back(kubelet_text(lift_, container_, word.text()));
      for (const model::Reference& reference : out.back().references) lift_.kubelet_names.insert(reference.name);
    }
    return out;
  }

  void lift_words(const Texts_& words) {
    TorchrunLifter torchrun(lift_, container_, role_, rules_);
    if (torchrun.lift(words)) {
      fate_ = Fate::lifted;
      as_ = "launch.runner, command";
      note_ = "the runner torchrun";
      if (!torchrun.dropped.empty())
        note_ += " says " + joined(torchrun.dropped) + (torchrun.dropped.size() == 1 ? " itself" : " themselves");
      if (const std::string parted = torchrun.parted(); !parted.empty())
        lift_.ledger.say(container_.field.span(), "ranks", Fate::mended, "launch.runner",
                         parted +
                             "; muster starts one training over all of them, with their RANK, WORLD_SIZE and "
                             "MASTER_ADDR");
      return drop_meeting();
    }
    role_.program = model::unplaced(model::Program(words));
    fate_ = note_.empty() ? Fate::mapped : Fate::lifted;
    as_ = "command";
    if (!torchrun.why.empty()) note_ += (note_.empty() ? "" : "; ") + ("torchrun stays a word: " + torchrun.why);
  }

  // A shell with a text. False: it is not one, or more follows that only these words say.
  bool lift_shell(const Texts_& words) {
    const std::string shell(words[0].is_plain() ? base_name(words[0].bytes) : std::string_view());
    if (!is_one_of(shell, {"bash", "sh"})) return false;
    std::vector<std::string> flags;
    std::size_t i = 1;
    bool text = false;
    for (; i < words.size() && !text && words[i].is_plain() && words[i].bytes.starts_with('-'); ++i) {
      std::string letters = words[i].bytes.substr(1);
      if (letters.empty() || letters[0] == '-' || letters.back() == 'o') return false;
      text = letters.find('c') != letters.npos;
      std::erase(letters, 'c');
      if (!letters.empty()) flags.push_back("-" + letters);
    }
    if (!text || i + 1 != words.size() || !words[i].is_plain()) return false;
    const bool plain = std::none_of(flags.begin(), flags.end(), [](const auto& f) { return f.find('l') != f.npos; });
    if (auto simple = words_of_line(lift_, container_, words[i].bytes); simple && plain) {
      note_ = "one command, which muster starts without " + words[0].bytes;
      lift_words(*simple);
      fate_ = Fate::lifted;
      return true;
    }
    if (has_nul(words[i].bytes) || trimmed(words[i].bytes, " \t\r\n").empty()) return false;
    set_script(shell, words[i].bytes);
    for (const std::string& flag : flags) role_.script_flags.push_back(model::unplaced(flag));
    if (words[0].bytes != shell)
      note_ = "muster writes `" + shell + "`, found on the PATH, for `" + words[0].bytes + "`";
    if (i > 2 || !flags.empty()) note_ += std::string(note_.empty() ? "" : "; ") + "its options are separate words";
    return true;
  }

  void set_script(const std::string& shell, std::string text) {
    if (!text.ends_with('\n')) text += '\n';
    role_.program = model::unplaced(model::Program(model::Script{shell, std::move(text)}));
    fate_ = Fate::kept;
    as_ = "script";
  }

  // What the runner sets, where nothing else of the program names it.
  void drop_meeting() {
    std::set<std::string> named;
    for (const model::Text& word : std::get<model::Argv>(role_.program->value))
      for (const model::Reference& reference : word.references) named.insert(reference.name);
    for (const Field& variable : container_.field.get("env").items()) {
      const std::string name(variable.get("name").text());
      const bool meets =
          name.starts_with("PET_RDZV_") ||
          std::find(std::begin(meeting_variables), std::end(meeting_variables), name) != std::end(meeting_variables);
      if (meets && !named.contains(name))
        lift_.ledger.line(variable, Fate::dropped, "", "the runner torchrun sets what its processes read");
    }
  }

  ObjectLift& lift_;
  const Container& container_;
  model::Role& role_;
  const ProgramRules& rules_;
  Fate fate_ = Fate::mapped;
  std::string as_, note_;
};

}  // namespace

void lift_program(ObjectLift& lift, const Container& container, model::Role& role, const ProgramRules& rules) {
  ProgramLift(lift, container, role, rules).run();
}

void lift_line(ObjectLift& lift, const Field& line, model::Role& role) {
  const Container none;
  ProgramLift(lift, none, role, {}).lift_text(line);
}

}  // namespace muster::targets::kubernetes::lifting
