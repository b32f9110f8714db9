// muster reliability: what failures do to a workload, and how often to write checkpoints.
#include <cstdio>
#include <cstdlib>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/emit.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "driver/choose.h"
#include "driver/planning.h"
#include "lint/fit_as_read.h"
#include "plan/steps/reliability.h"

namespace muster::cli {
namespace {

struct ReliabilityOptions {
  CommonOptions common;
  std::string workload, restart = "5m", repair;
  double probability = 0.99;
};

// Four digits that mean something, or all of a whole number: "1116", "882.5", "0.8526".
std::string figure_text(double value) {
  char out[64];
  const double size = value < 0 ? -value : value;
  std::snprintf(out, sizeof out, "%.*f",
                size >= 1000 || value == static_cast<double>(static_cast<long long>(value)) ? 0
                : size >= 10                                                                ? 1
                                                                                            : 4,
                value);
  return out;
}

// Nine digits: the last ones differ between systems' mathematics.
double rounded(double value) {
  char out[64];
  std::snprintf(out, sizeof out, "%.9g", value);
  return std::strtod(out, nullptr);
}

// "10914 s (3.03 h)".
std::string with_unit(const plan::Figure& figure) {
  const std::string value = figure_text(figure.value);
  if (figure.unit == "1") return value;
  char hours[64];
  std::snprintf(hours, sizeof hours, " (%.2f h)", figure.value / 3600);
  return value + " " + figure.unit + (figure.value >= 3600 ? hours : "");
}

std::string text_of(const plan::Reliability& report, const model::Workload& workload) {
  std::string out = workload.id + ": " + counted(report.nodes, "node") + ", " + counted(report.gpus, "GPU") + "\n";
  for (const plan::RateReport& rate : report.rates) {
    out += "  at " + figure_text(rate.per_node_day * 1000) + " failures per 1,000 node-days: " + rate.source + "\n";
    for (const plan::Figure& figure : rate.figures) {
      std::string name = figure.name, value = with_unit(figure);
      name.resize(std::max<std::size_t>(name.size() + 1, 40), ' ');
      value.resize(std::max<std::size_t>(value.size() + 1, 20), ' ');
      out += "    " + name + value + figure.formula + (figure.note.empty() ? "" : "; " + figure.note) + "\n";
    }
  }
  for (const std::string& note : report.notes) out += "  note: " + note + "\n";
  if (!report.change.empty()) out += "  change: " + report.change + "\n";
  return out;
}

Json json_of(const plan::Reliability& report, const model::Workload& workload) {
  Json rates = Json::array();
  for (const plan::RateReport& rate : report.rates) {
    Json figures = Json::array();
    for (const plan::Figure& f : rate.figures) {
      figures.push_back({{"name", f.name}, {"value", rounded(f.value)}, {"unit", f.unit}, {"formula", f.formula}});
      if (!f.note.empty()) figures.back()["note"] = f.note;
    }
    rates.push_back(
        {{"failures_per_node_day", rounded(rate.per_node_day)}, {"source", rate.source}, {"figures", figures}});
  }
  Json out = {
      {"id", workload.id}, {"nodes", report.nodes}, {"gpus", report.gpus}, {"rates", rates}, {"notes", report.notes}};
  if (!report.change.empty()) out["change"] = report.change;
  return out;
}

// Seconds; nullopt: a message on stderr.
std::optional<double> seconds_of(const std::string& text, const char* option) {
  const auto read = parse_quantity(text);
  const Quantity* quantity = std::get_if<Quantity>(&read);
  const Duration* duration = quantity != nullptr ? std::get_if<Duration>(quantity) : nullptr;
  if (duration != nullptr && duration->ms > 0) return static_cast<double>(duration->ms) / 1000;
  print_error("muster reliability: " + std::string(option) + " takes a time such as 24h, found `" + text + "`\n");
  return std::nullopt;
}

// Why there are no figures of a job script or a manifest.
void report_existing(const targets::AsRead& read, const plan::PlanResult& result, Diagnostics& diagnostics) {
  const std::string name = "`" + read.workload.name + "`";
  if (!result.plan)
    diagnostics.add(Code::does_not_fit, read.workload.span, name + " does not fit: " + result.no_pool->text);
  else if (!read.unknown.empty())
    diagnostics.add(Code::fit_unknown, read.workload.span,
                    "the figures of " + name + " rest on a guess: the file does not say " + read.unknown);
}

int report(const ReliabilityOptions& options, const plan::ReliabilityAsk& ask) {
  driver::Session session(options.common);
  if (!session.load()) return finish(session, options.common);
  const auto setting = driver::make_setting(session);
  if (!setting) return finish(session, options.common);
  if (setting->fleet == nullptr) {
    session.diagnostics()
        .add(Code::nothing_to_do, setting->site->span,
             "site `" + setting->site->name + "` declares no fleet, so the failure rate of its nodes is unknown")
        .notes.push_back("pass a site that declares a `fleet` with `--site FILE`");
    return finish(session, options.common);
  }
  std::string text;
  Json all = Json::array();
  for (const model::Workload* w : session.workloads(options.workload)) {
    const targets::AsRead* read = session.as_read(*w);
    const plan::PlanRequest request = driver::request_for(w, session, *setting);
    const plan::PlanResult result = read != nullptr
                                        ? lint::plan_as_read(*read, request)
                                        : driver::choose(request, {}, nullptr, session.diagnostics()).result;
    if (read != nullptr) report_existing(*read, result, session.diagnostics());
    if (!result.plan || result.plan->roles.empty() || result.plan->roles.front().pool == nullptr) continue;
    const plan::Reliability reliability = plan::reliability_of(*result.plan, ask);
    text += text_of(reliability, *w);
    all.push_back(json_of(reliability, *w));
  }
  Json out = {{"workloads", std::move(all)}};
  out.update(policy_json(setting->policy));
  if (text.empty()) return finish(session, options.common);
  return finish(session, options.common, 0, options.common.format == "json" ? print(out) : text);
}

}  // namespace

int run_reliability(const CommandLine& line) {
  ReliabilityOptions options;
  Arguments app("Estimates the effect of failures: expected failures, checkpoint interval, useful time, spare nodes.",
                "muster reliability");
  options.common.existing = driver::Existing::as_read;
  add_common(app, options.common, true);
  app.add_option("--workload", options.workload, "estimate only this workload").type_name("NAME");
  app.add_option("--restart", options.restart, "time from a failure until the job runs again (5m)").type_name("TIME");
  app.add_option("--repair", options.repair, "time to repair a node; shows how many spare nodes are needed")
      .type_name("TIME");
  app.add_option("--probability", options.probability, "required probability that the spare nodes suffice (0.99)")
      .between(0.5, 0.999999)
      .type_name("P");
  app.add_option("--format", options.common.format, "text or json").one_of({"text", "json"}).type_name("FORMAT");
  if (const auto code = app.parse(line)) return *code;
  plan::ReliabilityAsk ask;
  ask.probability = options.probability;
  const auto restart = seconds_of(options.restart, "--restart");
  if (!restart) return 2;
  ask.restart = *restart;
  if (!options.repair.empty() && !(ask.repair = seconds_of(options.repair, "--repair"))) return 2;
  return report(options, ask);
}

}  // namespace muster::cli
