#include "targets/slurm/read/records.h"

#include <algorithm>

#include "compiler/base/host_names.h"
#include "compiler/base/text.h"

namespace muster::targets::slurm {

bool good_host(const std::string& name, Span span, Diagnostics& diagnostics) {
  const auto plain = [](char c) { return is_name_char(c) || c == '-' || c == '.'; };
  if (!name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), plain)) return true;
  diagnostics.add(Code::damaged_record, span,
                  "the record's name is empty, too long or contains other characters than letters, digits, ., _ and -");
  return false;
}

bool good_amount(const std::optional<std::int64_t>& amount, std::string_view key, const std::string& node, Span span,
                 Diagnostics& diagnostics) {
  if (amount && *amount >= 1 && *amount <= most_mebibytes) return true;
  diagnostics.add(Code::damaged_record, span, "node `" + node + "` has no usable `" + std::string(key) + "`");
  return false;
}

std::vector<std::string> hosts_of(std::string_view text, Span span, Diagnostics& diagnostics) {
  if (text.empty()) return {};
  if (auto names = expand_hosts(text, max_nodes)) return std::move(*names);
  diagnostics.add(Code::damaged_record, span, "invalid host list");
  return {};
}

bool good_hosts(std::string_view text, Span span, Diagnostics& diagnostics) {
  if (text.empty() || HostNames::read(text, max_nodes)) return true;
  diagnostics.add(Code::damaged_record, span, "invalid host list");
  return false;
}

void too_many_nodes(Span span, Diagnostics& diagnostics) {
  diagnostics.add(Code::too_many_records, span, "the cluster has more than " + std::to_string(max_nodes) + " nodes");
}

}  // namespace muster::targets::slurm
