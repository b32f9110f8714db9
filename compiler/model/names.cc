// The language's words for the enumerators of the model, in their order.
#include <array>

#include "compiler/model/site.h"

namespace muster::model {

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 7> names = {"train", "serve", "batch", "sweep", "rl", "mpi", "dev"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(RetryOn reason) {
  constexpr std::array<std::string_view, 5> names = {"node-failure", "preemption", "failure", "timeout", "exit-codes"};
  return names[static_cast<std::size_t>(reason)];
}

std::string_view name(Within domain) {
  constexpr std::array<std::string_view, 6> names = {"node", "nvlink-domain", "leaf", "block", "zone", "fleet"};
  return names[static_cast<std::size_t>(domain)];
}

std::string_view name(Gang gang) {
  constexpr std::array<std::string_view, 3> names = {"all", "replica", "none"};
  return names[static_cast<std::size_t>(gang)];
}

std::string_view name(FabricRequest request) {
  constexpr std::array<std::string_view, 3> names = {"auto", "required", "none"};
  return names[static_cast<std::size_t>(request)];
}

std::string_view name(StartOn on) {
  constexpr std::array<std::string_view, 3> names = {"started", "ready", "complete"};
  return names[static_cast<std::size_t>(on)];
}

std::string_view name(AfterOn on) {
  constexpr std::array<std::string_view, 4> names = {"success", "finish", "failure", "start"};
  return names[static_cast<std::size_t>(on)];
}

std::string_view name(ProbeKind kind) {
  constexpr std::array<std::string_view, 3> names = {"readiness", "liveness", "startup"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Engine engine) {
  constexpr std::array<std::string_view, 3> names = {"vllm", "sglang", "trtllm"};
  return names[static_cast<std::size_t>(engine)];
}

std::string_view name(Interface interface) {
  constexpr std::array<std::string_view, 4> names = {"jupyter", "vscode", "ssh", "shell"};
  return names[static_cast<std::size_t>(interface)];
}

std::string_view name(NotifyOn event) {
  constexpr std::array<std::string_view, 12> names = {
      "start",     "end", "fail",      "requeue", "time-50", "time-80", "time-90", "time-limit", "invalid-dependency",
      "stage-out", "all", "each-point"};
  return names[static_cast<std::size_t>(event)];
}

std::string_view name(PlaneKind kind) { return traits_of(kind).name; }

std::string_view name(GangProvider provider) {
  constexpr std::array<std::string_view, 6> names = {"none", "kueue", "volcano", "kai", "yunikorn", "coscheduling"};
  return names[static_cast<std::size_t>(provider)];
}

std::string_view name(Containers containers) {
  constexpr std::array<std::string_view, 5> names = {"none", "pyxis", "enroot", "apptainer", "shifter"};
  return names[static_cast<std::size_t>(containers)];
}

}  // namespace muster::model
