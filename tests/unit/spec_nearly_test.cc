// The rules of workloads on pairs of specs that differ in one word. The page of a rule has its cases; here stands
// what nearly is a finding beside what is one.
#include <fstream>
#include <string>

#include "driver/lint_run.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace spec_nearly_test {

using namespace muster;
using namespace muster::lint;
using tests::TempFolder;

namespace {

// What one rule finds in a file: "error, warning", "unclear"; "" for nothing, "unusable" where the file is no spec.
std::string found(std::string_view rule, const std::string& text) {
  const TempFolder folder;
  const auto file = folder.path() / "a.muster";
  std::ofstream(file, std::ios::binary) << text;
  driver::LintSettings options;
  options.files = {file.string()};
  std::string unknown, out;
  options.selection = select_rules({}, {}, true, unknown, Profile::strict);
  driver::LintRun run(options);
  if (run.prepare()) run.lint({});
  if (run.session().diagnostics().has_errors()) return "unusable";
  for (const Result& r : run.outcome().results)
    if (about(r.finding).id == rule && !r.finding.subject.starts_with("site/"))  // of the workload alone
      out += (out.empty() ? "" : ", ") +
             (r.finding.verdict == Verdict::unclear ? "unclear" : std::string(severity_name(r.finding.severity)));
  return out;
}

std::string pool(const std::string& name, const std::string& rest = "", const std::string& gpu = "model = h100",
                 const std::string& fabric = "infiniband") {
  return "pool " + name + " { nodes = 64  " + (rest.empty() ? "leaf-size = 8" : rest) + "  gpu { " + gpu +
         "  memory = 80GB  count = 8  link = nvswitch }  node { cpus = 112  memory = 2TB }  network { fabric = " +
         fabric + "  bandwidth = 400Gbps } }\n";
}

std::string slurm(const std::string& queue = "max-time = 72h  default-time = 1h  max-jobs = 50  default = true",
                  const std::string& plane = "topology = tree", const std::string& pools = pool("h100"),
                  const std::string& more = "") {
  return "fleet lab { " + pools +
         " }\nsite lab {\n fleet = lab\n job-dir = \"/shared/jobs\"\n plane batch { kind = "
         "slurm  version = \"24.05\"  " +
         plane + " }\n queue main { " + queue +
         " }\n storage data { path = \"/shared/data\" }\n software torch { modules = [\"cuda\"] }\n" + more + "\n}\n";
}

std::string pods(const std::string& plane = "gang = volcano  level leaf { tier = 1 }",
                 const std::string& pools = pool("h100"),
                 const std::string& more = "fabric infiniband { resource = \"rdma/ib\"  per-node = 8 }") {
  return "fleet lab { " + pools +
         " }\nsite lab {\n fleet = lab\n plane main { kind = kubernetes  version = \"1.34\"  "
         "namespace = \"lab\"  " +
         plane +
         " }\n queue main { default = true }\n storage data { pvc = \"data\" }\n "
         "code { by = image  path = \"/workspace\" }\n software torch { image = \"example.com/torch:2.7\" }\n" +
         more + "\n}\n";
}

std::string train(const std::string& keys, const std::string& command = "\"train.py\"") {
  return "workload job { kind = train  software = torch  launch { runner = torchrun }  command = [" + command + "]  " +
         keys + " }\n";
}

std::string serve(const std::string& keys, const std::string& args = "\"--model=m\"") {
  return "workload job { kind = serve  image = \"vllm:v1\"  command = [\"vllm\", \"serve\", " + args + "]  " + keys +
         " }\n";
}

const std::string wide = "time-limit = 2h  nodes = 4  gpu = H100:8";

}  // namespace

TEST_CASE("nearly: time limits and sweeps of a workload", "[lint][nearly]") {
  const std::string gpu = "  gpu = H100:8";
  CHECK(found("SLM005", slurm() + train("time-limit = 73h" + gpu)) == "error");
  CHECK(found("SLM005", slurm() + train("time-limit = 72h" + gpu)).empty());
  CHECK(found("SLM006", slurm() + train("time-limit = 72h" + gpu)) == "info");
  CHECK(found("SLM006", slurm() + train("time-limit = 71h" + gpu)).empty());
  CHECK(found("SLM006", slurm() + train("time-limit = 73h" + gpu)).empty());
  CHECK(found("SLM006", slurm() + train("time-limit = 72h  checkpoint { every = 30m }" + gpu)).empty());
  CHECK(found("SLM006", slurm() + "workload d { kind = dev  time-limit = 72h  command = [\"sleep\"] }\n").empty());
  CHECK(found("SLM006", pods() + train("time-limit = 72h" + gpu)).empty());
  const auto sweep = [&](const std::string& points, const std::string& more = "") {
    return found("SLM007", slurm("max-jobs = 3  default-time = 1h  default = true") +
                               "workload s { kind = batch  time-limit = 1h  command = [\"a\"]  sweep { axes { lr = [" +
                               points + "] }  " + more + " } }\n");
  };
  CHECK(sweep("1, 2, 3, 4") == "warning");
  CHECK(sweep("1, 2, 3").empty());
  CHECK(sweep("1, 2, 3, 4", "max-parallel = 3").empty());
  CHECK(found("SLM008", slurm("default = true") + train("gpu = H100:8")) == "error");
  CHECK(found("SLM008", slurm() + train("gpu = H100:8")).empty());
  CHECK(found("SLM008", slurm("default = true") + train("time-limit = 1h  gpu = H100:8")).empty());
  CHECK(found("SLM008", slurm("default = true") + train("time-limit = default  gpu = H100:8")).empty());
  CHECK(found("SLM008", pods() + train("gpu = H100:8")).empty());
}

TEST_CASE("nearly: options of the slurm target", "[lint][nearly]") {
  const auto at = [](std::string_view rule, const std::string& options, const std::string& more = "") {
    return found(rule, slurm() + train("time-limit = 1h  gpu = H100:1  target slurm { " + options + " }  " + more));
  };
  CHECK(at("SLM009", "mem = 0") == "warning");
  CHECK(at("SLM009", "mem = \"8G\"").empty());
  CHECK(at("SLM009", "mem = 0  exclusive = \"\"").empty());
  CHECK(at("SLM009", "mem = 0", "resources { exclusive = true }").empty());
  CHECK(at("SLM014", "comment = \"gang scheduling please\"") == "warning");
  CHECK(at("SLM014", "comment = \"Gang-Scheduled\"") == "warning");
  CHECK(at("SLM014", "comment = \"the gang is here\"").empty());
  CHECK(at("SLM014", "wckey = \"gang scheduling\"") == "warning");  // as in a script
  CHECK(at("SLM017", "partition = other") == "error");
  CHECK(at("SLM017", "partition = main").empty());
  CHECK(at("SLM017", "partition = \"other,main\"") == "error");  // Slurm wants each of them
}

TEST_CASE("nearly: switches and fabrics of a workload's nodes", "[lint][nearly]") {
  const std::string queue = "default-time = 1h  default = true";
  CHECK(found("SLM013", slurm(queue, "") + train(wide)) == "warning");
  CHECK(found("SLM013", slurm(queue, "topology = tree") + train(wide)).empty());
  CHECK(found("SLM013", slurm(queue, "", pool("h100", "leaf-size = 64")) + train(wide)).empty());  // one leaf
  CHECK(found("SLM013", slurm(queue, "") + train("time-limit = 2h  nodes = 1  gpu = H100:8")).empty());

  CHECK(found("SCH009", pods("gang = volcano") + train(wide)) == "warning");
  CHECK(found("SCH009", pods() + train(wide)).empty());
  CHECK(found("SCH009", pods("gang = volcano  level leaf { label = \"example.com/leaf\" }") + train(wide)) ==
        "warning");
  CHECK(found("SCH009", pods("gang = kueue  level leaf { label = \"example.com/leaf\" }") + train(wide)).empty());
  CHECK(found("SCH009", pods("gang = volcano", pool("h100", "leaf-size = 64")) + train(wide)).empty());
  CHECK(found("SCH009", pods("gang = volcano") + train("time-limit = 2h  nodes = 1  gpu = H100:8")).empty());

  CHECK(found("NET001", pods("gang = volcano", pool("h100"), "") + train(wide)) == "error");
  CHECK(found("NET001", pods() + train(wide)).empty());
  CHECK(
      found("NET001", pods("gang = volcano", pool("h100", "", "model = h100", "ethernet"), "") + train(wide)).empty());
  CHECK(found("NET001", pods("gang = volcano", pool("h100"), "") + train(wide + "  fabric = none")).empty());
  CHECK(found("NET001", pods("gang = volcano", pool("h100"), "") + train("time-limit = 2h  gpu = H100:8")).empty());

  const std::string two = pool("a") + pool("b", "", "model = h100", "ethernet");
  const std::string any = "time-limit = 2h  nodes = 4  gpus = 8";
  CHECK(found("NET004", slurm(queue, "topology = tree", two) + train(any)) == "warning");
  CHECK(found("NET004", slurm(queue, "topology = tree", two) + train(any + "  fabric = required")).empty());
  CHECK(found("NET004", slurm(queue, "topology = tree", two) + train(wide)).empty());
  CHECK(found("NET004", slurm(queue, "topology = tree", pool("a") + pool("b")) + train(any)).empty());
  CHECK(found("NET004", slurm(queue, "topology = tree", two) + train("time-limit = 2h  gpus = 8")).empty());
  const std::string makes = pool("a") + pool("b", "", "model = a100");
  CHECK(found("SCH011", slurm(queue, "topology = tree", makes) + train(any)) == "warning");
  CHECK(found("SCH011", slurm(queue, "topology = tree", makes) + train(wide)).empty());
  CHECK(found("SCH011", slurm(queue, "topology = tree", pool("a") + pool("b")) + train(any)).empty());
  CHECK(found("SCH011", slurm(queue, "topology = tree", makes) + train("time-limit = 2h  gpus = 8")).empty());

  const auto net = [&](std::string_view rule, const std::string& more, const std::string& site) {
    return found(rule, site + train(wide + "  " + more));
  };
  const std::string slow = slurm(queue, "topology = tree", pool("h100", "", "model = h100", "ethernet"));
  CHECK(net("NET003", "env { NCCL_IB_DISABLE = \"1\" }", slurm(queue)) == "error");
  CHECK(net("NET003", "env { NCCL_IB_DISABLE = \"0\" }", slurm(queue)).empty());
  CHECK(net("NET003", "env { NCCL_IB_DISABLE = \"1\" }", slow).empty());
  CHECK(net("NET002", "", slurm(queue)) == "info");
  CHECK(net("NET002", "env { NCCL_DEBUG = \"INFO\" }", slurm(queue)).empty());
  CHECK(net("NET002", "preflight { nccl = required }", slurm(queue)).empty());
  CHECK(net("NET002", "", slow).empty());
}

TEST_CASE("nearly: degrees in the words of a workload", "[lint][nearly]") {
  const auto at = [](std::string_view rule, const std::string& words, const std::string& keys = wide) {
    return found(rule, slurm() + train(keys, "\"train.py\", " + words));
  };
  CHECK(at("PAR001", "\"--tensor-model-parallel-size\", \"3\"") == "error");
  CHECK(at("PAR001", "\"--tensor_model_parallel_size=8\", \"--pipeline-model-parallel-size=4\"").empty());
  CHECK(at("PAR001", "\"--tensor-model-parallel-size=8\", \"--pipeline-model-parallel-size=8\"") == "error");
  CHECK(at("PAR001", "\"--pipeline-model-parallel-size=3\"") == "error");
  CHECK(at("PAR001", "\"--context-parallel-size=3\"") == "error");
  CHECK(at("PAR001", "\"--tensor-model-parallel-size=8\", \"--context-parallel-size=3\"") == "error");
  CHECK(at("PAR001", "\"--tensor-model-parallel-size\"").empty());
  CHECK(at("PAR001", "\"--tensor-model-parallel-size=3x\"").empty());
  CHECK(at("PAR001", "\"--tensor-model-parallel-size=0\"").empty());
  CHECK(at("PAR001", "\"--tensor-model-parallel-size=1000001\"").empty());
  CHECK(at("PAR001", "\"--expert-model-parallel-size=3\"").empty());
  CHECK(at("PAR002", "\"--tensor-model-parallel-size=16\"") == "warning");
  CHECK(at("PAR002", "\"--tensor-model-parallel-size=8\"").empty());
  CHECK(at("PAR002", "\"--pipeline-model-parallel-size=16\"").empty());
  CHECK(at("PAR003", "\"--nproc-per-node=8\"") == "info");
  CHECK(at("PAR003", "\"--num_gpus\", \"8\"") == "info");
  CHECK(at("PAR003", "\"--n-gpus-per-node=8\"") == "info");
  CHECK(at("PAR003", "\"--num-gpus=4\"").empty());
  CHECK(at("PAR003", "\"--num-gpus=1\"", "time-limit = 1h  gpu = H100:1").empty());
  const auto server = [](const std::string& words, const std::string& keys = "gpu = H100:4") {
    return found("PAR004", pods() + serve(keys, "\"m\", " + words));
  };
  CHECK(server("\"--tensor-parallel-size=8\"") == "error");
  CHECK(server("\"--tp\", \"2\"") == "warning");
  CHECK(server("\"-tp\", \"4\"").empty());
  CHECK(server("\"--tp-size=2\", \"--pp-size=2\"").empty());
  CHECK(server("\"--tp=2\", \"-dp\", \"2\"").empty());
  CHECK(server("\"--tp=2\", \"--dp-size=4\"") == "error");
  CHECK(server("\"--pp=8\"").empty());
  CHECK(server("\"--tp=2\"", "").empty());
  CHECK(found("PAR004", pods() + train(wide, "\"train.py\", \"--tp=2\"")).empty());
}

TEST_CASE("nearly: checkpoints, preemption, spares", "[lint][nearly]") {
  const auto at = [](std::string_view rule, const std::string& keys, const std::string& queue = "default-time = 1h") {
    return found(rule, slurm(queue + "  default = true") + train(keys));
  };
  CHECK(at("CKP001", "time-limit = 5h  nodes = 2  gpu = H100:8") == "warning");
  CHECK(at("CKP001", "time-limit = 4h  nodes = 2  gpu = H100:8").empty());
  CHECK(at("CKP001", "time-limit = 5h  nodes = 1  gpu = H100:8").empty());
  CHECK(at("CKP001", "time-limit = 5h  nodes = 2  gpu = H100:8  checkpoint { every = 1h }").empty());
  CHECK(found("CKP001", slurm() +
                            "workload b { kind = batch  time-limit = 5h  nodes = 2  gpu = H100:8  software = torch"
                            "  launch { runner = torchrun }  command = [\"a.py\"] }\n")
            .empty());

  const std::string taken = "default-time = 1h  preemptible = true";
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8", taken) == "warning");
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8").empty());
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8  preemptible = true") == "warning");
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8  preemptible = false", taken).empty());
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8  retry { limit = 3 }", taken) == "warning");
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8  stop { lead = 2m }", taken) == "warning");
  CHECK(at("CKP003", "time-limit = 1h  gpu = H100:8  stop { lead = 2m }  retry { limit = 3 }", taken).empty());
  CHECK(found("CKP003", pods() + serve("gpu = H100:1  preemptible = true")).empty());
  CHECK(found("CKP003",
              slurm(taken + "  default = true") + "workload d { kind = dev  time-limit = 1h  command = [\"sleep\"] }\n")
            .empty());

  const auto large = [](std::string_view rule, const std::string& keys) {
    return found(rule, slurm("default-time = 1h  default = true", "topology = tree", pool("h100", "node-mtbf = 10d")) +
                           train("gpu = H100:8  " + keys));
  };
  CHECK(large("CKP005", "nodes = 64  time-limit = 48h  checkpoint { every = 1h }") == "warning");
  CHECK(large("CKP005", "nodes = 64  time-limit = 3h  checkpoint { every = 1h }").empty());  // one failure in 3:45
  CHECK(large("CKP005", "nodes = 63  time-limit = 48h  checkpoint { every = 1h }").empty());
  CHECK(large("CKP005", "nodes = 60..64  time-limit = 48h  checkpoint { every = 1h }").empty());
  CHECK(large("CKP004", "nodes = 64  time-limit = 48h  checkpoint { every = 4h }") == "warning");
  CHECK(large("CKP004", "nodes = 64  time-limit = 48h  checkpoint { every = 3h }").empty());
}

TEST_CASE("nearly: gangs of pods and what starts them", "[lint][nearly]") {
  const std::string leaf = "  level leaf { label = \"example.com/leaf\" }",
                    halves = "time-limit = 2h  replicas = 2  gpu = H100:4";
  CHECK(found("SCH001", pods(leaf) + train(wide)) == "error");
  CHECK(found("SCH001", pods() + train(wide)).empty());
  CHECK(found("SCH001", pods(leaf) + train("time-limit = 2h  gpu = H100:8")).empty());
  CHECK(found("SCH001", pods(leaf) + train(halves)).empty());
  CHECK(found("SCH007", pods(leaf) + train(halves)) == "warning");
  CHECK(found("SCH007", pods() + train(halves)).empty());
  CHECK(found("SCH007", pods(leaf) + train(wide)).empty());
  CHECK(found("SCH004", pods("gang = kueue  wait-for-pods = false") + train(wide)) == "warning");
  CHECK(found("SCH004", pods("gang = kueue") + train(wide)) == "unclear");
  CHECK(found("SCH004", pods("gang = kueue  wait-for-pods = true") + train(wide)).empty());
  CHECK(found("SCH004", pods("gang = kueue" + leaf) + train(wide)).empty());
  CHECK(found("SCH004", pods("gang = volcano  wait-for-pods = false") + train(wide)).empty());
}

TEST_CASE("nearly: images, memory and ends of pods", "[lint][nearly]") {
  const std::string arm =
      "fleet lab { pool g { nodes = 4  gpu { model = gh200  memory = 96GB  count = 1 }  node { cpus "
      "= 72  memory = 480GB  arch = arm64 } } }\nsite lab { fleet = lab  plane main { kind = "
      "kubernetes  version = \"1.34\"  namespace = \"lab\" }  queue main { default = true }  code { "
      "by = image  path = \"/w\" } }\n";
  const auto image = [&](std::string_view rule, const std::string& name, const std::string& site) {
    return found(rule, site + "workload j { kind = batch  time-limit = 1h  gpus = 1  image = \"" + name +
                           "\"  command = [\"a\"] }\n");
  };
  CHECK(image("IMG001", "r.example/a:1-amd64", arm) == "error");
  CHECK(image("IMG001", "r.example/a:1-arm64", arm).empty());
  CHECK(image("IMG001", "r.example/a:1", arm) == "unclear");
  CHECK(image("IMG001", "r.example/a:1", pods()).empty());
  CHECK(image("IMG001", "r.example/a:1-arm64", pods()) == "error");
  CHECK(image("K8S001", "r.example/a", pods()) == "warning");
  CHECK(image("K8S001", "r.example/a:latest", pods()) == "warning");
  CHECK(image("K8S001", "r.example/a:1.2.3", pods()) == "info");
  CHECK(image("K8S001", "docker://r.example/a", pods()).empty());

  CHECK(found("K8S006", pods() + train("gpu = H100:8")) == "warning");
  CHECK(found("K8S006", pods() + train("gpu = H100:8  time-limit = 1h")).empty());
  CHECK(found("K8S006", slurm() + train("gpu = H100:8")).empty());
  CHECK(found("K8S006", pods() + serve("gpu = H100:1")).empty());
  CHECK(found("K8S006", pods() + "workload d { kind = dev  image = \"a:1\"  command = [\"sleep\"] }\n").empty());
  CHECK(found("K8S007", pods() + train("gpu = H100:8  time-limit = 1h  resources { memory = 64GiB  shm = 64GiB }")) ==
        "warning");
  CHECK(found("K8S007", pods() + train("gpu = H100:8  time-limit = 1h  resources { memory = 64GiB  shm = 63GiB }"))
            .empty());
  CHECK(found("K8S007", slurm() + train("gpu = H100:8  time-limit = 1h  memory = 64GiB")).empty());
}

TEST_CASE("nearly: services", "[lint][nearly]") {
  const auto at = [](std::string_view rule, const std::string& keys, const std::string& args = "\"m\"") {
    return found(rule, pods() + serve("gpu = H100:1  " + keys, args));
  };
  const std::string ready = "  probe readiness { http = \"/health\"  port = http }";
  CHECK(at("SRV001", "port http { number = 80 }") == "warning");
  CHECK(at("SRV001", "port http { number = 80 }" + ready).empty());
  CHECK(at("SRV001", "port http { number = 80 }  probe liveness { http = \"/health\"  port = http }") == "warning");
  CHECK(at("SRV001", "").empty());
  CHECK(at("SRV004", "port http { number = 80  public = true }") == "warning");
  CHECK(at("SRV004", "port http { number = 80  public = false }").empty());
  CHECK(at("SRV004", "port http { number = 80  public = true }", "\"m\", \"--api-key=${env.KEY}\"").empty());
  CHECK(at("SRV004", "port http { number = 80  public = true }  secret k { env = \"VLLM_API_KEY\" }").empty());
  CHECK(at("SRV004", "port http { number = 80  public = true }  secret k { env = \"HF_TOKEN\" }") == "warning");
  CHECK(at("SRV006", "") == "info");
  CHECK(at("SRV006", "replicas = 1") == "info");
  CHECK(at("SRV006", "replicas = 2").empty());
  CHECK(at("SRV006", "replicas = 1..4  scale { metric = requests-waiting  target = 10 }").empty());
  CHECK(found("SRV006", pods() + train("gpu = H100:8  time-limit = 1h")).empty());
  CHECK(at("SRV003", "replicas = 1..512  scale { metric = requests-waiting  target = 10 }").empty());
  CHECK(at("SRV003", "replicas = 1..513  scale { metric = requests-waiting  target = 10 }") == "warning");
}

TEST_CASE("nearly: secrets, paths and queues of a workload", "[lint][nearly]") {
  const auto at = [](std::string_view rule, const std::string& keys, const std::string& words = "\"train.py\"") {
    return found(rule, slurm() + train("time-limit = 1h  gpu = H100:8  " + keys, words));
  };
  CHECK(at("SEC001", "env { A_PASSWORD = \"a1b2c3d4e5f6\" }") == "error");
  CHECK(at("SEC001", "env { A_PASSWORD = \"minioadmin\" }") == "warning");
  CHECK(at("SEC001", "env { A_NAME = \"minioadmin\" }").empty());
  CHECK(at("SEC001", "", "\"train.py\", \"hf_q7Wd2Rf9Zb4Hn6Js1Vc8Lm3Px5Gt0Nr\"") == "error");
  for (const char* folder : {"home", "users", "scratch", "lustre", "gpfs", "beegfs", "nfs", "fsx", "ceph", "work",
                             "projects", "proj", "project", "data", "datasets", "mnt", "shared", "Home"}) {
    INFO(folder);
    CHECK(at("PRT001", "", "\"train.py\", \"/" + std::string(folder) + "/a\"") == "warning");
  }
  for (const char* path : {"/opt/a", "/home", "/home/", "home/a", "/"}) {
    INFO(path);
    CHECK(at("PRT001", "", "\"train.py\", \"" + std::string(path) + "\"").empty());
  }
  CHECK(at("PRT001", "", "\"train.py\", \"--data=/home/a/b\"") == "warning");
  CHECK(at("PRT001", "env { DATA = \"/home/a/b\" }") == "warning");
  CHECK(at("PRT001", "mount data { path = \"/data/x\" }", "\"train.py\", \"/data/x/y\"").empty());
  CHECK(at("PRT001", "mount data { path = \"/data/x\" }", "\"train.py\", \"/data/x\"").empty());
  CHECK(at("PRT001", "mount data { path = \"/data/x\" }", "\"train.py\", \"/data/xy\"") == "warning");
  CHECK(found("PRT001", pods() + train("time-limit = 1h  gpu = H100:8", "\"train.py\", \"/data/a\"")).empty());
  CHECK(found("PRT001", pods() + train("time-limit = 1h  gpu = H100:8", "\"train.py\", \"/home/a\"")) == "warning");

  const auto queues = [](const std::string& first, const std::string& keys, const std::string& more) {
    return found("QTA002", slurm("default-time = 1h" + first, "topology = tree", pool("h100"), more) +
                               train("time-limit = 1h  gpu = H100:8  " + keys));
  };
  CHECK(queues("", "", "queue other { default-time = 1h }") == "");  // the first that can take it is found
  CHECK(queues("  default = true", "", "queue other { default-time = 1h }").empty());
  CHECK(queues("", "queue = main", "queue other { default-time = 1h }").empty());
  CHECK(queues("", "", "").empty());
}

}  // namespace spec_nearly_test
