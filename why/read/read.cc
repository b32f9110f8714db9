#include "why/read/read.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

// The prefix of a log's line that names the process: "[rank7]:", "29: ", "[1,2]<stdout>:", "(Worker pid=4009)".
std::string_view without_prefix(std::string_view line) {
  for (int times = 0; times < 3; ++times) {
    line = trimmed(line);
    if (line.starts_with("[")) {
      const std::size_t end = line.find(']');
      if (end == std::string_view::npos || end > 40) return line;
      const std::string_view inside = line.substr(1, end - 1);
      const bool names_process = inside.starts_with("rank") || all_digits(inside) ||
                                 (inside.find(',') != std::string_view::npos && is_digit(inside[0]));
      if (!names_process) return line;
      line.remove_prefix(end + 1);
      if (line.starts_with("<")) line.remove_prefix(std::min(line.size(), line.find('>') + 1));
      if (line.starts_with(":")) line.remove_prefix(1);
    } else if (line.starts_with("(") && line.find(" pid=") < line.find(')') && line.find(')') < 60) {
      line.remove_prefix(line.find(')') + 1);
    } else if (!line.empty() && is_digit(line[0])) {
      std::size_t end = 0;
      while (end < line.size() && is_digit(line[end])) ++end;
      if (end > 4 || line.substr(end, 2) != ": ") return line;
      line.remove_prefix(end + 2);
    } else {
      return line;
    }
  }
  return trimmed(line);
}

}  // namespace

Object& Reading::add(Kind kind, std::string name, std::size_t at) {
  facts.objects.push_back({kind, {}, std::move(name), {}, facts.segments, place(at)});
  return facts.objects.back();
}

void read(Sources& sources, std::uint32_t file, Facts& facts) {
  const std::vector<Line> lines = clean_lines(sources.text(file));
  Reading reading{sources, file, lines, facts};
  using Reader = std::size_t (*)(Reading&, std::size_t);
  constexpr Reader readers[] = {read_script,        read_document, read_described,
                                read_kubectl_table, read_refusal,  read_slurm_output};
  bool in_log = false;
  for (std::size_t at = 0; at < lines.size();) {
    if (lines[at].text.empty()) {
      ++at;
      continue;
    }
    if (lines[at].command) {
      reading.command = lines[at].text;
      facts.commands.push_back(lines[at].text);
      ++facts.segments;
      in_log = false;
      ++at;
      continue;
    }
    std::size_t taken = 0;
    for (const Reader reader : readers) {
      ++facts.segments;
      taken = reader(reading, at);
      if (taken != 0) break;
      --facts.segments;
    }
    if (taken != 0) {
      ++facts.segments;
      for (std::size_t i = at; i < at + taken; ++i) facts.lines += lines[i].text.empty() ? 0 : 1;
      in_log = false;
      at += taken;
      continue;
    }
    if (!in_log) ++facts.segments;
    in_log = true;
    ++facts.lines;
    Object& line = reading.add(Kind::log, {}, at);
    line.add("text", std::string(without_prefix(lines[at].text)), line.place);
    if (lines[at].at_edge()) line.add("at-edge", "true", line.place);
    ++at;
  }
}

}  // namespace muster::why
