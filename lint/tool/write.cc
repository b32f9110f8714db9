#include "lint/tool/write.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::lint::tool {
namespace {

struct Family {
  std::string_view id, title;
};

constexpr Family families[] = {
#define MUSTER_FAMILY(id, title) {#id, title},
#include "lint/tool/families.def"
};

std::size_t family_of(const Page& page) {
  const auto* const at = std::find_if(std::begin(families), std::end(families),
                                      [&](const Family& family) { return page.id.starts_with(family.id); });
  return static_cast<std::size_t>(at - std::begin(families));
}

std::string literal(std::string_view text) { return "R\"muster(" + std::string(text) + ")muster\""; }

// As C++ names it.
std::string underscored(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string places(const Page& page) {
  std::string out;
  for (const std::string_view place : split(page.places, ','))
    out += (out.empty() ? "bits(Place::" : " | bits(Place::") + underscored(trimmed(place)) + ")";
  return "{static_cast<std::uint8_t>(" + out + ")}";
}

std::string sources(const Page& page) {
  std::string out;
  for (const Source& source : page.sources) out += "{" + literal(source.title) + ", " + literal(source.address) + "}, ";
  return "{" + out + "}";
}

std::string row(const Page& page) {
  std::string out = "    Rule{\"" + page.id + "\", \"" + page.slug + "\", Severity::" + page.severity + ", " +
                    places(page) + ", Profile::" + (page.profile == "default" ? "normal" : page.profile) +
                    ", Stage::" + page.stage + ", FixKind::" + page.fix;
  for (const std::string* text : {&page.summary, &page.checks, &page.why, &page.instead}) out += ", " + literal(*text);
  return out + ", " + literal(page.why + " " + page.instead) + ", " + sources(page) + ", " + literal(page.thresholds) +
         ", " + literal(page.path) + "},\n";
}

}  // namespace

std::string arrange(std::vector<Page>& pages) {
  std::sort(pages.begin(), pages.end(),
            [](const Page& a, const Page& b) { return std::pair(family_of(a), a.id) < std::pair(family_of(b), b.id); });
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Page& page = pages[i];
    const std::string at = page.path + ":1: error: ";
    if (family_of(page) == std::size(families))
      return at + "the family of " + page.id + " is not in lint/tool/families.def";
    if (i > 0 && pages[i - 1].id == page.id) return at + page.id + " has a page already: " + pages[i - 1].path;
    const auto same = std::find_if(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Page& other) { return other.slug == page.slug; });
    if (same->id != page.id) return at + "the slug " + page.slug + " is that of " + same->id + " already";
    if (page.example.empty()) return at + "there is no example";
  }
  return "";
}

std::string write_ids(const std::vector<Page>& pages) {
  std::string out;
  for (const Page& page : pages) out += underscored(page.slug) + ",  // " + page.id + "\n";
  return out;
}

std::string write_table(const std::vector<Page>& pages) {
  std::string all, rules, examples, need_site;
  for (const Family& family : families) all += "  {" + literal(family.id) + ", " + literal(family.title) + "},\n";
  for (const Page& page : pages) {
    rules += row(page);
    if (!page.needs_site.empty()) need_site += "    case RuleId::" + underscored(page.slug) + ":\n";
    for (const File& file : page.example)
      examples += "  {\"" + page.id + "\", \"" + file.name + "\", " + literal(file.text) + "},\n";
  }
  return "#include \"lint/rule_table.h\"\n\nnamespace muster::lint {\nnamespace {\n\n"
         "constexpr unsigned bits(Place place) { return static_cast<unsigned>(place); }\n\n"
         "constexpr EmbeddedExample examples[] = {\n" +
         examples + "};\n\nconstexpr Family families[] = {\n" + all +
         "};\n\n}  // namespace\n\nstd::vector<Rule> rule_table() {\n  return {\n" + rules +
         "  };\n}\n\nstd::span<const EmbeddedExample> embedded_examples() { return examples; }\n\n"
         "std::span<const Family> all_families() { return families; }\n\n"
         "bool needs_site(RuleId rule) {\n  switch (rule) {\n" +
         need_site +
         "      return true;\n    default: return false;\n  }\n}\n\n"
         "}  // namespace muster::lint\n";
}

std::string file_name(const Page& page, const Case& test) { return lower(page.id) + "-" + test.name + "." + test.form; }

}  // namespace muster::lint::tool
