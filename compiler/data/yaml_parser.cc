#include "compiler/data/yaml_parser.h"

#include <utility>

namespace muster::data {
namespace {

// A collection is announced before what it holds is read, so a handler that bounds the depth bounds the recursion.
class Parser {
 public:
  Parser(std::string_view text, YamlHandler& handler) : scanner_(text), handler_(handler) {}

  void document() {
    if (is(K::end)) return empty(0);
    const bool bare = !is(K::version) && !is(K::tag_directive) && !is(K::document_start);
    directives();
    if (!bare) {
      if (!is(K::document_start)) fail("did not find expected <document start>");
      last_ = scanner_.take().end.at;
    }
    const bool nothing = is(K::version) || is(K::tag_directive) || is(K::document_start) || is(K::document_end);
    if (!bare && (nothing || is(K::end))) empty(last_);
    else node(true, false);
    end();
  }

 private:
  using K = Token::Kind;

  bool is(K kind) { return scanner_.peek().kind == kind; }
  [[noreturn]] void fail(std::string message) { throw YamlFault{scanner_.peek().begin.at, std::move(message)}; }
  // Takes the token, if it is of the kind.
  bool take(K kind) {
    if (!is(kind)) return false;
    last_ = scanner_.take().end.at;
    return true;
  }

  // The tools of Kubernetes stop reading here, and drop the rest.
  void end() {
    std::size_t at = scanner_.peek().begin.at;
    try {
      while (is(K::document_end)) scanner_.take();
      if (is(K::end)) return;
      at = scanner_.peek().begin.at;
    } catch (const YamlFault& fault) {
      at = fault.at;
    }
    throw YamlFault{at, "this text does not belong to the preceding value"};
  }

  void directives() {
    bool version = false;
    for (; is(K::version) || is(K::tag_directive); scanner_.take()) {
      const Token& token = scanner_.peek();
      if (token.kind == K::tag_directive) {
        if (!handles_.try_emplace(token.text, token.suffix).second) fail("found duplicate %TAG directive");
      } else if (std::exchange(version, true)) {
        fail("found duplicate %YAML directive");
      } else if (token.text != "1.1") {
        fail("found incompatible YAML document: the tools of Kubernetes read %YAML 1.1");
      }
    }
    handles_.try_emplace("!", "!");
    handles_.try_emplace("!!", "tag:yaml.org,2002:");
  }

  void empty(std::size_t at) {
    YamlScalar out;
    out.written = false;
    out.begin = out.end = at;
    handler_.scalar(std::move(out));
  }

  void tag(YamlProperties& properties) {
    const Token token = scanner_.take();
    last_ = token.end.at;
    if (token.text.empty()) {
      properties.tag = token.suffix;
      return;
    }
    const auto found = handles_.find(token.text);
    if (found == handles_.end()) throw YamlFault{token.begin.at, "found undefined tag handle"};
    properties.tag = found->second + token.suffix;
  }

  void node(bool block, bool indentless) {
    if (is(K::alias)) {
      const Token token = scanner_.take();
      last_ = token.end.at;
      return handler_.alias(token.text, token.begin.at, token.end.at);
    }
    YamlProperties properties;
    if (is(K::anchor)) {
      properties.anchor = scanner_.peek().text;
      take(K::anchor);
      if (is(K::tag)) tag(properties);
    } else if (is(K::tag)) {
      tag(properties);
      if (is(K::anchor)) properties.anchor = scanner_.peek().text, take(K::anchor);
    }
    const Token& token = scanner_.peek();
    const std::size_t begin = token.begin.at;
    if (indentless && token.kind == K::block_entry) return indentless_list(properties, begin);
    if (token.kind == K::scalar) return scalar(properties);
    if (token.kind == K::flow_list) return flow_list(properties, begin);
    if (token.kind == K::flow_map) return flow_map(properties, begin);
    if (block && token.kind == K::block_list) return block_list(properties, begin);
    if (block && token.kind == K::block_map) return block_map(properties, begin);
    if (properties.anchor.empty() && properties.tag.empty()) fail("did not find expected node content");
    YamlScalar out;
    out.properties = std::move(properties);
    out.written = false;
    out.begin = out.end = last_;
    handler_.scalar(std::move(out));
  }

  void scalar(YamlProperties& properties) {
    Token token = scanner_.take();
    last_ = token.end.at;
    handler_.scalar({std::move(token.text), std::move(properties), token.plain, true, token.begin.at, token.end.at});
  }

  void block_list(const YamlProperties& properties, std::size_t begin) {
    handler_.begin_list(properties, begin);
    take(K::block_list);
    while (take(K::block_entry)) {
      if (is(K::block_entry) || is(K::block_end)) empty(last_);
      else node(true, false);
    }
    if (!is(K::block_end)) fail("did not find expected '-' indicator");
    scanner_.take();
    handler_.end_list(0);
  }

  // `-` in the column of the key.
  void indentless_list(const YamlProperties& properties, std::size_t begin) {
    handler_.begin_list(properties, begin);
    while (take(K::block_entry)) {
      if (is(K::block_entry) || is(K::key) || is(K::value) || is(K::block_end)) empty(last_);
      else node(true, false);
    }
    handler_.end_list(0);
  }

  void block_map(const YamlProperties& properties, std::size_t begin) {
    const auto part = [&] {
      if (is(K::key) || is(K::value) || is(K::block_end)) empty(last_);
      else node(true, true);
    };
    handler_.begin_map(properties, begin);
    take(K::block_map);
    while (is(K::key) || is(K::value)) {
      if (!take(K::key)) fail("did not find expected key");
      part();
      if (take(K::value)) part();
      else empty(last_);
    }
    if (!is(K::block_end)) fail("did not find expected key");
    scanner_.take();
    handler_.end_map(0);
  }

  void flow_list(const YamlProperties& properties, std::size_t begin) {
    handler_.begin_list(properties, begin);
    take(K::flow_list);
    for (bool first = true; !is(K::flow_list_end); first = false) {
      if (!first) {
        if (!take(K::flow_entry)) fail("did not find expected ',' or ']'");
        if (is(K::flow_list_end)) break;
      }
      if (is(K::key)) pair();
      else node(false, false);
    }
    take(K::flow_list_end);
    handler_.end_list(last_);
  }

  // `[a: b]`: a map of one member.
  void pair() {
    handler_.begin_map({}, scanner_.peek().begin.at);
    take(K::key);
    if (!is(K::value) && !is(K::flow_entry) && !is(K::flow_list_end)) {
      node(false, false);
    } else {
      last_ = scanner_.take().end.at;
      empty(last_);
    }
    if (take(K::value) && !is(K::flow_entry) && !is(K::flow_list_end)) node(false, false);
    else empty(last_);
    handler_.end_map(last_);
  }

  void flow_map(const YamlProperties& properties, std::size_t begin) {
    handler_.begin_map(properties, begin);
    take(K::flow_map);
    for (bool first = true; !is(K::flow_map_end); first = false) {
      if (!first) {
        if (!take(K::flow_entry)) fail("did not find expected ',' or '}'");
        if (is(K::flow_map_end)) break;
      }
      if (!take(K::key)) {
        node(false, false);
        empty(last_);
        continue;
      }
      if (is(K::value) || is(K::flow_entry) || is(K::flow_map_end)) empty(last_);
      else node(false, false);
      if (take(K::value) && !is(K::flow_entry) && !is(K::flow_map_end)) node(false, false);
      else empty(last_);
    }
    take(K::flow_map_end);
    handler_.end_map(last_);
  }

  YamlScanner scanner_;
  YamlHandler& handler_;
  std::map<std::string, std::string> handles_;  // of tags, and what they stand for
  std::size_t last_ = 0;                        // where the last token ended
};

}  // namespace

void parse_yaml(std::string_view text, YamlHandler& handler) { Parser(text, handler).document(); }

}  // namespace muster::data
