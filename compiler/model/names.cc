// What the language calls the enumerators of the model.
#include "compiler/model/runner.h"
#include "compiler/model/site.h"
#include "compiler/model/symbols.h"

namespace muster::model {

std::string_view name(Kind kind) { return symbols::kinds[static_cast<std::size_t>(kind)]; }
std::string_view name(Runner runner) { return symbols::runners[static_cast<std::size_t>(runner)]; }
std::string_view name(RetryOn reason) { return symbols::retry_reasons[static_cast<std::size_t>(reason)]; }
std::string_view name(Within domain) { return symbols::domains[static_cast<std::size_t>(domain)]; }
std::string_view name(Gang gang) { return symbols::gangs_of_work[static_cast<std::size_t>(gang)]; }
std::string_view name(FabricRequest request) { return symbols::fabric_requests[static_cast<std::size_t>(request)]; }
std::string_view name(StartOn on) { return symbols::role_starts[static_cast<std::size_t>(on)]; }
std::string_view name(AfterOn on) { return symbols::afters[static_cast<std::size_t>(on)]; }
std::string_view name(ProbeKind kind) { return symbols::probes[static_cast<std::size_t>(kind)]; }
std::string_view name(Engine engine) { return symbols::engines[static_cast<std::size_t>(engine)]; }
std::string_view name(Interface interface) { return symbols::interfaces[static_cast<std::size_t>(interface)]; }
std::string_view name(NotifyOn event) { return symbols::notify_events[static_cast<std::size_t>(event)]; }
std::string_view name(PlaneKind kind) { return traits_of(kind).name; }
std::string_view name(FeatureGate gate) { return symbols::feature_gates[static_cast<std::size_t>(gate)]; }
std::string_view name(GangProvider provider) { return symbols::gang_providers[static_cast<std::size_t>(provider)]; }
std::string_view name(Containers containers) { return symbols::containers[static_cast<std::size_t>(containers)]; }

}  // namespace muster::model
