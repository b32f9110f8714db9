// A value that is made from a variable of the same name, in a container: the image's value is meant, never the host's.
#include <array>

#include "tests/catch.h"
#include "tests/unit/pods_scene.h"

namespace container_environment_test {

using namespace muster;
using test::Manifests;
using test::Pods;

namespace {

constexpr std::array containers = {"pyxis", "enroot", "apptainer", "singularity", "shifter"};
constexpr std::array names = {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "HOME", "NCCL_IB_HCA", "MANPATH"};
constexpr std::array values = {"/x:${env.NAME}", "${env.NAME}:/x", "a ${env.NAME} b", "${env.NAME}"};
constexpr std::array programs = {
    R"(nodes = 1  command = ["python", "train.py"])",
    R"(nodes = 2  command = ["python", "train.py"])",
    R"(nodes = 2  launch { runner = torchrun }  command = ["train.py"])",
    R"(nodes = 2  launch { runner = mpi  processes = 16 }  command = ["lmp"])",
    "nodes = 1  script = <<<bash\n  python train.py\n>>>",
};

std::string with_name(std::string text, std::string_view name) {
  for (std::size_t at; (at = text.find("NAME")) != std::string::npos;) text.replace(at, 4, name);
  return text;
}

// The text in front of the shell that runs in the container.
std::string on_the_host(const std::string& text) { return text.substr(0, text.find("sh -c '")); }

}  // namespace

TEST_CASE("a value made from the image's own is computed in the container", "[sbatch]") {
  std::size_t computed = 0, refused = 0;
  for (const std::string container : containers)
    for (const std::string name : names)
      for (const std::string_view value : values)
        for (const std::string program : programs) {
          const Manifests got =
              lower(Pods{.kind = "slurm",
                         .plane = "version = \"24.05\"  containers = " + container,
                         .site = "",
                         .workload = "kind = train  gpus = 8  time-limit = 1h  image = \"" +
                                     std::string(container == "enroot" ? "/i/a.sqsh" : "docker.io/a/b:1") + "\"\n" +
                                     program + "\nenv { " + with_name("NAME = \"", name) +
                                     with_name(std::string(value), name) + "\" }\n"},
                    "slurm");
          INFO(container << " " << name << " " << value << " " << program << "\n" << got.text() << got.stated());
          if (!got.ok()) {
            ++refused;
            CHECK(got.stated().find(name) != std::string::npos);
            continue;
          }
          ++computed;
          CHECK(got.text().find("sh -c 'export " + name + "=") != std::string::npos);
          CHECK(on_the_host(got.text()).find(name + "=") == std::string::npos);
          CHECK(got.text().find("--container-env") == std::string::npos);
        }
  CHECK(computed == 570);
  CHECK(refused == 30);  // Enroot takes no value with a space
}

}  // namespace container_environment_test
