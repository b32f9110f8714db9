#include "rules/chart.h"

#include <algorithm>
#include <vector>

namespace muster::rules {
namespace {

std::string_view hit_name(model::Hit hit) {
  switch (hit) {
    case model::Hit::unique: return "unique";
    case model::Hit::first: return "first";
    case model::Hit::collect: break;
  }
  return "collect";
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::string cell(const std::string& text) { return replaced(text, "|", "\\|"); }

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  return "\"" + replaced(text, "\"", "\"\"") + "\"";
}

// Mermaid's labels are in quotes and know HTML.
std::string label(const std::string& text) {
  return "\"" + replaced(replaced(replaced(text, "\"", "#quot;"), "<", "#lt;"), ">", "#gt;") + "\"";
}

std::string identifier(std::string text) {
  for (char& c : text)
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')) c = '_';
  return text;
}

void add_once(std::vector<std::string>& items, const std::string& item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

// Of a table that chooses: its rows as arrows to what they set.
void add_rows(const model::Table& table, const model::Policy& policy, std::string& out) {
  const std::string from = "t_" + identifier(table.name);
  out += "  " + from + "{" + label(table.name) + "}\n";
  std::vector<std::string> nodes;
  for (const model::Row& row : table.rows)
    for (const model::Assignment& set : row.sets) {
      const std::string value = model::to_string(set.value);
      const std::string to = "v_" + identifier(set.output + "_" + value);
      add_once(nodes, "  " + to + "([" + label(set.output + " = " + value) + "])\n");
      out += "  " + from + " -->|" + label(row.id + ": " + when_text(row, policy)) + "| " + to + "\n";
    }
  for (const std::string& node : nodes) out += node;
}

const model::Table* setter(const model::Policy& policy, const std::string& output, const model::Table& below) {
  for (const model::Table& table : policy.tables) {
    if (&table == &below) return nullptr;
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets)
        if (set.output == output) return &table;
  }
  return nullptr;
}

// Which tables read what others set.
void add_readers(const model::Table& table, const model::Policy& policy, std::string& out) {
  std::vector<std::string> arrows;
  for (const model::Row& row : table.rows)
    for (const model::Term& term : row.when)
      if (const model::Table* from = setter(policy, term.fact, table))
        add_once(arrows, "  t_" + identifier(from->name) + " -.-> t_" + identifier(table.name) + "\n");
  for (const std::string& arrow : arrows) out += arrow;
}

}  // namespace

std::string sets_text(const model::Row& row) {
  std::string out;
  for (const model::Assignment& set : row.sets)
    out += (out.empty() ? "" : ", ") + set.output + " = " + model::to_string(set.value) + (set.prepend ? "…" : "");
  return out.empty() ? "nothing" : out;
}

std::string when_text(const model::Row& row, const model::Policy& policy) {
  std::string out;
  for (const model::Term& term : row.when) out += (out.empty() ? "" : " and ") + term.text;
  for (const model::Threshold& threshold : policy.thresholds)
    out = replaced(out, "$" + threshold.name, model::to_string(threshold.value));
  return out.empty() ? "always" : out;
}

std::string markdown_tables(const model::Policy& policy) {
  std::string out;
  for (const model::Table& table : policy.tables) {
    out += "\n#### `" + table.name + "` (" + std::string(hit_name(table.hit)) +
           ")\n\n| row | when | gives | why |\n|---|---|---|---|\n";
    for (const model::Row& row : table.rows)
      out += "| " + row.id + " | " + cell(when_text(row, policy)) + " | " + cell(sets_text(row)) + " | " +
             cell(row.reason) + (row.cite.empty() ? "" : " (" + cell(row.cite) + ")") + " |\n";
  }
  return out;
}

std::string csv_table(const model::Policy& policy) {
  std::string out = "table,hit,row,when,gives,reason,cite,layer\n";
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows) {
      const std::string cells[] = {table.name,     std::string(hit_name(table.hit)),
                                   row.id,         when_text(row, policy),
                                   sets_text(row), row.reason,
                                   row.cite,       row.layer};
      for (const std::string& text : cells) out += csv_cell(text) + (&text == std::end(cells) - 1 ? "\n" : ",");
    }
  return out;
}

std::string flow_chart(const model::Policy& policy) {
  std::string out = "flowchart LR\n";
  for (const model::Table& table : policy.tables)
    if (table.hit != model::Hit::collect) add_rows(table, policy, out);
  for (const model::Table& table : policy.tables)
    if (table.hit != model::Hit::collect) add_readers(table, policy, out);
  return out;
}

}  // namespace muster::rules
