// An import of a Slurm cluster says nothing false of it, and names what it does not import.
#include <algorithm>

#include "targets/site_import/left_out.h"
#include "tests/property/random.h"
#include "tests/unit/imported_text.h"
#include "tests/unit/site_text.h"

namespace slurm_left_out_test {

using namespace muster;
using plan::Verdict;
using test::import_slurm;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two nodes with GPUs as scontrol prints them, a configuration that gives out memory, one partition.
struct Lab {
  std::string node{}, partition{}, config{}, features = "(null)", rest{};

  std::string text() const {
    std::string out = "Configuration data as of 2026-12-01T10:00:00\nSelectTypeParameters = CR_CORE_MEMORY\n" + config +
                      "\nSlurmctld(primary) at x is UP\n";
    for (const char* name : {"a1", "a2"})
      out += std::string("NodeName=") + name + " CPUAlloc=0 CPUTot=8 RealMemory=64000 AllocMem=0 Gres=gpu:h100:4 " +
             "GresUsed=gpu:h100:0 AvailableFeatures=" + (name[1] == '1' ? features : "(null)") + " State=IDLE " + node +
             "\n";
    return out + "\nPartitionName=p " + partition + " AllowGroups=ALL Default=YES Nodes=a[1-2] State=UP\n\n" + rest;
  }
};

std::string script_of(const std::string& options) { return "#!/bin/bash\n" + options + "srun a\n"; }

plan::Fit fit_of(const targets::ImportedSite& site, const std::string& options) {
  return test::read_site(test::text_of(site))->fit_of(script_of(options));
}

// A feature of letters and other characters, which a configuration can have.
std::string odd_name(property::Random& random) {
  static const std::vector<std::string> parts = {"a",
                                                 "Z9",
                                                 ":",
                                                 ".",
                                                 "-",
                                                 "_",
                                                 "/",
                                                 "+",
                                                 "'",
                                                 "\"",
                                                 "\\",
                                                 "#",
                                                 "$",
                                                 "{",
                                                 "}",
                                                 "@",
                                                 "ü",
                                                 "~",
                                                 "%",
                                                 "^",
                                                 ";",
                                                 "<",
                                                 "${x}",
                                                 "when",
                                                 "if",
                                                 "nvidia:h100",
                                                 "0",
                                                 "--",
                                                 "very-long-name-of-a-feature"};
  std::string out = random.one_in(2) ? "f" : ":";  // not a quote, which begins a value of several words
  for (std::int64_t n = 1 + random.upto(5); n > 0; --n)
    out += parts[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(parts.size()) - 1))];
  return out;
}

std::string in_quotes(const std::string& word) { return has(word, "'") ? "\"" + word + "\"" : "'" + word + "'"; }

}  // namespace

TEST_CASE("a feature of any name is imported, and a script that requires it fits", "[cluster][features]") {
  property::Random random(7);
  int asked = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string name = odd_name(random), other = odd_name(random);
    CAPTURE(name, other);
    const targets::ImportedSite site = import_slurm(Lab{.features = name + "," + other}.text());
    const auto again = test::read_site(test::text_of(site));
    const auto is_it = [&](const model::Feature& feature) { return feature.name == name; };
    REQUIRE(std::any_of(again->fleet().features.begin(), again->fleet().features.end(), is_it));
    if (has(name, "\"") || has(name, "\\") || has(name, "$")) continue;  // sbatch would read these otherwise
    const std::string asks = "#SBATCH --constraint=" + in_quotes(name) + "\n#SBATCH --nodes=";
    CHECK(again->fit_of(script_of(asks + "1\n")).verdict == Verdict::fits);
    CHECK(again->fit_of(script_of(asks + "2\n")).verdict == Verdict::does_not_fit);
    ++asked;
  }
  CHECK(asked > 50);
  Lab bytes{.features = "good,\xFF"};
  const targets::ImportedSite site = import_slurm(bytes.text());
  CHECK(has(test::remarks_of(site), "no feature of the nodes was imported"));
  CHECK(fit_of(site, "#SBATCH --constraint=good --nodes=1\n").verdict == Verdict::unknown);
}

TEST_CASE("features that a plugin adds are not known from the files", "[cluster][features]") {
  for (const bool plugin : {false, true}) {
    const targets::ImportedSite site =
        import_slurm(std::string(plugin ? "NodeFeaturesPlugins=node_features/helpers\n" : "") +
                     "NodeName=a[1-2] CPUs=8 RealMemory=100 Feature=fast\nPartitionName=p Nodes=ALL Default=YES\n");
    CHECK(fit_of(site, "#SBATCH --constraint=slow --nodes=1\n").verdict ==
          (plugin ? Verdict::unknown : Verdict::does_not_fit));
  }
}

TEST_CASE("a reservation of root alone is a maintenance", "[cluster][reservations]") {
  int maintenances = 0;
  for (const std::string users : {"(null)", "root", "ada", "-ada", "root,ada"})
    for (const std::string groups : {"(null)", "hpc", "hpc,ml"})
      for (const std::string accounts : {"(null)", "top", "-top"}) {
        const targets::ImportedSite site = import_slurm(Lab{
            .rest =
                "ReservationName=r StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T20:00:00 Nodes=a[1-2] "
                "NodeCnt=2 Flags=SPEC_NODES Users=" +
                users + " Groups=" + groups + " Accounts=" + accounts +
                "\n\nCluster|Account|User|ParentName|GrpTRES\nc|root|||\nc|top||root|\nc|sub||top|\nc|other||root|\n"}
                                                            .text());
        CAPTURE(users, groups, accounts, test::text_of(site));
        const bool closed = (users == "(null)" || users == "root") && groups == "(null)" && accounts == "(null)";
        const std::string inside = "#SBATCH --reservation=r --nodes=1\n";
        CHECK(fit_of(site, inside).verdict == (closed ? Verdict::does_not_fit : Verdict::fits));
        CHECK(fit_of(site, "#SBATCH --nodes=1\n").now.verdict == Verdict::does_not_fit);
        for (const std::string account : {"top", "sub", "other"}) {
          const bool listed = account != "other";
          const bool takes = !closed && (accounts == "(null)" || (accounts == "top") == listed);
          CHECK(fit_of(site, "#SBATCH --account=" + account + "\n" + inside).verdict ==
                (takes ? Verdict::fits : Verdict::does_not_fit));
        }
        CHECK(has(test::remarks_of(site), "who is in the groups") == (groups != "(null)"));
        maintenances += static_cast<int>(closed);
      }
  CHECK(maintenances == 2);
}

TEST_CASE("memory by the GPU leaves the default of a job unknown", "[cluster]") {
  for (const std::string own : {"", "JobDefaults=DefCpuPerGPU=4", "JobDefaults=DefMemPerGPU=100",
                                "JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=100"})
    for (const std::string all : {"(null)", "DefMemPerGPU=200", "DefCpuPerGPU=2"})
      for (const std::string memory : {"", " DefMemPerNode=500", " DefMemPerCPU=50"}) {
        const targets::ImportedSite site =
            import_slurm(Lab{.partition = own + memory, .config = "JobDefaults = " + all + "\n"}.text());
        const std::string remarks = test::remarks_of(site);
        CAPTURE(own, all, memory, remarks);
        const bool by_gpu = has(own + all, "DefMemPerGPU");
        const model::Queue& queue = site.site.queues.at(0);
        CHECK((queue.default_memory || queue.default_memory_cpu) == !by_gpu);
        CHECK(has(remarks, "default-memory is not known") == by_gpu);
        CHECK((own.empty() || has(remarks, "partition p: " + own)));
        CHECK((all == "(null)" || has(remarks, "JobDefaults was not imported: " + all)));
      }
}

TEST_CASE("what is no amount is a damaged record at its place", "[cluster]") {
  const std::vector<std::string> bad = {"nan",  "inf", "-1",    "1000000000P",          "1e300", "4x", "1.5.2", "-nan",
                                        "0x10", "--1", "1e19P", "99999999999999999999", "",      "K",  "1 2"};
  int found = 0;
  const auto check = [&](const std::string& header, const std::string& row, const std::string& item) {
    const std::string text = Lab{}.text() + header + "\n" + row + "\n";
    Diagnostics diagnostics;
    import_slurm(text, diagnostics);
    CAPTURE(header, row, item, test::messages_of(diagnostics));
    REQUIRE(diagnostics.size() == 1);
    const Diagnostic fault = diagnostics.sorted().front();
    CHECK(fault.code == Code::damaged_record);
    CHECK(text.substr(fault.primary.begin, fault.primary.end - fault.primary.begin) == item);
    ++found;
  };
  for (const std::string& amount : bad) {
    for (const std::string resource : {"mem", "cpu", "node", "gres/gpu", "gres/gpu:h100", "license/x"}) {
      const std::string item = resource + "=" + amount;
      for (const std::string column : {"GrpTRES", "MaxTRES"})
        check("Cluster|Account|User|" + column, "c|top||cpu=1," + item, item);
      for (const std::string column : {"GrpTRES", "MaxTRES", "MaxTRESPU"})
        check("Name|MaxWall|" + column, "q||" + item + ",cpu=1", item);
    }
    if (amount.empty()) continue;
    for (const std::string column : {"MaxWall", "GrpJobs", "MaxJobs"})
      check("Cluster|Account|User|" + column, "c|top||" + amount, amount);
    for (const std::string column : {"MaxWall", "MaxJobsPU", "MaxJobsPA"})
      check("Name|GrpTRES|" + column, "q||" + amount, amount);
  }
  CHECK(found > 500);
  for (const std::string good : {"0", "1", "65536M", "64G", "1.50T", "800P"}) {
    Diagnostics diagnostics;
    import_slurm(Lab{}.text() + "Cluster|Account|User|GrpTRES\nc|top||mem=" + good + "\n", diagnostics);
    CHECK(diagnostics.empty());
  }
}

TEST_CASE("a host list that cannot be read is a damaged record", "[cluster][reservations]") {
  for (const std::string hosts : {"a[1-", "a[2-1]", "a[x]", "a]", "a[]", "a[1-2],", "a[1-999999999]"}) {
    const auto codes = [&](const std::string& rest) {
      Diagnostics diagnostics;
      import_slurm(Lab{.rest = rest}.text(), diagnostics);
      std::string out;
      for (const Diagnostic& d : diagnostics.sorted()) out += std::string(info(d.code).id) + " ";
      return out;
    };
    CAPTURE(hosts);
    CHECK(codes("ReservationName=r StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T20:00:00 Nodes=" + hosts + "\n") ==
          "E1002 ");
    CHECK(codes("JOBID|STATE|NODELIST|NODES|CPUS\n1|RUNNING|" + hosts + "|1|1\n") == "E1002 ");
    CHECK(codes("PartitionName=q AllowGroups=ALL Nodes=" + hosts + "\n") == "E1002 ");
  }
}

TEST_CASE("a limit of 0 lets no job run", "[cluster][fit]") {
  const std::string asks = "#SBATCH --partition=p --account=top --nodes=1 --gpus-per-node=1 --time=10\n";
  CHECK(fit_of(import_slurm(Lab{.rest = "Cluster|Account|User|GrpTRES\nc|top||\n"}.text()), asks).verdict ==
        Verdict::fits);
  const auto refused = [&](const Lab& lab) {
    const targets::ImportedSite site = import_slurm(lab.text());
    CAPTURE(lab.text(), test::text_of(site));
    CHECK(fit_of(site, asks).verdict == Verdict::does_not_fit);
  };
  for (const std::string time : {"0", "00:00:30"}) {
    refused({.partition = "MaxTime=" + time});
    refused({.partition = "QoS=q", .rest = "Name|GrpTRES|MaxWall\nq||" + time + "\n"});
    refused({.rest = "Cluster|Account|User|MaxWall\nc|top||" + time + "\n"});
  }
  refused({.partition = "MaxNodes=0"});
  for (const std::string resource : {"gres/gpu", "node", "cpu", "mem", "gres/gpu:h100"}) {
    const bool typed = resource == "gres/gpu:h100";  // of a job or a QOS it is named
    refused({.rest = "Cluster|Account|User|GrpTRES\nc|top||" + resource + "=0\n"});
    if (typed) continue;
    refused({.rest = "Cluster|Account|User|MaxTRES\nc|top||" + resource + "=0\n"});
    for (const std::string column : {"GrpTRES", "MaxTRES", "MaxTRESPU"})
      refused({.partition = "AllowQos=q", .rest = "Name|MaxWall|" + column + "\nq||" + resource + "=0\n"});
  }
  for (const std::string column : {"GrpJobs", "MaxJobs"})
    refused({.rest = "Cluster|Account|User|" + column + "\nc|top||0\n"});
  for (const std::string column : {"MaxJobsPU", "MaxJobsPA"})
    refused({.partition = "QoS=q", .rest = "Name|GrpTRES|" + column + "\nq||0\n"});
}

TEST_CASE("each key of a record is imported, says nothing of jobs, or is named", "[cluster]") {
  property::Random random(3);
  std::vector<std::string> keys = {"MinNodes",      "AllowGroups",  "DenyAccounts", "DenyQos",       "MaxCPUsPerNode",
                                   "MaxMemPerNode", "MaxMemPerCPU", "ReqResv",      "ExclusiveUser", "AllocNodes"};
  for (int i = 0; i < 30; ++i) keys.push_back("New" + std::to_string(random.upto(1'000'000)));
  const std::string reservation =
      "ReservationName=r StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T20:00:00 Nodes=a1 Users=ada ";
  for (const std::string& key : keys) {
    const std::string setting = key + "=" + std::to_string(2 + random.upto(9));
    const auto names = [&](const Lab& lab, const std::string& record) {
      const std::string remarks = test::remarks_of(import_slurm(lab.text()));
      CAPTURE(remarks, key, record);
      CHECK(has(remarks, record + ": " + key + " was not imported"));
    };
    names({.partition = setting}, "partition p");
    names({.rest = "PartitionName=q " + setting + " AllowGroups=ALL Nodes=a1\n"}, "partition q");
    names({.node = setting}, "nodes a1 and a2");
    names({.rest = reservation + setting + "\n"}, "reservation r");
    names({.rest = "Cluster|Account|User|" + key + "\nc|top||0\n"}, "account top");
    names({.rest = "Cluster|Account|User|" + key + "\nc|top||\nc|top|ann|7\n"}, "association ann");
    names({.partition = "QoS=q", .rest = "Name|MaxWall|" + key + "\nq||0\n"}, "QOS q");
    names({.rest = "Name|MaxWall|" + key + "\nother||5\n"}, "QOS other");
  }
  for (const std::string& key : keys) {
    const std::string remarks = test::remarks_of(import_slurm(
        "NodeName=a1 CPUs=8 RealMemory=100 " + key + "=3\nPartitionName=p Nodes=ALL Default=YES " + key + "=3\n"));
    CHECK(has(remarks, "node a1: " + key + " was not imported"));
    CHECK(has(remarks, "partition p: " + key + " was not imported"));
  }
  // What is imported of others is named of users and of QOS that no partition has.
  for (const std::string column : {"GrpTRES", "MaxTRES", "MaxWall", "GrpJobs", "MaxJobs"}) {
    const std::string value = column.ends_with("TRES") ? "cpu=1" : "5";
    const auto remarks = [&](const std::string& account) {
      return test::remarks_of(
          import_slurm(Lab{.rest = "Cluster|Account|User|Partition|" + column + "\nc|top|||" + account +
                                   "\nc|top|ann||" + value + "\nc|top|bob|p|" + value + "\n"}
                           .text()));
    };
    CHECK(has(remarks(""), "associations ann and bob in partition p: " + column + " was not imported"));
    CHECK_FALSE(has(remarks(value), "association"));  // what a user inherits is printed for it, too
  }
}

TEST_CASE("what a cluster prints by default has no remark of keys that were left out", "[cluster]") {
  const std::string remarks = test::remarks_of(import_slurm(Lab{
      .partition = "AllocNodes=ALL QoS=N/A DisableRootJobs=NO ExclusiveUser=NO ExclusiveTopo=NO GraceTime=0 Hidden=NO "
                   "MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED "
                   "MaxCPUsPerSocket=UNLIMITED PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO "
                   "OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF TotalCPUs=16 TotalNodes=2 "
                   "SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED "
                   "TRES=cpu=16,mem=128000M,node=2,billing=16,gres/gpu=8 TRESBillingWeights=CPU=1.0,Mem=0.25G"}
                                                                .text()));
  CHECK_FALSE(has(remarks, "not imported"));
}

TEST_CASE("records that lack the same share one remark, and their number is bounded", "[cluster]") {
  targets::LeftOut out;
  for (int i = 0; i < 10'000; ++i) out.add("partition", "p" + std::to_string(i), {"MinNodes", "DenyQos"});
  out.add("QOS", "a", {"Flags"});
  out.add("QOS", "b", {"Flags"});
  CHECK(out.remarks() == std::vector<std::string>{"QOS a and b: Flags was not imported",
                                                  "partitions p0, p1, p10 and 9997 more: DenyQos and MinNodes were not "
                                                  "imported"});
  for (int i = 0; i < 10'000; ++i) out.add("node", "n", {"K" + std::to_string(i)});
  CHECK(out.remarks().size() < 60);
}

}  // namespace slurm_left_out_test
