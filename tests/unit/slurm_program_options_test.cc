// `target slurm { srun = […]  launch = […] }`: options of the user's own on the lines that start the program.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "targets/slurm/option_table.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"
#include "tests/unit/slurm_scene.h"

namespace slurm_program_options_test {

using namespace muster;
using namespace muster::test;
using model::Field;
using model::Runner;
using Words = std::vector<std::string>;

namespace {

Scene with(Words srun, Words launch = {}, const std::string& block = "slurm") {
  Scene scene;
  scene.command({"train.py"}).size(2, 8, 96).runner(Runner::torchrun);
  scene.plane().version.value = {24, 5};
  model::TargetOptions target;
  target.target = block;
  for (std::string& word : srun) target.srun.push_back({std::move(word), {}});
  for (std::string& word : launch) target.launch.push_back({std::move(word), {}});
  if (!target.srun.empty()) scene.wrote({Field::target_srun, block});
  if (!target.launch.empty()) scene.wrote({Field::target_launch, block});
  scene.workload.targets.push_back(target);
  return scene;
}

std::string refusals_of(Words srun) {
  Scene scene = with(std::move(srun));
  return lower(scene).refusals();
}

bool refuses(Words srun, std::string_view sentence) {
  return refusals_of(std::move(srun)).find(sentence) != std::string::npos;
}

using Status = targets::LossEntry::Status;

bool becomes(const Result& result, const model::FieldRef& field, Status status) {
  const auto entries = result.lowered.loss.entries_of(field);
  return entries.size() == 1 && result.lowered.loss.entries()[entries[0]].status == status;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Runs the script with programs in place of the real ones, each of which notes its words, one in brackets.
std::string noted(const Result& result, const Words& programs) {
  REQUIRE(result.ok());
  const tests::TempFolder folder;
  const std::string at = folder.path().string(), log = at + "/log";
  write(at + "/scontrol", "#!/bin/sh\nprintf 'n1\\nn2\\n'\n");
  for (const std::string& program : programs)
    write(at + "/" + program, "#!/bin/sh\nprintf '[%s]' \"${0##*/}\" \"$@\" >> '" + log + "'\n");
  write(at + "/job.sh", result.text());
  const std::string command = "chmod +x '" + at + "'/* && cd '" + at + "' && PATH='" + at +
                              ":/usr/bin:/bin' SLURM_JOB_ID=7 SLURM_JOB_NODELIST=n bash job.sh > out 2>&1";
  INFO(result.text());
  REQUIRE(std::system(command.c_str()) == 0);
  return read(log);
}

}  // namespace

TEST_CASE("options of srun stand behind muster's own and in front of the program") {
  Scene scene = with({"--cpu-bind=cores", "-l", "-m", "block"}, {"--tee", "3"});
  scene.role().launch.args = {{"--max-restarts=0", {}}};
  scene.wrote(Field::launch_args);
  const Result result = lower(scene);
  CHECK(result.has(" --kill-on-bad-exit=1 --cpu-bind=cores -l -m block \\\n  torchrun "));
  CHECK(result.has(" --max-restarts=0 --tee 3 train.py\n"));
  CHECK(becomes(result, {Field::target_srun, "slurm"}, Status::exact));
  CHECK(becomes(result, {Field::target_launch, "slurm"}, Status::exact));
}

TEST_CASE("srun gets each word as it was written, whatever a shell would make of it") {
  const Words nasty = {"--prolog=/a b; touch hit $(touch hit) `touch hit`", "-l", "--epilog='\"\n$HOME\\"};
  Scene scene = with(nasty, {"--x=$(touch hit)"});
  const std::string log = noted(lower(scene), {"srun"});
  CHECK(log.find("[" + nasty[0] + "][-l][" + nasty[2] + "][torchrun]") != std::string::npos);
  CHECK(log.find("[--x=$(touch hit)][train.py]") != std::string::npos);
}

TEST_CASE("every srun that starts the program has them, and no helper of muster's own") {
  Scene scene = with({"-l"});
  scene.role().setup = model::Located<model::Script>{{"bash", "true\n"}, {}};
  scene.wrote(Field::setup);
  const std::string text = lower(scene).text();
  std::size_t with_label = 0, steps = 0;
  for (std::size_t at = text.find("srun "); at != text.npos; at = text.find("srun ", at + 1)) {
    ++steps;
    if (text.substr(at, text.find('\n', at) - at).find(" -l") != text.npos) ++with_label;
  }
  CHECK(steps == 2);
  CHECK(with_label == 1);
  Scene mpi = with({"-l"});
  mpi.runner(Runner::mpi);
  CHECK(lower(mpi).has(" --mpi=pmix -l train.py\n"));
  Scene processes = with({"-l"});
  processes.runner(Runner::processes);
  CHECK(lower(processes).has(" --kill-on-bad-exit=1 -l "));
}

TEST_CASE("an option that srun does not have is refused, near a known one with its name") {
  CHECK(refuses({"--cpu-bid=cores"}, "srun has no option `--cpu-bid`"));
  CHECK(refuses({"-Y"}, "srun has no option `-Y`"));
  CHECK(refuses({"--array=1"}, "is an option of sbatch, not of srun"));
  CHECK(refuses({"--wait-for-children"}, "requires Slurm 25.05; plane `batch` runs Slurm 24.05"));
  CHECK(refuses({"--label=3"}, "takes no value"));
  CHECK(refuses({"--cpu-bind"}, "requires a value"));
  CHECK(refuses({"--cpu-bind", "-l"}, "requires a value"));
  CHECK(refuses({"-lY"}, "srun has no option `-Y`"));
  CHECK(refuses({"--distribution=foo"}, "takes block, cyclic"));
}

TEST_CASE("what no Slurm has may be a plugin's, and is said") {
  Scene scene = with({"--auto-resume=1"});
  const Result result = lower(scene);
  CHECK(result.has(" --auto-resume=1 "));
  CHECK(becomes(result, {Field::target_srun, "slurm"}, Status::approximated));
}

TEST_CASE("a word that would be the program is refused") {
  for (const char* word : {"hostname", "", "-", "--"}) {
    INFO(word);
    CHECK(refuses({word}, "is not an option"));
    CHECK(refuses({"-l", word}, "is not an option"));
    CHECK(refuses({"--auto-resume", word}, "is not an option"));
  }
  CHECK(refuses({"--cpu-bind", "cores", "hostname"}, "`hostname` is not an option"));
  CHECK(refuses({std::string("--prolog=a\0b", 12)}, "NUL"));
}

TEST_CASE("plain processes may say how their ranks of MPI meet") {
  Scene processes = with({"--mpi=pmi2"});
  CHECK(lower(processes).refusals().find("cannot be given") != std::string::npos);
  processes.runner(Runner::processes);
  CHECK(lower(processes).refusals().empty());
}

TEST_CASE("every option of srun is one of a step's, said by a key, or the job's") {
  std::size_t given = 0, said = 0, of_job = 0;
  for (const targets::slurm::OptionRow& row : targets::slurm::option_rows(targets::slurm::Tool::srun)) {
    INFO(row.name);
    const std::string refusals = refusals_of({"--" + std::string(row.name)});
    const bool sbatch = targets::slurm::find_option(targets::slurm::Tool::sbatch, row.name) != nullptr;
    if (refusals.find("cannot be given to the srun that starts the program") != std::string::npos) ++said;
    else if (refusals.find("applies to the job, not to one of its steps") != std::string::npos) {
      ++of_job;
      CHECK((sbatch || row.arity_in(std::nullopt) != row.arity_in(model::Version{24, 5})));
    } else ++given;
  }
  CHECK(given > 30);
  CHECK(said > 50);
  CHECK(of_job > 20);
  for (const char* option : {"--nodes=1",
                             "-N1",
                             "--ntasks=1",
                             "-n",
                             "--ntasks-per-node=1",
                             "--gres=gpu:1",
                             "--gpus=1",
                             "-G1",
                             "--mem=1G",
                             "--time=1",
                             "-t1",
                             "--jobid=1",
                             "--overlap",
                             "--exact",
                             "--wait=1",
                             "-W1",
                             "--kill-on-bad-exit=0",
                             "-K0",
                             "--export=NONE",
                             "--chdir=/",
                             "-D/",
                             "--multi-prog",
                             "--pty",
                             "--output=x",
                             "-o",
                             "-lN1"}) {
    INFO(option);
    CHECK(refuses({option}, "cannot be given to the srun that starts the program"));
  }
}

TEST_CASE("options of Pyxis are known where it starts the program") {
  CHECK(refuses({"--container-mount-home"}, "which does not start this program"));
  Scene scene = with({"--container-mount-home"});
  scene.plane().batch()->containers = model::Containers::pyxis;
  CHECK(lower(scene).refusals().find("which does not start this program") != std::string::npos);
  scene.role().image = model::Located<std::string>{"a.io/b:1", {}};
  scene.wrote(Field::image);
  CHECK(lower(scene).has(" --container-mount-home \\\n  torchrun"));
  scene.workload.targets[0].srun = {{"--container-image=x", {}}};
  CHECK(lower(scene).refusals().find("cannot be given") != std::string::npos);
}

TEST_CASE("options are refused where nothing takes them") {
  Scene shell = with({"-l"});
  shell.size(1, 8, 96).runner(Runner::none);
  CHECK(lower(shell).refusals().find("the batch shell starts the program, not srun") != std::string::npos);
  Scene mpirun = with({"-l"});
  mpirun.runner(Runner::mpi);
  mpirun.plane().batch()->mpi = model::Mpi::mpirun;
  CHECK(lower(mpirun).refusals().find("mpirun starts the program, not srun") != std::string::npos);
  mpirun = with({}, {"--report-bindings"});
  mpirun.runner(Runner::mpi);
  CHECK(lower(mpirun).refusals().find("there is no launcher that takes these options") != std::string::npos);
  mpirun.plane().batch()->mpi = model::Mpi::mpirun;
  CHECK(lower(mpirun).has(" --map-by ppr:8:node --report-bindings "));
  Scene script = with({}, {"--tee=3"});
  script.script("torchrun train.py\n");
  CHECK(lower(script).refusals().find("there is no launcher that takes these options") != std::string::npos);
  Scene other = with({"-l"}, {"--tee=3"}, "kubernetes");
  const Result result = lower(other);
  CHECK(result.ok());
  CHECK_FALSE(result.has(" -l"));
  CHECK_FALSE(result.has("--tee"));
}

TEST_CASE("an image's own entrypoint runs by the container's runtime") {
  const auto scene_of = [](model::Containers runtime, const char* image) {
    Scene scene;
    scene.size(1, 0, 4);
    scene.plane().batch()->containers = runtime;
    scene.role().image = model::Located<std::string>{image, {}};
    scene.role().args = {{"--lr", {}}, {"a b", {}}};
    scene.wrote(Field::image).wrote(Field::args);
    return scene;
  };
  Scene apptainer = scene_of(model::Containers::apptainer, "a.io/b:1");
  CHECK(lower(apptainer).has("\napptainer run docker://a.io/b:1 --lr 'a b'\n"));
  CHECK(noted(lower(apptainer), {"apptainer"}) == "[apptainer][run][docker://a.io/b:1][--lr][a b]");
  Scene enroot = scene_of(model::Containers::enroot, "/images/b.sqsh");
  CHECK(lower(enroot).has(" /images/b.sqsh --lr 'a b'\n"));
  Scene shifter = scene_of(model::Containers::shifter, "a/b:1");
  CHECK(lower(shifter).has("\nshifter --image=a/b:1 --entrypoint -- --lr 'a b'\n"));
  Scene pyxis = scene_of(model::Containers::pyxis, "a.io/b:1");
  CHECK(lower(pyxis).refusals().find("Pyxis does not start the image's own entrypoint") != std::string::npos);
  Scene none = scene_of(model::Containers::none, "a.io/b:1");
  CHECK(lower(none).refusals() == "plane `batch` does not run containers\n");
  enroot.role().workdir = model::Located<model::Text>{"/work", {}};
  CHECK(lower(enroot.wrote(Field::workdir)).refusals().find("in the image's own folder") != std::string::npos);
  apptainer.role().args.clear();
  apptainer.workload.written.pop_back();
  CHECK(lower(apptainer).has("\napptainer run docker://a.io/b:1\n"));
  apptainer.size(2, 0, 4);
  CHECK(lower(apptainer).has(" --kill-on-bad-exit=1 apptainer run docker://a.io/b:1\n"));
  apptainer.role().launch.contract.value = model::Contract::full;
  CHECK(lower(apptainer).refusals().find("only the image knows its entrypoint") != std::string::npos);
}

}  // namespace slurm_program_options_test
