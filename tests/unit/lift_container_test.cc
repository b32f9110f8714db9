// Containers that a script starts by itself: image, mounts, folder and variables of the workload.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/lift_scene.h"

namespace lift_container_test {

using namespace muster;

namespace {

using tests::lifted;
using tests::one_gpu;
using tests::two_nodes;

tests::Lifted one(const std::string& body) { return lifted(one_gpu, body); }

}  // namespace

TEST_CASE("an image file gets a name in the site") {
  const auto file = one("singularity exec --nv /images/torch_2.1.sif python a.py --lr 1\n");
  CHECK(file.grade() == "lifted");
  CHECK(file.has("image = \"torch-2-1\""));
  CHECK(file.has("image torch-2-1 { ref = \"/images/torch_2.1.sif\" }"));
  CHECK(file.has("containers = singularity"));
  CHECK(file.has("command = [\"python\", \"a.py\", \"--lr\", \"1\"]"));
  CHECK(file.fate("container") == "lifted");
  CHECK(one("apptainer exec --nv tf.simg python a.py\n").has("ref = \"./tf.simg\""));
  CHECK(one("IMG=/images/x.sif\napptainer exec --nv \"$IMG\" python a.py\n").has("ref = \"/images/x.sif\""));
}

TEST_CASE("an image of a registry is the workload's own") {
  const auto registry = one("apptainer exec --nv docker://nvcr.io/nvidia/pytorch:24.05-py3 python a.py\n");
  CHECK(registry.has("image = \"nvcr.io/nvidia/pytorch:24.05-py3\""));
  CHECK(registry.has("containers = apptainer"));
  CHECK_FALSE(registry.has("ref ="));
}

TEST_CASE("folders that are bound are storage of the site") {
  const auto bound =
      one("singularity exec --nv -B /data/sets:/sets:ro,/scratch/me --pwd /sets --env A=1 x.sif python a.py\n");
  CHECK(bound.grade() == "lifted");
  CHECK(bound.has("storage data-sets { path = \"/data/sets\" }"));
  CHECK(bound.has("storage scratch-me { path = \"/scratch/me\" }"));
  CHECK(bound.has("workdir = \"/sets\""));
  CHECK(bound.has("env { A = 1 }"));
  for (const char* bind :
       {"/etc/x:/etc/x", "$HOME:/home", "data:/data", "/data:/a,/data:/b", "/a:/d,/b:/d", "/x:/y:z", "/a/../b"})
    CHECK_FALSE(one(std::string("singularity exec --nv -B ") + bind + " x.sif python a.py\n").has("image"));
}

TEST_CASE("what has no key leaves the container in the command") {
  for (const char* words : {"singularity run --nv x.sif a", "singularity exec --overlay o.ext3 x.sif python a.py",
                            "singularity exec --nv $IMAGE python a.py", "singularity exec --cleanenv x.sif python a.py",
                            "docker run --gpus all x python a.py", "singularity exec --nv library://x python a.py"}) {
    const auto kept = one(std::string(words) + "\n");
    CHECK_FALSE(kept.has("image"));
    CHECK_FALSE(kept.has("containers ="));
  }
  const auto folder = one("cd /work\nsingularity exec --nv x.sif python a.py\n");
  CHECK(folder.grade() == "lifted");
  CHECK_FALSE(folder.has("image"));
}

TEST_CASE("launchers inside of a container are runners") {
  const auto ranks =
      lifted(two_nodes, "srun singularity exec --nv x.sif torchrun --nnodes 2 --nproc_per_node 8 a.py\n");
  CHECK(ranks.grade() == "lifted");
  CHECK(ranks.has("runner = torchrun"));
  CHECK(ranks.has("image = \"x\""));
  const auto tasks = lifted(two_nodes, "srun singularity exec x.sif python a.py\n");
  CHECK(tasks.has("runner = processes"));
  CHECK(tasks.fate("gpus") == "mended");
}

TEST_CASE("Pyxis has the image in the words of srun") {
  const auto step = lifted(two_nodes,
                           "srun --container-image=nvcr.io#nvidia/pytorch:24.05-py3 --container-mounts=/data:/data "
                           "--container-workdir=/data python a.py\n");
  CHECK(step.grade() == "lifted");
  CHECK(step.has("image = \"nvcr.io/nvidia/pytorch:24.05-py3\""));
  CHECK(step.has("containers = pyxis"));
  CHECK(step.has("storage data { path = \"/data\" }"));
  CHECK(lifted(two_nodes, "srun --container-image=x --container-save=y python a.py\n").grade() == "wrapped");
  CHECK(lifted(two_nodes, "srun --container-image=$X python a.py\n").grade() == "wrapped");
}

TEST_CASE("Shifter has the image in an option of its own or of the job") {
  const auto said = lifted(two_nodes,
                           "srun shifter --image=docker:nersc/pytorch:24.06 -V '/data/sets:/sets;/scratch/me:/me' -e "
                           "A=b,c --workdir=/me torchrun --nnodes 2 --nproc_per_node 8 a.py\n");
  CHECK(said.grade() == "lifted");
  CHECK(said.has("image = \"nersc/pytorch:24.06\""));
  CHECK(said.has("containers = shifter"));
  CHECK(said.has("runner = torchrun"));
  CHECK(said.has("storage data-sets { path = \"/data/sets\" }"));
  CHECK(said.has("mount scratch-me { path = \"/me\" }"));
  CHECK(said.has("A = \"b,c\""));
  CHECK(said.has("workdir = \"/me\""));
  CHECK_FALSE(said.has("gpus = mended"));
  const std::string of_job = "#SBATCH --image=docker:a/b:1\n#SBATCH --volume=\"/data:/d\"\n#SBATCH --module=gpu\n";
  const auto job = one(of_job + "shifter python a.py\n");
  CHECK(job.has("image = \"a/b:1\""));
  CHECK(job.has("mount data { path = \"/d\" }"));
  CHECK(job.has("target slurm { module = \"gpu\" }"));  // what pods have without it
  CHECK(job.fate("image") != "raw");
  CHECK(job.fate("container") == "lifted");
  CHECK(one(of_job + "shifter --image=c:2 python a.py\n").has("image = \"c:2\""));
}

TEST_CASE("what Shifter alone has stays in the command") {
  for (const char* words :
       {"shifter python a.py", "shifter --module=gpu --image=a:1 python a.py", "shifter --image=id:4e1 python a.py",
        "shifter --image=\"$IMAGE\" python a.py", "shifter --image=a:1 -V /a:/b:perNodeCache=size=1G python a.py",
        "shifter --image=a:1 --clearenv python a.py", "shifter run a:1 python a.py"}) {
    INFO(words);
    const auto kept = one(std::string(words) + "\n");
    CHECK(kept.grade() == "lifted");
    CHECK_FALSE(kept.has("image ="));
    CHECK(kept.has("command = [\"shifter\""));
  }
  CHECK_FALSE(one("export SHIFTER_VOLUME=/a:/b\nshifter --image=a:1 python a.py\n").has("image ="));
  const auto twice = one("#SBATCH --volume=/a:/b\nshifter --image=a:1 -V /c:/d python a.py\n");
  CHECK_FALSE(twice.has("image ="));
  CHECK(twice.has("target slurm { volume = \"/a:/b\" }"));
}

TEST_CASE("a plane starts all containers in one way") {
  const std::string text = "#!/bin/bash\n#SBATCH --gpus-per-node=1\nsingularity exec --nv x.sif python a.py\n";
  targets::PlaneWords plane{.mpi = {}, .containers = model::Containers::apptainer, .may_login = true};
  CHECK_FALSE(tests::Lifted(text, plane).has("image"));
  plane.containers = model::Containers::singularity;
  CHECK(tests::Lifted(text, plane).has("image = \"x\""));
}

TEST_CASE("a variable for the container keeps it a part of the command") {
  const std::string run = "singularity exec a.sif python a.py\n";
  CHECK(tests::lifted(tests::one_gpu, run).has("image"));
  for (const char* name : {"SINGULARITYENV_A", "APPTAINERENV_A"})
    CHECK_FALSE(tests::lifted(tests::one_gpu, "export " + std::string(name) + "=1\n" + run).has("image"));
}

TEST_CASE("a list of paths for a container names the variable that the program sees") {
  for (const std::string start : {"SINGULARITYENV_", "APPTAINERENV_"}) {
    const std::string own = start + "LD_LIBRARY_PATH";
    const auto file = one("export " + own + "=/opt/lib:${" + own + "}\nsrun singularity exec a.sif python a.py\n");
    const auto line = std::find_if(file.made.lines.begin(), file.made.lines.end(), [](const auto& l) {
      return l.fate == targets::Fate::mended && l.option == "export";
    });
    REQUIRE(line != file.made.lines.end());
    CHECK(line->names == std::vector<std::string>{own, "LD_LIBRARY_PATH"});
  }
}

}  // namespace lift_container_test
