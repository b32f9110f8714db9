// K8S016 kind-not-checked, K8S017 unknown-field, K8S018 value-refused, K8S019 api-version-gone: an object against the
// schema of its kind.
#include "targets/kubernetes/schema.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/gates.h"

namespace muster::lint {
namespace {

using k8s::Refusal;

constexpr std::size_t most_refusals = 20;

// ---- K8S016, K8S019 ----------------------------------------------------------------------------------

// "Kubernetes 1.16" against the release that the site declares.
bool still_served(const Context& context, std::string_view removed_in) {
  const model::Plane* plane = kubernetes_plane(context);
  const std::size_t dot = removed_in.rfind('.');
  if (plane == nullptr || !removed_in.starts_with("Kubernetes 1.") || !plane->version.span.known()) return false;
  const auto minor = whole_number(removed_in.substr(dot + 1));
  return minor && plane->version.value < model::Version{1, static_cast<int>(*minor)};
}

// `crd/v1beta1/jobs.yaml`: an operator keeps the definition for clusters of that time, beside the one for others.
// `extensions-v1beta1-plugin.yaml` says the same of any object by its name.
bool is_kept_for_old_clusters(const ManifestScene& scene, const Object& object) {
  const std::string file = "/" + scene.context.sources.name(object.root.span().file);
  std::string version(object.api_version);
  std::replace(version.begin(), version.end(), '/', '-');
  const bool grouped = version != object.api_version;  // `v1` is in many names
  if (grouped && file.find(version, file.rfind('/')) != std::string::npos) return true;
  if (object.kind != "CustomResourceDefinition") return false;
  return file.find("/" + version.substr(version.rfind('-') + 1) + "/") != std::string::npos;
}

void check_version(const ManifestScene& scene, const Object& object, const k8s::WrongApi& api) {
  if (std::none_of(object.api_version.begin(), object.api_version.end(), is_lower)) return;  // `DEPLOYMENT_API`
  if (still_served(scene.context, api.removed_in) || is_kept_for_old_clusters(scene, object)) return;
  const std::string version = quoted(object.api_version), kind(object.kind);
  std::string message =
      api.was_served ? version + " does not serve " + kind + " any more" : version + " has no " + kind;
  if (!api.removed_in.empty()) message = version + " of " + kind + " was removed in " + std::string(api.removed_in);
  scene.wrong(RuleId::api_version_gone, object, object.root.get("apiVersion"), std::move(message),
              "write " + muster::quoted(api.instead));
}

// ---- K8S017, K8S018 ----------------------------------------------------------------------------------

std::string_view name_of(data::Node::Kind kind) {
  using Kind = data::Node::Kind;
  switch (kind) {
    case Kind::boolean: return "a boolean";
    case Kind::integer:
    case Kind::number: return "a number";
    case Kind::list: return "a list";
    case Kind::map: return "a map";
    default: return "text";
  }
}

// Whether the site declares the release that decides about a field which came or went: K8S008 then says what is wrong.
bool is_for_release(const ManifestScene& scene, const k8s::Gate& row) {
  const model::Plane* plane = kubernetes_plane(scene.context);
  return plane != nullptr && k8s::version_of(*plane, row.component);
}

void report_field(const ManifestScene& scene, const Object& object, const k8s::SchemaKind& schema,
                  const Refusal& refusal) {
  const std::string holder = refusal.holder.empty() ? std::string(object.kind) : muster::quoted(refusal.holder);
  std::string label;
  if (!refusal.instead.empty())
    label = refusal.elsewhere
                ? "a field of " + (refusal.instead.find(' ') == std::string::npos ? muster::quoted(refusal.instead)
                                                                                  : refusal.instead)
                : "did you mean " + muster::quoted(refusal.instead) + "?";
  const std::string message = quoted(refusal.where.key) + " is not a field of " + holder;
  const k8s::Gate* row = k8s::find_gate(object.api_version, object.kind, refusal.where.path);
  if (row != nullptr && is_for_release(scene, *row)) return;
  // A row of one API version is of the time before the present one, of which the file may be.
  Finding& f = row != nullptr && row->group == object.api_version
                   ? scene.cannot_tell(RuleId::unknown_field, object, refusal.where, message,
                                       "older releases had it; the site does not say which one runs")
                   : scene.wrong(RuleId::unknown_field, object, refusal.where, message, std::move(label));
  f.primary = refusal.where.key_span.known() ? refusal.where.key_span : f.primary;
  f.notes.push_back("checked against " + std::string(schema.release) +
                    "; `kubectl apply` rejects the object, other "
                    "clients drop the field without a message");
  if (!refusal.instead.empty() && !refusal.elsewhere && f.primary.known() && !refusal.where.aliased)
    f.fix = Fix{"rename the field to " + muster::quoted(refusal.instead), false, {{f.primary, refusal.instead}}};
}

// A scalar in quotes, or without them. The edits do not hold the value: it may be a password.
std::optional<Fix> requoted(const Refusal& refusal) {
  const data::Node& node = *refusal.where.node;
  const Span at = node.span;
  if (refusal.where.aliased || !node.is_scalar() || !at.known()) return std::nullopt;
  if (refusal.expected.ends_with("text") && node.kind != data::Node::Kind::text)
    return Fix{
        "write the value in quotes", true, {{{at.file, at.begin, at.begin}, "\""}, {{at.file, at.end, at.end}, "\""}}};
  if (refusal.expected == "a whole number" && node.quoted && all_digits(node.text) &&
      at.end - at.begin == node.text.size() + 2)
    return Fix{"write the number without quotes",
               true,
               {{{at.file, at.begin, at.begin + 1}, ""}, {{at.file, at.end - 1, at.end}, ""}}};
  return std::nullopt;
}

void report_type(const ManifestScene& scene, const Object& object, const Refusal& refusal) {
  const std::string key = refusal.where.key.empty() ? "an item" : quoted(refusal.where.key);
  Finding& f = scene.wrong(RuleId::value_refused, object, refusal.where,
                           key + " must be " + std::string(refusal.expected) + ", but it is " +
                               std::string(name_of(refusal.where.node->kind)),
                           "the API server rejects the object");
  f.fix = requoted(refusal);
  if (f.fix) f.primary_label = f.fix->title;
}

void report_value(const ManifestScene& scene, const Object& object, const Refusal& refusal) {
  const std::string key = refusal.where.key.empty() ? "this field" : quoted(refusal.where.key);
  Finding& f = scene.wrong(RuleId::value_refused, object, refusal.where,
                           quoted(refusal.where.text()) + " is not a value of " + key,
                           refusal.instead.empty() ? "" : "did you mean " + muster::quoted(refusal.instead) + "?");
  f.notes.push_back("the values are " + quoted_list(refusal.values));
  if (!refusal.instead.empty() && !refusal.where.aliased)
    f.fix = Fix{"write " + muster::quoted(refusal.instead), false, {{refusal.where.span(), refusal.instead}}};
}

}  // namespace

// One remark a kind. What says nothing of programs, such as a certificate or a route, has nothing that could be
// checked.
void check_kinds(const ManifestScene& scene) {
  std::set<std::pair<std::string_view, std::string_view>> named;
  for (const Object& object : scene.manifest.objects) {
    if (const auto api = k8s::wrong_api(object.api_version, object.kind)) check_version(scene, object, *api);
    else if (!is_read(object) && may_run_pods(object) && named.insert({object.api_version, object.kind}).second)
      scene.wrong(RuleId::kind_not_checked, object, object.root.get("kind"),
                  "not checked: " + std::string(object.kind) + " (" + std::string(object.api_version) +
                      "), a kind that muster does not read");
  }
}

void check_schema(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    const k8s::SchemaKind* schema = k8s::find_schema(object.api_version, object.kind);
    // SOPS keeps its own map in the file, and encrypted texts in place of values; what is applied is decrypted.
    if (schema == nullptr || object.root.at("sops.mac")) continue;
    for (const Refusal& refusal : refused(*schema, object.root, most_refusals)) {
      if (refusal.why == Refusal::Why::unknown_field) report_field(scene, object, *schema, refusal);
      else if (refusal.why == Refusal::Why::wrong_type) report_type(scene, object, refusal);
      else report_value(scene, object, refusal);
    }
  }
}

}  // namespace muster::lint
