#include "targets/slurm/read/dialects.h"

#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/read/numbers.h"

namespace muster::targets::slurm {
namespace {

// A letter of the other dialect, its long name, and the option of sbatch that it becomes ("" for
// letters that sbatch reads and drops; a name in capitals has a function of its own).
struct Letter {
  char letter;
  std::string_view long_name;
  char arity;  // n, r, o
  std::string_view becomes;
};

constexpr std::array pbs_letters = std::to_array<Letter>({
    {'a', "start_time", 'r', "begin"},
    {'A', "account", 'r', "account"},
    {'c', "checkpoint", 'r', ""},
    {'C', "working_dir", 'r', ""},
    {'e', "error", 'r', "error"},
    {'h', "hold", 'n', "hold"},
    {'I', "interactive", 'n', ""},
    {'j', "join", 'r', ""},
    {'J', "job_array", 'r', "array"},
    {'k', "keep", 'r', ""},
    {'l', "resource_list", 'r', "LIST"},
    {'m', "mail_options", 'r', "MAIL"},
    {'M', "mail_user_list", 'r', "mail-user"},
    {'N', "job_name", 'r', "job-name"},
    {'o', "out", 'r', "output"},
    {'p', "priority", 'r', "nice"},
    {'q', "destination", 'r', "partition"},
    {'r', "rerunable", 'r', ""},
    {'S', "script_path", 'r', ""},
    {'t', "array", 'r', "array"},
    {'u', "running_user", 'r', ""},
    {'v', "variable_list", 'r', "export"},
    {'V', "all_env", 'n', ""},
    {'W', "attributes", 'r', "ATTRIBUTE"},
    {'z', "no_std", 'n', ""},
});

constexpr std::array bsub_letters = std::to_array<Letter>({
    {'c', "cwd", 'r', "chdir"},
    {'e', "error_file", 'r', "error"},
    {'J', "job_name", 'r', "job-name"},
    {'m', "hostname", 'r', "HOSTS"},
    {'M', "memory_limit", 'r', "KILOBYTES"},
    {'n', "", 'r', "TASKS"},
    {'o', "output_file", 'r', "output"},
    {'q', "queue_name", 'r', "partition"},
    {'W', "time", 'r', "time"},
    {'x', "exclusive", 'n', "exclusive"},
});

// Resources of `-l` with the sign that ends their value, and what they become.
struct Resource {
  std::string_view name;
  char separator;
  std::string_view becomes;
};
constexpr std::array resources = std::to_array<Resource>({
    {"cput=", ',', "time"},
    {"pcput=", ',', "time"},
    {"walltime=", ',', "time"},
    {"file=", ',', "tmp"},
    {"mem=", ',', "mem"},
    {"nice=", ',', "nice"},
    {"nodes=", ',', "NODES"},
    {"select=", ':', "nodes"},
    {"ncpus=", ':', "mincpus"},
    {"mpiprocs=", ':', "ntasks-per-node"},
    {"naccelerators=", ',', "GPUS"},
    {"accelerator=", ',', "GPU"},
    {"proc=", ',', "constraint"},
    {"pmem=", ',', ""},
    {"pvmem=", ',', ""},
    {"vmem=", ',', ""},
    {"arch=", ',', ""},
    {"host=", ',', ""},
    {"opsys=", ',', ""},
    {"other=", ',', ""},
    {"software=", ',', ""},
});

class Translator {
 public:
  explicit Translator(Translation& out) : out_(out) {}

  void letter(const Letter& l, std::string_view value, std::size_t argument) {
    argument_ = argument, spelling_ = std::string("-") + l.letter;
    if (l.becomes.empty()) return;
    if (l.becomes == "LIST") return resource_list(value);
    if (l.becomes == "MAIL") return add("mail-type", mail(value));
    if (l.becomes == "ATTRIBUTE") return attribute(value);
    if (l.becomes == "export") return exported(value);
    if (l.becomes == "HOSTS") return add("nodelist", with_commas(value));
    if (l.becomes == "KILOBYTES") return add("mem-per-cpu", kilobytes(value));
    if (l.becomes == "TASKS") return add("ntasks", std::string(value.substr(value.find(',') + 1)));
    if (l.arity == 'n') return out_.options.push_back({l.becomes, spelling_, std::nullopt, argument_});
    add(l.becomes, std::string(value));
  }

 private:
  void add(std::string_view name, std::string value) {
    out_.options.push_back({name, spelling_, std::move(value), argument_});
  }

  // Letters of each: begin, end, abort; n for none.
  static std::string mail(std::string_view value) {
    const auto has = [&](std::string_view letters) { return value.find_first_of(letters) != std::string_view::npos; };
    if (has("nN")) return "NONE";
    std::string out;
    for (const auto& [letters, word] : {std::pair{"bB", "BEGIN"}, std::pair{"eE", "END"}, std::pair{"aA", "FAIL"}})
      if (has(letters)) out += (out.empty() ? "" : ",") + std::string(word);
    return out;
  }
  void attribute(std::string_view value) {
    if (value.size() >= 7 && equal_ignoring_case(value.substr(0, 7), "depend="))
      add("dependency", std::string(value.substr(7)));
  }
  // Each -v adds to what the ones before gave.
  void exported(std::string_view value) {
    if (export_ < out_.options.size()) *out_.options[export_].value += "," + std::string(value);
    else export_ = out_.options.size(), add("export", std::string(value));
  }
  static std::string with_commas(std::string_view hosts) {
    std::string out(hosts);
    for (char& c : out)
      if (c == ' ') c = ',';
    return out;
  }
  static std::string kilobytes(std::string_view value) {
    const bool bare = !value.empty() && is_digit(value.back());
    return std::string(value) + (bare ? "K" : "");
  }

  // Slurm looks for names at each character and skips what it does not know.
  void resource_list(std::string_view list) {
    for (std::size_t at = 0; at < list.size();) {
      const Resource* found = nullptr;
      for (const Resource& r : resources)
        if (list.substr(at, r.name.size()) == r.name) found = &r;
      if (found == nullptr) {
        ++at;
        continue;
      }
      at += found->name.size();
      const std::size_t end = std::min(list.find(found->separator, at), list.size());
      spelling_ = "-l " + std::string(found->name.substr(0, found->name.size() - 1));
      resource(*found, list.substr(at, end - at));
      at = end + 1;
    }
    if (gpus_ > 0) spelling_ = "-l naccelerators", add("gres", "gpu:" + std::to_string(gpus_));
    gpus_ = 0;
  }

  void resource(const Resource& r, std::string_view value) {
    if (r.becomes.empty()) return;
    if (r.becomes == "NODES") return nodes(value);
    // The value ends at a comma alone: sbatch refuses `naccelerators=4:mem=4gb`.
    if (r.becomes == "GPUS" && !all_digits(value)) return add("gres", "gpu:" + std::string(value));
    if (r.becomes == "GPUS") return void(gpus_ = leading_number(value).value);
    if (r.becomes == "GPU")
      return void(gpus_ = gpus_ == 0 && equal_ignoring_case(value.substr(0, 4), "true") ? 1 : gpus_);
    const bool size = r.becomes == "mem" || r.becomes == "tmp";
    if (size && !value.empty() && (value.back() | 0x20) == 'b') value.remove_suffix(1);
    add(r.becomes, std::string(value));
  }

  // nodes=4:ppn=8:gpus=2, nodes=a+b
  void nodes(std::string_view spec) {
    std::int64_t count = 0, per_node = 0;
    std::string hosts;
    while (!spec.empty()) {
      const std::size_t end = std::min(spec.find_first_of("+:"), spec.size());
      const std::string_view part = spec.substr(0, end);
      if (part.starts_with("gpus=")) add("gpus-per-node", std::string(part.substr(5)));
      else if (part.starts_with("ppn=")) per_node += leading_number(part.substr(4)).value;
      else if (!part.empty() && is_digit(part[0])) count += leading_number(part).value;
      else if (!part.empty() && ((part[0] | 0x20) >= 'a' && (part[0] | 0x20) <= 'z'))
        hosts += (hosts.empty() ? "" : ",") + std::string(part);
      spec.remove_prefix(std::min(end + 1, spec.size()));
    }
    if (count > 0) add("nodes", std::to_string(count));
    if (per_node > 0) add("ntasks", std::to_string(per_node * (count > 0 && count < 1'000'000 ? count : 1)));
    if (!hosts.empty()) add("nodelist", hosts);
  }

  Translation& out_;
  std::string spelling_;
  std::size_t argument_ = 0, export_ = static_cast<std::size_t>(-1);
  std::int64_t gpus_ = 0;
};

const Letter* find_letter(std::span<const Letter> letters, char letter) {
  for (const Letter& l : letters)
    if (l.letter == letter) return &l;
  return nullptr;
}

void refuse(Translation& out, std::size_t word, std::string reason) {
  out.refused = word, out.reason = std::move(reason);
}

}  // namespace

Translation translate(Origin origin, std::span<const Argument> words) {
  const std::span<const Letter> letters = origin == Origin::pbs ? std::span<const Letter>(pbs_letters) : bsub_letters;
  Translation out;
  Translator translator(out);
  std::size_t at = 0;
  while (at < words.size() && !out.refused) {
    std::string_view word = words[at].text;
    if (origin == Origin::bsub && at % 2 == 0 && word == "-cwd") word = "-c";
    if (word.size() < 2 || word[0] != '-') return refuse(out, at, "is not an option"), out;
    const Letter* l = nullptr;
    std::optional<std::string_view> value;
    const std::size_t option = at++;
    if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      for (const Letter& known : letters)
        if (!known.long_name.empty() && known.long_name == word.substr(2, equals - 2)) l = &known;
      if (equals != std::string_view::npos) value = word.substr(equals + 1);
    } else {
      l = find_letter(letters, word[1]);
      if (word.size() > 2) value = word.substr(2);
    }
    if (l == nullptr) return refuse(out, option, "is not an option that sbatch translates"), out;
    if (l->arity == 'r' && !value) {
      if (at == words.size()) return refuse(out, option, "has no value"), out;
      value = words[at++].text;
    }
    translator.letter(*l, value.value_or(""), option);
  }
  return out;
}

}  // namespace muster::targets::slurm
