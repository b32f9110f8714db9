#include "cli/explain_library.h"

#include <algorithm>

#include "cli/common_options.h"
#include "cli/describe.h"
#include "cli/emit.h"
#include "cli/explain_file.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/doc.h"
#include "driver/session.h"
#include "targets/contract/wanted.h"

namespace muster::cli {
namespace {

struct Parameter {
  std::string name, type, range, fallback, doc;
  bool required = false;
};

struct Offer {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
};

// As written, on one line.
std::string written(const ast::Expr& e, const Sources& sources) {
  if (e.kind == ast::Expr::Kind::heredoc) return "<<<" + e.tag + " …";
  std::string out;
  for (const char c : sources.text(e.span))
    if (const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n'; !blank || !out.ends_with(' '))
      out.push_back(blank ? ' ' : c);
  return out;
}

std::vector<Parameter> parameters_of(const std::vector<ast::Signature>& signatures, const ast::File& file,
                                     const Sources& sources) {
  std::vector<Parameter> out;
  for (const ast::Signature& s : signatures)
    out.push_back({s.name.text, ast::spelling(s.type), s.range ? written(*s.range, sources) : "",
                   s.fallback ? written(*s.fallback, sources) : "", syntax::doc_of(file, sources, s.span),
                   !s.fallback});
  return out;
}

void add_parameters(std::string& out, const std::vector<Parameter>& parameters) {
  std::size_t names = 0, types = 0;
  const auto type_of = [](const Parameter& p) { return p.type + (p.range.empty() ? "" : " in " + p.range); };
  const auto columns = [](std::string text, std::size_t width) {
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ') + "  ";
  };
  for (const Parameter& p : parameters) {
    names = std::max(names, p.name.size());
    types = std::min<std::size_t>(std::max(types, type_of(p).size()), 40);
  }
  for (const Parameter& p : parameters) {
    const std::string fallback = p.required ? "must be given" : "= " + p.fallback;
    std::string line = "  " + columns(p.name, names) + columns(type_of(p), types) + columns(fallback, 14) + p.doc;
    line.erase(line.find_last_not_of(' ') + 1);
    out += printable(line, 400) + "\n";
  }
}

std::string usage(const std::string& file, const Offer& offer) {
  std::string out = "muster compile " + file + " --template " + offer.name;
  for (const Parameter& p : offer.parameters)
    if (p.required) out += " --set " + p.name + "=…";
  return out + "\n";
}

Json parameters_json(const std::vector<Parameter>& parameters) {
  Json out = Json::array();
  for (const Parameter& p : parameters) {
    out.push_back({{"name", p.name}, {"type", p.type}, {"required", p.required}, {"doc", p.doc}});
    if (!p.range.empty()) out.back()["in"] = p.range;
    if (!p.required) out.back()["default"] = p.fallback;
  }
  return out;
}

// A part of the explanation, in both forms.
struct Part {
  std::string text;
  Json json = Json::array();

  // Parts of the text are a line apart.
  void add(const std::string& more) { text += (text.empty() ? "" : "\n") + more; }
};

std::string titled(std::string_view kind, const std::string& name, const std::string& doc) {
  return std::string(kind) + " " + printable(name) + (doc.empty() ? "" : ": " + printable(doc, 400)) + "\n";
}

Part templates_of(const ast::File& file, const Sources& sources, const std::string& name) {
  Part out;
  for (const ast::Template& t : file.templates) {
    const Offer offer{t.name.text, syntax::doc_of(file, sources, t.span), parameters_of(t.parameters, file, sources)};
    std::string text = titled("template", offer.name, offer.doc);
    add_parameters(text, offer.parameters);
    out.add(text + "  " + usage(name, offer));
    out.json.push_back({{"name", offer.name}, {"doc", offer.doc}, {"params", parameters_json(offer.parameters)}});
  }
  return out;
}

// The variables of the contract that the programs of a workload find, by role; a site may add to them.
Part names_of(const model::Workload& workload) {
  Part out;
  plan::Plan plan;
  plan.workload = &workload;
  for (const model::Role& role : workload.roles) {
    plan::RolePlan shape;
    shape.role = &role;
    const auto wanted = targets::contract::wanted_by(plan, shape);
    std::string found;
    for (const std::string& name : wanted.names()) found += (found.empty() ? "" : ", ") + name;
    if (wanted.all())
      found = "every MUSTER_* variable: its text builds their names, or `contract = full` asks for them";
    else if (found.empty()) found = "no MUSTER_* variable: its text names none";
    out.text += "  " + (role.span.known() ? "role " + role.name : "its program") + " finds " + found + "\n";
    out.json.push_back({{"name", role.name}, {"all", wanted.all()}, {"finds", wanted.names()}});
  }
  return out;
}

// `module` has those that could be checked by themselves.
Part workloads_of(const ast::File& file, const Sources& sources, const model::Module& module) {
  Part out;
  for (const ast::Block& block : file.blocks) {
    if (block.kind.text != "workload" || !block.label) continue;
    const std::string doc = syntax::doc_of(file, sources, block.span);
    const auto is_it = [&](const model::Workload& w) { return w.name == block.label->text; };
    const auto known = std::find_if(module.workloads.begin(), module.workloads.end(), is_it);
    const Part names = known == module.workloads.end() ? Part() : names_of(*known);
    out.add(titled("workload", block.label->text, doc) + names.text);
    out.json.push_back({{"name", block.label->text}, {"doc", doc}, {"roles", names.json}});
  }
  return out;
}

// What the file says by itself. A file that needs parameters, or has faults, says nothing: `check` names them.
model::Module checked(const CommonOptions& common) {
  driver::Session session(common);
  return session.parse() && session.check() ? session.module() : model::Module();
}

// Fleets or sites of the file, not those that it imports.
template <class Declared>
Part declared(std::string_view kind, const std::vector<Declared>& all, std::uint32_t file) {
  Part out;
  for (const Declared& one : all) {
    if (one.span.file != file) continue;
    std::string text = titled(kind, one.name, "");
    Json sections = Json::array();
    for (const Section& section : cli::describe(one)) {
      text += "  " + printable(section.heading) + "\n";
      std::size_t width = 0;
      for (const auto& [name, value] : section.rows) width = std::min<std::size_t>(std::max(width, name.size()), 24);
      Json rows = Json::object();
      for (const auto& [name, value] : section.rows) {
        text += "    " + printable(name) + std::string(width > name.size() ? width - name.size() : 0, ' ') + "  " +
                printable(value, 400) + "\n";
        rows[name] = value;
      }
      sections.push_back({{"of", section.heading}, {"rows", std::move(rows)}});
    }
    out.add(text);
    out.json.push_back({{"name", one.name}, {"sections", std::move(sections)}});
  }
  return out;
}

bool declares_a_cluster(const ast::File& file) {
  return std::any_of(file.blocks.begin(), file.blocks.end(),
                     [](const ast::Block& block) { return block.kind.text == "fleet" || block.kind.text == "site"; });
}

}  // namespace

int explain_library(const ExplainOptions& options) {
  CommonOptions common;
  common.files = {options.file};
  common.format = options.format;
  driver::Session session(common);
  if (!session.parse()) return finish(session, common);
  const ast::File& file = session.files().front();
  const std::uint32_t number = file.file;
  const bool cluster = declares_a_cluster(file);
  const auto parameters = parameters_of(file.parameters, file, session.sources());
  Part all;
  if (!parameters.empty()) all.text = "parameters of the file\n", add_parameters(all.text, parameters);
  const Part templates = templates_of(file, session.sources(), options.file);
  const Part workloads = workloads_of(file, session.sources(), checked(common));
  if (cluster && !session.check()) return finish(session, common);
  const Part fleets = declared("fleet", session.module().fleets, number);
  const Part sites = declared("site", session.module().sites, number);
  for (const Part* part : {&templates, &workloads, &fleets, &sites})
    if (!part->text.empty()) all.add(part->text);
  if (all.text.empty()) all.text = "the file has no parameters, templates, workloads, fleets or sites\n";
  const Json json = {{"file", options.file},        {"params", parameters_json(parameters)},
                     {"templates", templates.json}, {"workloads", workloads.json},
                     {"fleets", fleets.json},       {"sites", sites.json}};
  return finish(session, common, 0, options.format == "json" ? print(json) : all.text);
}

}  // namespace muster::cli
