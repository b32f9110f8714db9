// What a script works out of the task id becomes axes of its sweep.
#include "tests/unit/lift_scene.h"

using namespace muster;
using namespace muster::tests;

namespace {

Lifted tasks(const std::string& ids, const std::string& body) {
  return lifted(std::string(one_gpu) + "\n--array=" + ids, body);
}

}  // namespace

TEST_CASE("an element of an array for each task is an axis") {
  const auto one = tasks("0-2", "LRS=(0.1 0.2 \"0.3\")\nLR=${LRS[$SLURM_ARRAY_TASK_ID]}\npython a.py --lr $LR\n");
  CHECK(one.grade() == "lifted");
  CHECK(one.has("axes { lr = [0.1, 0.2, 0.3] } }"));
  CHECK(one.has("\"--lr\", $lr"));
  CHECK(one.fate("array") == "lifted");
  const auto from_one = tasks("1-3", "A=(x y z)\npython a.py ${A[SLURM_ARRAY_TASK_ID-1]}\n");
  CHECK(from_one.has("axes { a = [\"x\", \"y\", \"z\"] }"));
  CHECK(from_one.fate("array") == "mended");  // 0 to 2 in place of 1 to 3
  CHECK(tasks("0-1", "A=(x y)\nexport DATA=${A[${SLURM_ARRAY_TASK_ID}]}\npython a.py\n").has("env { DATA = $data }"));
  CHECK(tasks("0-1", "A=(x y)\npython a.py --set ${A[$SLURM_ARRAY_TASK_ID]}\n").has("axes { set = [\"x\", \"y\"] }"));
}

TEST_CASE("quotients and remainders of the task id are a grid") {
  const std::string tables = "LRS=(0.1 0.2 0.3)\nSEEDS=(7 8)\n";
  const auto grid = tasks("0-5", tables +
                                     "i=$SLURM_ARRAY_TASK_ID\nLR=${LRS[$((i % 3))]}\n"
                                     "SEED=${SEEDS[$((i / ${#LRS[@]}))]}\npython a.py --lr $LR --seed $SEED\n");
  CHECK(grid.grade() == "lifted");
  CHECK(grid.has("axes { seed = 7..8 lr = [0.1, 0.2, 0.3] }"));
  CHECK_FALSE(grid.has("zip"));
  CHECK(grid.fate("array") == "lifted");
  const auto part = tasks("0-4", tables +
                                     "LR=${LRS[$((SLURM_ARRAY_TASK_ID % 3))]}\n"
                                     "SEED=${SEEDS[$((SLURM_ARRAY_TASK_ID / 3))]}\npython a.py --lr $LR $SEED\n");
  CHECK(part.has("zip = true axes { lr = [0.1, 0.2, 0.3, 0.1, 0.2] seed = [7, 7, 7, 8, 8] }"));
}

TEST_CASE("a task id that the program reads too stays beside what is worked out of it") {
  const auto both =
      tasks("1-2", "A=(x y)\npython a.py ${A[$SLURM_ARRAY_TASK_ID - 1]} --out out/$SLURM_ARRAY_TASK_ID\n");
  CHECK(both.has("zip = true axes { task = 1..2 a = [\"x\", \"y\"] }"));
  CHECK(both.has("\"out/${task}\""));
  const auto number = tasks("0-2", "python a.py --seed $((SLURM_ARRAY_TASK_ID * 10 + 1))\n");
  CHECK(number.has("axes { seed = [1, 11, 21] }"));
  CHECK(number.fate("array") == "mended");
  CHECK(tasks("0-3", "export IDX=$((SLURM_ARRAY_TASK_ID / 2))\nA=(x y)\npython a.py ${A[$IDX]}\n")
            .has("zip = true axes { idx = [0, 0, 1, 1] a = [\"x\", \"x\", \"y\", \"y\"] }"));
  CHECK(tasks("0-2", "n=$[$SLURM_ARRAY_TASK_ID+5]\npython a.py --seed $n\n").has("axes { n = 5..7 }"));
  CHECK(tasks("0-2", "python a.py $[2*3] x[1]\n").has("\"6\", \"x[1]\""));
}

TEST_CASE("tasks keep their numbers where the environment depends on them") {
  const std::string table = "A=(x y)\nsource env_$SLURM_ARRAY_TASK_ID.sh\n";
  const auto kept = tasks("1-2", table + "python a.py ${A[$SLURM_ARRAY_TASK_ID - 1]}\n");
  CHECK(kept.grade() == "lifted with compat");
  CHECK(kept.has("axes { task = 1..2 }"));
}

TEST_CASE("what the text does not tell of every task stays in it") {
  for (const char* body :
       {"A=(x y)\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",  // the third task has none
        "A=(x y z)\nA+=(w)\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",
        "A=(x y z)\nA[1]=w\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",
        "A=(x y z)\nif true; then A=(u v w); fi\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",
        "A=(x $(date) z)\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",
        "A=(x \"y y\" z)\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",
        "A=(*.txt)\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n", "python a.py ${A[$SLURM_ARRAY_TASK_ID]}\nA=(x y z)\n",
        "LR=${A[$SLURM_ARRAY_TASK_ID]}\nA=(x y z)\npython a.py $LR\n",
        "readarray -t A < list\nA=(x y z)\npython a.py ${A[$SLURM_ARRAY_TASK_ID]}\n",
        "A=(x y z)\npython a.py ${A[$SLURM_ARRAY_TASK_ID + N]}\n"})
    CHECK(tasks("0-2", body).grade() == "lifted with compat");
  CHECK(tasks("0-2", "A=(x \"y y\" z)\npython a.py \"${A[$SLURM_ARRAY_TASK_ID]}\"\n").has("[\"x\", \"y y\", \"z\"]"));
}

TEST_CASE("an index that is worked out over and over ends") {
  std::string body = "A=(x y)\na0=$((SLURM_ARRAY_TASK_ID * 1))\n";
  for (int i = 1; i < 8; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    std::string sum = before;
    for (int k = 0; k < 40; ++k) sum += "-" + before;
    body += "a" + std::to_string(i) + "=$((" + sum + "))\n";
  }
  CHECK(tasks("0-999", body + "python a.py ${A[$a7]}\n").grade() == "lifted with compat");
}
