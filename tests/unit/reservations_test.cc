// Nodes that others hold for a time: who is kept from them, until when a job fits, and what an import reads.
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "targets/slurm/import_site.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/site_text.h"

namespace reservations_test {

using namespace muster;
using plan::Verdict;

namespace {

// Four nodes, of which a reservation holds the last `held`; hours of 1 December 2026.
struct Scene {
  int now = 0, from = 0, until = 0, held = 0, nodes = 0, hours = 0;
  bool named = false;
};

std::string hour(int h) {
  return "2026-12-0" + std::to_string(1 + h / 24) + "T" + (h % 24 < 10 ? "0" : "") + std::to_string(h % 24) + ":00";
}

std::string site_of(const Scene& s, bool with_time = true) {
  return std::string("fleet lab {\n") + (with_time ? "  as-of = \"" + hour(s.now) + "\"\n" : "") +
         "  pool cpu { nodes = \"n[1-4]\"  node { cpus = 8  memory = 64GiB } }\n"
         "  reservation course { nodes = \"n[" +
         std::to_string(5 - s.held) + "-4]\"  from = \"" + hour(s.from) + "\"  until = \"" + hour(s.until) +
         "\"  users = [\"ada\"] }\n}\nsite lab { fleet = lab  plane batch { kind = slurm }  queue m { default = true } "
         "}\n";
}

plan::Fit fit_of(const Scene& s, bool with_time = true) {
  const std::string script = "#!/bin/bash\n#SBATCH --nodes=" + std::to_string(s.nodes) +
                             "\n#SBATCH --exclusive\n#SBATCH --time=" + std::to_string(s.hours) + ":00:00\n" +
                             (s.named ? "#SBATCH --reservation=course\n" : "") + "srun a\n";
  return test::read_site(site_of(s, with_time))->fit_of(script);
}

}  // namespace

TEST_CASE("a node that others hold within the time limit is not free now", "[fit][reservations]") {
  int right = 0, all = 0, waits = 0;
  for (const int now : {0, 10, 20, 30})
    for (const int hours : {1, 5, 10, 12, 40})
      for (const int held : {1, 4})
        for (const int nodes : {1, 3, 4})
          for (const bool named : {false, true}) {
            const Scene s{now, 20, 30, held, nodes, hours, named};
            const bool open = now >= s.from && now < s.until;  // Slurm does not compare its time limit
            const bool overlaps = now < s.until && now + hours > s.from;
            const int free = named ? (open ? held : 0) : overlaps ? 4 - held : 4;
            const plan::Fit fit = fit_of(s);
            CAPTURE(site_of(s), nodes, hours, named, free);
            const bool agrees = fit.now.verdict == (nodes <= free ? Verdict::fits : Verdict::does_not_fit) &&
                                (named || fit.capacity.verdict == Verdict::fits);
            CHECK(agrees);
            if (!named && now < s.from && fit.now.verdict == Verdict::does_not_fit) {
              REQUIRE(fit.now.certificate);
              const std::string run = std::to_string(s.from - now) + "h of the ";
              CHECK(fit.now.certificate->text.find("fits until Tuesday 2026-12-01 20:00: " + run) != std::string::npos);
              ++waits;
            }
            ++all, right += static_cast<int>(agrees);
          }
  CHECK(right == all);
  CHECK(all == 240);
  CHECK(waits > 10);
}

TEST_CASE("pods that may share nodes are kept from those of a reservation too", "[fit][reservations]") {
  int right = 0, all = 0;
  for (const std::string gang : {"volcano", "kueue"})
    for (const int hours : {2, 20})     // it begins after 8
      for (const int held : {0, 1, 3})  // of three nodes with room for two pods each
        for (const int pods : {1, 2, 3, 4, 5, 6, 7}) {
          const auto planned = test::plan_text(
              "fleet f { as-of = \"2026-12-02T00:00\"\n pool a { nodes = \"a[1-3]\"  gpu { model = h100  memory = 80GB "
              " count = 4 }  node { cpus = 32  memory = 256GiB } }\n" +
              (held > 0 ? "reservation r { nodes = \"a[1-" + std::to_string(held) +
                              "]\"  from = \"2026-12-02T08:00\"  until = \"2026-12-04T00:00\" }\n"
                        : std::string()) +
              "}\nsite s { fleet = f  plane p { kind = kubernetes  version = \"1.35\"  gang = " + gang +
              " }  queue q { default = true } }\nworkload w { kind = train  image = \"x:1\"  command = [\"x\"]  "
              "time-limit = " +
              std::to_string(hours) + "h  nodes = " + std::to_string(pods) + "  gpus = 2  cpus = 2  memory = 1GiB }\n");
          const int free = hours > 8 ? 3 - held : 3;
          CAPTURE(gang, hours, held, pods);
          const bool agrees = planned->fit().now.verdict == (pods <= 2 * free ? Verdict::fits : Verdict::does_not_fit);
          CHECK(agrees);
          right += agrees, ++all;
        }
  CHECK(right == all);
  CHECK(all == 84);
}

TEST_CASE("without a time it is not known whether a reservation holds its nodes", "[fit][reservations]") {
  CHECK(fit_of({0, 20, 30, 1, 3, 1}, false).now.verdict == Verdict::fits);  // of the others
  CHECK(fit_of({0, 20, 30, 1, 4, 1}, false).now.verdict == Verdict::unknown);
  CHECK(fit_of({0, 20, 30, 1, 5, 1}, false).verdict == Verdict::does_not_fit);
}

TEST_CASE("what scontrol show reservation says is a reservation of the fleet, or a remark", "[cluster][reservations]") {
  int variants = 0;
  for (const std::string users : {"root", "ada", "ada,bob", "(null)", "-ada"})
    for (const std::string accounts : {"(null)", "ml"})
      for (const std::string nodes : {"a[1-2]", "a2,b1", "b[1-9]", "(null)"})
        for (const std::string flag : {"SPEC_NODES", "DAILY", "MAINT,FLEX"}) {
          const std::string text =
              "NodeName=a[1-2] CPUs=8 Sockets=1 CoresPerSocket=8 RealMemory=1000\nPartitionName=p Nodes=ALL\n"
              "ReservationName=r1 StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T20:00:00 Duration=12:00:00\n"
              "   Nodes=" +
              nodes + " NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=(null) Flags=" + flag +
              "\n   TRES=cpu=16\n   Users=" + users + " Groups=(null) Accounts=" + accounts +
              " Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a\n";
          Diagnostics diagnostics;
          const auto cluster =
              targets::slurm::read_cluster(targets::slurm::recognise({text, 1, 0}).sections, diagnostics);
          const auto site = targets::slurm::import_site(cluster, "lab", "2026-11-28T12:00:00", diagnostics);
          CAPTURE(text, test::messages_of(diagnostics));
          REQUIRE(site.fleet);
          std::string remarks;
          for (const targets::Remark& r : site.remarks) remarks += r.path + ": " + r.text + "\n";
          CAPTURE(remarks);
          const bool held = nodes == "a[1-2]" || nodes == "a2,b1";
          CHECK(site.fleet->reservations.size() == (held ? 1U : 0U));
          CHECK((remarks.find("r1 was not imported") != std::string::npos) == !held);
          ++variants;
          if (!held) continue;
          const model::Reservation& r = site.fleet->reservations[0];
          CHECK(r.users.size() == (users == "ada" || users == "-ada" ? 1U : users == "ada,bob" ? 2U : 0U));
          CHECK(r.accounts.size() == (accounts == "ml" ? 1U : 0U));
          CHECK((remarks.find("reservation r1") != std::string::npos) == (flag != "SPEC_NODES" || nodes != "a[1-2]"));
          const std::string written = syntax::format({sema::to_syntax(*site.fleet, diagnostics)}, {});
          Sources sources;
          sources.add("site.muster", written);
          const auto tree = syntax::parse(sources, 1, diagnostics);
          REQUIRE(tree);
          const model::Module module = sema::check({*tree}, sources, {}, diagnostics);
          CHECK(!diagnostics.has_errors());
          CHECK(module.fleets.at(0).as_of == parse_instant("2026-11-28T12:00"));
          CHECK(module.fleets.at(0).pools.at(0).held.at(0).nodes.size() == (nodes == "a[1-2]" ? 2U : 1U));
        }
  CHECK(variants == 120);
}

}  // namespace reservations_test
