#include "tests/oracles/ilp_oracle.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace muster::oracles {
namespace {

using scheduler::Member;
using scheduler::Node;

std::string x(std::size_t m, std::size_t n) { return "x" + std::to_string(m) + "_" + std::to_string(n); }
std::string y(std::uint32_t leaf) { return "y" + std::to_string(leaf); }

bool alone(const Node& n, const Member& m, std::size_t index) {
  if (!n.usable || (!m.barred.empty() && m.barred[index]) || (m.gang.exclusive && !n.untouched)) return false;
  return n.gpus >= m.gang.gpus && n.cpus >= m.gang.cpus && n.memory >= m.gang.memory;
}

// The problem in CPLEX's LP format: x is a pod of a member on a node, y a leaf in use.
std::string problem(std::span<const Node> nodes, std::span<const Member> members, bool apart) {
  std::ostringstream out;
  std::set<std::uint32_t> leaves;
  for (const Node& n : nodes) leaves.insert(n.leaf);
  out << "Minimize\n leaves:";
  for (const std::uint32_t leaf : leaves) out << " + " << y(leaf);
  out << "\nSubject To\n";
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t n = 0; n < nodes.size(); ++n) out << " + " << x(m, n);
    out << " = " << members[m].gang.nodes << "\n";
    for (const std::uint32_t leaf : leaves) {
      std::size_t count = 0;
      for (std::size_t n = 0; n < nodes.size(); ++n)
        if (nodes[n].leaf == leaf) out << " + " << x(m, n), ++count;
      out << " - " << count << " " << y(leaf) << " <= 0\n";
    }
    if (!members[m].gang.one_leaf) continue;
    // In one leaf: if a leaf has any, it has all.
    for (const std::uint32_t leaf : leaves) {
      for (std::size_t n = 0; n < nodes.size(); ++n)
        if (nodes[n].leaf == leaf) out << " + " << x(m, n);
      out << " - " << members[m].gang.nodes << " z" << m << "_" << leaf << " = 0\n";
    }
  }
  const auto limit = [&](std::size_t n, auto amount, std::int64_t have) {
    for (std::size_t m = 0; m < members.size(); ++m) out << " + " << amount(members[m]) << " " << x(m, n);
    out << " <= " << have << "\n";
  };
  const auto many = static_cast<std::int64_t>(members.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    limit(
        n, [](const Member& m) { return m.gang.gpus; }, nodes[n].gpus);
    limit(
        n, [](const Member& m) { return m.gang.cpus; }, nodes[n].cpus);
    limit(
        n, [](const Member& m) { return m.gang.memory; }, nodes[n].memory);
    limit(
        n, [&](const Member& m) { return m.gang.exclusive || apart ? many : 1; }, many);
    for (std::size_t m = 0; m < members.size(); ++m)
      if (!alone(nodes[n], members[m], n)) out << " " << x(m, n) << " = 0\n";
  }
  out << "Binary\n";
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t n = 0; n < nodes.size(); ++n) out << " " << x(m, n) << "\n";
    for (const std::uint32_t leaf : leaves)
      if (members[m].gang.one_leaf) out << " z" << m << "_" << leaf << "\n";
  }
  for (const std::uint32_t leaf : leaves) out << " " << y(leaf) << "\n";
  out << "End\n";
  return out.str();
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

bool have_solver() { return std::system("command -v glpsol >/dev/null 2>&1") == 0; }

Solved solve(std::span<const Node> nodes, std::span<const Member> members, bool apart, const std::string& folder) {
  const std::string input = folder + "/problem.lp", output = folder + "/answer.txt", log = folder + "/log.txt";
  std::ofstream(input) << problem(nodes, members, apart);
  const std::string command = "glpsol --lp " + input + " --cuts --tmlim 10 -o " + output + " >" + log + " 2>&1";
  if (std::system(command.c_str()) != 0) return {};
  const std::string answer = text_of(output), log_text = text_of(log);
  if (answer.find("INTEGER OPTIMAL") != std::string::npos) {
    const std::size_t at = answer.find("leaves = ");
    if (at == std::string::npos) return {};
    return {true, std::strtoll(answer.c_str() + at + 9, nullptr, 10)};
  }
  const bool none =
      answer.find("INTEGER EMPTY") != std::string::npos || log_text.find("NO INTEGER FEASIBLE") != std::string::npos ||
      log_text.find("NO PRIMAL FEASIBLE") != std::string::npos || log_text.find("NO FEASIBLE") != std::string::npos;
  return {none, {}};
}

}  // namespace muster::oracles
