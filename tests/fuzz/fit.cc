// Bytes as a fleet and gangs, through the scheduler. What it answers is checked by the oracle, which shares no code
// with it; any crash, hang or false number is a fault. With libFuzzer, or with replay.cc over the committed corpus.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/inventory.h"
#include "scheduler/packing.h"
#include "scheduler/together.h"
#include "tests/oracles/gang_oracle.h"
#include "tests/oracles/packing_oracle.h"
#include "tests/oracles/together_oracle.h"

using namespace muster;

namespace {

// Numbers from bytes; 0 when they are used up. One in eight is huge.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint32_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  std::int64_t amount() {
    const std::uint32_t b = byte();
    return b >= 224 ? (std::int64_t{1} << (30 + b % 32)) : b % 33;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

std::vector<scheduler::Node> nodes_of(Bytes& in) {
  std::vector<scheduler::Node> nodes(in.byte() % 24);
  for (scheduler::Node& node : nodes) {
    node.leaf = in.byte() % 8;
    node.gpus = static_cast<std::int32_t>(in.byte() % 10);
    node.gpus_total = node.gpus + static_cast<std::int32_t>(in.byte() % 3);
    node.cpus = in.amount();
    node.memory = in.amount();
    node.usable = in.byte() % 8 != 0;
    node.untouched = node.gpus == node.gpus_total;
  }
  return nodes;
}

std::vector<scheduler::Member> members_of(Bytes& in, std::size_t nodes) {
  std::vector<scheduler::Member> members(1 + in.byte() % 10);
  for (scheduler::Member& member : members) {
    scheduler::Gang& gang = member.gang;
    const std::uint32_t kind = in.byte();
    gang.segment = kind % 5 == 0 ? 1 + in.byte() % 4 : 1;
    const std::uint32_t count = in.byte();
    gang.nodes = gang.segment * (count > 250 ? std::int64_t{1} << 50 : 1 + count % 6);
    gang.gpus = count % 17 == 0 ? 2'000'000'000 : static_cast<std::int32_t>(in.byte() % 9);
    gang.cpus = in.amount() / 4;
    gang.memory = in.amount() / 4;
    gang.exclusive = kind % 7 == 0;
    gang.one_leaf = kind % 11 == 0 && gang.segment == 1;
    for (std::size_t n = 0; n < nodes && kind % 3 == 0; ++n) member.barred.push_back(in.byte() % 3 == 0);
  }
  return members;
}

void stop(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

// One gang alone, below spines and without, from the nodes and from their counts.
void alone(Bytes& in, const std::vector<scheduler::Node>& nodes, const scheduler::Gang& gang) {
  std::vector<std::uint32_t> spines;
  for (int leaf = 0; leaf < 8; ++leaf) spines.push_back(in.byte() % 4);
  const scheduler::Answer answer = scheduler::place_gang(nodes, gang, spines);
  const std::string fault = oracles::fault_of(nodes, gang, answer, spines);
  if (!fault.empty()) stop(fault.c_str());
  if (scheduler::Inventory(nodes, spines).place(gang) != answer) stop("the inventory answers otherwise");
}

// Parts of GPUs. Where slices may stand is from the bytes too.
scheduler::Cut cut_of(Bytes& in) {
  scheduler::Cut cut{1 + in.byte() % 8, std::vector<scheduler::Profile>(in.byte() % 4)};
  for (scheduler::Profile& profile : cut.profiles) {
    profile = {{}, in.byte() % 10, in.byte() % 5};
    for (std::uint32_t n = in.byte() % 4; n > 0; --n) profile.starts.push_back(in.byte() % 10);
  }
  return cut;
}

scheduler::PodGang pods_of(Bytes& in, std::size_t nodes, bool huge) {
  scheduler::PodGang gang;
  gang.pods = huge ? in.amount() << 2 : 1 + in.byte() % 3;
  gang.a_node = huge ? in.amount() << 2 : in.byte() % 4;
  gang.part = {static_cast<scheduler::Part::Kind>(in.byte() % 3), in.byte() % 110};
  if (gang.part.kind == scheduler::Part::Kind::slice) gang.part.amount %= 5;
  gang.devices = gang.part.kind == scheduler::Part::Kind::whole ? static_cast<std::int32_t>(in.byte() % 3) : 1;
  gang.cpus = huge ? in.amount() : in.byte() % 8;
  gang.memory = huge ? in.amount() : in.byte() % 8;
  for (std::size_t n = 0; n < nodes && gang.cpus % 3 == 1; ++n) gang.barred.push_back(in.byte() % 3 == 0);
  return gang;
}

void packing(Bytes& in) {
  const scheduler::Cut cut = cut_of(in);
  std::vector<scheduler::PackNode> nodes(in.byte() % 4);
  for (scheduler::PackNode& node : nodes) {
    node = {in.byte() % 3, std::vector<scheduler::Device>(in.byte() % 3), in.byte() % 16, in.byte() % 16, true};
    for (scheduler::Device& device : node.devices) {
      const std::vector<scheduler::Device> next =
          scheduler::after(cut, device, {static_cast<scheduler::Part::Kind>(in.byte() % 3), in.byte() % 5});
      if (!next.empty()) device = next[in.byte() % next.size()];
    }
  }
  const std::size_t count = 1 + in.byte() % 3;
  std::vector<scheduler::PodGang> gangs, huge;
  for (std::size_t g = 0; g < count; ++g) {
    gangs.push_back(pods_of(in, nodes.size(), false));
    huge.push_back(pods_of(in, nodes.size(), true));
  }
  const scheduler::PackAnswer answer = scheduler::pack(nodes, cut, gangs);
  if (const std::string fault = oracles::fault_of(nodes, cut, gangs, answer); !fault.empty()) stop(fault.c_str());
  scheduler::pack(nodes, cut, huge, {.orders = 2, .branches = 100});
}

// Gangs come and go: the inventory answers as its nodes do, and has at the end what it had.
void churn(Bytes& in) {
  std::vector<scheduler::Node> nodes(1 + in.byte());
  const auto gpus = static_cast<std::int32_t>(in.byte() % 9);
  for (scheduler::Node& node : nodes) node = {.leaf = in.byte() % 16U, .gpus = gpus, .gpus_total = gpus};
  scheduler::Inventory fleet(nodes);
  std::vector<std::pair<std::int32_t, std::vector<std::uint32_t>>> held;
  const auto change = [&](const std::vector<std::uint32_t>& which, std::int32_t more) {
    for (const std::uint32_t index : which) {
      scheduler::Node now = fleet.nodes()[index];
      now.gpus += more, now.untouched = now.gpus == gpus;
      fleet.set(index, now);
    }
  };
  for (int step = 0; step < 40; ++step) {
    const std::int64_t segment = 1 + in.byte() % 3;
    const scheduler::Gang gang{.nodes = segment * (in.byte() % 32),
                               .gpus = 1 + in.byte() % 8,
                               .segment = segment,
                               .one_leaf = in.byte() % 5 == 0};
    scheduler::Answer answer = fleet.place(gang);
    if (answer != scheduler::place_gang(fleet.nodes(), gang)) stop("an inventory under churn answers otherwise");
    if (auto* placement = std::get_if<scheduler::Placement>(&answer)) {
      change(placement->nodes, -gang.gpus);
      held.emplace_back(gang.gpus, std::move(placement->nodes));
    }
    if (held.empty() || in.byte() % 2 == 0) continue;
    change(held.back().second, held.back().first);
    held.pop_back();
  }
  for (const auto& [each, which] : held) change(which, each);
  for (const scheduler::Node& node : fleet.nodes())
    if (node.gpus != gpus) stop("what was given back is not there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  const std::vector<scheduler::Node> nodes = nodes_of(in);
  const std::vector<scheduler::Member> members = members_of(in, nodes.size());
  const bool apart = in.byte() % 3 == 0;
  const scheduler::JointAnswer answer = scheduler::place_together(nodes, members, {.apart = apart});
  // The gang oracle behind `Alone` is brute force over leaves: of eight leaves it is quick.
  const std::string fault = oracles::fault_of(nodes, members, apart, answer);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\n", fault.c_str());
    std::abort();
  }
  alone(in, nodes, members.front().gang);
  churn(in);
  packing(in);
  return 0;
}
