// What workloads and sites write alike. Inside compiler/sema only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/model/workload.h"
#include "compiler/sema/check/block_writer.h"

namespace muster::sema {

// The schema of a declaration: workload, fleet, site.
const BlockSchema& declaration(std::string_view name);

void write_software(BlockWriter& out, const model::SoftwareSpec& software);
void write_facts(BlockWriter& out, const std::vector<std::pair<std::string, model::Located<model::FactValue>>>& facts);

// The blocks around a role's program: replicas, fabric, parallelism, secrets, files, ports, probes…
void write_needs(BlockWriter& out, const model::Role& role);
// The blocks depends-on, scale, serve and dev of a workload.
void write_service(BlockWriter& out, const model::Workload& workload);
// The block `defaults` of a site.
void write_defaults(BlockWriter& site, const model::Workload& defaults);
void write_allows(BlockWriter& out, const std::vector<model::Allow>& allows);
void write_env(BlockWriter& out, const std::vector<model::EnvVar>& env);

// `8`, or `2..6`.
ast::Expr count_expr(const model::Count& count);

}  // namespace muster::sema
