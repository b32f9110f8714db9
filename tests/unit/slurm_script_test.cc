#include "tests/catch.h"
#include "tests/unit/read_scene.h"

namespace slurm_script_test {

using namespace muster;
using namespace muster::targets::slurm;
using muster::test::head;
using muster::test::ReadScene;

namespace {

// "nodes=2 ntasks=4" of all directives.
std::string all(const Script& script) {
  std::string out;
  for (const Directive& d : script.directives)
    out += (out.empty() ? "" : " ") + std::string(d.name) + (d.value ? "=" + *d.value : "");
  return out;
}

std::string one(const std::string& options) { return all(ReadScene(head(options)).script); }

RefusalKind refusal(const std::string& options, std::optional<model::Version> version = model::Version{22, 5}) {
  const ReadScene scene(head(options), "", version);
  REQUIRE(scene.script.refusals.size() == 1);
  return scene.script.refusals[0].kind;
}

}  // namespace

TEST_CASE("several options on a line, in all their forms", "[slurm-read]") {
  CHECK(one("-N2 -n 4") == "nodes=2 ntasks=4");
  CHECK(one("-vN2 --time=5 --mem 4G") == "verbose nodes=2 time=5 mem=4G");
  CHECK(one("-k -k2") == "no-kill no-kill=2");
  CHECK(one("--exclusive user") == "exclusive");  // and `user` is a stray word
  CHECK(one("--gpus-per-n=h100:8 --tasks-per-node=3") == "gpus-per-node=h100:8 ntasks-per-node=3");
  CHECK(one("-time=1:00") == "time=ime=1:00");                                   // one dash: letters
  CHECK(one("--container-image=a#b --container-m=x:y") == "container-image=a");  // a bare # ends the line
}

TEST_CASE("quotes, escapes and comments of a line", "[slurm-read]") {
  CHECK(one("--comment='a b' -N2") == "comment=a b nodes=2");
  CHECK(one("--comment=\"a \\\" b\"") == "comment=a \" b");
  CHECK(one("--comment=it\\'s") == "comment=it's");
  CHECK(one("-J a'b'\"c\"") == "job-name=abc");
  CHECK(one("-N2 # -N3") == "nodes=2");
  CHECK(one("--comment=a#b -N2") == "comment=a");
  CHECK(one("--comment='#' -N2") == "comment=# nodes=2");
  CHECK(one("-N2 '' -n4") == "nodes=2");  // an empty word ends the line
  CHECK(one("--comment= -N2") == "comment= nodes=2");
}

TEST_CASE("a backslash keeps a blank in its word from 24.05 on", "[slurm-read]") {
  const std::string text = head("--comment=a\\ b");
  CHECK(all(ReadScene(text, "", model::Version{24, 5}).script) == "comment=a b");
  const ReadScene old(text, "", model::Version{23, 11});
  CHECK(all(old.script) == "comment=a");
  CHECK(old.script.refusals.at(0).kind == RefusalKind::stray_word);
}

TEST_CASE("spans of option, value and whole lie on the bytes of the file", "[slurm-read]") {
  const ReadScene scene(head("-vN'2' --comment=\"a b\" --mem 4G"));
  const auto& d = scene.script.directives;
  REQUIRE(d.size() == 4);
  CHECK(scene.text(d[1].option) == "N");
  CHECK(scene.text(d[1].value_span) == "'2'");
  CHECK(scene.text(d[2].option) == "--comment");
  CHECK(scene.text(d[2].value_span) == "\"a b\"");
  CHECK(scene.text(d[3].whole) == "--mem 4G");
  CHECK(d[3].line == 2);
}

TEST_CASE("a value may come from the next line, as sbatch joins all of them", "[slurm-read]") {
  CHECK(all(ReadScene("#!/bin/sh\n#SBATCH -N\n#SBATCH 2\n").script) == "nodes=2");
  CHECK(all(ReadScene("#!/bin/sh\n#SBATCH --comment\n#SBATCH --mem=1\n").script) == "comment=--mem=1");
}

TEST_CASE("what sbatch refuses", "[slurm-read]") {
  CHECK(refusal("--foo") == RefusalKind::unknown_option);
  CHECK(refusal("--no=2") == RefusalKind::ambiguous_option);
  CHECK(refusal("--kill-on-bad-exit=1") == RefusalKind::srun_option);
  CHECK(refusal("--segment=4") == RefusalKind::version_lacks);
  CHECK(refusal("--power=x", model::Version{24, 5}) == RefusalKind::version_lacks);
  CHECK(refusal("--nodes") == RefusalKind::missing_value);
  CHECK(refusal("--requeue=yes") == RefusalKind::unwanted_value);
  const auto expedite = [](model::Version version) {
    return ReadScene(head("--requeue=expedite"), "", version).script.refusals;
  };
  CHECK(expedite({25, 11}).empty());
  CHECK(expedite({25, 5}).at(0).message == "`--requeue` takes a value since Slurm 25.11; the site runs Slurm 25.05");
  CHECK(refusal("--comment='a") == RefusalKind::unmatched_quote);
  CHECK(refusal("--comment=a b") == RefusalKind::stray_word);
  CHECK(refusal("-- -N2") == RefusalKind::stray_word);
  CHECK(refusal(": -N2") == RefusalKind::stray_colon);
  CHECK(ReadScene(head("--ntaks=2")).script.refusals.at(0).nearest == "--ntasks");
  CHECK(ReadScene(head("--segment=4"), "", std::nullopt).script.refusals.empty());
}

TEST_CASE("what sbatch asks of the bytes of a file", "[slurm-read]") {
  const auto kind = [](const std::string& text) { return ReadScene(text).script.refusals.at(0).kind; };
  CHECK(kind("#SBATCH -N1\n") == RefusalKind::no_shebang);
  CHECK(kind("#!/bin/sh\r\n#SBATCH -N1\r\n") == RefusalKind::dos_line_ends);
  CHECK(kind(std::string("#!/bin/sh\n\0", 11)) == RefusalKind::nul_byte);
  CHECK(kind(" \n\t\n") == RefusalKind::empty_file);
  CHECK(kind("") == RefusalKind::empty_file);
  Sources sources;
  const auto file = sources.add("big", "#!/bin/sh\n" + std::string(100, 'x'));
  CHECK(read_script(sources, file, {0, std::nullopt, 50}).refusals.at(0).kind == RefusalKind::too_large);
}

TEST_CASE("lines that look like directives and are none", "[slurm-read]") {
  const ReadScene scene(
      "#!/bin/bash\n #SBATCH -N1\n#sbatch -N2\n##SBATCH -N3\n# SBATCH -N4\n# SBATCH options follow\n"
      "#SBATCH -N5\n\n# note\nset -e\n#SBATCH -N6 -n7\ncat <<EOF\n#SBATCH -N8\nEOF\n");
  CHECK(all(scene.script) == "nodes=5");
  const auto& ignored = scene.script.ignored;
  REQUIRE(ignored.size() == 5);
  CHECK(ignored[0].kind == IgnoredKind::indented);
  CHECK(ignored[1].kind == IgnoredKind::wrong_case);
  CHECK(ignored[2].kind == IgnoredKind::extra_hash);
  CHECK(ignored[3].kind == IgnoredKind::space_after_hash);
  CHECK(ignored[4].kind == IgnoredKind::after_command);
  CHECK(ignored[4].directives.size() == 2);
  CHECK(ignored[4].line == 11);
  CHECK(scene.text(ignored[4].because) == "set -e");
  CHECK(scene.text(scene.script.body).starts_with("set -e\n"));
}

TEST_CASE("a line that the shell replaces is no command", "[slurm-read]") {
  const auto late = [](const std::string& lines, const std::string& end) {
    const ReadScene scene("#!/bin/bash\nsbatch <<" + end + "\n#!/bin/bash\n#SBATCH -N1\n" + lines + "srun a\nE\n");
    return scene.script.embedded.at(0).ignored.size();
  };
  CHECK(late("$gres\n${more}\n#SBATCH -n2\n", "E") == 0);
  CHECK(late("$gres\n#SBATCH -n2\n", "'E'") == 1);  // here sbatch reads it as it is
  CHECK(late("$gres --all\n#SBATCH -n2\n", "E") == 1);
  CHECK(late("cd a\n#SBATCH -n2\n", "E") == 1);
}

TEST_CASE("what follows /dev/stdin is the script's own", "[slurm-read]") {
  const auto read = [](const std::string& words) {
    const ReadScene scene("#!/bin/bash\nsbatch " + words + " <<E\n#!/bin/bash\n#SBATCH -N1\nsrun a\nE\n");
    return scene.script.embedded.at(0).directives.size();
  };
  CHECK(read("--parsable -t5") == 3);
  CHECK(read("--parsable /dev/stdin --time=5 $@") == 2);
}

TEST_CASE("components of a heterogeneous job", "[slurm-read]") {
  const ReadScene scene(
      "#!/bin/sh\n#SBATCH -N2 -t5 -p gpu\n#SBATCH hetjob -N9\n#SBATCH -n3\n#SBATCH packjob\n#SBATCH -c2\n");
  CHECK(scene.script.components == 3);
  CHECK(scene.script.separators.size() == 2);
  CHECK(scene.script.ignored.size() == 1);  // -N9
  CHECK(effective(scene.script, "time", 2) != nullptr);
  CHECK(effective(scene.script, "partition", 1) == nullptr);
  CHECK(effective(scene.script, "ntasks", 1) != nullptr);
  CHECK(effective(scene.script, "ntasks", 2) == nullptr);
}

TEST_CASE("the command line comes last and wins, component by component", "[slurm-read]") {
  const ReadScene scene(head("-p gpu -N1"), "-p low --comment 'a b'");
  CHECK(all(scene.script) == "partition=gpu nodes=1 partition=low comment=a b");
  CHECK(*effective(scene.script, "partition")->value == "low");
  CHECK(scene.script.directives[2].origin == Origin::command_line);
  CHECK(scene.text(scene.script.directives[3].value_span) == "'a b'");
  CHECK(all(ReadScene(head("--foo x -N2 y z --mem=1")).script) == "nodes=2 mem=1");  // read on after a fault
  CHECK(ReadScene(head("-N1"), "-N2 : -N3").script.components == 2);
}

TEST_CASE("lines of other schedulers are obeyed after the own ones", "[slurm-read]") {
  const ReadScene pbs("#!/bin/sh\n#SBATCH -N1\ntrue\n#PBS -l nodes=3:ppn=2,walltime=1:00:00 -N x\n");
  CHECK(all(pbs.script) == "nodes=1 nodes=3 ntasks=6 time=1:00:00 job-name=x");
  CHECK(pbs.script.directives[1].origin == Origin::pbs);
  CHECK(all(ReadScene("#!/bin/sh\n#SBATCH --ignore-pbs\n#PBS -l nodes=3\n").script) == "ignore-pbs");
  CHECK(all(ReadScene("#!/bin/sh\n#BSUB -n 2,4 -M 1024\n#PBS -N x\n").script) == "ntasks=4 mem-per-cpu=1024K");
  std::string far = "#!/bin/sh\n";
  for (int i = 0; i < 101; ++i) far += "true\n";
  CHECK(all(ReadScene(far + "#PBS -N x\n").script).empty());
}

TEST_CASE("placeholders are named and not guessed", "[slurm-read]") {
  const ReadScene scene(
      "#!/bin/sh\n#SBATCH --mem={{ mem }} -A <your account>\n#SBATCH -p @PART@ -J %NAME% -o %A_%a.out\n"
      "{% if x %}\n#SBATCH --qos={{.Values.q}} --comment={{#a}}\n{% endif %}\n#SBATCH -t $TIME\nrun {{ name }}\n");
  std::vector<std::string_view> kinds;
  for (const Template& t : scene.script.templates) kinds.push_back(t.form);
  CHECK(std::count(kinds.begin(), kinds.end(), "jinja") == 4);
  CHECK(std::count(kinds.begin(), kinds.end(), "helm") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "mustache") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "angle") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "at-sign") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "percent") == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), "shell-variable") == 1);
  CHECK(scene.script.refusals.empty());
  CHECK(effective(scene.script, "mem")->certainty == Certainty::templated);
  CHECK(effective(scene.script, "partition")->certainty == Certainty::templated);
  CHECK(effective(scene.script, "output")->certainty == Certainty::literal);
  CHECK(effective(scene.script, "qos") != nullptr);  // a line of a template does not end the head
  CHECK(scene.job().memory.state == Known<Memory>::State::unclear);
}

TEST_CASE("scripts in here-documents are scripts of their own", "[slurm-read]") {
  const ReadScene scene(
      "#!/bin/bash\nfor i in 1 2; do\nsbatch -p gpu --parsable <<EOF\n#!/bin/bash\n#SBATCH -J j$i -N2\nsrun "
      "x\nEOF\ndone\n"
      "cat > a.sh <<'END'\n#!/bin/sh\n#SBATCH -n3\nEND\ncat <<EOF\n#SBATCH -n9\nEOF\n");
  CHECK(!scene.script.batch);
  REQUIRE(scene.script.embedded.size() == 2);
  const Script& first = scene.script.embedded[0];
  CHECK(first.handed_over);
  CHECK(first.expanded);
  CHECK(all(first) == "job-name=j$i nodes=2 partition=gpu parsable");
  CHECK(first.directives[0].certainty == Certainty::expanded);
  CHECK(scene.text(first.directives[1].whole) == "-N2");
  CHECK(first.directives[0].line == 5);
  CHECK(first.directives[2].line == 3);
  CHECK(!scene.script.embedded[1].handed_over);
  CHECK(!scene.script.embedded[1].expanded);
  CHECK(is_batch_script("x\n#SBATCH -N1"));
  CHECK(!is_batch_script("x\n #SBATCH -N1"));
}

TEST_CASE("a hostile head costs no more than its length", "[slurm-read]") {
  std::string braces = "#!/bin/sh\n#SBATCH ";
  braces += std::string(300000, '{') + " " + std::string(300000, '<') + "\n";
  CHECK(ReadScene(braces).script.refusals.size() <= 100);
  std::string het = "#!/bin/sh\n";
  for (int i = 0; i < 50000; ++i) het += "#SBATCH hetjob\n#SBATCH -N1\n#PBS -v a\n";
  CHECK(ReadScene(het).script.components == 128);
}

}  // namespace slurm_script_test
