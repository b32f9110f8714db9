// Objects of Kubeflow as a workload: what their operators give, how their pods meet, and what mpirun says.
#include "tests/catch.h"
#include "tests/unit/manifest_scene.h"

namespace manifest_kubeflow_test {

using muster::tests::ManifestImport;

TEST_CASE("the pods of a PyTorchJob are ranks, whatever starts in them", "[manifest-import]") {
  const auto job = [](const std::string& more, const std::string& command) {
    const std::string pod =
        "{replicas: 2, restartPolicy: Never, template: {spec: {containers: [{name: pytorch, image: \"a:1\", command: " +
        command + "}]}}}";
    return ManifestImport("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {" + more +
                          "pytorchReplicaSpecs: {Worker: " + pod + "}}\n");
  };
  CHECK(job("", "[python, a.py]").has("launch { runner = processes processes = 1 }"));
  CHECK(job("nprocPerNode: \"1\", ", "[python, a.py]").has("runner = processes"));
  CHECK(job("", "[python, a.py]").fate("ranks", "without a Master") == "mended");
  CHECK_FALSE(job("nprocPerNode: \"4\", ", "[python, a.py]").has("runner"));
  CHECK(job("nprocPerNode: \"4\", ", "[python, a.py]").fate("ranks") == "no line");
  CHECK(job("", "[torchrun, a.py]").fate("processes") == "approximated");
  CHECK(job("nprocPerNode: \"2\", ", "[torchrun, a.py]").fate("processes") == "no line");
  const ManifestImport text = job("nprocPerNode: \"4\", ", "[bash, -c, \"date; torchrun a.py\"]");
  CHECK(text.has("runner = torchrun"));
  CHECK(text.has("processes = 4"));
}

TEST_CASE("a replica that runs another program keeps its template, and its words do not follow those of the others",
          "[manifest-import]") {
  const auto replica = [](const char* args) {
    return std::string(
               "{replicas: 1, restartPolicy: Never, template: {spec: {containers: [{name: pytorch, image: \"a:1\", ") +
           "command: [python, a.py], args: [" + args + "]}]}}}";
  };
  const ManifestImport got(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {pytorchReplicaSpecs: {Master: " +
      replica("lead") + ", Worker: " + replica("follow") + "}}\n");
  CHECK(got.has("command = [\"python\", \"a.py\", \"follow\"]"));
  CHECK_FALSE(got.has("\"follow\", \"lead\""));
  CHECK(got.has("master = <<<yaml"));
}

TEST_CASE("an MPIJob's mpirun is the runner", "[manifest-import]") {
  const auto mpi = [](const std::string& words) {
    return ManifestImport(
        "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: a}\nspec: {slotsPerWorker: 2, "
        "mpiReplicaSpecs: {Launcher: "
        "{replicas: 1, template: {spec: {containers: [{name: l, image: \"a:1\", command: [" +
        words + "]}]}}}, Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: \"a:1\"}]}}}}}\n");
  };
  const ManifestImport got = mpi("mpirun, -np, \"4\", -x, A=1, --map-by, node, prog, x");
  CHECK(got.has("runner = mpi"));
  CHECK(got.has("args = [\"--map-by\", \"node\"]"));
  CHECK(got.has("command = [\"prog\", \"x\"]"));
  CHECK(got.has("A = 1"));
  CHECK(mpi("mpirun, -np, \"3\", prog").refused("3 ranks, but the workers have 4 slots"));
  CHECK(mpi("sh, run.sh").refused("does not start mpirun"));
}

TEST_CASE("variables of an MPIJob's launcher go where its mpirun takes them", "[manifest-import]") {
  const auto env_of = [](const char* name) { return std::string("{name: ") + name + ", value: launcher}"; };
  const auto mpi = [](const std::string& options, const std::string& launcher, const std::string& worker) {
    const auto pods = [](const std::string& more, const std::string& env) {
      return "{replicas: 1, template: {spec: {containers: [{name: c, image: \"a:1\", " + more + "env: [" + env +
             "]}]}}}";
    };
    return ManifestImport(
        "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: a}\nspec: {mpiReplicaSpecs: {Launcher: " +
        pods("command: [mpirun, -np, \"1\"" + options + ", prog], ", launcher) + ", Worker: " + pods("", worker) +
        "}}\n");
  };
  for (const char* name : {"DATA", "PATH", "LD_LIBRARY_PATH", "NCCL_DEBUG", "OMPI_MCA_btl"})
    for (const bool exported : {false, true})
      for (const bool in_worker : {false, true}) {
        INFO(name << (exported ? " exported" : "") << (in_worker ? " and of the worker" : ""));
        const std::string of_worker = std::string("{name: ") + name + ", value: worker}";
        const ManifestImport got =
            mpi(exported ? std::string(", -x, ") + name : "", env_of(name), in_worker ? of_worker : "");
        const bool option = std::string_view(name).starts_with("OMPI_MCA_");
        const std::string value = exported ? "\"launcher\"" : in_worker ? "\"worker\"" : "";
        CHECK(got.has(std::string(name) + " = " + value) == !value.empty());
        CHECK(got.has("args = [\"--mca\", \"btl\", \"launcher\"]") == (option && !exported));
        const std::string fate = got.fate("Launcher.template.spec.containers[0].env[0]");
        CHECK(fate == (exported ? "mapped" : option ? "lifted" : "lost"));
      }
  CHECK(mpi("", env_of("OMPI_ALLOW_RUN_AS_ROOT"), "").fate("containers[0].env[0]") == "dropped");
}

TEST_CASE("the ranks of an MPIJob start where its mpirun does", "[manifest-import]") {
  const auto pods = [](const std::string& more, bool folder, const char* name) {
    return "{replicas: 1, template: {spec: {containers: [{name: c, image: \"a:1\"" + more +
           (folder ? std::string(", workingDir: /") + name : "") + "}]}}}";
  };
  for (const bool launcher : {false, true})
    for (const bool worker : {false, true})
      for (const std::string option : {"", "-wdir", "--wdir", "-wd"}) {
        INFO(launcher << worker << option);
        const std::string words = option.empty() ? "" : option + ", /option, ";
        const ManifestImport got(
            "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: a}\nspec: {mpiReplicaSpecs: {Launcher: " +
            pods(", command: [mpirun, " + words + "prog]", launcher, "launcher") +
            ", Worker: " + pods("", worker, "worker") + "}}\n");
        const std::string folder = !option.empty() ? "/option" : launcher ? "/launcher" : "";
        CHECK(got.has("workdir = \"" + folder + "\"") == !folder.empty());
        CHECK(got.has("workdir") == !folder.empty());
        CHECK_FALSE(got.has("-wd"));
        if (worker) CHECK(got.fate("Worker.template.spec.containers[0].workingDir") == "dropped");
      }
  const ManifestImport relative(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: a}\nspec: {mpiReplicaSpecs: {Launcher: " +
      pods(", command: [mpirun, -wdir, src, prog]", false, "") + ", Worker: " + pods("", false, "") + "}}\n");
  CHECK(relative.refused("only known in the pod"));
}

// torchrun has a default for each of these: one node, the first one, at 127.0.0.1.
TEST_CASE("pods that do not meet, although their torchrun should, are told of", "[manifest-import]") {
  struct Kind {
    const char* head;
    const char* pods;
    const char* end;
    bool nodes, address, rank;  // what its operator tells torchrun
  };
  const Kind kinds[] = {
      {"batch/v1\nkind: Job", "{completionMode: Indexed, completions: 4, parallelism: 4, template: ", "}", false, false,
       false},
      {"jobset.x-k8s.io/v1alpha2\nkind: JobSet",
       "{replicatedJobs: [{name: w, template: {spec: {completions: 4, parallelism: 4, template: ", "}}}]}", false,
       false, false},
      {"kubeflow.org/v1\nkind: PyTorchJob", "{pytorchReplicaSpecs: {Worker: {replicas: 4, template: ", "}}}", true,
       false, false},
      {"kubeflow.org/v1\nkind: PyTorchJob",
       "{elasticPolicy: {rdzvBackend: c10d, minReplicas: 4, maxReplicas: 4}, pytorchReplicaSpecs: {Worker: {replicas: "
       "4, "
       "template: ",
       "}}}", true, true, true},
  };
  const auto option = [](bool flag, const char* name, const char* variable, const char* value, std::string& words,
                         std::string& env) {
    if (flag) words += std::string(", --") + name + "=" + value;
    else env += std::string("{name: ") + variable + ", value: \"" + value + "\"}, ";
  };
  for (const Kind& kind : kinds)
    for (int said = 0; said < 16; ++said)
      for (const bool flags : {false, true}) {
        std::string words = "torchrun", env;
        const bool nodes = (said & 1) != 0, address = (said & 2) != 0, rank = (said & 4) != 0, c10d = (said & 8) != 0;
        if (nodes) option(flags, "nnodes", "PET_NNODES", "4", words, env);
        if (address) option(flags, "master-addr", "PET_MASTER_ADDR", "a-0.a", words, env);
        if (rank) option(flags, "node-rank", "PET_NODE_RANK", "0", words, env);
        if (c10d) option(flags, "rdzv-backend", "PET_RDZV_BACKEND", "c10d", words, env);
        if (c10d) option(flags, "rdzv-endpoint", "PET_RDZV_ENDPOINT", "a-0.a:29500", words, env);
        INFO(kind.head << " " << words << " " << env);
        const ManifestImport got(std::string("apiVersion: ") + kind.head + "\nmetadata: {name: a}\nspec: " + kind.pods +
                                 "{spec: {restartPolicy: Never, containers: [{name: c, image: \"a:1\", command: [" +
                                 words + ", a.py], env: [" + env + "]}]}}" + kind.end + "\n");
        const bool meet = (nodes || kind.nodes) && (address || c10d || kind.address) && (rank || c10d || kind.rank);
        CHECK(got.has("runner = torchrun"));
        CHECK((got.fate("ranks", "muster starts one training over all of them") == "mended") != meet);
      }
}

TEST_CASE("a TrainJob needs a runtime that is known", "[manifest-import]") {
  const auto train = [](const std::string& runtime, const std::string& trainer) {
    return ManifestImport(
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {runtimeRef: {name: " +
        runtime + "}, trainer: {" + trainer + "}}\n");
  };
  CHECK(train("torch-distributed", "image: \"a:1\", command: [torchrun, a.py], numNodes: 2, numProcPerNode: 3")
            .has("processes = 3"));
  CHECK(train("mine", "image: \"a:1\", command: [x]").refused("what runtime `mine` starts"));
  CHECK(train("torch-distributed", "command: [x]").refused("the image is that of the runtime"));
  CHECK(train("torch-distributed", "image: \"a:1\"").refused("no `command`"));
}

}  // namespace manifest_kubeflow_test
