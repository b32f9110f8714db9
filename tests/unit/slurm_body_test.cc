#include "tests/catch.h"
#include "tests/unit/read_scene.h"

namespace slurm_body_test {

using namespace muster;
using namespace muster::targets::slurm;
using muster::test::head;
using muster::test::ReadScene;

namespace {

Body body(const std::string& text, const std::string& options = "-N2 --ntasks-per-node=8") {
  return ReadScene(head(options) + text).body;
}

// Words of a command with `|` between; unknown ones in < >.
std::string words(const Command& c) {
  std::string out;
  for (const Word& w : c.words) out += (out.empty() ? "" : "|") + (w.literal ? w.text : "<" + w.text + ">");
  return out;
}

}  // namespace

TEST_CASE("words of bash", "[slurm-read]") {
  CHECK(words(body("a 'b c' \"d e\" f\\ g h#i # note\n").commands.at(0)) == "a|b c|d e|f g|h#i");
  CHECK(words(body("a \\\n b\n").commands.at(0)) == "a|b");
  CHECK(words(body("a $X ${Y:-1} $(date) `id` *.py\n").commands.at(0)) == "a|<$X>|<${Y:-1}>|<$(date)>|<`id`>|<*.py>");
  CHECK(words(body("a \"x $Y z\" '$Y'\n").commands.at(0)) == "a|<x $Y z>|$Y");
}

TEST_CASE("plain variables are replaced, those set in doubt are not", "[slurm-read]") {
  CHECK(words(body("N=8\na $N ${N} \"$N\" $((N*2+1))\n").commands.at(1)) == "a|8|8|8|17");
  CHECK(words(body("O='-x 1 -y'\na $O \"$O\"\n").commands.at(1)) == "a|-x|1|-y|-x 1 -y");
  CHECK(words(body("O=\"-x $U -y 2\"\na $O\n").commands.at(1)) == "a|-x|<$U>|-y|2");
  CHECK(words(body("A=(1 '2 3')\nA+=(4)\na ${A[@]} \"${A[@]}\"\n").commands.at(2)) == "a|1|2|3|4|1|2 3|4");
  CHECK(words(body("N=8\nif x; then N=4; fi\na $N\n").commands.at(3)) == "a|<$N>");
  CHECK(words(body("for N in 1 2; do a $N; done\n").commands.at(0)) == "a|<$N>");
  CHECK(words(body("N=8 b $N\na $N\n").commands.at(1)) == "a|<$N>");
  CHECK(words(body("read N\na $N\n").commands.at(1)) == "a|<$N>");
  CHECK(words(body("export N=3\na $N\n").commands.at(1)) == "a|3");
  CHECK(words(body("a $SLURM_NTASKS_PER_NODE $SLURM_NNODES $SLURM_NTASKS $SLURM_JOB_ID\n").commands.at(0)) ==
        "a|8|2|16|<$SLURM_JOB_ID>");
  CHECK(words(body("a $SLURM_NTASKS\n", "-N2").commands.at(0)) == "a|<$SLURM_NTASKS>");  // seen: not set
}

TEST_CASE("what a command stands in", "[slurm-read]") {
  const Body b = body(
      "a\nif c; then d; else e; fi\nfor i in 1 2 3; do f & done\nwhile g; do h; done\nfn() { i; }\nj && k || l\n"
      "( m )\n{ n; }\no | p &\ncase $x in q) r;; *) s;; esac\n! t\nu=$(v)\n");
  const auto find = [&](std::string_view name) -> const Command& {
    for (const Command& c : b.commands)
      if (c.program() == name) return c;
    FAIL("no command " << name);
    return b.commands[0];
  };
  for (const std::string_view sure : {"a", "j", "m", "n", "o", "p", "v"}) {
    INFO(sure);
    CHECK(b.unconditional(find(sure)));
  }
  for (const std::string_view doubtful : {"c", "d", "e", "f", "g", "h", "i", "k", "l", "r", "s", "t"}) {
    INFO(doubtful);
    CHECK(!b.unconditional(find(doubtful)));
  }
  CHECK(find("f").background);
  CHECK(b.inside(find("f"), ScopeKind::loop)->repeats == 3);
  CHECK(b.inside(find("i"), ScopeKind::function)->name == "fn");
  CHECK(find("o").piped);
  CHECK(find("p").background);
  CHECK(!find("n").background);
  CHECK(b.inside(find("v"), ScopeKind::substitution) != nullptr);
  CHECK(b.problems.empty());
}

TEST_CASE("nothing runs below a sure exit, but functions", "[slurm-read]") {
  const Body b = body("f() { a; }\nb\nexit 0\nc\n");
  CHECK(!b.commands.at(0).after_exit);
  CHECK(!b.commands.at(1).after_exit);
  CHECK(b.commands.at(3).after_exit);
  CHECK(!body("[ -f x ] || exit 1\nc\n").commands.back().after_exit);
}

TEST_CASE("here-documents are no commands", "[slurm-read]") {
  const Body b = body("cat > f <<-EOF\n\tsrun x\n\tEOF\nx=$(cat <<'A'\n) \" '\nA\n)\nb\n");
  CHECK(b.commands.at(0).redirects.size() == 2);
  CHECK(b.launches.empty());
  CHECK(b.problems.empty());
  CHECK(words(b.commands.at(2)) == "b");
  CHECK(body("cat <<EOF\nx\n").problems.size() == 1);
  CHECK(!body("a 'b\nc\n").problems.empty());
}

TEST_CASE("launchers and what they start", "[slurm-read]") {
  const auto kinds = [](const std::string& text) {
    std::string out;
    for (const Launch& l : body(text).launches) out += (out.empty() ? "" : " ") + std::string(name(l.kind));
    return out;
  };
  CHECK(kinds("srun torchrun --nproc_per_node=8 --standalone t.py\n") == "srun torchrun");
  CHECK(kinds("srun -n4 bash -c 'cd x && torchrun t.py'\n") == "srun torchrun");
  CHECK(kinds("srun --container-image=x --container-mounts a:b python -u t.py\n") == "srun python");
  CHECK(kinds("srun apptainer exec --nv -B /a:/b i.sif python3 -m torch.distributed.run t.py\n") ==
        "srun container torchrun");
  CHECK(kinds("mpirun -np 4 --mca btl self -x A ./a.out\n") == "mpirun program");
  CHECK(kinds("time env A=1 numactl -N 0 accelerate launch --multi_gpu t.py\n") == "accelerate");
  CHECK(kinds("accelerate config\nray status\necho srun\n") == "");
  CHECK(kinds("ray start --head --port 1\nhorovodrun -np 4 python t.py\n") == "ray horovodrun python");
  CHECK(kinds("L='srun -n2'\n$L python t.py\n") == "srun python");
  CHECK(kinds("conda run -n e deepspeed --num_gpus 4 t.py\n") == "deepspeed");
}

TEST_CASE("counts of launchers", "[slurm-read]") {
  const auto first = [](const std::string& text) { return body(text).launches.at(0); };
  CHECK(first("torchrun t.py\n").processes.value == 1);
  CHECK(first("torchrun --nproc-per-node 4 --nnodes=2 t.py\n").processes.value == 4);
  CHECK(first("torchrun --nproc_per_node=gpu t.py\n").processes.per_gpu);
  CHECK(first("torchrun --nnodes=1:4 t.py\n").nodes.reason == "`1:4` is not a number");
  CHECK(first("torchrun --nproc_per_node=$G t.py\n").processes.reason == "`$G` is known only when the job runs");
  CHECK(first("accelerate launch --num_processes 16 --num_machines 2 t.py\n").processes.value == 8);
  CHECK(!first("accelerate launch t.py\n").processes.value);
  CHECK(first("srun -n4 -N 2 --ntasks-per-node=2 t\n").processes.value == 4);
  CHECK(first("srun --ntasks-per-n=2 t\n").per_node.value == 2);
  CHECK(first("mpirun --map-by ppr:4:node t\n").per_node.value == 4);
  const Body parts = body("srun -n1 a : -n2 --het-group=1 b : -n3 c\n");
  std::int64_t tasks = 0;
  for (const Launch& l : parts.launches)
    if (l.kind == Launcher::srun) tasks = tasks * 10 + *l.processes.value;
  CHECK(tasks == 123);
  CHECK(parts.launches.at(0).het);
  CHECK(first("srun --multi-prog conf\n").multi_prog == "conf");
}

TEST_CASE("setups, exports, folders and reads", "[slurm-read]") {
  const Body b = body(
      "module purge\nmodule load a b/1\nml c\nsource ~/v/bin/activate\nconda activate e\n. ./env.sh\nspack load s\n"
      "export A=1 B\nif x; then cd /d; fi\ncd\necho ${SLURM_JOB_ID:-0} $PBS_JOBID \"$HOME\"\n");
  std::string kinds;
  for (const Setup& s : b.setups) kinds += std::string(name(s.kind)) + " ";
  CHECK(kinds == "module-purge module-load module-load venv conda source spack ");
  CHECK(b.setups.at(1).arguments.size() == 2);
  CHECK(b.setups.at(4).arguments.at(0).text == "e");
  REQUIRE(b.exports.size() == 2);
  CHECK(b.exports[0].value->text == "1");
  CHECK(!b.exports[1].value);
  REQUIRE(b.directories.size() == 2);
  CHECK(!b.directories[0].unconditional);
  CHECK(b.directories[1].target.text.empty());
  REQUIRE(b.reads.size() == 2);
  CHECK(b.reads[0].has_default);
  CHECK(b.reads[1].name == "PBS_JOBID");
  CHECK(!ReadScene("#!/usr/bin/env python3\n#SBATCH -N1\nimport os\n").body.shell);
}

TEST_CASE("hostile bodies cost no more than their length", "[slurm-read]") {
  std::string open, groups, grow = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 200000; ++i) open += "$(", groups += "{ a & ";
  for (int i = 0; i < 60; ++i) grow += "A=\"$A$A\"\n";
  for (int i = 0; i < 20000; ++i) grow += "b $A $A\n";
  CHECK(body(open).commands.size() < 1000000);
  CHECK(body(groups).scopes.size() <= 201);
  std::size_t bytes = 0;
  for (const Command& c : body(grow).commands)
    for (const Word& w : c.words) bytes += w.text.size();
  CHECK(bytes < 8 * grow.size() + 200000);
  std::string chain;
  for (int i = 0; i < 15000; ++i) chain += "srun ";
  CHECK(body(chain + "x\n").launches.size() <= 8);
}

}  // namespace slurm_body_test
