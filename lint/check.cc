#include "lint/check.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "lint/diagnosed.h"
#include "lint/overlays.h"
#include "lint/proposed.h"
#include "lint/rules/batch/batch.h"
#include "lint/rules/manifest/manifest.h"
#include "lint/rules/slurm/slurm.h"
#include "lint/rules/text_secrets.h"
#include "lint/suppress.h"
#include "lint/suppression_index.h"
#include "targets/batch/read/job_script.h"
#include "targets/kubernetes/read/pod_text.h"
#include "targets/kubernetes/read/recognize.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;

void add_texts(const data::Node& node, std::vector<Span>& out) {
  for (const data::Member& member : node.members) add_texts(member.value, out);
  for (const data::Node& item : node.items) add_texts(item, out);
  if (node.text.find("muster:") != std::string::npos) out.push_back(node.span);
}

// A text that a container gives to a shell, in lines as they are, has comments of its own.
void leave_shell_texts(const k8s::Manifest& manifest, const Sources& sources, std::vector<Span>& texts) {
  for (const k8s::Object& object : manifest.objects)
    for (const k8s::PodTemplate& pods : object.pods)
      for (const k8s::Container& c : pods.containers) {
        const auto text = k8s::text_of(sources, c);
        if (!text || !text->indent || std::erase(texts, text->field.span()) == 0) continue;
        for (const shell::Command& command : text->body.commands)
          for (const shell::Redirect& redirect : command.redirects)
            if (redirect.text.known()) texts.push_back(redirect.text);
      }
}

bool contains(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.begin < outer.end;
}

// What is above a later document is for all of it, as what is above the first one is for the file.
void widen(const data::Document& document, Suppression& s) {
  const Span root = document.root.span;
  if (!contains(document.span, s.where) || s.where.begin >= root.begin || s.scope.end >= root.end) return;
  s.scope = {root.file, root.begin, root.end};
  s.anchor = "document";
}

// Where a byte lies in a document: "spec.containers[main].image". An item of a list is called by its `name`; where
// another one stands is no matter.
std::string path_at(const data::Node& node, std::uint32_t at) {
  const auto inside = [&](Span span) { return span.begin <= at && at < span.end; };
  for (const data::Member& member : node.members)
    if (inside(member.value.span) || inside(member.key_span)) return "." + member.key + path_at(member.value, at);
  for (const data::Node& item : node.items) {
    if (!inside(item.span)) continue;
    const auto& members = item.members;
    const auto named = std::find_if(members.begin(), members.end(), [](const auto& m) { return m.key == "name"; });
    return "[" + (named != members.end() ? named->value.text : "") + "]" + path_at(item, at);
  }
  return {};
}

// Where the line that a comment is for begins to say something: behind blanks and the dash of a list.
std::uint32_t content_of(const Sources& sources, Span line) {
  const std::size_t blanks = sources.text(line).find_first_not_of(" \t-");
  return line.begin + (blanks == std::string_view::npos ? 0 : static_cast<std::uint32_t>(blanks));
}

// By the object that a comment stands in, and of a line by its path, so that the same line elsewhere is another one.
void anchor(const k8s::Manifest& manifest, const Sources& sources, Suppression& s) {
  if (s.anchor == "file") return;
  for (const data::Document& document : manifest.documents.documents)
    if (s.anchor != "document" && contains(document.root.span, s.scope))
      s.anchor = path_at(document.root, content_of(sources, s.scope)) + " " + s.anchor;
  for (const k8s::Object& object : manifest.objects)
    if (contains(object.root.span(), s.where) || contains(object.root.span(), s.scope))
      s.anchor = std::string(object.name_space) + "/" + object.subject() + " " + s.anchor;
}

// What comments of a manifest are not: text of a script or a file in it. The others are of the object that they stand
// in.
void settle(const k8s::Manifest& manifest, const Sources& sources, Suppressions& suppressions) {
  if (suppressions.items.empty() && suppressions.findings.empty()) return;
  std::vector<Span> texts;
  for (const data::Document& document : manifest.documents.documents) add_texts(document.root, texts);
  leave_shell_texts(manifest, sources, texts);
  leave_out(texts, suppressions);
  for (Suppression& s : suppressions.items)
    for (const data::Document& document : manifest.documents.documents) widen(document, s);
  for (Suppression& s : suppressions.items) anchor(manifest, sources, s);
  for (const k8s::Object& object : manifest.objects) {
    for (Suppression& s : suppressions.items)
      if (contains(object.root.span(), s.where) || contains(object.root.span(), s.scope)) s.owner = object.subject();
    for (Finding& f : suppressions.findings)
      if (contains(object.root.span(), f.primary)) f.subject = object.subject();
  }
}

// An object's annotation, and those of its pods.
void read_annotations(const k8s::Manifest& manifest, const Sources& sources, Suppressions& out) {
  for (const k8s::Object& object : manifest.objects) {
    const auto add = [&](const k8s::Field& allow, const k8s::Field& part, const std::string& what) {
      const std::size_t before = out.items.size();
      read_annotation(allow.text(), allow.span(), part.span(), object.subject(), sources, out);
      for (Suppression& s : std::span(out.items).subspan(before))
        s.anchor = std::string(object.name_space) + "/" + object.subject() + " annotation " + what;
    };
    if (const k8s::Field allow = object.annotation(allow_annotation)) add(allow, object.root, "");
    for (const k8s::PodTemplate& pods : object.pods)
      if (const k8s::Field allow = pods.annotation(allow_annotation)) {
        const std::string which = "of pods " + std::to_string(&pods - object.pods.data());
        add(allow, pods.metadata, which);
        add(allow, pods.spec, which + ", spec");
      }
  }
}

// What is suppressed in a manifest, comments and annotations.
Suppressions suppressions_in(const k8s::Manifest& manifest, const Sources& sources, std::uint32_t file) {
  Suppressions out = read_comments(sources, file, Input::manifest);
  settle(manifest, sources, out);
  read_annotations(manifest, sources, out);
  return out;
}

Suppressions suppressions_in_script(const Sources& sources, std::uint32_t file) {
  Suppressions out = read_comments(sources, file, Input::script);
  if (!out.items.empty() || !out.findings.empty()) leave_out(texts_in_script(sources, file), out);
  return out;
}

bool is_kustomization(const k8s::Object& object) { return object.api_version.starts_with("kustomize.config.k8s.io/"); }

// What became of a manifest that was read.
void settle_account(const k8s::Manifest& manifest, const targets::Purpose& purpose, Account& account) {
  const auto templates = std::any_of(manifest.skipped.begin(), manifest.skipped.end(),
                                     [](const k8s::Skipped& s) { return s.why == k8s::Skipped::Why::helm_template; });
  const auto& objects = manifest.objects;
  if (manifest.diagnostics.has_errors())
    account.fate = Fate::not_read, account.why = "a document of it cannot be parsed";
  else if (templates) account.fate = Fate::templated, account.why = "it must be rendered before it is YAML";
  else if (objects.empty()) account.fate = Fate::data;
  else if (std::all_of(objects.begin(), objects.end(), is_kustomization)) account.fate = Fate::list;
  else if (purpose.kind == targets::PurposeKind::patch && !purpose.in_part)
    account.fate = Fate::patch, account.why = purpose.why;
  else if (purpose.kind == targets::PurposeKind::templated) account.fate = Fate::templated, account.why = purpose.why;
}

// What a manifest's objects are found to be, and what they say may stay.
std::vector<Finding> check_objects(std::uint32_t file, const Context& context, Suppressions& suppressions,
                                   Diagnostics& diagnostics, Account& account) {
  const k8s::Manifest manifest = k8s::read_manifest(context.sources, file);
  std::vector<Finding> findings;
  suppressions = suppressions_in(manifest, context.sources, file);
  const targets::Purpose purpose = manifest_purpose(manifest, context, file);
  settle_account(manifest, purpose, account);
  if (!is_kept(purpose))  // test data and archives may well be broken
    for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics.add(d);
  if (!purpose.is_complete()) check_incomplete_manifest(purpose, manifest, context, file, findings);
  if (!purpose.is_complete() && !purpose.in_part) return findings;
  std::vector<Finding> found;
  check_manifest(manifest, context, found);
  leave_what_holds(purpose, manifest, context, file, found);
  note_charts(manifest, context.sources, found);
  std::move(found.begin(), found.end(), std::back_inserter(findings));
  // What tests start has no users that wait, and no neighbours.
  if (context.overlays != nullptr && context.overlays->is_of_tests(context.sources.name(file)))
    keep_warnings_for_strict(findings);
  for (const k8s::Skipped& skipped : manifest.skipped)
    if (skipped.why == k8s::Skipped::Why::helm_template && purpose.is_complete())
      findings.push_back(
          unclear(RuleId::unfilled_template, skipped.span,
                  "the placeholder is filled in before Kubernetes reads the object, so it is not checked"));
  return findings;
}

// Of a script: what it submits is judged, and of notes and outputs of jobs nothing is.
void settle_account(const targets::Purpose& purpose, Account& account) {
  using targets::PurposeKind;
  if (purpose.is_complete()) return;
  account.why = purpose.why;
  if (purpose.kind == PurposeKind::wrapper) account.fate = Fate::list;
  else if (purpose.kind == PurposeKind::templated) account.fate = Fate::templated;
  else if (!purpose.in_part) account.fate = Fate::data;
}

std::vector<Finding> check_job_script(std::uint32_t file, const CheckSettings& settings, Account& account) {
  using targets::batch::System;
  const Context& context = settings.context;
  const System system = targets::batch::system_of(context.sources.text(file)).value_or(System::slurm);
  const auto check = system == System::slurm           ? check_script
                     : targets::batch::is_read(system) ? check_batch_script
                                                       : check_unread_script;
  AboutScript about;
  std::vector<Finding> out = check_filled_script(context, file, settings.command_line, about, check);
  settle_account(about.purpose, account);
  return out;
}

// A folder of test data, or of what is kept: its warnings have no reader. The first file of it says so for all.
void check_kept(std::uint32_t file, const Context& context, Suppressions& suppressions,
                std::vector<Finding>& findings) {
  const std::string& name = context.sources.name(file);
  const targets::Purpose purpose =
      context.overlays != nullptr ? context.overlays->purpose_of(name) : targets::Purpose();
  if (!is_kept(purpose)) return;
  for (Suppression& s : suppressions.items) s.elsewhere = true;  // it may be for another profile
  std::erase_if(findings, is_weak_secret);
  keep_warnings_for_strict(findings);
  if (!context.overlays->is_first(name)) return;
  const Span where{file, 0, static_cast<std::uint32_t>(context.sources.line(file, 1).size())};
  findings.push_back(unclear(RuleId::unfilled_template, where, said_of_folder(purpose.kind)));
  findings.back().notes.push_back("this is " + described(purpose) + ": " + purpose.why);
}

}  // namespace

std::vector<Result> check_merged(const MergedObjects& objects, const CheckSettings& settings, std::vector<Span>& used) {
  const auto& all = objects.manifest.objects;
  std::set<std::string> subjects;
  for (std::size_t i = 0; i < objects.changed.size() && i < all.size(); ++i)
    if (objects.changed[i]) subjects.insert(all[i].subject());
  std::vector<Finding> found, kept;
  check_manifest(objects.manifest, settings.context, found);
  for (Finding& f : found) {
    if (!subjects.contains(f.subject)) continue;
    f.fix.reset();
    f.notes.push_back("this is in the object that the kustomization of `" +
                      (objects.folder.empty() ? "." : objects.folder) + "` makes of its resources and patches");
    kept.push_back(std::move(f));
  }
  Suppressions suppressions;
  for (const std::uint32_t file : objects.files) {
    Suppressions own = suppressions_of(settings.context.sources, file, Input::manifest);
    std::move(own.items.begin(), own.items.end(), std::back_inserter(suppressions.items));
  }
  if (settings.before != nullptr) mark_proposed(*settings.before, suppressions.items, settings.as_of);
  suppressions.items.insert(suppressions.items.end(), settings.accepted.begin(), settings.accepted.end());
  std::vector<Result> out = judge(std::move(kept), suppressions, settings);
  std::erase_if(out, [](const Result& r) {  // their own files say what is wrong with suppressions
    return std::string_view(about(r.finding).id).starts_with("SUP");
  });
  for (const Suppression& s : suppressions.items)
    if (s.used) used.push_back(s.where);
  return out;
}

std::vector<Result> judge(std::vector<Finding> findings, Suppressions& suppressions, const CheckSettings& settings) {
  std::vector<Result> out;
  SuppressionIndex index(suppressions, settings.as_of);
  const auto add = [&](Finding f) {
    const bool of_rule = !f.fault && (!f.code || rule_for(*f.code));
    if (of_rule && !settings.selection.contains(f.rule)) return;
    if (of_rule && f.since > settings.selection.profile) {
      index.find(f);  // another profile needs it
      return;
    }
    out.push_back({std::move(f), "", State::open, ""});
    const Suppression* s = index.find(out.back().finding);
    if (s != nullptr && s->proposed) propose(out.back(), s->reason);
    else if (s != nullptr) out.back().state = State::suppressed, out.back().reason = s->reason;
  };
  for (Finding& f : findings) add(std::move(f));
  const bool site_given = settings.context.site != nullptr;
  for (Finding& f : leftovers(suppressions, settings.selection, settings.as_of, site_given)) add(std::move(f));
  for (const Finding& f : suppressions.findings) add(f);
  sort_results(out);
  set_keys(out, settings.context.sources);
  return out;
}

std::optional<Input> kind_of(std::string_view text, bool for_manifests) {
  if (!targets::slurm::is_batch_script(text))
    return k8s::is_manifest(text) ? std::optional(Input::manifest) : std::nullopt;
  // The directive may be a comment of a manifest, and the manifest a text that the script writes.
  const k8s::Held held = k8s::what_is_in(text);
  return held.holds == k8s::Holds::objects && (for_manifests || held.only_maps) ? Input::manifest : Input::script;
}

Suppressions suppressions_of(const Sources& sources, std::uint32_t file, Input kind) {
  if (kind == Input::script) return suppressions_in_script(sources, file);
  // (A name with an escape in it is seen only by who reads the document.)
  const std::string_view text = sources.text(file);
  if (text.find("muster") == std::string_view::npos && text.find('\\') == std::string_view::npos) return {};
  return suppressions_in(k8s::read_manifest(sources, file), sources, file);
}

std::vector<Result> check_file(std::uint32_t file, Input kind, const CheckSettings& settings, Diagnostics& diagnostics,
                               std::vector<Added>* added, Account* account) {
  const Context& context = settings.context;
  Suppressions suppressions;
  Account own{context.sources.name(file)};
  std::vector<Finding> findings = kind == Input::script ? check_job_script(file, settings, own)
                                                        : check_objects(file, context, suppressions, diagnostics, own);
  if (kind == Input::script) suppressions = suppressions_in_script(context.sources, file);
  check_kept(file, context, suppressions, findings);
  if (settings.before != nullptr) mark_proposed(*settings.before, suppressions.items, settings.as_of);
  if (added != nullptr) *added = added_by(suppressions.items, context.sources);
  suppressions.items.insert(suppressions.items.end(), settings.accepted.begin(), settings.accepted.end());
  if (account != nullptr) *account = std::move(own);
  return judge(std::move(findings), suppressions, settings);
}

}  // namespace muster::lint
