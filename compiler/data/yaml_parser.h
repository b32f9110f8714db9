// The grammar of YAML above the scanner's tokens: what stands in the document, in its order. It takes and refuses what
// the reader of the tools of Kubernetes does (go.yaml.in/yaml/v2).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compiler/data/yaml_scanner.h"

namespace muster::data {

// The tag (with its whole prefix) and anchor in front of a value; "" where there is none.
struct YamlProperties {
  std::string tag{};
  std::string anchor{};
};

struct YamlScalar {
  std::string text{};
  YamlProperties properties{};
  bool plain = true;
  bool written = true;  // false: an empty value, as behind `a:`
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Called for each value; a collection before what it holds, and what begins is ended. May throw to stop.
class YamlHandler {
 public:
  virtual ~YamlHandler() = default;
  virtual void scalar(YamlScalar scalar) = 0;
  virtual void alias(const std::string& name, std::size_t begin, std::size_t end) = 0;
  // `flow` is with brackets. At its end, `end` is behind the bracket, or 0.
  virtual void begin_list(const YamlProperties& properties, std::size_t begin) = 0;
  virtual void begin_map(const YamlProperties& properties, std::size_t begin) = 0;
  virtual void end_list(std::size_t end) = 0;
  virtual void end_map(std::size_t end) = 0;
};

// Reads the one document of the text; throws YamlFault, also where more follows it.
void parse_yaml(std::string_view text, YamlHandler& handler);

}  // namespace muster::data
