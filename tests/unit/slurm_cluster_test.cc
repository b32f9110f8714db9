// What a Slurm cluster says of itself, read: scontrol, sacctmgr, squeue and the configuration files.
#include "compiler/base/text.h"
#include "targets/slurm/import_site.h"
#include "targets/slurm/read/fields.h"
#include "tests/catch.h"
#include "tests/unit/imported_text.h"
#include "tests/unit/plan_fixture.h"

namespace slurm_cluster_test {

using namespace muster;
using namespace muster::targets::slurm;

namespace {

ClusterText text_of(std::string_view text) { return {text, 1, 0}; }

// Two nodes as `scontrol -d show node` prints them; a reason that claims what is not so.
constexpr std::string_view two_nodes =
    "NodeName=a01 Arch=x86_64 CoresPerSocket=48 \n"
    "   CPUAlloc=12 CPUEfctv=92 CPUTot=96 CPULoad=0.01\n"
    "   AvailableFeatures=h100,ib\n"
    "   Gres=gpu:h100:8(S:0-1),nvme:2\n"
    "   GresUsed=gpu:h100:3(IDX:0-2),nvme:0\n"
    "   OS=Linux 6.1.0-18 #1 SMP Debian 6.1.76-1 \n"
    "   RealMemory=1031000 AllocMem=4096 FreeMem=N/A Sockets=2 Boards=1 MemSpecLimit=8192\n"
    "   State=MIXED+CLOUD ThreadsPerCore=1 TmpDisk=7000 Weight=1\n"
    "\n"
    "NodeName=a02 CoresPerSocket=48 \n"
    "   CPUAlloc=0 CPUTot=96 CPULoad=N/A\n"
    "   Gres=(null)\n"
    "   RealMemory=1031000 AllocMem=0\n"
    "   State=IDLE+DRAIN* ThreadsPerCore=1\n"
    "   Reason=fan broken State=IDLE Gres=gpu:h100:8 [root@2026-11-21T05:46:30]\n\n";

Cluster cluster_of(std::string_view text, Diagnostics& diagnostics) {
  return read_cluster(recognise(text_of(text)).sections, diagnostics);
}

targets::ImportedSite site_of(std::string_view text) {
  Diagnostics diagnostics;
  auto out = import_site(cluster_of(text, diagnostics), "lab", "", diagnostics);
  INFO(test::messages_of(diagnostics));
  CHECK(!diagnostics.has_errors());
  return out;
}

}  // namespace

TEST_CASE("scontrol show node, over several lines and on one", "[cluster]") {
  Diagnostics diagnostics;
  std::string one(two_nodes);
  for (std::size_t at = 0; (at = one.find("\n   ", at)) != std::string::npos;) one.replace(at, 4, " ");
  for (const std::string& text : {std::string(two_nodes), one}) {
    const auto nodes = read_nodes(text_of(text), diagnostics);
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[0].name == "a01");
    CHECK(nodes[0].cpus == 96);
    CHECK(nodes[0].spec_cpus == 4);
    CHECK(nodes[0].memory_mib == 1031000);
    CHECK(nodes[0].spec_memory_mib == 8192);
    CHECK(nodes[0].arch == "x86_64");
    REQUIRE(nodes[0].gres.size() == 2);
    CHECK(nodes[0].gres[0].type == "h100");
    CHECK(nodes[0].gres[0].count == 8);
    CHECK(nodes[0].gres[1].name == "nvme");
    CHECK(nodes[0].used_cpus == 12);
    CHECK(nodes[0].used_gres->at(0).count == 3);
    CHECK(nodes[0].features == std::vector<std::string>{"h100", "ib"});
    CHECK(nodes[1].is("drain"));
    CHECK(nodes[1].gres.empty());  // not what the reason says
    CHECK(nodes[1].states == std::vector<std::string>{"IDLE", "DRAIN"});
    CHECK(nodes[1].reason.starts_with("fan broken State=IDLE"));
    CHECK(!nodes[1].used_gres);
  }
  CHECK(diagnostics.empty());
}

TEST_CASE("records that are damaged are reported, not guessed", "[cluster]") {
  Diagnostics diagnostics;
  for (const char* text : {"NodeName=a CPUAlloc=0 RealMemory=5\n", "NodeName=a CPUAlloc=0 CPUTot=0 RealMemory=5\n",
                           "NodeName=a CPUTot=4 RealMemory=99999999999999999999\n", "NodeName= CPUTot=4 RealMemory=4\n",
                           "NodeName=a;b CPUTot=4 RealMemory=4\n"}) {
    const std::size_t before = diagnostics.size();
    CHECK(read_nodes(text_of(text), diagnostics).empty());
    CHECK(diagnostics.size() == before + 1);
  }
  CHECK(read_topology(text_of("SwitchName=s Nodes=a[1-\n"), diagnostics)[0].nodes.empty());
  CHECK(read_jobs(text_of("JOBID|NODELIST\n|\n7\n"), diagnostics).empty());
  CHECK(diagnostics.size() == 8);
}

TEST_CASE("Slurm's times and GRES", "[cluster]") {
  const auto seconds = [](std::string_view text) { return read_time(text) ? read_time(text)->ms / 1000 : -1; };
  CHECK(seconds("90") == 5400);
  CHECK(seconds("1:30") == 90);
  CHECK(seconds("02:00:00") == 7200);
  CHECK(seconds("7-00:00:00") == 604800);
  CHECK(seconds("1-12") == 129600);
  CHECK(seconds("1-02:30") == 95400);
  for (const char* none : {"UNLIMITED", "INFINITE", "NONE", "", "1:2:3:4", "-1", "9999999999999:0"})
    CHECK(seconds(none) == -1);
  const auto one = [](std::string_view text) {
    const auto gres = read_gres(text);
    return gres.size() == 1 ? gres[0].name + "/" + gres[0].type + "/" + std::to_string(gres[0].count) : "?";
  };
  CHECK(one("gpu:8") == "gpu//8");
  CHECK(one("gpu") == "gpu//1");
  CHECK(one("gpu:a100") == "gpu/a100/1");
  CHECK(one("gres:gpu:nvidia_h100_80gb_hbm3:4(S:0,1)") == "gpu/nvidia_h100_80gb_hbm3/4");
  CHECK(one("gres/gpu:h100=2") == "gpu/h100/2");
  CHECK(read_gres("gpu:a:1(IDX:0,2),mps:800").size() == 2);
}

TEST_CASE("slurm.conf: ranges, DEFAULT lines, continued lines, comments", "[cluster]") {
  Diagnostics diagnostics;
  const SlurmConf conf = read_slurm_conf(text_of("ClusterName=lab # no \\\n"
                                                 "NodeName=DEFAULT RealMemory=1000 Sockets=2 \\\n"
                                                 "  CoresPerSocket=4 ThreadsPerCore=2\r\n"
                                                 "NodeName=n[1-3] Gres=gpu:2 Feature=\"a,b\"\n"
                                                 "nodename=DEFAULT RealMemory=2000\n"
                                                 "NodeName=m CPUs=5 State=FUTURE\n"
                                                 "PartitionName=DEFAULT MaxTime=1-0\n"
                                                 "PartitionName=p Nodes=ALL Default=YES\n"
                                                 "include /etc/more.conf\n"),
                                         diagnostics);
  REQUIRE(conf.nodes.size() == 4);
  CHECK(conf.nodes[2].name == "n3");
  CHECK(conf.nodes[2].cpus == 16);
  CHECK(conf.nodes[2].memory_mib == 1000);
  CHECK(conf.nodes[2].features == std::vector<std::string>{"a", "b"});
  CHECK(conf.nodes[3].cpus == 5);
  CHECK(conf.nodes[3].memory_mib == 2000);
  CHECK(conf.nodes[3].is("FUTURE"));
  CHECK(conf.partitions.at(0).all_nodes);
  CHECK(conf.partitions[0].max_time->ms == 86'400'000);
  CHECK(conf.config.get("clustername") == "lab");
  CHECK(conf.config.includes == std::vector<std::string>{"/etc/more.conf"});
}

TEST_CASE("outputs that stand one after another are told apart", "[cluster]") {
  const std::string text =
      "scontrol: a message\n" + std::string(two_nodes) +
      "PartitionName=p\n   AllowGroups=ALL Default=YES\n   Nodes=a[01-02]\n\n"
      "Configuration data as of 2026-11-21T05:45:47\nClusterName = lab\nA = b\n\nSlurmctld(primary) at x is UP\n"
      "SwitchName=s Level=0 Nodes=a[01-02]\n"
      "JOBID|NODELIST|STATE\n1|a01|RUNNING\nAccount|User|Cluster\nlab||c\nName|MaxWall\nnormal|\n";
  const ClusterSections found = recognise(text_of(text));
  std::vector<ClusterFile> kinds;
  for (const ClusterSection& section : found.sections) kinds.push_back(section.kind);
  CHECK(kinds == std::vector<ClusterFile>{ClusterFile::nodes, ClusterFile::partitions, ClusterFile::config,
                                          ClusterFile::topology, ClusterFile::jobs, ClusterFile::associations,
                                          ClusterFile::qos});
  CHECK(found.strange == Span{1, 0, 19});
  CHECK(recognise(text_of("# only a comment\n\n")).sections.empty());
  CHECK(recognise(text_of("NodeName=a Name=gpu Type=h100 File=/dev/nvidia0\n")).sections[0].kind ==
        ClusterFile::gres_conf);
  CHECK(recognise(text_of("NodeName=a CPUs=4\n")).sections[0].kind == ClusterFile::slurm_conf);
}

TEST_CASE("nodes, partitions and use of a cluster as a site", "[cluster]") {
  const targets::ImportedSite site =
      site_of(std::string(two_nodes) +
              "PartitionName=half\n   AllowGroups=ALL Default=YES MaxNodes=1\n   Nodes=a01\n"
              "   MaxTime=UNLIMITED DefaultTime=01:00:00 State=UP\n\n"
              "PartitionName=gone\n   AllowGroups=ALL\n   Nodes=a02\n   State=INACTIVE\n");
  REQUIRE(site.fleet->pools.size() == 2);
  const model::Pool& cpu = site.fleet->pools[0];
  const model::Pool& gpu = site.fleet->pools[1];
  CHECK(cpu.name == "cpu96");
  CHECK(cpu.drained == std::vector<std::uint32_t>{0});
  CHECK(gpu.name == "h100");
  CHECK(gpu.reserve_cpus == 4);
  CHECK(gpu.usable_memory(model::PlaneFamily::batch).bytes == (1031000LL - 8192) * (1 << 20));
  REQUIRE(gpu.in_use.size() == 1);
  CHECK(gpu.in_use[0].gpus == 3);
  CHECK(gpu.in_use[0].cpus == 12);
  CHECK(gpu.in_use[0].memory.bytes == 4096LL << 20);
  REQUIRE(site.site.queues.size() == 1);
  const model::Queue& half = site.site.queues[0];
  CHECK(half.pools.size() == 1);
  CHECK(half.nodes.empty());  // all of its pool
  CHECK(!half.max_time);
  CHECK(half.default_time->value.ms == 3'600'000);
  CHECK(half.max_nodes->value == 1);
  const std::string remarks = test::remarks_of(site);
  CHECK(remarks.find("partition gone was not imported, because it is inactive") != std::string::npos);
  CHECK(remarks.find("pool cpu96.drained: a02: fan broken") != std::string::npos);
  CHECK(remarks.find("other GRES, which were not imported: nvme") != std::string::npos);
}

TEST_CASE("GPUs in use that nobody counted take the whole node", "[cluster]") {
  const std::string plain = "NodeName=a CPUAlloc=1 CPUTot=8 RealMemory=100 AllocMem=0 Gres=gpu:h100:4 State=MIXED\n";
  CHECK(site_of(plain).fleet->pools[0].in_use.at(0).whole());
  const std::string jobs =
      "JOBID|STATE|NODELIST|NODES|CPUS|TRES_PER_NODE\n1|RUNNING|a|1|1|gres/gpu:2\n2|PENDING||1|1|gres/gpu:4\n";
  const targets::ImportedSite read = site_of(plain + jobs);
  CHECK(read.fleet->pools[0].in_use.at(0).gpus == 2);
}

TEST_CASE("limits: the tightest of the account, those above it, and the QOS of a partition", "[cluster]") {
  const std::string nodes =
      "NodeName=a[1-4] CPUs=8 RealMemory=100 Gres=gpu:h100:4\nNodeName=b CPUs=8 RealMemory=100 Gres=gpu:a100:4\n";
  const std::string partitions =
      "PartitionName=p Nodes=ALL AllowQos=long\nPartitionName=q Nodes=a1 AllowAccounts=team\n";
  const std::string accounts =
      "Cluster|Account|User|ParentName|GrpTRES|MaxTRES|MaxWall\n"
      "c|root||||\nc|team||root|gres/gpu=12||\nc|sub||team|gres/gpu:h100=6|gres/gpu=8|\nc|sub|ann||gres/gpu=1||\n";
  const std::string qos = "Name|GrpTRES|MaxTRES|MaxWall|MaxJobsPU\nlong|gres/gpu=30|gres/gpu=10,node=2|2-00:00:00|5\n";
  const targets::ImportedSite site =
      site_of("AccountingStorageEnforce=limits,qos\n" + nodes + partitions + accounts + qos);
  CHECK(site.site.planes.at(0).batch()->accounting);
  const model::Queue& p = site.site.queues.at(0);
  CHECK(p.qos->value == "long");
  CHECK(p.max_gpus->value == 10);
  CHECK(p.max_nodes->value == 2);
  CHECK(p.max_jobs->value == 5);
  CHECK(p.max_time->value.ms == 172'800'000);
  CHECK(site.site.queues.at(1).nodes == std::vector<std::string>{"a1"});
  REQUIRE(site.site.tenants.size() == 2);
  const model::Tenant& sub = site.site.tenants[0];
  CHECK(sub.name == "sub");
  CHECK(sub.queues.at(0).value == "p");
  REQUIRE(sub.quotas.size() == 2);
  CHECK(sub.quotas[0].pool.value == "*");  // of all types together, and of all jobs of the account above
  CHECK(sub.quotas[0].gpus->value == 12);
  CHECK(sub.max_gpus->value == 8);  // of a job
  CHECK(sub.quotas[1].pool.value == "h100");
  CHECK(sub.quotas[1].gpus->value == 6);
  CHECK(site.site.tenants[1].queues.empty());  // team may use both
  CHECK(site.site.tenants[1].quotas[0].gpus->value == 12);
}

TEST_CASE("GPU types: one word a model, exact names first", "[cluster]") {
  const targets::ImportedSite site = site_of(
      "NodeName=a CPUs=8 Gres=gpu:nvidia_a100_80gb_pcie:2\nNodeName=b CPUs=8 Gres=gpu:a100:2\nNodeName=c CPUs=8 "
      "Gres=gpu:tesla_v100-sxm2-32gb:2\nNodeName=d CPUs=8 Gres=gpu:zeta:2\nPartitionName=p Nodes=ALL\n");
  std::string pools, words;
  for (const model::Pool& pool : site.fleet->pools) pools += pool.name + "=" + pool.gpu->model + " ";
  for (const model::GpuDialect& gpu : site.site.gpus) words += gpu.model + "=" + gpu.gres->value + " ";
  CHECK(pools == "a100=a100 nvidia_a100_80gb_pcie=nvidia_a100_80gb_pcie v100=v100 zeta=zeta ");
  CHECK(words == "v100=tesla_v100-sxm2-32gb ");
}

TEST_CASE("a partition is preemptible where partitions preempt by their tiers and one is above it", "[cluster]") {
  int variants = 0, preempted = 0;
  for (const std::string type : {"preempt/partition_prio", "preempt/qos", "preempt/none", ""})
    for (const std::string mode : {"OFF", "REQUEUE", "CANCEL", "SUSPEND", "GANG,SUSPEND"})
      for (const int tier : {1, 5, 10}) {
        std::string text(two_nodes);
        if (!type.empty())
          text += "Configuration data as of 2026-11-28T12:00:00\nPreemptMode = REQUEUE\nPreemptType = " + type + "\n\n";
        for (const auto& [name, own, own_tier] : {std::tuple{"high", std::string("OFF"), 10}, {"low", mode, tier}})
          text += std::string("PartitionName=") + name +
                  " AllowGroups=ALL Nodes=a[01-02] State=UP PriorityTier=" + std::to_string(own_tier) +
                  " PreemptMode=" + own + "\n\n";
        std::string found;
        const targets::ImportedSite site = site_of(text);
        for (const model::Queue& queue : site.site.queues)
          if (queue.preemptible) found += queue.name;
        const bool ends = mode == "REQUEUE" || mode == "CANCEL";
        CAPTURE(type, mode, tier);
        CHECK(found == (type == "preempt/partition_prio" && ends && tier < 10 ? "low" : ""));
        const bool asks = test::remarks_of(site).find("PreemptType") != std::string::npos;
        CHECK(asks == (type.empty() && tier < 10));
        ++variants, preempted += static_cast<int>(!found.empty());
      }
  CHECK(variants == 60);
  CHECK(preempted == 4);
}

TEST_CASE("a MIG slice in GRES is a part of a GPU and not a model", "[cluster]") {
  std::string text(two_nodes);
  text.replace(text.find("gpu:h100:8(S:0-1)"), 17, "gpu:a100_1g.10gb:14,gpu:a100_3g.40gb:4");
  text.replace(text.find("gpu:h100:3(IDX:0-2)"), 19, "gpu:a100_1g.10gb:7,gpu:a100_3g.40gb:0");
  const targets::ImportedSite site = site_of(text);
  REQUIRE(site.fleet);
  const auto& pools = site.fleet->pools;
  const auto pool = std::find_if(pools.begin(), pools.end(), [](const model::Pool& p) { return p.gpu.has_value(); });
  REQUIRE(pool != pools.end());
  CHECK(pool->gpu->model == "a100");
  CHECK(pool->gpu->count == 4);  // 14 + 12 sevenths
  CHECK(pool->gpu->slices == std::vector<std::string>{"1g.10gb", "3g.40gb"});
  REQUIRE(site.site.gpus.size() == 1);
  CHECK(site.site.gpus[0].slice_resource->value == "gpu:a100_{slice}");
  CHECK(test::remarks_of(site).find("second type") == std::string::npos);
}

TEST_CASE("a limit over all pools is a quota of all together", "[cluster]") {
  std::string text(two_nodes);
  text.replace(text.find("Gres=(null)"), 11, "Gres=gpu:a100:4");
  const std::string limits =
      "Cluster|Account|User|Par Name|GrpTRES|MaxTRES|MaxWall\nlab|root||||||\nlab|red||root|gres/gpu=64||\n";
  const auto quota_of = [&](const std::string& nodes) {
    std::string out;
    for (const model::Tenant& tenant : site_of(nodes + limits).site.tenants)
      for (const model::Quota& quota : tenant.quotas)
        out += quota.pool.value + "=" + std::to_string(quota.gpus ? quota.gpus->value : 0) + " ";
    return out;
  };
  CHECK(quota_of(text) == "*=64 ");
  CHECK(quota_of(std::string(two_nodes)) == "h100=64 ");
}

TEST_CASE("limits of accounts and users: what holds, and what is named because nothing holds it", "[cluster]") {
  const std::string nodes =
      "NodeName=a[1-4] CPUs=8 RealMemory=100 Gres=gpu:h100:4\nNodeName=b[1-2] CPUs=16 RealMemory=100 Gres=gpu:h100:4\n";
  const std::string accounts =
      "Cluster|Account|User|ParentName|GrpJobs|GrpTRES|GrpTRESMins|MaxJobs|MaxTRES|MaxWall\n"
      "c|root||||||||\n"
      "c|team||root|7|gres/gpu:h100=6,cpu=20,mem=2G,license/x=1|cpu=9|3|node=2|12:00:00\n"
      "c|sub||team|||||cpu=4|1-00:00:00\n"
      "c|sub|ann||||||gres/gpu=1|1-00:00:00\n";
  const std::string qos = "Name|GrpTRES|MaxJobsPA|MaxSubmitPU|MaxWall\nlong|gres/gpu=3|2|9|\n";
  const targets::ImportedSite site = site_of(nodes + "PartitionName=p Nodes=ALL AllowQos=long\n" + accounts + qos);
  REQUIRE(site.site.tenants.size() == 2);
  const auto &sub = site.site.tenants[0], &team = site.site.tenants[1];
  CHECK(team.max_time_account->value.ms == 43'200'000);
  CHECK(sub.max_time_account->value.ms == 86'400'000);  // its own, not that above it
  CHECK(sub.max_jobs_user->value == 3);
  CHECK(sub.max_jobs_account->value == 7);
  CHECK(sub.max_nodes->value == 2);
  REQUIRE(team.quotas.size() == 2);
  CHECK(team.quotas[0].cpus->value == 20);
  CHECK(team.quotas[0].memory->value.bytes == std::int64_t{2} << 30);
  CHECK(team.quotas[1].pools.size() == 2);  // of both pools together
  CHECK(team.quotas[1].gpus->value == 6);
  CHECK(site.site.queues.at(0).max_jobs_account->value == 2);
  const std::string remarks = test::remarks_of(site);
  for (const char* words : {"account team: GrpTRES license/x and GrpTRESMins were not imported",
                            "association ann: MaxTRES was not imported", "QOS long: MaxSubmitPU was not imported",
                            "what all jobs of QOS long may use together bounds each job alone"}) {
    CAPTURE(words);
    CHECK(remarks.find(words) != std::string::npos);
  }
}

TEST_CASE("hostile clusters cost bounded time", "[cluster]") {
  Diagnostics diagnostics;
  std::string text = "NodeName=n[1-200000] CPUs=4\n";
  for (int i = 0; i < 2000; ++i)  // each names other nodes, so none is known already
    text += "PartitionName=p" + std::to_string(i) + " Nodes=n[" + std::to_string(i + 1) + "-200000]\n";
  const Cluster cluster = cluster_of(text, diagnostics);
  CHECK(cluster.nodes.size() == 200'000);
  import_site(cluster, "", "", diagnostics);
  CHECK(diagnostics.sorted().back().code == Code::too_many_records);
  std::string words(1 << 20, ' ');
  CHECK(read_nodes(text_of("NodeName=a" + words + "x="), diagnostics).empty());
}

}  // namespace slurm_cluster_test
