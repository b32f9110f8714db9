// One function per type: from an expression of the file to a checked value.
#include <algorithm>
#include <charconv>

#include "compiler/base/host_names.h"
#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/sema/schema/reader.h"
#include "compiler/shell/programs.h"

namespace muster::sema {
namespace {

using ast::Expr;

class ValueReader {
 public:
  ValueReader(const KeySchema& key, Diagnostics& diagnostics) : key_(key), diagnostics_(diagnostics) {}

  std::optional<Value> read(const Expr& written) {
    const std::size_t before = diagnostics_.size();
    // Whether the axes and other names that the run fills in exist is checked with the workload.
    const auto is = [&](Type type) { return key_.type == type; };
    const bool late = is(Type::any) || is(Type::run_text) || is(Type::run_texts) || is(Type::run_scalar);
    if (!late && !variables(written)) return std::nullopt;
    const Expr expr = fold(written, diagnostics_);
    if (diagnostics_.size() != before) return std::nullopt;
    Value value;
    value.span = written.span;
    const bool good = dispatch(expr, value);
    if (!good && diagnostics_.size() == before) wrong_type(expr);
    if (!good) return std::nullopt;
    return value;
  }

 private:
  bool dispatch(const Expr& e, Value& v) {
    switch (key_.type) {
      case Type::boolean: v.flag = e.text == "true"; return e.kind == Expr::Kind::boolean;
      case Type::integer: return !key_.symbols.empty() && e.is_symbol() ? symbol(e, v) : integer(e, v);
      case Type::symbol: return symbol(e, v);
      case Type::symbols: return list(e, v, &ValueReader::symbol);
      case Type::name: return name(e, v);
      case Type::names: return list(e, v, &ValueReader::name);
      case Type::text:
      case Type::code: return text(e, v);
      case Type::run_text: return run_text(e, v);
      case Type::texts: return e.kind == Expr::Kind::list && list(e, v, &ValueReader::text);
      case Type::run_texts: return e.kind == Expr::Kind::list && list(e, v, &ValueReader::run_text);
      case Type::scalar: return scalar(e, v);
      case Type::run_scalar: return run_text(e, v) || scalar(e, v);
      case Type::fact: return fact(e, v);
      case Type::axis: return axis(e, v);
      case Type::size:
      case Type::duration:
      case Type::rate: return instead(e, v) || quantity(e, v);
      case Type::percent: return percent(e, v);
      case Type::number: v.text = e.text; return e.kind == Expr::Kind::number;
      case Type::count: return range(e, v, &ValueReader::integer);
      case Type::cpus: return all(e, v) || instead(e, v) || range(e, v, &ValueReader::integer);
      case Type::size_or_all: return all(e, v) || quantity(e, v);
      case Type::memory: return all(e, v) || instead(e, v) || range(e, v, &ValueReader::quantity);
      case Type::gpu: return gpu(e, v);
      case Type::integers: return e.kind == Expr::Kind::list && list(e, v, &ValueReader::integer);
      case Type::hosts: return hosts(e, v);
      case Type::hosts_or_count: return e.kind == Expr::Kind::number ? integer(e, v) : hosts(e, v);
      case Type::version: return version(e, v);
      case Type::script: return script(e, v);
      case Type::any: return true;
      case Type::option: v.text = e.text; return e.kind == Expr::Kind::heredoc || scalar(e, v);
      case Type::document: v.text = e.text; return e.kind == Expr::Kind::heredoc || text(e, v);
    }
    return false;
  }

  using ReadOne = bool (ValueReader::*)(const Expr&, Value&);

  void wrong_type(const Expr& e) {
    const std::string key(key_.name);
    Diagnostic& d = diagnostics_.add(Code::wrong_type, e.span,
                                     "`" + key + "` takes " + std::string(noun(key_.type)) + ", found " + describe(e));
    if (e.kind == Expr::Kind::path && e.is_symbol() &&
        (key_.type == Type::text || key_.type == Type::run_text || key_.type == Type::code))
      d.fixes.push_back({e.span, "\"" + e.text + "\"", "write a string in quotes", true});
    const bool numeric = !e.text.empty() && e.text.find_first_not_of("0123456789") == std::string::npos;
    if (e.kind == Expr::Kind::text && numeric && (key_.type == Type::integer || key_.type == Type::count))
      d.fixes.push_back({e.span, e.text, "write a number without quotes", true});
    if (e.kind == Expr::Kind::ratio && key_.name == "gpus")
      d.notes.push_back("to name the model as well, write `gpu = " + e.text + ":" + e.tag + "`");
    if (e.kind == Expr::Kind::text) text_instead(e, d);
    if (e.is_symbol()) suggest_symbol(e, d);
  }

  void suggest_symbol(const Expr& e, Diagnostic& d) const {
    const std::string near = closest(e.text, key_.symbols);
    if (!near.empty()) d.fixes.push_back({e.span, near, "did you mean `" + near + "`?", false});
  }

  // Suggests a fix where the key does not take a string.
  void text_instead(const Expr& e, Diagnostic& d) const {
    const bool amount = is_size() || key_.type == Type::duration || key_.type == Type::rate;
    const auto parsed = parse_quantity(e.text);
    if (amount && std::holds_alternative<Quantity>(parsed))
      d.fixes.push_back({e.span, e.text, "write an amount with a unit without quotes", true});
    else if (const auto time = clock_time(e.text); time && key_.type == Type::duration)
      d.fixes.push_back({e.span, to_string(*time), "write the time with a unit", true});
    else if (key_.type == Type::duration) d.notes.push_back("write a time as a number with a unit: `90m`, `4h`, `2d`");
    const bool list = key_.type == Type::texts || key_.type == Type::run_texts;
    if (list && (!e.operands.empty() || e.text.find_first_of("\"\\'`$|&;<>(){}*?#~\n") != std::string::npos))
      d.notes.push_back("write one string per argument, or put the shell command into a `script`");
    else if (list) d.fixes.push_back({e.span, word_list(e.text), "one string per argument", false});
    if (key_.type == Type::script) d.notes.push_back("write `<<<bash`, the lines of the script and a line `>>>`");
  }

  static std::string word_list(std::string_view text) {
    std::string out;
    for (std::size_t at = text.find_first_not_of(" \t"), end = 0; at != text.npos;
         at = text.find_first_not_of(" \t", end)) {
      end = std::min(text.find_first_of(" \t", at), text.size());
      out += (out.empty() ? "\"" : ", \"") + std::string(text.substr(at, end - at)) + "\"";
    }
    return "[" + out + "]";
  }

  // Slurm's unambiguous spellings: `HH:MM:SS`, `D-HH` with or without `:MM:SS`.
  static std::optional<Duration> clock_time(std::string_view text) {
    const std::size_t dash = text.find('-');
    std::vector<std::int64_t> parts;  // days, hours, minutes, seconds
    if (dash == text.npos) parts.push_back(0);
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(parts.empty() ? "-" : ":", at), text.size());
      std::int64_t n = 0;
      const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, n);
      if (error != std::errc() || stop != text.data() + end || n < 0 || n > 9999 || parts.size() == 4)
        return std::nullopt;
      parts.push_back(n);
      at = end + 1;
    }
    if (parts.size() < (dash == text.npos ? 4U : 2U)) return std::nullopt;
    parts.resize(4, 0);
    return Duration{(((parts[0] * 24 + parts[1]) * 60 + parts[2]) * 60 + parts[3]) * 1000};
  }

  // `$name` and "${name}": nothing declares such names in a value yet.
  bool variables(const Expr& e) {
    if (e.kind == Expr::Kind::variable) {
      if (model::run_reference(e.text)) {
        diagnostics_.add(Code::unknown_variable, e.span, "`${" + e.text + "}` is not known here")
            .notes.push_back(
                "only the run knows it: `command`, `args`, `env`, `workdir` and probes of a workload can refer to it");
        return false;
      }
      Diagnostic& d = diagnostics_.add(Code::unknown_variable, e.span, "`$" + e.text + "` has no value here");
      d.notes.push_back("an axis of a sweep has a value in `command`, `args` and `env`");
      d.notes.push_back("for a literal dollar sign, write '$" + e.text + "' or \"\\$" + e.text + "\"");
      return false;
    }
    bool good = true;
    for (const Expr& operand : e.operands) good = variables(operand) && good;
    return good;
  }

  bool in_bounds(std::int64_t n, Span span, const std::string& shown) {
    if (n >= key_.min && n <= key_.max) return true;
    const auto [bound, found] = bound_and_found(n < key_.min ? key_.min : key_.max, n, shown);
    const std::string limit = (n < key_.min ? "least " : "most ") + bound;
    diagnostics_.add(Code::out_of_range, span,
                     "`" + std::string(key_.name) + "` must be at " + limit + ", found " + found);
    return false;
  }

  InOneUnit bound_and_found(std::int64_t bound, std::int64_t n, const std::string& shown) const {
    if (is_size()) return in_one_unit(Size{bound}, Size{n});
    if (key_.type == Type::duration) return in_one_unit(Duration{bound}, Duration{n});
    if (key_.type == Type::rate) return {to_string(Rate{bound}), in_unit_of(Rate{n}, Rate{bound})};
    return {std::to_string(bound), shown};
  }

  bool integer(const Expr& e, Value& v) {
    if (e.kind != Expr::Kind::number) return false;
    const char* end = e.text.data() + e.text.size();
    const auto [stop, error] = std::from_chars(e.text.data(), end, v.low);
    if (error == std::errc::result_out_of_range) {
      diagnostics_.add(Code::out_of_range, e.span, "the number is too large");
      return false;
    }
    if (error != std::errc() || stop != end) return false;
    v.high = v.low;
    return in_bounds(v.low, e.span, std::to_string(v.low));
  }

  bool symbol(const Expr& e, Value& v) {
    if (e.kind == Expr::Kind::boolean || !e.is_symbol()) {
      if (e.kind == Expr::Kind::text) {  // a quoted symbol is a common habit
        for (std::string_view word : key_.symbols)
          if (word == e.text) {
            diagnostics_.add(Code::wrong_type, e.span, "`" + std::string(key_.name) + "` takes a symbol, not a string")
                .fixes.push_back({e.span, e.text, "write a symbol without quotes", true});
            return false;
          }
      }
      return false;
    }
    v.text = e.text;
    for (std::string_view word : key_.symbols)
      if (word == e.text) return true;
    Diagnostic& d = diagnostics_.add(Code::unknown_symbol, e.span,
                                     "`" + e.text + "` is not a value of `" + std::string(key_.name) + "`");
    suggest_symbol(e, d);
    const bool symbols_only = key_.type == Type::symbol || key_.type == Type::symbols;
    d.notes.push_back("it takes " + (symbols_only ? "" : std::string(noun(key_.type)) + " or ") +
                      quoted_list(key_.symbols, "or"));
    return false;
  }

  bool name(const Expr& e, Value& v) {
    v.text = e.text;
    return (e.kind == Expr::Kind::path && e.is_symbol()) || e.kind == Expr::Kind::text;
  }

  bool text(const Expr& e, Value& v) {
    v.text = e.text;
    return e.kind == Expr::Kind::text;
  }

  // A text with what the run fills in; `$seed` alone is the value of an axis.
  bool run_text(const Expr& e, Value& v) {
    const auto add = [&](const Expr& hole) {
      const model::Reference axis{model::RefersTo::axis, hole.text, 0, {}};
      model::Reference& added = v.references.emplace_back(model::run_reference(hole.text).value_or(axis));
      added.at = hole.at;
      added.span = hole.span;
    };
    if (e.kind == Expr::Kind::variable) return add(e), true;
    if (e.kind != Expr::Kind::text) return false;
    if (e.at > 0) return without_braces(e);
    v.text = e.text;
    for (const Expr& hole : e.operands) add(hole);
    return true;
  }

  bool without_braces(const Expr& e) {
    std::size_t end = e.at;
    while (end < e.text.size() && is_name_char(e.text[end])) ++end;
    const std::string name = e.text.substr(e.at, end - e.at);
    Diagnostic& d = diagnostics_.add(Code::unknown_variable, e.span, "`$" + name + "` in a string has no braces");
    d.notes.push_back("write `${" + name + "}` for a parameter or an axis, `${env." + name +
                      "}` for an environment variable of the program");
    d.notes.push_back("for a literal dollar sign, write '$" + name + "' or \"\\$" + name + "\"");
    return false;
  }

  bool scalar(const Expr& e, Value& v) {
    v.text = e.text;
    if (e.kind == Expr::Kind::boolean) v.tag = "boolean";
    return !v.tag.empty() || e.kind == Expr::Kind::text || e.kind == Expr::Kind::number ||
           (e.kind == Expr::Kind::path && e.is_symbol());
  }

  bool axis(const Expr& e, Value& v) {
    if (e.kind == Expr::Kind::list) return !e.operands.empty() && list(e, v, &ValueReader::scalar);
    if (e.kind != Expr::Kind::operation || e.op != ast::Op::range) return false;
    Value bounds;
    if (!range(e, bounds, &ValueReader::integer)) return false;
    if (bounds.low < 0 || bounds.high - bounds.low >= key_.max) {
      diagnostics_.add(Code::out_of_range, e.span,
                       "an axis must start at 0 or above and have at most " + std::to_string(key_.max) + " values");
      return false;
    }
    for (std::int64_t n = bounds.low; n <= bounds.high; ++n) {
      Value value;
      value.span = e.span;
      value.text = std::to_string(n);
      v.list.push_back(std::move(value));
    }
    return true;
  }

  bool fact(const Expr& e, Value& v) {
    if (e.kind == Expr::Kind::boolean) {
      v.fact = e.text == "true";
      return true;
    }
    if (e.kind == Expr::Kind::number) {
      Value number;
      if (!integer(e, number)) return false;
      v.fact = number.low;
      return true;
    }
    v.fact = e.text;
    return e.is_symbol() || e.kind == Expr::Kind::text;
  }

  bool list(const Expr& e, Value& v, ReadOne one) {
    if (e.kind != Expr::Kind::list) {  // a single value is a list of one
      Value element;
      element.span = e.span;
      if (!(this->*one)(e, element)) return false;
      v.list.push_back(std::move(element));
      return true;
    }
    for (const Expr& operand : e.operands) {
      Value element;
      element.span = operand.span;
      const std::size_t before = diagnostics_.size();
      if (!(this->*one)(operand, element)) {
        if (diagnostics_.size() == before) wrong_type(operand);
        return false;
      }
      v.list.push_back(std::move(element));
    }
    return true;
  }

  bool is_size() const {
    return key_.type == Type::size || key_.type == Type::size_or_all || key_.type == Type::memory;
  }

  bool quantity(const Expr& e, Value& v) {
    if (e.kind == Expr::Kind::number) return missing_unit(e);
    if (e.kind != Expr::Kind::quantity) return false;
    const auto parsed = parse_quantity(e.text);
    if (const auto* error = std::get_if<QuantityError>(&parsed)) return bad_quantity(e, *error);
    const Quantity& q = std::get<Quantity>(parsed);
    if (const auto* s = std::get_if<Size>(&q); s != nullptr && is_size()) v.low = s->bytes;
    else if (const auto* d = std::get_if<Duration>(&q); d != nullptr && key_.type == Type::duration) v.low = d->ms;
    else if (const auto* r = std::get_if<Rate>(&q); r != nullptr && key_.type == Type::rate) v.low = r->bits_per_second;
    else return false;
    v.high = v.low;
    return in_bounds(v.low, e.span, e.text);
  }

  // A symbol in place of a quantity: `shm = auto`.
  bool instead(const Expr& e, Value& v) const {
    const bool known = std::find(key_.symbols.begin(), key_.symbols.end(), e.text) != key_.symbols.end();
    if (known && e.is_symbol()) v.text = e.text;
    return known && e.is_symbol();
  }

  // Whole percents.
  bool percent(const Expr& e, Value& v) {
    if (e.kind == Expr::Kind::number) return missing_unit(e);
    if (e.kind != Expr::Kind::quantity) return false;
    const auto parsed = parse_quantity(e.text);
    if (const auto* error = std::get_if<QuantityError>(&parsed)) return bad_quantity(e, *error);
    const auto* amount = std::get_if<Percent>(&std::get<Quantity>(parsed));
    if (amount == nullptr) return false;
    v.low = v.high = amount->millis / 1000;
    if (amount->millis % 1000 == 0) return in_bounds(v.low, e.span, e.text);
    diagnostics_.add(Code::out_of_range, e.span, "`" + std::string(key_.name) + "` takes a whole percentage");
    return false;
  }

  bool missing_unit(const Expr& e) {
    const std::string_view units = key_.type == Type::percent    ? "%"
                                   : key_.type == Type::duration ? "ms, s, m, h or d"
                                   : key_.type == Type::rate     ? "Mbps, Gbps or Tbps"
                                                                 : "MB, GB, MiB or GiB";
    diagnostics_
        .add(Code::missing_unit, e.span,
             "`" + std::string(key_.name) + "` takes " + std::string(noun(key_.type)) + ", but `" + e.text +
                 "` has no unit")
        .notes.push_back("add a unit to `" + e.text + "`: " + std::string(units));
    return false;
  }

  bool bad_quantity(const Expr& e, const QuantityError& error) {
    using E = QuantityError::Kind;
    const std::string digits = e.text.substr(0, e.text.size() - error.unit.size());
    if (e.text.starts_with('-')) {
      diagnostics_.add(Code::out_of_range, e.span, "a quantity cannot be negative");
    } else if (error.kind == E::ambiguous) {
      const std::string letter = error.suggestion.substr(0, 1);
      Diagnostic& d =
          diagnostics_.add(Code::ambiguous_unit, e.span,
                           "`" + e.text + "` can be read as `" + digits + letter + "B` or `" + digits + letter + "iB`");
      d.fixes.push_back({e.span, digits + letter + "iB", "1024-based, as in Slurm", false});
      d.fixes.push_back({e.span, digits + (letter == "K" ? "k" : letter) + "B", "1000-based", false});
    } else if (error.kind == E::mixed) {
      diagnostics_.add(Code::unknown_unit, e.span, "only a time can have several units, as in `1h30m`");
    } else if (error.kind == E::overflow || error.kind == E::fraction) {
      diagnostics_.add(Code::out_of_range, e.span,
                       error.kind == E::overflow ? "the quantity is too large"
                                                 : "the quantity is not a whole number of the smallest unit");
    } else {
      Diagnostic& d = diagnostics_.add(Code::unknown_unit, e.span, "unknown unit `" + error.unit + "`");
      if (!error.suggestion.empty() && !digits.empty())
        d.fixes.push_back({e.span, digits + error.suggestion, "write `" + digits + error.suggestion + "`",
                           error.kind == E::wrong_case});
    }
    return false;
  }

  static bool all(const Expr& e, Value& v) {
    v.all = e.is_symbol() && e.text == "all";
    return v.all;
  }

  bool range(const Expr& e, Value& v, ReadOne one) {
    if (e.kind != Expr::Kind::operation || e.op != ast::Op::range) return (this->*one)(e, v);
    Value low, high;
    const Expr a = fold(e.operands[0], diagnostics_), b = fold(e.operands[1], diagnostics_);
    if (!(this->*one)(a, low) || !(this->*one)(b, high)) return false;
    v.low = low.low;
    v.high = high.low;
    if (v.low <= v.high) return true;
    diagnostics_.add(Code::out_of_range, e.span, "the start of the range is above its end");
    return false;
  }

  bool gpu(const Expr& e, Value& v) {
    v.low = -1;
    const bool ratio = e.kind == Expr::Kind::ratio;
    if (ratio) {
      const char* end = e.tag.data() + e.tag.size();
      const auto [stop, error] = std::from_chars(e.tag.data(), end, v.low);
      if (error != std::errc() || stop != end || v.low < 1 || v.low > 1024) {
        diagnostics_.add(Code::out_of_range, e.span, "the number of GPUs per node must be 1 to 1024");
        return false;
      }
    }
    if (ratio || e.kind != Expr::Kind::list) {
      Value model;
      model.span = e.span;
      if (!ratio && !name(e, model)) return false;
      if (!ratio && e.text.find(':') != std::string::npos) {
        diagnostics_.add(Code::wrong_type, e.span, "write a GPU model and its count without quotes")
            .fixes.push_back({e.span, e.text, "write `" + e.text + "`", true});
        return false;
      }
      model.text = lower(e.text);
      v.list.push_back(std::move(model));
      return true;
    }
    if (!list(e, v, &ValueReader::name)) return false;
    for (Value& model : v.list) model.text = lower(model.text);
    return !v.list.empty();
  }

  bool hosts(const Expr& e, Value& v) {
    if (e.kind != Expr::Kind::text) return false;
    if (HostNames::read(v.text = e.text)) return true;
    diagnostics_.add(Code::bad_hosts, e.span, "invalid host list")
        .notes.push_back("write a host list such as \"n[001-064]\" or \"a1,a2\", with at most 200,000 names");
    return false;
  }

  bool version(const Expr& e, Value& v) {
    if (e.kind == Expr::Kind::number) {  // 24.10 would lose its zero as a number
      diagnostics_.add(Code::wrong_type, e.span, "a version must be a string")
          .fixes.push_back({e.span, "\"" + e.text + "\"", "write the version in quotes", true});
      return false;
    }
    if (e.kind != Expr::Kind::text) return false;
    v.text = e.text;
    const std::size_t dot = e.text.find('.');
    const auto digits = [](std::string_view s) {
      return !s.empty() && s.size() <= 4 && s.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const std::string_view minor =
        dot == std::string::npos ? std::string_view("0") : std::string_view(e.text).substr(dot + 1);
    if (digits(e.text.substr(0, dot)) && digits(minor.substr(0, minor.find('.')))) {
      v.low = std::stoll(e.text.substr(0, dot));
      v.high = std::stoll(std::string(minor));
      return true;
    }
    diagnostics_.add(Code::out_of_range, e.span, "invalid version; expected a version such as \"24.11\"");
    return false;
  }

  // A heredoc, or for bytes that it cannot hold `bash("…", "…")`: strings that are concatenated.
  bool script(const Expr& e, Value& v) {
    const bool of_a_file = e.kind == Expr::Kind::text && !e.tag.empty();
    if (e.kind != Expr::Kind::heredoc && e.kind != Expr::Kind::call && !of_a_file) return false;
    const bool call = e.kind == Expr::Kind::call;
    v.tag = call ? e.text : e.tag.empty() ? "bash" : e.tag;
    if (!call) v.text = e.text;
    for (const Expr& part : e.operands) {
      if (part.kind != Expr::Kind::text) return false;
      v.text += part.text;
    }
    const std::vector<std::string_view> interpreters = shell::names_with(shell::interprets);
    if (std::find(interpreters.begin(), interpreters.end(), v.tag) != interpreters.end()) return true;
    diagnostics_.add(Code::unknown_symbol, e.span, "unsupported interpreter `" + v.tag + "`")
        .notes.push_back("interpreters are " + quoted_list(interpreters));
    return false;
  }

  const KeySchema& key_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Value> read_value(const ast::Expr& expr, const KeySchema& key, Diagnostics& diagnostics) {
  return ValueReader(key, diagnostics).read(expr);
}

}  // namespace muster::sema
