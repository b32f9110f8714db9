// Questions to `why` over pasted texts, for its tests.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "why/decide/decide.h"
#include "why/read/read.h"

namespace why_scene {

using namespace muster;

// The texts of the last question.
inline Sources& files() {
  static Sources sources;
  return sources;
}

inline std::vector<why::Finding> ask(const std::vector<std::string>& texts, why::Facts& facts,
                                     const std::string& id = {}) {
  Sources& sources = files();
  sources = Sources();
  for (std::size_t i = 0; i < texts.size(); ++i) sources.add("part" + std::to_string(i), texts[i]);
  const auto count = static_cast<std::uint32_t>(texts.size());
  for (std::uint32_t file = 1; file <= count; ++file) why::read(sources, file, facts);
  return why::decide(facts, id);
}

inline std::set<std::string> codes(const std::vector<std::string>& texts) {
  why::Facts facts;
  std::set<std::string> out;
  for (const why::Finding& finding : ask(texts, facts)) out.insert(finding.code);
  return out;
}

inline std::string joined_parts(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += part + "\n";
  return out;
}

// The cause of each subject, "" where none is named.
inline std::map<std::string, std::string> by_subject(const std::string& text) {
  why::Facts facts;
  std::map<std::string, std::string> out;
  for (const why::Finding& finding : ask({text}, facts)) out[finding.subject.id] = finding.code;
  return out;
}

}  // namespace why_scene
