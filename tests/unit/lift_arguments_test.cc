// What a script reads of its arguments becomes parameters of the file.
#include "tests/unit/lift_scene.h"

using namespace muster;
using namespace muster::tests;

TEST_CASE("an argument is a parameter with the name of its variable, its option or its place") {
  const auto own = lifted(one_gpu, "LEARNING_RATE=$1\npython a.py --lr $LEARNING_RATE --seed \"$2\" $3\n");
  CHECK(own.grade() == "lifted");
  CHECK(own.has("param learning-rate: string param seed: string param arg3: string"));
  CHECK(own.has("\"--lr\", $learning-rate, \"--seed\", $seed, $arg3"));
  CHECK(own.fate("$1") == "mended");
  CHECK(lifted(one_gpu, "python a.py --out=runs/$1 x${1}\n").has("\"--out=runs/${arg1}\", \"x${arg1}\""));
  CHECK(lifted(one_gpu, "python a.py --name=$1\n").has("\"--name=${name}\""));
  CHECK(lifted(one_gpu, "python a.py \"$1\"\n").fate("$1") == "lifted");
}

TEST_CASE("names that the language has for itself are not those of parameters") {
  CHECK(lifted(one_gpu, "ENV=$1\nif_=$2\npython a.py $1 $2\n").has("param arg1: string param arg2: string"));
  CHECK(lifted(one_gpu, "arg3=$1\narg3_3=$2\npython a.py $arg3 $arg3_3 $3\n").has("param arg3-3-3: string"));
  CHECK(lifted(one_gpu, "arg2=$1\npython a.py $arg2 $2\n").has("param arg2: string param arg2-2: string"));
  CHECK(lifted(std::string(one_gpu) + "\n--array=0-1",
               "A=(x y)\nLR=${A[$SLURM_ARRAY_TASK_ID]}\npython a.py $LR --lr $1\n")
            .has("param lr: string"));
  CHECK(lifted(one_gpu, "A=$1\na=$2\npython a.py $A $a\n").has("param a: string param a-2: string"));
  CHECK(lifted(std::string(one_gpu) + "\n--array=1-4", "task=$1\npython a.py $task $SLURM_ARRAY_TASK_ID\n")
            .has("param arg1: string"));
}

TEST_CASE("a default is that of the script, where all reads have the same") {
  CHECK(lifted(one_gpu, "python a.py --lr ${1:-0.1}\n").has("param lr: string = \"0.1\""));
  const auto both = lifted(one_gpu, "python a.py --lr ${1:-0.1} --warm ${1:-0.2}\n");
  CHECK(both.grade() == "lifted with script");
  CHECK(both.has("param lr: string"));
  CHECK(both.has("param lr: string = \"\""));  // the text has its own
  const auto outside = lifted(one_gpu, "python a.py --lr ${1:-$LR}\n");
  CHECK(outside.grade() == "lifted with script");
  CHECK(outside.has("param lr: string = \"\""));
  CHECK_FALSE(lifted(one_gpu, "python a.py --lr ${1:-0.1} --warm $1\n").has("param lr: string ="));
}

TEST_CASE("only what is read becomes a parameter of a command, and all up to it of a text") {
  const auto words = lifted(one_gpu, "python a.py $2\n");
  CHECK(words.has("command = [\"python\", \"a.py\", $arg2]"));
  CHECK_FALSE(words.has("arg1"));
  const auto text = lifted(one_gpu, "for i in 1 2; do python a.py $2; done\n");
  CHECK(text.has("param arg1: string = \"\" param arg2: string"));
  CHECK(text.has("args = [$arg1, $arg2]"));
  CHECK_FALSE(lifted(one_gpu, "f() { echo $1; }\npython a.py | awk '{print $1}'\n").has("param"));
  CHECK_FALSE(lifted(one_gpu, "set -- a b\nfor i in 1 2; do python a.py $1; done\n").has("param"));
  CHECK(lifted(one_gpu, "set -euo pipefail\npython a.py $1\n").has("param arg1"));
}

TEST_CASE("only an argument without quotes is said to stay one word") {
  const auto both = lifted(one_gpu, "python a.py $1 \"$2\"\n");
  CHECK(both.fate("$1") == "mended");
  CHECK(both.fate("$2") == "lifted");
  CHECK(lifted(one_gpu, "python a.py $@\n").fate("$@") == "mended");
  CHECK(lifted(one_gpu, "python a.py \"$@\"\n").fate("$@") == "lifted");
}

TEST_CASE("what has no arguments of the job does not read them") {
  const auto software = lifted(one_gpu, "ENV=$1\nsource ~/.bashrc\nconda activate $ENV\npython a.py\n");
  CHECK(software.because("reads an argument"));
  CHECK_FALSE(software.has("prelude"));
  CHECK(software.has("args = [$arg1]"));
  const auto once = lifted(two_nodes, "rm -rf out/$1\nfor i in 1; do :; done\nsrun python a.py $1\n");
  CHECK(once.grade() == "lifted with script");  // the setup gets the arguments
  CHECK(once.has("rm -rf out/$1"));
  CHECK(once.has("args = [$arg1]"));
}

TEST_CASE("a text that makes its arguments anew keeps those of the job") {
  CHECK(lifted(one_gpu, "set -- \"$@\" x\npython a.py \"$1\"\n").has("args = $args"));
  CHECK(lifted(one_gpu, "a=$1\nset -- x\npython a.py $1 > $a\n").has("args = $args"));
  CHECK(lifted(one_gpu, "set -- $(getopt a: \"$@\")\npython a.py $1\n").has("args = $args"));
  CHECK_FALSE(lifted(one_gpu, "set -- a b\npython a.py $1\n").has("param"));
  CHECK(lifted(one_gpu, "python a.py ${!#}\n").has("args = $args"));
  CHECK_FALSE(lifted(one_gpu, "N=X\npython a.py ${!N} > log\n").has("param"));
}

TEST_CASE("all arguments are one list") {
  const auto last = lifted(one_gpu, "python a.py --x 1 \"$@\"\n");
  CHECK(last.grade() == "lifted");
  CHECK(last.has("param args: list(string) = []"));
  CHECK(last.has("command = [\"python\", \"a.py\", \"--x\", \"1\"]"));
  CHECK(last.has("args = $args"));
  CHECK(lifted(one_gpu, "python a.py $1 \"$@\"\n").has("args = $args"));
  CHECK(lifted(one_gpu, "python a.py $1 \"$@\"\n").grade() == "lifted with script");
  CHECK(lifted(one_gpu, "python a.py \"$@\" --x 1\n").grade() == "lifted with script");
  CHECK(lifted(one_gpu, "python a.py $*\n").grade() == "lifted");
  CHECK(lifted(one_gpu, "python a.py \"$*\"\n").grade() == "lifted with script");  // one word of all
  for (const char* body : {"lr=$1\nshift\npython a.py $lr\n", "[ $# -gt 1 ] || exit 1\npython a.py\n",
                           "while getopts a: o; do :; done\npython a.py\n", "python a.py ${10} > log\n"})
    CHECK(lifted(one_gpu, body).has("args = $args"));
}

TEST_CASE("arguments are read in here-documents, loops and substitutions, and not where they are quoted") {
  CHECK(lifted(one_gpu, "cat > x <<E\n$1\nE\npython a.py\n").has("args = [$arg1]"));
  CHECK_FALSE(lifted(one_gpu, "cat > x <<'E'\n$1\nE\npython a.py\n").has("param"));
  CHECK(lifted(one_gpu, "for i in $1; do python a.py $i; done\n").has("args = [$arg1]"));
  CHECK_FALSE(lifted(one_gpu, "for i in $(ls | awk '{print $3}'); do python a.py $i; done\n").has("param"));
  CHECK_FALSE(lifted(one_gpu, "a=$(ls | grep \"$(date)\" | awk '{print $2}')\npython a.py > log\n").has("param"));
  CHECK(lifted(one_gpu, "python a.py $(basename $1)\n").has("args = [$arg1]"));
  CHECK(lifted(one_gpu, "python a.py $((2 * $1))\n").has("args = [$arg1]"));
  CHECK_FALSE(lifted(one_gpu, "python a.py \"costs \\$1\"\n").has("param"));
}
