#include "tests/loss/contract.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "compiler/sema/check/check.h"
#include "rules/profiles.h"
#include "targets/carriage.h"
#include "targets/carriers.h"
#include "targets/target.h"
#include "tests/loss/compile.h"
#include "tests/loss/mutate.h"
#include "tests/loss/reader.h"
#include "tests/loss/specs.h"

namespace muster::loss {
namespace {

struct Compiled {
  Attempt attempt;
  Output output;
  const model::Workload* workload = nullptr;
  const model::Plane* plane = nullptr;
};

class Judge {
 public:
  explicit Judge(const Options& options) : options_(options) { report_.seen = {}; }

  Report run() {
    const std::vector<SiteText> shown = shown_sites(options_.root);
    generated(all_sites(options_.root));
    for (const char* folder : {"/examples/workloads", "/examples/public"}) examples(options_.root + folder, shown);
    compare();
    return std::move(report_);
  }

 private:
  void generated(const std::vector<SiteText>& sites) {
    property::Random random(options_.seed);
    for (std::size_t i = 0; i < options_.specs; ++i) {
      const std::size_t index = i * options_.step, round = index / values_count();
      const std::string spec = random_spec(random, index);
      for (const std::size_t site : {2 * round, 2 * round + 1}) one(sites[site % sites.size()], spec);
    }
  }

  void examples(const std::string& folder, const std::vector<SiteText>& sites) {
    for (const std::string& file : files_in(folder))
      for (const SiteText& site : sites)
        if (!file.ends_with("/site.muster")) one(site, read_file(file));
  }

  void one(const SiteText& site, const std::string& spec) {
    const Checked checked = check_at(site, spec);
    if (!checked.ok()) return rejected(checked, spec);
    ++report_.specs;
    for (std::size_t w = 0; w < checked.module.workloads.size(); ++w)
      if (checked.module.workloads[w].name != "prepare")
        for (std::size_t t = 0; t < targets::all_targets().size(); ++t)
          at_target(checked, w, t, site.name + "\n" + spec);
  }

  // Chance makes specs that contradict themselves; they are no cases.
  void rejected(const Checked& checked, const std::string& spec) {
    ++rejected_;
    const bool syntax = checked.files.size() < 2;
    if (options_.specs == 0 || syntax) fault(checked.diagnostics.sorted().front().message, spec);
  }

  Compiled compile(const Checked& checked, std::size_t workload, std::size_t target) const {
    const targets::Target& to = targets::all_targets()[target];
    Compiled out{compile_for(checked, workload, to, policy_), {}, nullptr, nullptr};
    if (!out.attempt.placed()) return out;
    out.workload = out.attempt.plan->workload;
    out.plane = out.attempt.plan->plane;
    if (out.attempt.ok())
      out.output = read_output(std::string(to.name), out.attempt.lowered.documents.at(0).content,
                               submit(to, checked, *out.workload, out.attempt.lowered));
    return out;
  }

  static std::string submit(const targets::Target& target, const Checked& checked, const model::Workload& workload,
                            const targets::Lowered& lowered) {
    if (target.submit_all == nullptr) return {};
    std::vector<targets::Submission> jobs = {{&workload, lowered.documents.at(0).name, lowered.object}};
    for (const model::Workload& other : checked.module.workloads)
      if (other.name == "prepare")
        jobs.push_back({&other, "prepare.sbatch", {lowered.object.name_space, "job.batch", "prepare"}});
    Diagnostics refused;
    const auto script = target.submit_all(jobs, refused);
    return script ? script->content : std::string();
  }

  void at_target(const Checked& checked, std::size_t w, std::size_t t, const std::string& spec) {
    const Compiled compiled = compile(checked, w, t);
    if (!compiled.attempt.placed()) return;
    ++(compiled.attempt.ok() ? report_.compiled : report_.refused);
    const std::string where = std::string(targets::all_targets()[t].name) + " at " + spec;
    if (!compiled.attempt.ok()) return check_refusal(compiled, t, where);
    const std::vector<targets::Document> documents = {
        {compiled.output.is_yaml() ? "main.yaml" : "main", compiled.output.text}, {"submit", compiled.output.submit}};
    const targets::Carriers carriers(documents, *compiled.workload, checked.module.sites.at(0));
    const std::string open = open_amount(compiled.output, checked.module.sites.at(0), *compiled.workload);
    if (!open.empty()) fault("a LimitRange would fill in " + open + ": " + where, compiled.output.text);
    for (const model::WrittenField& field : compiled.workload->written) {
      const std::string path = to_string(field.field);
      const char what = outcome_of(compiled.attempt.lowered.loss, path);
      const std::string key = key_of(path);
      ++row(key)[t][what];
      if (what == 'x') fault("`" + path + "` is refused in the report, and the file was written: " + where, "");
      if ((what != '=' && what != '~') || is_said_again(*compiled.workload, path)) continue;
      const std::string place = find(checked, compiled, compiled.output, path);
      if (place.empty() && what == '=') fault("silent drop of `" + path + "`: " + where, compiled.output.text);
      if (!place.empty()) mutant(checked, compiled, w, t, field, spec);
      without_lines(checked, compiled, carriers, t, path, place, where);
    }
  }

  // The lines that the report names carry the field: without them it is not there.
  void without_lines(const Checked& checked, const Compiled& compiled, const targets::Carriers& carriers, std::size_t t,
                     const std::string& path, const std::string& place, const std::string& where) {
    std::map<std::string, std::vector<targets::Lines>> lines;  // by document
    std::string as;
    for (const targets::LossEntry& entry : compiled.attempt.lowered.loss.entries()) {
      const std::string above = to_string(entry.field);
      if (path != above && !path.starts_with(above + ".")) continue;
      as = entry.as;
      for (const targets::Carrier& carrier : carriers.of(entry))
        lines[carrier.document].insert(lines[carrier.document].end(), carrier.lines.begin(), carrier.lines.end());
    }
    const std::string name = std::string(targets::all_targets()[t].name) + " " + key_of(path) + " (" + as + ")";
    if (lines.empty()) return fault("no line carries " + name + ": " + where, compiled.output.text);
    if (place.empty()) return;
    ++report_.lines;
    const Output& whole = compiled.output;
    const Output cut =
        read_output(whole.target, without(whole.text, lines[whole.is_yaml() ? "main.yaml" : "main"], whole.is_yaml()),
                    without(whole.submit, lines["submit"], false));
    if (find(checked, compiled, cut, path).empty()) return;
    ++report_.missed;
    fault("found without its lines: " + name + ": " + where, cut.text);
  }

  // A manifest keeps its shape: another key, or item of a list, stands where the first of the lines was.
  static std::string without(const std::string& text, const std::vector<targets::Lines>& lines, bool manifest) {
    std::istringstream in(text);
    std::string out, line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      const auto own = std::find_if(lines.begin(), lines.end(),
                                    [&](const targets::Lines& l) { return number >= l.first && number <= l.last; });
      if (own == lines.end()) out += line + "\n";
      else if (number == 1) out += "#\n";
      else if (manifest && number == own->first)
        out += line.substr(0, line.find_first_not_of(" -")) + "gone" + std::to_string(number) + ": true\n";
    }
    return out;
  }

  // A refusal names what it is about: the report has its sentence.
  void check_refusal(const Compiled& compiled, std::size_t t, const std::string& where) {
    for (const Diagnostic& error : compiled.attempt.errors) {
      const auto& entries = compiled.attempt.lowered.loss.entries();
      const auto entry = std::find_if(entries.begin(), entries.end(), [&](const targets::LossEntry& e) {
        return e.status == targets::LossEntry::Status::refused && e.note == error.message;
      });
      if (entry == entries.end() || !error.primary.known())
        fault("a refusal that the report does not have: " + error.message + ": " + where, "");
      else if (error.code == Code::field_not_carried) fault(error.message + ": " + where, "");
      else if (const std::string field = to_string(entry->field); field != "workload" && field != "role")
        count_refusal(compiled, field, t);
    }
  }

  void count_refusal(const Compiled& compiled, const std::string& field, std::size_t t) {
    for (const model::WrittenField& written : compiled.workload->written)
      if (const std::string path = to_string(written.field); path == field || path.starts_with(field + "."))
        ++row(key_of(path))[t]['x'];
  }

  // The worst that is said of the field, or of a block above it.
  static char outcome_of(const targets::Loss& loss, const std::string& field) {
    constexpr std::string_view worst = "x-~=m";
    char out = 0;
    for (const targets::LossEntry& entry : loss.entries()) {
      const std::string above = to_string(entry.field);
      const bool covers = field == above || field.starts_with(above + ".");
      const char what = targets::outcome(entry);
      if (covers && (out == 0 || worst.find(what) < worst.find(out))) out = what;
    }
    return out;
  }

  static std::string find(const Checked& checked, const Compiled& compiled, const Output& output,
                          const std::string& path) {
    const model::Workload& w = *compiled.workload;
    std::string rest = path, place;
    for (const model::Role& role : w.roles) {
      const std::string prefix = "role." + role.name + ".";
      if (path.starts_with("role.") && !path.starts_with(prefix)) continue;
      if (path.starts_with(prefix)) rest = path.substr(prefix.size());
      Asked asked{w, role, checked.module.sites.at(0), *compiled.plane, key_of(path), name_in(rest, key_of(path))};
      if (!has(role, asked)) continue;
      // What the workload says for all its roles is to be found in each.
      std::string here = output.task.there()      ? find_in_task(output, asked)
                         : output.objects.empty() ? find_in_sbatch(output, asked)
                                                  : find_in_manifests(output, asked);
      if (here.empty() && !is_at_its_place(role, asked)) return {};
      if (!here.empty()) place = std::move(here);
    }
    return place;
  }

  // Whether a role says otherwise of a mount: the report has one line for what the workload and the role say of it.
  static bool is_said_again(const model::Workload& work, const std::string& path) {
    return path.starts_with("mount.") &&
           std::any_of(work.written.begin(), work.written.end(), [&](const model::WrittenField& other) {
             const std::string own = to_string(other.field);
             return own.starts_with("role.") && own.ends_with("." + path);
           });
  }

  // Whether a role without a container has the mount where the site has it: no line of the role says it then.
  static bool is_at_its_place(const model::Role& role, const Asked& asked) {
    if (!asked.key.starts_with("mount.") || role.image) return false;
    const model::Storage* storage = asked.site.storage.find(asked.name, asked.plane);
    return storage != nullptr && std::any_of(role.mounts.begin(), role.mounts.end(), [&](const model::Mount& mount) {
             const std::string below = mount.sub_path ? "/" + mount.sub_path->value : "";
             return mount.name == asked.name && mount.path.value == storage->path.value + below;
           });
  }

  // "data" of mount.data.path, "SEED" of env.SEED, "nice" of target.slurm.nice.
  static std::string name_in(const std::string& path, const std::string& key) {
    const std::size_t first = path.find('.'), last = path.rfind('.');
    if (first == std::string::npos) return {};
    if (key.ends_with(".*")) return path.substr(last + 1);
    return last > first ? path.substr(first + 1, last - first - 1) : std::string();
  }

  // Whether the role has what is asked about: what a workload says for all roles, one may say otherwise.
  static bool has(const model::Role& role, const Asked& asked) {
    const auto block = asked.key.substr(0, asked.key.find('.'));
    const auto named = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(), [&](const auto& item) { return item.name == asked.name; });
    };
    if (block == "mount") return named(role.mounts);
    if (block == "port") return named(role.ports);
    if (block == "secret") return named(role.secrets);
    if (block == "env") return named(role.env);
    if (block == "probe")
      return std::any_of(role.probes.begin(), role.probes.end(),
                         [&](const model::Probe& probe) { return model::name(probe.kind) == asked.name; });
    if (block == "file")
      return std::any_of(role.files.begin(), role.files.end(),
                         [&](const model::SmallFile& file) { return file.path.value == asked.name; });
    if (asked.key == "command" || asked.key == "script") return role.program.has_value();
    if (asked.key == "replicas") return role.replicas.has_value();
    return true;
  }

  void mutant(const Checked& checked, const Compiled& compiled, std::size_t w, std::size_t t,
              const model::WrittenField& field, const std::string& spec) {
    const std::string path = to_string(field.field), key = key_of(path);
    if (mutants_[{key, t}] >= options_.mutants) return;
    for (const bool whole : {key.ends_with("depends-on.on"), true}) {
      Checked without;
      without.sources = checked.sources;
      without.files = checked.files;
      if (!take_out(without.files, field.span, whole)) return;
      without.module = sema::check(without.files, without.sources, {}, without.diagnostics);
      if (!without.ok() || without.module.workloads.size() <= w) continue;
      const Compiled other = compile(without, w, t);
      if (!other.attempt.ok()) continue;
      // What holds without the field too, as where the site has but one such pool, is no drop.
      if (other.output.text == compiled.output.text) return;
      ++mutants_[{key, t}];
      ++report_.mutants;
      if (find(checked, compiled, other.output, path).empty()) ++report_.noticed;
      else
        fault("a mutant without `" + path + "` was not noticed: " + std::string(targets::all_targets()[t].name) +
                  " at " + spec,
              other.output.text);
      return;
    }
  }

  std::vector<std::map<char, std::size_t>>& row(const std::string& key) {
    auto& out = report_.seen[key];
    out.resize(targets::all_targets().size());
    return out;
  }

  void fault(const std::string& what, const std::string& text) {
    report_.faults.push_back(what + (text.empty() ? "" : "\n" + text));
  }

  // Against the table, both ways; and every key of the schema was seen.
  void compare() {
    const std::vector<targets::Carriage> rows = targets::carriage();
    std::map<std::string, const targets::Carriage*> table;
    for (const targets::Carriage& row : rows) table[std::string(row.key)] = &row;
    for (const std::string& key : schema_keys()) {
      if (!report_.seen.contains(key)) fault("no spec ever said `" + key + "`", "");
      if (!table.contains(key)) report_.not_in_table.push_back(key);
    }
    for (const auto& [key, cells] : report_.seen)
      for (std::size_t t = 0; t < cells.size(); ++t) {
        const std::string_view stated = table.contains(key) ? table[key]->outcomes[t] : std::string_view();
        const std::string name = key + " " + std::string(targets::all_targets()[t].name) + " ";
        if (cells[t].contains('=') && key != "kind" && !mutants_.contains({key, t})) report_.no_mutant.push_back(name);
        for (const auto& [letter, count] : cells[t])
          if (stated.find(letter) == std::string_view::npos) report_.not_in_table.push_back(name + letter);
        for (const char letter : stated)
          if (!cells[t].contains(letter)) report_.not_seen.push_back(name + letter);
      }
  }

  const Options& options_;
  const model::Policy policy_ = rules::profile("default");
  Report report_;
  std::size_t rejected_ = 0;
  std::map<std::pair<std::string, std::size_t>, std::size_t> mutants_;
};

}  // namespace

Report judge(const Options& options) { return Judge(options).run(); }

}  // namespace muster::loss
