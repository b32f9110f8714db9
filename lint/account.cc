#include "lint/account.h"

#include <algorithm>
#include <tuple>

#include "compiler/base/text.h"

namespace muster::lint {

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::judged: return "judged";
    case Fate::patch: return "patch";
    case Fate::templated: return "template";
    case Fate::list: return "list";
    case Fate::data: return "data";
    case Fate::not_read: return "not read";
  }
  return "";
}

void settle(std::vector<Account>& accounts) {
  std::stable_sort(accounts.begin(), accounts.end(), [](const Account& a, const Account& b) {
    return std::tie(a.file, b.fate) < std::tie(b.file, a.fate);
  });
  const auto same = [](const Account& a, const Account& b) { return a.file == b.file; };
  accounts.erase(std::unique(accounts.begin(), accounts.end(), same), accounts.end());
}

std::vector<Account> newly_unjudged(std::span<const Account> before, std::span<const Account> after) {
  std::vector<Account> out;
  for (const Account& account : after) {
    if (!account.is_unjudged()) continue;
    const auto old = std::lower_bound(before.begin(), before.end(), account.file,
                                      [](const Account& a, const std::string& file) { return a.file < file; });
    if (old == before.end() || old->file != account.file || !old->is_unjudged()) out.push_back(account);
  }
  return out;
}

std::size_t count(std::span<const Account> accounts, Fate fate) {
  return static_cast<std::size_t>(
      std::count_if(accounts.begin(), accounts.end(), [&](const Account& a) { return a.fate == fate; }));
}

std::string beside_judged(std::span<const Account> accounts) {
  std::string out;
  for (const Fate fate : all_fates) {
    const auto many = static_cast<long long>(count(accounts, fate));
    if (fate == Fate::judged || many == 0) continue;
    if (!out.empty()) out += ", ";
    if (fate == Fate::patch) out += std::to_string(many) + (many == 1 ? " patch" : " patches");
    else if (fate == Fate::data) out += counted(many, "data file");
    else if (fate == Fate::not_read) out += std::to_string(many) + " not read";
    else out += counted(many, name(fate));
  }
  return out;
}

std::string text_of(const Account& account) {
  return account.file + ": " + std::string(name(account.fate)) + (account.why.empty() ? "" : ": " + account.why);
}

}  // namespace muster::lint
