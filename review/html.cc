// A page of its own: no script, nothing loaded, the one style allowed by its digest.
#include "compiler/base/ci_commands.h"
#include "compiler/base/text.h"
#include "lint/proposed.h"
#include "lint/report/common.h"
#include "review/page_style.h"
#include "review/report.h"
#include "review/total.h"
#include "review/wording.h"

namespace muster::review {
namespace {

constexpr std::size_t most_text = 400;
constexpr const char* overview_columns[] = {"control plane", "fit", "GPUs", "GPU-hours", "cost"};

std::string escaped(std::string_view text) { return lint::xml_text(printable(text, most_text)); }
std::string code(std::string_view text) { return text.empty() ? "–" : "<code>" + escaped(text) + "</code>"; }

std::string message(std::string_view text) {
  std::string out;
  for (const Part& part : parts_of(text, most_text)) out += part.code ? code(part.text) : lint::xml_text(part.text);
  return out;
}

class Page {
 public:
  explicit Page(const Review& review) : review_(review) {}

  std::string write(const ReportOptions& options) {
    head();
    out_ += "<h1>Review of " + code(review_.base) + " → " + code(review_.head) + "</h1>\n<p class=\"counts\">" +
            escaped(counts_text(review_)) + ".</p>\n";
    if (const std::string total = total_text(review_); !total.empty()) out_ += "<p>" + escaped(total) + ".</p>\n";
    left_out(review_.left_out_base, "old tree");
    left_out(review_.left_out_head, "new tree");
    for (const lint::Account& account : unjudged_beside_left_out(review_))
      out_ += "<p class=\"left-out\"><strong>Not judged</strong>: " + message(lint::text_of(account)) + ".</p>\n";
    for (const std::string& note : review_.notes) out_ += "<p>Note: " + message(note) + ".</p>\n";
    added();
    if (review_.nothing()) out_ += "<p>Nothing is decided, placed, costed or emitted differently.</p>\n";
    overview();
    for (const Item& item : review_.items) write(item);
    for (const PolicyChange& change : review_.policies) policy(change);
    out_ += "</main>\n<footer>muster " + escaped(options.version) + "</footer>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  void head() {
    out_ =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '" +
        std::string(page_style_digest) +
        "'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>muster review: " +
        escaped(counts_text(review_)) + "</title>\n<style>" + std::string(page_style) +
        "</style>\n</head>\n<body>\n<main>\n";
  }

  void added() {
    list("The change adds " + added_text(review_), review_.suppressions,
         [](const auto& one) { return lint::text_of(one); });
    list("The rules of `" + review_.policy_from + "` decide; those of the new tree would change", review_.rule_effects,
         effect_text);
  }

  template <class Of>
  void list(const std::string& heading, const auto& items, Of of) {
    if (items.empty()) return;
    out_ += "<section>\n<h2>" + message(heading) + "</h2>\n<ul>\n";
    for (const auto& item : items) out_ += "<li>" + message(of(item)) + "</li>\n";
    out_ += "</ul>\n</section>\n";
  }

  void left_out(const std::vector<LeftOut>& files, const char* side) {
    for (const LeftOut& left : files)
      out_ += std::string("<p class=\"left-out\"><strong>Left out</strong> of the ") + side + ": " + code(left.file) +
              ": " + message(left.why) + ".</p>\n";
  }

  // A link to each workload, blocked ones first.
  void overview() {
    if (review_.items.empty()) return;
    out_ +=
        "<div class=\"wide\" role=\"region\" aria-label=\"Workloads that changed\" tabindex=\"0\">\n"
        "<table>\n<caption>Workloads that changed</caption>\n<thead><tr><th scope=\"col\">status</th>"
        "<th scope=\"col\">workload</th>";
    for (const char* name : overview_columns) out_ += std::string("<th scope=\"col\">") + name + "</th>";
    out_ += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < review_.items.size(); ++i) {
      const Item& item = review_.items[i];
      out_ += "<tr><td>" + badge(item) + "</td><th scope=\"row\"><a href=\"#w" + std::to_string(i) + "\">" +
              code(title(item)) + "</a></th>";
      for (const char* name : overview_columns) out_ += "<td>" + both(find_row(item, name), item) + "</td>";
      out_ += "</tr>\n";
    }
    out_ += "</tbody>\n</table>\n</div>\n";
  }

  static std::string badge(const Item& item) {
    const std::string word = item.blocked.empty() ? std::string(name(item.status)) : "blocked";
    return "<span class=\"badge " + word + "\">" + word + "</span>";
  }

  static std::string both(const Row& row, const Item& item) {
    if (!item.before) return code(row.after);
    if (!item.after || !row.changed()) return code(row.before);
    return "<del>" + code(row.before) + "</del> → <ins>" + code(row.after) + "</ins>";
  }

  static std::string at(const Place& place) {
    return place.file.empty() ? std::string() : " (" + code(place_text(place)) + ")";
  }

  void write(const Item& item) {
    const std::string id = "w" + std::to_string(number_++);
    out_ += "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-title\">\n<h2 id=\"" + id + "-title\">" +
            badge(item) + " " + code(title(item)) + "</h2>\n";
    if (const std::string from = moved_from(item); !from.empty()) out_ += "<p>It was named " + code(from) + ".</p>\n";
    for (const std::string& why : item.blocked)
      out_ += "<p class=\"why\"><strong>Blocked:</strong> " + message(why) + "</p>\n";
    if (const std::string cause = cause_text(item); !cause.empty()) out_ += "<p>It is " + cause + ".</p>\n";
    flips(item);
    table(item);
    changes(item.facts, "Facts that changed", "fact");
    for (const ObjectChange& object : item.objects) write(object);
    findings(item.new_findings, "New findings");
    findings(item.fixed_findings, "Fixed findings");
    findings(item.unknown_findings, "Findings that can no longer be checked");
    findings(item.allowed_findings, "Findings that are now allowed");
    out_ += "</section>\n";
  }

  void flips(const Item& item) {
    if (item.flips.empty()) return;
    out_ += "<p>To undo it: ";
    for (std::size_t i = 0; i < item.flips.size(); ++i) out_ += (i == 0 ? "" : " or ") + code(flip_text(item.flips[i]));
    out_ += ".</p>\n";
  }

  void table(const Item& item) {
    out_ +=
        "<table>\n<caption>Decision, placement and amounts</caption>\n<thead><tr><th scope=\"col\">what</th>"
        "<th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead>\n<tbody>\n";
    for (const auto& rows : {decision_rows(item), amount_rows(item)})
      for (const Row& row : rows)
        out_ += std::string(!item.on_both() ? "<tr>"
                            : row.changed() ? "<tr class=\"differs\">"
                                            : "<tr class=\"same\">") +
                "<th scope=\"row\">" + escaped(row.name) + "</th><td>" + code(row.before) + "</td><td>" +
                code(row.after) + "</td></tr>\n";
    out_ += "</tbody>\n</table>\n";
  }

  void changes(const std::vector<Change>& list, std::string_view caption, const char* what) {
    if (list.empty()) return;
    out_ += "<table>\n<caption>" + escaped(caption) + "</caption>\n<thead><tr><th scope=\"col\">" + what +
            "</th><th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead>\n<tbody>\n";
    for (const Change& whole : list) {
      const Change c = around_difference(whole, most_text);
      out_ += "<tr><th scope=\"row\">" + code(c.name) + at(c.place) + "</th><td>" + code(c.before.value_or("")) +
              "</td><td>" + code(c.after.value_or("")) + "</td></tr>\n";
    }
    out_ += "</tbody>\n</table>\n";
  }

  void write(const ObjectChange& object) {
    const std::string what = code(object_text(object)) + " " + std::string(name(object.status));
    if (object.fields.empty()) {  // nothing to unfold
      out_ += "<p>" + what + "</p>\n";
      return;
    }
    out_ += "<details><summary>" + what + "</summary>\n";
    changes(object.fields, "Fields of " + object_text(object), "field");
    out_ += "</details>\n";
  }

  void findings(const std::vector<Finding>& list, const char* heading) {
    if (list.empty()) return;
    out_ += std::string("<h3>") + heading + "</h3>\n<ul>\n";
    for (const Finding& f : list)
      out_ += "<li>" + std::string(severity_name(f.severity)) + " " + message(finding_text(f)) + at(f.place) +
              (f.accepted.empty() ? "" : "; allowed: " + message(f.accepted)) +
              (f.proposed.empty() ? "" : "; only the change accepts it: " + message(f.proposed)) + "</li>\n";
    out_ += "</ul>\n";
  }

  void policy(const PolicyChange& change) {
    out_ += "<section>\n<h2>Policy</h2>\n<p>" + escaped(policy_text(change)) + ".</p>\n<ul>\n";
    for (const std::string& text : change.changes) out_ += "<li>" + message(text) + "</li>\n";
    out_ += "</ul>\n</section>\n";
  }

  const Review& review_;
  std::string out_;
  std::size_t number_ = 0;
};

}  // namespace

std::string write_html(const Review& review, const ReportOptions& options) {
  return safe_to_print(Page(review).write(options), TextForm::xml);
}

}  // namespace muster::review
