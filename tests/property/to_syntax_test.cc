// Models whose texts hold anything come back from the muster text that is written of them.
#include "compiler/sema/check/to_syntax.h"

#include "cli/emit.h"
#include "compiler/sema/check/check.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "tests/catch.h"
#include "tests/property/random_tree.h"

namespace to_syntax_test {

using namespace muster;
using property::Random;

namespace {

// Without NUL, which no environment and no argument can hold either.
std::string any_text(Random& random) {
  std::string out = property::random_text(random, 8);
  return out.empty() ? "x" : out;
}

// Bytes of a script: what a heredoc holds, and what it does not: CR, no line end, a line `>>>`.
std::string any_script(Random& random) {
  std::string out = property::random_script(random);
  if (random.one_in(4)) out += "no line end";
  if (random.one_in(4)) out += "\r\n a\rb\n";
  if (random.one_in(4)) out += "\t>>> \n";
  return out;
}

model::Located<std::string> located(std::string text) { return {std::move(text), {}}; }

void fill_role(model::Role& role, Random& random) {
  static constexpr std::string_view shells[] = {"bash", "sh", "zsh", "python"};
  const auto shell = [&] { return std::string(random.any_of(shells)); };
  if (random.one_in(2)) role.program = {model::Script{shell(), any_script(random)}, {}};
  else role.program = {model::Argv{"prog", any_text(random), property::random_text(random, 4)}, {}};
  for (std::int64_t n = random.upto(3); n > 0; --n) role.args.push_back({property::random_text(random, 6), {}});
  if (random.one_in(3)) role.setup = {{shell(), any_script(random)}, {}};
  for (std::int64_t n = random.upto(4); n > 0; --n)
    role.env.push_back({"V" + std::to_string(n), random.one_in(3) ? "007" : property::random_text(random, 5), {}});
  if (random.one_in(2)) role.image = located(any_text(random));
  if (random.one_in(2)) role.software = {any_text(random), {}};
  if (random.one_in(2)) role.resources.nodes = {{1 + random.upto(3), 4 + random.upto(9)}, {}};
  if (random.one_in(2) && !role.resources.part_of_gpu())
    role.resources.gpu = {{"h100"}, {}}, role.resources.gpus = {1 + random.upto(7), {}};
  if (random.one_in(2)) role.resources.cpus = {{random.one_in(3), 1 + random.upto(9), 10 + random.upto(9)}, {}};
  if (random.one_in(2))
    role.resources.memory = {{false, {(5 + random.upto(999)) << 20}, {(5 + random.upto(999)) << 30}}, {}};
  if (random.one_in(2)) role.resources.disk = {{1 + random.upto(1 << 30)}, {}};
}

void fill_needs(model::Role& role, Random& random) {
  if (random.one_in(3)) role.replicas = {{1 + random.upto(3), 4 + random.upto(9)}, {}};
  if (random.one_in(4)) role.fabric = {model::FabricRequest::required, {}};
  if (random.one_in(3)) role.secrets.push_back({any_text(random), located("TOKEN"), located(any_text(random)), {}});
  if (random.one_in(3))
    role.files.push_back({located(any_text(random)), property::random_text(random, 9), located("0600")});
  if (random.one_in(3))
    role.ports.push_back({"p" + std::to_string(random.upto(9)), {1 + random.upto(65'534), {}}, random.one_in(2), {}});
  if (random.one_in(3)) {
    model::Probe probe;
    probe.kind = static_cast<model::ProbeKind>(random.upto(2));
    if (random.one_in(2)) probe.http = model::Located<model::Text>{"/" + any_text(random), {}};
    else probe.command = {{any_text(random), {}}};
    if (random.one_in(2)) probe.every = {{1'000 + random.upto(100'000)}, {}};
    role.probes.push_back(probe);
  }
  if (random.one_in(4)) role.preflight = model::Preflight{random.one_in(2), random.one_in(2), {}};
  if (random.one_in(4))
    role.allows.push_back({"A" + std::to_string(random.upto(9)), located(any_text(random)), located("2026-12-31"), {}});
  if (random.one_in(4)) {
    model::Parallelism degrees;
    degrees.tensor = {1 + random.upto(7), {}};
    if (random.one_in(2)) degrees.expert = {1 + random.upto(7), {}};
    role.parallelism = degrees;
  }
  if (random.one_in(4)) role.resources.gpu_slice = located(any_text(random)), role.resources.gpus.reset();
}

void fill_service(model::Workload& w, Random& random) {
  if (random.one_in(3)) w.priority = located(any_text(random));
  if (random.one_in(3)) w.preemptible = {random.one_in(2), {}};
  if (random.one_in(3)) w.gang = {static_cast<model::Gang>(random.upto(2)), {}};
  if (random.one_in(3)) w.depends_on.push_back({any_text(random), static_cast<model::AfterOn>(random.upto(3)), {}});
  if (random.one_in(4)) w.scale = model::Scale{"kv-cache", located("0.5"), {}, {}};
  if (random.one_in(4))
    w.serve = model::Serve{located(any_text(random)),
                           located(any_text(random)),
                           {{model::Engine::sglang, {}}},
                           {located(any_text(random))},
                           {},
                           located(any_text(random)),
                           {}};
  if (random.one_in(4)) w.dev = model::Dev{{model::Interface::ssh, {}}, {{{60'000 + random.upto(9'999'999)}, {}}}, {}};
}

// Two roles with what each has of its own.
void fill_roles(model::Workload& w, Random& random) {
  w.roles.emplace_back();
  for (std::size_t i = 0; i < w.roles.size(); ++i) {
    w.roles[i].name = "r" + std::to_string(i);
    fill_needs(w.roles[i], random);
  }
  fill_role(w.roles[1], random);
  w.roles[1].depends_on.push_back({"r0", static_cast<model::StartOn>(random.upto(2)), {}});
  if (random.one_in(2)) w.roles[0].primary = {random.one_in(2), {}};
}

model::Workload any_workload(Random& random) {
  model::Workload w;
  w.name = w.id = "w" + std::to_string(random.upto(99));
  w.kind = {static_cast<model::Kind>(random.upto(6)), {}};
  for (std::int64_t n = random.upto(2); n > 0; --n) w.queues.push_back(located(any_text(random)));
  if (random.one_in(2)) w.time_limit = {{60'000 + random.upto(400'000'000)}, {}};
  w.roles.emplace_back();
  fill_role(w.roles[0], random);
  fill_service(w, random);
  if (random.one_in(4)) fill_roles(w, random);
  else fill_needs(w.roles[0], random);
  for (std::int64_t n = random.upto(3); n > 0; --n)
    w.labels.push_back(
        {property::random_text(random, 3) + std::to_string(n), located(property::random_text(random, 5))});
  if (random.one_in(3)) w.stop = model::Stop{{"USR1", {}}, {{random.upto(50'000)}, {}}, {{random.upto(99)}, {}}, {}};
  if (random.one_in(3)) w.retry = model::Retry{{random.upto(3), {}}, {{model::RetryOn::failure, {}}}, {}, {}, {}};
  if (random.one_in(3)) w.facts.push_back({"multi-tenant", {model::FactValue(random.one_in(2)), {}}});
  return w;
}

}  // namespace

TEST_CASE("random workloads come back from their text", "[property][to_syntax]") {
  Random random(20240703);
  int scripts_as_calls = 0;
  for (int i = 0; i < 2'000; ++i) {
    const model::Workload w = any_workload(random);
    Diagnostics diagnostics;
    const std::string text = syntax::format({sema::to_syntax(w, diagnostics)});
    INFO("case " << i << "\n" << text);
    REQUIRE(diagnostics.empty());
    scripts_as_calls += text.find("bash(") != std::string::npos;
    Sources sources;
    const auto tree = syntax::parse(sources, sources.add("text", text), diagnostics);
    for (const Diagnostic& d : diagnostics.sorted()) UNSCOPED_INFO(d.message);
    REQUIRE(tree);
    const model::Module module = sema::check({*tree}, sources, {}, diagnostics);
    // What a random text means may be refused (a queue of odd letters); what it is must be the same.
    REQUIRE(module.workloads.size() == 1);
    cli::Json before = cli::to_json(w, sources), after = cli::to_json(module.workloads[0], sources);
    before.erase("at"), after.erase("at");
    REQUIRE(cli::print(before) == cli::print(after));
  }
  CHECK(scripts_as_calls > 100);
}

TEST_CASE("bytes that no muster file holds are refused with their place", "[to_syntax]") {
  for (const std::string& bytes : {std::string("a\0b\n", 4), std::string("caf\xE9\n")}) {
    model::Workload w;
    w.name = "w";
    w.roles.emplace_back();
    w.roles[0].program = {model::Script{"bash", bytes}, {1, 5, 9}};
    Diagnostics diagnostics;
    sema::to_syntax(w, diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics.sorted()[0].code == Code::not_text);
    CHECK(diagnostics.sorted()[0].primary == Span{1, 5, 9});
  }
}

TEST_CASE("notes stand above what they name, and none is lost", "[to_syntax]") {
  model::Site site;
  site.name = "lab";
  site.planes.push_back({});
  site.planes[0].name = "batch";
  site.planes[0].batch()->containers = model::Containers::pyxis;
  model::Queue queue;
  queue.name = queue.plane_name = "long.term";
  queue.qos = located("high");
  site.queues.push_back(queue);
  Diagnostics diagnostics;
  CHECK(syntax::format({sema::to_syntax(site, diagnostics)},
                       {{"site lab", "One.\n\nTwo."},
                        {"site lab.plane batch.containers", "seen in plugstack.conf"},
                        {"site lab.queue long.term", "a partition\rof theirs"},
                        {"site lab.queue long.term.no-such-key.at-all", "kept with the queue"},
                        {"workload other", "kept at the top"}}) ==
        "# kept at the top\n\n# One.\n#\n# Two.\nsite lab {\n  plane batch {\n    kind = slurm\n"
        "    # seen in plugstack.conf\n    containers = pyxis\n  }\n"
        "  # a partition of theirs\n  # kept with the queue\n"
        "  queue \"long.term\" { qos = \"high\" }\n}\n");
}

}  // namespace to_syntax_test
