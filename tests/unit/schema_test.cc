// No key of the schema is idle: taking it out of a spec changes something that a user can see.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/describe.h"
#include "compiler/base/diff.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "targets/target.h"
#include "tests/catch.h"
#include "tests/places.h"

namespace schema_test {

using namespace muster;

namespace {

std::string read(const std::string& name) {
  std::ifstream in(muster::tests::source_folder() + "/tests/kitchen/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void append(std::string& out, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.sorted()) out += std::string(info(d.code).id) + " " + d.message + "\n";
}

void append(std::string& out, const plan::Fit& fit) {
  for (const plan::Level* level : {&fit.capacity, &fit.policy, &fit.now})
    out += std::string(plan::name(level->verdict)) + (level->certificate ? level->certificate->text : "") +
           level->note + "\n";
  for (const plan::PlacedNode& n : fit.placements) {
    out += n.node + ":";
    for (const auto gpu : n.gpus) out += std::to_string(gpu) + ",";
  }
  out += "\n";
}

// Everything a user sees of one workload at a site, as one text.
void append(std::string& out, const model::Workload& w, const model::Module& module, const model::Policy& policy) {
  plan::PlanRequest request;
  request.workload = &w;
  request.workloads = module.workloads;
  request.site = &module.sites.at(0);
  request.site_given = true;
  if (request.site->fleet && !module.fleets.empty()) request.fleet = &module.fleets[0];
  request.policy = &policy;
  Diagnostics diagnostics;
  const plan::PlanResult result = plan::make_plan(request, diagnostics);
  if (result.plan) {
    for (const plan::Fact& f : result.plan->facts.items)
      out += f.name + "=" + model::to_string(f.value) + " " + std::string(plan::name(f.source)) + "\n";
    for (const plan::Choice& c : result.plan->decision.choices) out += c.rule + " " + c.reason + "\n";
    out += result.plan->decision.target + "\n";
    append(out, result.plan->fit);
    const targets::Target* target = targets::find_target(result.plan->decision.target);
    if (target != nullptr && result.plan->plane != nullptr) {
      const targets::Lowered lowered = targets::lower(*target, *result.plan, {}, diagnostics);
      for (const targets::Document& d : lowered.documents) out += d.content;
      for (const targets::LossEntry& e : lowered.loss.entries())
        out += to_string(e.field) + std::to_string(static_cast<int>(e.status)) + e.as + e.note + "\n";
    }
  }
  append(out, diagnostics);
}

// The site's own rules, from the file that it names.
model::Policy policy_of(const model::Site& site) {
  if (!site.rules) return rules::profile("default");
  Sources sources;
  Diagnostics diagnostics;
  const auto file = syntax::parse(sources, sources.add(site.rules->value, read(site.rules->value)), diagnostics);
  REQUIRE(file);
  const std::vector<model::Policy> profiles = {rules::profile("default")};
  sema::CheckOptions options;
  options.profiles = profiles;
  const auto policies = sema::check({*file}, sources, options, diagnostics).policies;
  REQUIRE(policies.size() == 1);
  return policies[0];
}

std::string observe(const ast::File& file, const Sources& sources) {
  Diagnostics diagnostics;
  const model::Module module = sema::check({file}, sources, {}, diagnostics);
  std::string out;
  append(out, diagnostics);
  if (diagnostics.has_errors() || module.sites.empty()) return out;
  const model::Policy policy = policy_of(module.sites[0]);
  for (const model::Workload& w : module.workloads) append(out, w, module, policy);
  return out;
}

// Calls `visit(items, index, path)` for every setting of a block and of those inside it.
template <class Visit>
void each_setting(ast::Block& block, const std::string& path, const Visit& visit) {
  for (std::size_t i = 0; i < block.items.size(); ++i) {
    if (auto* inner = std::get_if<ast::Block>(&block.items[i].value))
      each_setting(*inner, path + "." + inner->kind.text, visit);
    else if (auto* setting = std::get_if<ast::Setting>(&block.items[i].value))
      visit(block.items, i, path + "." + setting->key.text);
  }
}

// A module as the writers spell it.
std::string written(const model::Module& module, Diagnostics& diagnostics) {
  std::vector<ast::Block> blocks;
  for (const model::Fleet& fleet : module.fleets) blocks.push_back(sema::to_syntax(fleet, diagnostics));
  for (const model::Site& site : module.sites) blocks.push_back(sema::to_syntax(site, diagnostics));
  for (const model::Workload& w : module.workloads) blocks.push_back(sema::to_syntax(w, diagnostics));
  return syntax::format(std::move(blocks));
}

// Policies have a writer of their own; tests are read by `muster test` from the tree.
bool in_the_model(std::string_view top) { return top != "rules" && top != "case" && top != "test"; }

// A key has one meaning wherever the same rows stand: in a role or an option as in the workload, in a
// plane as in the site.
std::string canonical(std::string path) {
  const std::pair<std::string_view, std::string_view> same[] = {{"workload.role.", "workload."},
                                                                {"site.defaults.", "workload."},
                                                                {"workload.any-of.option.", "workload."},
                                                                {"site.cohort.quota.", "site.tenant.quota."}};
  for (const auto& [inner, outer] : same)
    if (path.starts_with(inner) && path != "workload.role.primary" && !path.starts_with("workload.role.depends-on."))
      path = std::string(outer) + path.substr(inner.size());
  for (const std::string_view block :
       {"queue", "storage", "software", "secret", "image", "fabric", "priority", "gpu", "code"})
    if (path.starts_with("site.plane." + std::string(block) + ".")) path = "site." + path.substr(11);
  return path;
}

// Keys of clusters that no workload's decision, placement or file rests on: people, `muster reliability` and the fit of
// job scripts read them. One that a workload comes to rest on must leave the list.
constexpr std::string_view descriptive[] = {"site.plane.operator.flags",
                                            "site.plane.address",
                                            "fleet.pool.leaf.up",
                                            "fleet.pool.spine.up",
                                            "fleet.pool.rack",
                                            "fleet.pool.node.sockets",
                                            "fleet.pool.network.rails",
                                            "site.tenant.share",
                                            "site.allow.until",
                                            "fleet.pool.cost-per-gpu-hour",
                                            "fleet.pool.node-mtbf",
                                            "fleet.allow.until",
                                            "fleet.pool.allow.until",
                                            "fleet.pool.cost-per-cpu-hour",
                                            "fleet.pool.cost-per-node-hour",
                                            "fleet.reservation.users"};

// What `muster explain FILE` says of the clusters of a file.
std::string explained(const ast::File& file, const Sources& sources) {
  Diagnostics diagnostics;
  const model::Module module = sema::check({file}, sources, {}, diagnostics);
  std::string out;
  const auto add = [&](const std::vector<cli::Section>& sections) {
    for (const cli::Section& section : sections)
      for (const auto& [name, value] : section.rows) out += section.heading + " " + name + " " + value + "\n";
  };
  for (const model::Fleet& fleet : module.fleets) add(cli::describe(fleet));
  for (const model::Site& site : module.sites) add(cli::describe(site));
  return out;
}

void collect(const sema::BlockSchema& block, const std::string& path, std::set<std::string>& out) {
  for (const sema::KeySchema& key : block.keys) out.insert(canonical(path + "." + std::string(key.name)));
  for (const sema::BlockSchema& inner : block.blocks) collect(inner, path + "." + std::string(inner.name), out);
}

}  // namespace

TEST_CASE("every key of workload, fleet and site is read by something") {
  std::set<std::string> idle, described;
  for (const sema::BlockSchema& top : sema::top_level())
    if (in_the_model(top.name)) collect(top, std::string(top.name), idle);
  const std::pair<const char*, const char*> kitchens[] = {
      {"modules.muster", "#SBATCH --job-name=w"}, {"containers.muster", "#SBATCH --job-name=w"},
      {"pods.muster", "#SBATCH --job-name=w"},    {"gangs.muster", "gang"},
      {"roles.muster", "#SBATCH --job-name=w"},   {"needs.muster", "#SBATCH --job-name=w"},
      {"elsewhere.muster", "pytorchjob"},         {"kubernetes.muster", "kind: JobSet"},
      {"native.muster", "kind: PodGroup"},        {"rules.muster", "#SBATCH --job-name=chat"},
      {"quotas.muster", "kind: JobSet"},          {"accounts.muster", "#SBATCH --job-name=both"},
      {"torque.muster", "#PBS -l nodes="},        {"broker.muster", "infra: k8s/lab"},
      {"rented.muster", "regions: [us-east-1]"}};
  for (const auto& [name, witness] : kitchens) {
    Sources sources;
    sources.add(name, read(name));
    Diagnostics diagnostics;
    auto file = syntax::parse(sources, 1, diagnostics);
    REQUIRE(file);
    const std::string before = observe(*file, sources);
    const std::string explanation = explained(*file, sources);
    INFO(before);
    REQUIRE(before.find(witness) != std::string::npos);
    for (ast::Block& block : file->blocks)
      each_setting(block, block.kind.text, [&](std::vector<ast::Item>& items, std::size_t i, const std::string& path) {
        const ast::Item taken = std::move(items[i]);
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
        if (observe(*file, sources) != before) idle.erase(canonical(path));
        if (explained(*file, sources) != explanation) described.insert(canonical(path));
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(i), taken);
      });
  }
  for (const std::string_view path : descriptive) {
    INFO(path);
    CHECK(idle.erase(std::string(path)) == 1);
    CHECK(described.contains(std::string(path)));
  }
  std::string names;
  for (const std::string& path : idle) names += path + "\n";
  INFO("keys that nothing reads, or that tests/kitchen does not show with a value of effect:\n" << names);
  CHECK(idle.empty());
}

// The model back to syntax. `observe` is everything that a user sees, so nothing of it was lost on the
// way; and a key that the writer forgets stands in no file that it wrote.
TEST_CASE("the kitchen comes back from its model, every key of it") {
  std::set<std::string> forgotten;
  for (const sema::BlockSchema& top : sema::top_level())
    if (in_the_model(top.name)) collect(top, std::string(top.name), forgotten);
  for (const auto& entry : std::filesystem::directory_iterator(muster::tests::source_folder() + "/tests/kitchen")) {
    if (entry.path().extension() != ".muster") continue;
    Sources sources;
    sources.add(entry.path(), read(entry.path().filename()));
    Diagnostics diagnostics;
    const auto file = syntax::parse(sources, 1, diagnostics);
    REQUIRE(file);
    const model::Module module = sema::check({*file}, sources, {}, diagnostics);
    const std::string text = written(module, diagnostics);
    INFO(text);
    REQUIRE_FALSE(diagnostics.has_errors());
    auto back = syntax::parse(sources, sources.add("written", text), diagnostics);
    REQUIRE(back);
    CHECK(unified_diff("seen", observe(*file, sources), observe(*back, sources)) == "");
    CHECK(written(sema::check({*back}, sources, {}, diagnostics), diagnostics) == text);
    for (ast::Block& block : back->blocks)
      each_setting(block, block.kind.text, [&](std::vector<ast::Item>&, std::size_t, const std::string& path) {
        forgotten.erase(canonical(path));
      });
  }
  std::string names;
  for (const std::string& path : forgotten) names += path + "\n";
  INFO("keys that compiler/sema/check/*_to_syntax.cc does not write:\n" << names);
  CHECK(forgotten.empty());
}

// An enumerator is the index of its word, so the two lists must agree.
TEST_CASE("the words of the schema are the names of the enumerators, in order") {
  const auto top = [](std::string_view name) {
    for (const sema::BlockSchema& block : sema::top_level())
      if (block.name == name) return &block;
    return static_cast<const sema::BlockSchema*>(nullptr);
  };
  const auto agree = [](const sema::KeySchema* key, auto first) {
    REQUIRE(key != nullptr);
    for (std::size_t i = 0; i < key->symbols.size(); ++i)
      CHECK(model::name(static_cast<decltype(first)>(i)) == key->symbols[i]);
  };
  agree(sema::find_key(*top("workload"), "kind"), model::Kind::train);
  agree(sema::find_key(*top("workload"), "launch.runner"), model::Runner::none);
  agree(sema::find_key(*top("workload"), "retry.on"), model::RetryOn::failure);
  agree(sema::find_key(*top("site"), "plane.kind"), model::PlaneKind::slurm);
  agree(sema::find_key(*top("site"), "plane.containers"), model::Containers::none);
  agree(sema::find_key(*top("site"), "plane.gang"), model::GangProvider::none);
}

}  // namespace schema_test
