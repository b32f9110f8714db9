// Limits of what a run reads and prints, and the lookups that keep its cost in proportion to its input.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "cli/render.h"
#include "compiler/base/limits.h"
#include "compiler/data/read.h"
#include "compiler/model/workload.h"
#include "compiler/sema/expand/budget.h"
#include "compiler/syntax/parse.h"
#include "targets/account.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/loss.h"
#include "tests/catch.h"

namespace limits_test {

using namespace muster;
using model::Field;
using model::FieldRef;

namespace {

std::string repeated(std::string_view word, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += (i == 0 ? "" : ",") + std::string(word);
  return out;
}

// `kept` values are there of what was read before.
Diagnostics cluster_faults(const std::string& items, std::size_t kept = 0) {
  Sources sources;
  Diagnostics diagnostics;
  targets::kubernetes::ClusterObjects objects;
  objects.values = kept;
  const std::uint32_t file = sources.add("x", R"({"items": [)" + items + R"(], "kind": "List"})");
  targets::kubernetes::read_cluster(sources, file, objects, diagnostics);
  return diagnostics;
}

// A few fields of each kind: with and without details, in roles, details that are paths of each other.
std::vector<FieldRef> some_fields(std::mt19937& random, std::size_t count) {
  constexpr Field fields[] = {Field::env,       Field::mount,    Field::mount_path,      Field::kind,
                              Field::resources, Field::role,     Field::resources_nodes, Field::role_primary,
                              Field::retry,     Field::retry_on, Field::target};
  constexpr const char* details[] = {"", "a", "b", "a.b", "a-b", "a.b.c", "ab", "head"};
  constexpr const char* roles[] = {"", "", "a", "head"};
  std::vector<FieldRef> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({fields[random() % std::size(fields)], details[random() % std::size(details)],
                   roles[random() % std::size(roles)]});
  return out;
}

}  // namespace

TEST_CASE("every limit has a name of its own, a value and advice", "[limits]") {
  std::vector<std::string_view> names;
  for (const LimitInfo& limit : all_limits()) {
    CHECK(limit.value > 0);
    CHECK_FALSE(limit.help.empty());
    names.push_back(limit.name);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(value_text(info(Limit::checked_bytes)) == "4 MiB");
  CHECK(value_text(info(Limit::findings)) == "10,000");
  CHECK(syntax::max_file_bytes == info(Limit::file_bytes).value);
  CHECK(sema::max_expressions == info(Limit::expressions).value);
  CHECK(data::Budget{}.nodes == info(Limit::document_values).value);
}

TEST_CASE("what is above a limit is exit 2 and names it", "[limits]") {
  Diagnostics diagnostics;
  const Diagnostic& d = add_over_limit(diagnostics, Limit::findings, {}, "the file has 12,000 findings");
  CHECK(d.message == "the file has 12,000 findings; the limit is 10,000");
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].starts_with("limit `findings of a file`: "));
  CHECK(cli::exit_code(d.code) == 2);
}

TEST_CASE("the texts of codes have the values of the limits", "[limits]") {
  const auto has = [](const char* code, std::string_view words) {
    const CodeInfo* of = find_code(code);
    REQUIRE(of != nullptr);
    INFO(code << " lacks " << words);
    CHECK(of->explanation.find(words) != std::string_view::npos);
  };
  has("E0119", value_text(info(Limit::file_bytes)));
  has("E0119", value_text(info(Limit::file_tokens)));
  has("E0112", value_text(info(Limit::nesting)));
  has("E0407", value_text(info(Limit::expressions)));
  has("W0809", value_text(info(Limit::diagnostics)));
  has("E0904", value_text(info(Limit::documents)));
  has("E0904", value_text(info(Limit::document_values)));
  has("E1003", value_text(info(Limit::cluster_nodes)));
}

TEST_CASE("the items of a list are given away one by one, each with its own budget", "[limits]") {
  Sources sources;
  const std::string items = "[" + repeated("1", 300) + "]";
  const std::uint32_t file = sources.add("x", "{\"items\": [" + repeated(items, 10) + "], \"other\": [1, 2]}");
  const data::Budget budget{1 << 20, 1, 400, 200};
  CHECK(data::read_json(sources, file, budget).diagnostics.has_errors());
  std::size_t given = 0;
  const data::Document read = data::read_json(sources, file, budget, [&](const data::Node& item) {
    ++given;
    CHECK(item.items.size() == 300);
  });
  CHECK(read.diagnostics.empty());
  CHECK(given == 10);
  CHECK(read.root.get("items")->items.empty());
  CHECK(read.root.get("other")->items.size() == 2);
  const std::uint32_t wide = sources.add("y", "{\"items\": [[" + repeated("1", 500) + "]]}");
  const data::Document over = data::read_json(sources, wide, budget, [](const data::Node&) {});
  REQUIRE(over.diagnostics.size() == 1);
  CHECK(over.diagnostics.sorted()[0].code == Code::document_too_large);
  CHECK(over.diagnostics.sorted()[0].message == "the document has more than 400 values");
}

TEST_CASE("a cluster with too many labels is refused once", "[limits]") {
  const auto nodes = [](int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
      out += (i > 0 ? "," : "") + (R"({"kind": "Node", "metadata": {"name": "n)" + std::to_string(i)) +
             R"(", "labels": {"a": "b", "c": "d", "e": "f"}}, "status": {"capacity": {"cpu": "8", "memory": "9Gi"}}})";
    return out;
  };
  const std::size_t each = 6;  // the name, labels and amounts of a node
  CHECK(cluster_faults(nodes(10), value_of(Limit::cluster_values) - 10 * each).empty());
  const std::vector<Diagnostic> faults =
      cluster_faults(nodes(20), value_of(Limit::cluster_values) - 10 * each).sorted();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].code == Code::over_limit);
  CHECK(faults[0].notes[0].starts_with("limit `labels and amounts of a cluster`"));
}

TEST_CASE("of very many damaged objects as many are reported as a run prints", "[limits]") {
  CHECK(cluster_faults(repeated(R"({"kind": "Node"})", 5'000)).size() == value_of(Limit::diagnostics));
}

TEST_CASE("an entry covers what FieldRef says is it or below it", "[limits]") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::vector<FieldRef> entries = some_fields(random, random() % 6);
    targets::Loss loss;
    for (const FieldRef& entry : entries) loss.exact(entry, "x");
    for (const FieldRef& field : some_fields(random, 40)) {
      const bool expected =
          std::any_of(entries.begin(), entries.end(), [&](const FieldRef& e) { return field.is_or_below(e); });
      INFO(to_string(field));
      CHECK(loss.covers(field) == expected);
      const auto same = std::count(entries.begin(), entries.end(), field);
      CHECK(loss.entries_of(field).size() == static_cast<std::size_t>(same));
    }
  }
}

TEST_CASE("the first written field below a block is that of a search one by one", "[limits]") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    model::Workload workload;
    for (const FieldRef& field : some_fields(random, random() % 12)) workload.written.push_back({field, {}});
    const targets::Written written(workload);
    for (const FieldRef& block : some_fields(random, 40)) {
      const auto found = std::find_if(workload.written.begin(), workload.written.end(),
                                      [&](const model::WrittenField& w) { return w.field.is_or_below(block); });
      INFO(to_string(block));
      CHECK(written.first_below(block) == (found == workload.written.end() ? nullptr : &*found));
    }
  }
}

}  // namespace limits_test
