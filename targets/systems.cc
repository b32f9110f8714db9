#include "targets/systems.h"

namespace muster::targets {
namespace {

constexpr System systems[] = {
#define MUSTER_SYSTEM(name, state, target, judge, text) {name, State::state, target, judge, text},
#include "targets/systems.def"
};

}  // namespace

std::span<const System> all_systems() { return systems; }

std::string_view state_text(State state) {
  switch (state) {
    case State::target: return "target";
    case State::setting: return "setting of a site";
    case State::same: return "by another target";
    case State::read: return "read only";
    case State::program: return "part of the program";
    case State::none: break;
  }
  return "not written";
}

}  // namespace muster::targets
