// The table of a workload's fields: one row a key, and the paths and places that all others go by.
#include "compiler/model/fields.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/sema/check/check.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/parse.h"
#include "tests/catch.h"
#include "tests/places.h"

namespace fields_test {

using namespace muster;
using model::Field;
using model::FieldRef;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Calls `visit(schema, path)` for each key of a block and of those inside it, but for `any-of`, whose options have what
// the workload has.
template <class Visit>
void each_key(const sema::BlockSchema& block, const std::string& path, const Visit& visit) {
  for (const sema::KeySchema& key : block.keys) visit(key, path + std::string(key.name));
  for (const sema::BlockSchema& inner : block.blocks)
    if (inner.name != "any-of") each_key(inner, path + std::string(inner.name) + ".", visit);
}

std::string path_of(const FieldRef& field) { return to_string(field); }

// The fields of a spec, and the blocks that they are in.
std::vector<FieldRef> refs_of(const model::Workload& workload) {
  std::vector<FieldRef> out = {Field::env, Field::role, Field::target, Field::mount, Field::workload};
  for (const model::WrittenField& written : workload.written) {
    const FieldRef& field = written.field;
    out.push_back(field);
    for (const Field block : {Field::mount, Field::port, Field::depends_on, Field::role_depends_on})
      if (model::is_or_below(field.field, block)) out.push_back({block, field.detail, field.role});
    if (!field.role.empty()) out.push_back({Field::role, field.role});
  }
  return out;
}

}  // namespace

TEST_CASE("a field is printed as its path is written") {
  CHECK(path_of(Field::time_limit) == "time-limit");
  CHECK(path_of(Field::resources_gpu_memory) == "resources.gpu-memory");
  CHECK(path_of({Field::env, "SEED"}) == "env.SEED");
  CHECK(path_of({Field::mount, "data"}) == "mount.data");
  CHECK(path_of({Field::mount_sub_path, "data"}) == "mount.data.sub-path");
  CHECK(path_of({Field::target, "slurm.nice"}) == "target.slurm.nice");
  CHECK(path_of({Field::target_srun, "slurm"}) == "target.slurm.srun");
  CHECK(path_of({Field::sweep_axes, "lr", ""}) == "sweep.axes.lr");
  CHECK(path_of({Field::resources_nodes, "", "head"}) == "role.head.resources.nodes");
  CHECK(path_of({Field::mount_path, "data", "head"}) == "role.head.mount.data.path");
  CHECK(path_of(Field::role_primary) == "role.primary");
  CHECK(path_of({Field::role_primary, "", "head"}) == "role.head.primary");
  CHECK(path_of({Field::role_depends_on_on, "db", "head"}) == "role.head.depends-on.db.on");
  CHECK(path_of({Field::depends_on_on, "prepare"}) == "depends-on.prepare.on");
  CHECK(path_of({Field::role, "head"}) == "role.head");
  CHECK(model::key(Field::resources_gpu_memory) == "gpu-memory");
}

TEST_CASE("every key of a workload is a row of the table, by its own path") {
  std::set<std::string> rows;
  each_key(sema::workload_schema(), "", [&](const sema::KeySchema& key, std::string path) {
    INFO(path);
    REQUIRE(key.field);
    const std::string_view name = model::name(*key.field);
    if (path.starts_with("role.") && path != name) path = path.substr(5);
    if (!key.short_for.empty()) path = std::string(key.short_for) + "." + path;
    CHECK(path == name);
    rows.insert(path);
  });
  CHECK(rows.size() == 114);
}

// The places are compared by their parts, and mean what the paths say.
TEST_CASE("a field is below a block where its path goes on from that of the block") {
  std::size_t below = 0;
  for (const auto& entry : std::filesystem::directory_iterator(muster::tests::source_folder() + "/tests/kitchen")) {
    if (entry.path().extension() != ".muster") continue;
    Sources sources;
    Diagnostics diagnostics;
    const auto file = syntax::parse(sources, sources.add(entry.path(), text_of(entry.path())), diagnostics);
    REQUIRE(file);
    for (const model::Workload& workload : sema::check({*file}, sources, {}, diagnostics).workloads) {
      const std::vector<FieldRef> refs = refs_of(workload);
      for (const FieldRef& field : refs)
        for (const FieldRef& block : refs) {
          const std::string path = to_string(field), above = to_string(block);
          INFO(path << " below " << above);
          const bool by_path = path == above || path.starts_with(above + ".");
          REQUIRE(field.is_or_below(block) == by_path);
          below += by_path && path != above ? 1 : 0;
        }
    }
  }
  CHECK(below > 100);
}

}  // namespace fields_test
