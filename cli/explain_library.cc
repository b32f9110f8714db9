#include "cli/explain_library.h"

#include <algorithm>

#include "cli/emit.h"
#include "cli/explain_file.h"
#include "cli/output.h"
#include "cli/session.h"
#include "compiler/base/text.h"
#include "compiler/syntax/doc.h"

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

Json to_json(const std::vector<Parameter>& parameters) {
  Json out = Json::array();
  for (const Parameter& p : parameters) {
    out.push_back({{"name", p.name}, {"type", p.type}, {"required", p.required}, {"doc", p.doc}});
    if (!p.range.empty()) out.back()["in"] = p.range;
    if (!p.required) out.back()["default"] = p.fallback;
  }
  return out;
}

}  // namespace

int explain_library(const ExplainOptions& options) {
  CommonOptions common;
  common.files = {options.file};
  Session session(common);
  if (!session.parse()) return session.finish();
  const ast::File& file = session.files().front();
  const Sources& sources = session.sources();
  const auto parameters = parameters_of(file.parameters, file, sources);
  std::string text;
  Json templates = Json::array(), workloads = Json::array();
  if (!parameters.empty()) text += "parameters of the file\n", add_parameters(text, parameters);
  for (const ast::Template& t : file.templates) {
    const Offer offer{t.name.text, syntax::doc_of(file, sources, t.span), parameters_of(t.parameters, file, sources)};
    text += (text.empty() ? "" : "\n") + std::string("template ") + offer.name +
            (offer.doc.empty() ? "" : ": " + printable(offer.doc, 400)) + "\n";
    add_parameters(text, offer.parameters);
    text += "  " + usage(options.file, offer);
    templates.push_back({{"name", offer.name}, {"doc", offer.doc}, {"params", to_json(offer.parameters)}});
  }
  for (const ast::Block& block : file.blocks) {
    if (block.kind.text != "workload" || !block.label) continue;
    const std::string doc = syntax::doc_of(file, sources, block.span);
    text += (text.empty() ? "" : "\n") + std::string("workload ") + block.label->text +
            (doc.empty() ? "" : ": " + printable(doc, 400)) + "\n";
    workloads.push_back({{"name", block.label->text}, {"doc", doc}});
  }
  if (text.empty()) text = "the file has no parameters, templates or workloads\n";
  const Json json = {
      {"file", options.file}, {"params", to_json(parameters)}, {"templates", templates}, {"workloads", workloads}};
  write_stdout(options.format == "json" ? print(json) : text, session.diagnostics());
  return session.finish();
}

}  // namespace muster::cli
