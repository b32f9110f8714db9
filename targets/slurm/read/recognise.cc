// Which output or file a text is, line by line: administrators paste several into one.
#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "targets/slurm/read/fields.h"

namespace muster::targets::slurm {
namespace {

bool begins(std::string_view line, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(), [&](std::string_view h) {
    return line.size() >= h.size() && equal_ignoring_case(line.substr(0, h.size()), h);
  });
}

bool mentions(std::string_view line, std::string_view word) { return line.find(word) != std::string_view::npos; }

bool is_indented(std::string_view line) { return !line.empty() && (line[0] == ' ' || line[0] == '\t'); }

// The header of a table with `|`.
std::optional<ClusterFile> table_kind(const Line& line) {
  if (!mentions(line.text, "|")) return std::nullopt;
  ClusterText one{line.text, 0, 0};
  const Table table = read_table(one);
  const auto column = [&](std::string_view name) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](std::string_view c) { return equal_ignoring_case(c, name); });
  };
  if (column("JOBID") && column("NODELIST")) return ClusterFile::jobs;
  if (column("Account") && column("User")) return ClusterFile::associations;
  if (column("Name") && (column("MaxWall") || column("GraceTime") || column("GrpTRES"))) return ClusterFile::qos;
  return std::nullopt;
}

// What a line says by itself. `next` is the line behind it.
std::optional<ClusterFile> line_kind(const Line& line, std::string_view next) {
  const std::string_view text = line.text;
  const auto goes_on = [&](std::string_view word) {
    return mentions(text, word) || (is_indented(next) && mentions(next, word));
  };
  if (begins(text, {"Configuration data as of"})) return ClusterFile::config;
  if (begins(text, {"ReservationName="})) return ClusterFile::reservations;
  if (begins(text, {"SwitchName=", "BlockName=", "BlockSizes="})) return ClusterFile::topology;
  if (begins(text, {"AutoDetect=", "Name="}) || (begins(text, {"NodeName="}) && mentions(text, " Name=")))
    return ClusterFile::gres_conf;
  if (begins(text, {"NodeName="}) && goes_on("CPUAlloc=")) return ClusterFile::nodes;
  if (begins(text, {"PartitionName="}) && goes_on("AllowGroups=")) return ClusterFile::partitions;
  if (const auto table = table_kind(line)) return table;
  const std::size_t equals = text.find('=');
  const std::size_t blank = text.find_first_of(" \t|");
  if (equals != std::string_view::npos && equals > 0 && equals < blank) return ClusterFile::slurm_conf;
  if (begins(text, {"Include "})) return ClusterFile::slurm_conf;
  return std::nullopt;
}

bool is_table(ClusterFile kind) {
  return kind == ClusterFile::associations || kind == ClusterFile::qos || kind == ClusterFile::jobs;
}

// Whether a line that says nothing by itself belongs to the stretch before it.
bool continues(ClusterFile kind, std::string_view line) {
  if (line.empty() || is_indented(line)) return true;
  if (is_table(kind)) return mentions(line, "|");
  if (kind == ClusterFile::config) return true;  // "Cgroup Support Configuration:", "Slurmctld(primary) at … is UP"
  return line[0] == '#';
}

}  // namespace

ClusterSections recognise(const ClusterText& text) {
  ClusterSections out;
  const std::vector<Line> lines = lines_of(text);
  std::optional<ClusterFile> current;
  bool continued = false;  // the line before ends in a backslash
  const auto strange = [&](const Line& line) {
    const auto end = line.begin + static_cast<std::uint32_t>(std::min<std::size_t>(line.text.size(), 80));
    if (!out.strange.known()) out.strange = {text.file, line.begin, end};
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const bool apart = !continued && !line.text.empty() && !is_indented(line.text) && line.text[0] != '#';
    auto kind = apart ? line_kind(line, i + 1 < lines.size() ? lines[i + 1].text : std::string_view()) : std::nullopt;
    // Rows of a table and lines of a configuration may look like settings.
    if (kind == ClusterFile::slurm_conf && current && is_table(*current) && mentions(line.text, "|"))
      kind = std::nullopt;
    continued = line.text.ends_with('\\');
    if (kind && (kind != current || is_table(*kind))) {
      out.sections.push_back({*kind, {{}, text.file, line.begin}});
      current = kind;
    } else if (!kind && apart && (!current || !continues(*current, line.text))) {
      strange(line);
      continue;
    }
    if (!current) continue;
    ClusterText& last = out.sections.back().text;
    const std::size_t first = last.begin - text.begin;
    last.text = text.text.substr(first, line.begin - text.begin + line.text.size() - first);
  }
  return out;
}

}  // namespace muster::targets::slurm
