// Why a job waits or failed: reading, conditions, limits, and the same answer however an output was pasted.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "compiler/base/source.h"
#include "compiler/base/text.h"
#include "tests/catch.h"
#include "tests/unit/why_samples.h"
#include "tests/unit/why_scene.h"
#include "why/causes/causes.h"
#include "why/causes/match.h"
#include "why/decide/amounts.h"
#include "why/decide/decide.h"
#include "why/decide/limits.h"
#include "why/read/lines.h"
#include "why/read/read.h"
#include "why/read/table.h"
#include "why/report/redact.h"
#include "why/report/text.h"

namespace why_test {

using namespace muster;
using why_samples::Sample;
using namespace why_scene;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string each_line(const std::string& text, auto change) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += change(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

TEST_CASE("why: each sample has its cause, as files and as one stream") {
  for (const Sample& sample : why_samples::samples()) {
    INFO(sample.name);
    CHECK(codes(sample.parts) == std::set<std::string>{sample.code});
    CHECK(codes({joined_parts(sample.parts)}) == std::set<std::string>{sample.code});
  }
}

TEST_CASE("why: the answer does not depend on how an output was pasted") {
  std::mt19937 random(20261130);
  for (const Sample& sample : why_samples::samples())
    for (int draw = 0; draw < 6; ++draw) {
      std::vector<std::string> parts = sample.parts;
      std::shuffle(parts.begin(), parts.end(), random);
      if (random() % 2 == 0) parts.insert(parts.end(), sample.parts.begin(), sample.parts.end());
      std::string text = joined_parts(parts);
      switch (draw) {
        case 1: text = replaced(text, "\n", "\r\n"); break;
        case 2: text = each_line(text, [](const std::string& line) { return "> " + line; }); break;
        case 3: text = each_line(text, [](const std::string& line) { return "\x1B[32m" + line + "\x1B[0m"; }); break;
        case 4: text = "```\n" + text + "```\n"; break;
        case 5: text = "erin@login:~$ squeue -u erin\n" + text + "erin@login:~$ \n"; break;
        default: break;
      }
      INFO(sample.name << ", draw " << draw << ":\n" << text);
      CHECK(codes({text}) == std::set<std::string>{sample.code});
    }
}

TEST_CASE("why: a cut or mixed output gives the same cause or none, never another") {
  for (const Sample& sample : why_samples::samples()) {
    const std::string cut =
        each_line(joined_parts(sample.parts), [](const std::string& line) { return line.substr(0, 80); });
    for (const std::string& code : codes({cut})) {
      INFO(sample.name << " is " << code);
      CHECK((code.empty() || code == sample.code));
    }
    for (const Sample& other : why_samples::samples()) {
      if (other.name == sample.name) continue;
      std::vector<std::string> both = sample.parts;
      both.insert(both.end(), other.parts.begin(), other.parts.end());
      for (const std::string& code : codes(both)) {
        INFO(sample.name << " with " << other.name << " is " << code);
        CHECK((code.empty() || code == sample.code || code == other.code));
      }
    }
  }
}

TEST_CASE("why: how a job ended has one cause, and its traces are no others") {
  why::Facts facts;
  const auto gpu = ask({"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.\n"}, facts);
  REQUIRE(gpu.size() == 1);
  CHECK(gpu[0].code == "cuda/out-of-memory");
  CHECK(gpu[0].then.empty());
  why::Facts other;
  const auto exit =
      ask({"JobID           State      ExitCode \n--------------- ---------- -------- \n9                   "
           "FAILED   127:0 \n\n",
           "job.sh: line 8: trian: command not found\n"},
          other);
  REQUIRE(exit.size() == 1);
  CHECK(exit[0].code == "program/command-not-found");
  CHECK(exit[0].then.empty());
}

TEST_CASE("why: what is missing is asked for and not guessed") {
  const std::vector<std::string> row = {why_samples::queue_row("41", "Resources")};
  why::Facts facts;
  const auto found = ask(row, facts);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code.empty());
  CHECK(found[0].verdict == why::Verdict::unknown);
  CHECK(found[0].candidates.size() >= 6);
  REQUIRE_FALSE(found[0].asks.empty());
  CHECK(found[0].asks[0].command.starts_with("scontrol show job 41; sinfo -N -O"));
}

TEST_CASE("why: what is asked for is not in the input, and is safe to paste") {
  const auto asked = [](const std::string& text) {
    why::Facts facts;
    const auto found = ask({text}, facts);
    return found.size() == 1 && found[0].asks.size() == 1 ? found[0].asks[0].command : std::string();
  };
  const auto pod = [](const std::string& owner) {
    return "Name:           fit-0\nNamespace:      lab\nStatus:         Failed\nControlled By:  " + owner +
           "\nContainers:\n  c:\n    Image:  fit:1\n";
  };
  CHECK(asked(pod("Job/fit")) == "kubectl describe job fit -n lab");
  CHECK(asked(pod("Job/$(touch x)")) == "kubectl describe pods");
  CHECK(asked(pod("Job/a; touch x")) == "kubectl describe pods");
  CHECK(
      asked(pod("Job/fit") + "\nName:         fit\nNamespace:    lab\nKind:         Job\nPods Statuses:  1 Active\n") ==
      "kubectl get events -n lab; kubectl get pods -n lab -o yaml");
  CHECK(asked("NAME    READY   STATUS    RESTARTS   AGE\nfit-0   0/1     Pending   0          4s\n") ==
        "kubectl describe pods");
  CHECK(asked("salloc: Pending job allocation 4412\nsalloc: job 4412 queued and waiting for resources\n") ==
        "scontrol show job 4412");
  CHECK(asked("$ sacct -j 49\nSlurm accounting storage is disabled\n") == "scontrol show job 49");
}

TEST_CASE("why: a repair is printed with what it was checked by") {
  why::Facts facts;
  const auto found = ask(why_samples::samples()[1].parts, facts);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].repairs.size() == 1);
  CHECK(found[0].repairs[0].checked);
  CHECK(why::repair_text(found[0].repairs[0]) == "--gpus-per-node=2 --nodes=4");
  // Facts have their places.
  CHECK(std::all_of(found[0].used.begin(), found[0].used.end(),
                    [](const why::UsedFact& fact) { return fact.place.line > 0; }));
}

TEST_CASE("why: a limit is never or later by the numbers") {
  why::Facts never_facts, later_facts;
  std::vector<std::string> parts = why_samples::samples()[3].parts;
  CHECK(ask(parts, never_facts)[0].verdict == why::Verdict::never);
  parts[2] = replaced(parts[2], "gres/gpu=4", "gres/gpu=16");
  const auto later = ask(parts, later_facts);
  CHECK(later[0].verdict == why::Verdict::later);
  CHECK(later[0].sentence.find("16") != std::string::npos);
}

TEST_CASE("why: without the value of a limit it is open whether the job ever starts") {
  for (const char* reason : {"QOSGrpGRES", "QOSMaxGRESPerUser", "AssocGrpCpuLimit", "AssocMaxJobsLimit"}) {
    INFO(reason);
    why::Facts facts;
    const auto found = ask({why_samples::queue_row("44", reason)}, facts);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found[0].code.empty());
    CHECK(found[0].verdict == why::Verdict::unknown);
    REQUIRE_FALSE(found[0].asks.empty());
    CHECK(found[0].asks[0].command.find("sacctmgr") != std::string::npos);
    for (const auto& repair : found[0].repairs) CHECK(repair.kind != why::RepairKind::wait);
    const std::string text = why::text_of(found, files());
    CHECK(text.find("job 44 waits: ") == 0);
    CHECK(text.find("whether it can ever start") != std::string::npos);
  }
}

TEST_CASE("why: names of limits are read by their grammar") {
  const auto code = [](const char* reason) {
    const auto limit = why::read_limit(reason);
    return limit ? limit->code() : std::string();
  };
  CHECK(code("QOSMaxCpuPerUserLimit") == "slurm/qos-max-cpus-per-user");
  CHECK(code("QOSGrpNodeLimit") == "slurm/qos-group-nodes");
  CHECK(code("MaxGRESPerAccount") == "slurm/qos-max-gpus-per-account");
  CHECK(code("AssocGrpMemLimit") == "slurm/assoc-group-memory");
  CHECK(code("AssocGrpCPUMinutesLimit") == "slurm/assoc-budget-spent");
  CHECK(code("QOSMinCpuNotSatisfied").empty());
  CHECK(code("Resources").empty());
  CHECK(code("Max").empty());
}

TEST_CASE("why: amounts of Slurm") {
  CHECK(why::megabytes("64G") == 65536);
  CHECK(why::megabytes("1.5T") == 1572864);
  CHECK(why::megabytes("2000000") == 2000000);
  CHECK_FALSE(why::megabytes("lots").has_value());
  CHECK_FALSE(why::megabytes("99999999999999P").has_value());
  CHECK(why::minutes_of("2-00:00:00") == 2880);
  CHECK(why::minutes_of("00:30:00") == 30);
  CHECK_FALSE(why::minutes_of("UNLIMITED").has_value());
  CHECK(why::gpus_of("gres/gpu=8,gres/gpu:h100=8")->count == 8);
  CHECK(why::gpus_of("gres/gpu=8,gres/gpu:h100=8")->type == "h100");
  CHECK(why::gpus_of("gpu:l40s:4(IDX:0-3)")->count == 4);
  CHECK(why::gpus_of("gres:gpu:2")->count == 2);
  CHECK_FALSE(why::gpus_of("license/ansys=2").has_value());
}

TEST_CASE("why: conditions have three values") {
  why::Case facts;
  facts.set("a", 3);
  facts.set("b", "");
  facts.set("c", "x");
  const auto truth = [&](const char* condition) { return why::answer(condition, facts).seen; };
  CHECK(truth("a>=3 & c=x|y") == why::Truth::yes);
  CHECK(truth("a>3") == why::Truth::no);
  CHECK(truth("b") == why::Truth::no);
  CHECK(truth("!b & ?d") == why::Truth::yes);
  CHECK(truth("d") == why::Truth::unknown);
  CHECK(truth("d & a<1") == why::Truth::no);
  CHECK(truth("d>=a") == why::Truth::unknown);
  CHECK(why::answer("a; d & e", facts).lacks == std::vector<std::string>{"d", "e"});
  CHECK(why::fill("{a} of[ {d}] {c}", facts) == std::optional<std::string>("3 of x"));
  CHECK_FALSE(why::fill("{d}", facts).has_value());
}

TEST_CASE("why: patterns of messages") {
  const auto value = [](std::string_view pattern, std::string_view text) {
    const auto found = why::match(pattern, text);
    return found && !found->empty() ? found->back().second : std::string(found ? "yes" : "no");
  };
  CHECK(value(": {program}: command not found", "job.sh: line 8: module: command not found") == "module");
  CHECK(value("No module named '{module}'", "E: No module named 'apex'") == "apex");
  CHECK(value("a*b", "xaxbx") == "yes");
  // A capital begins a word, and a value ends before the end of its sentence.
  CHECK(value("MemoryError", "MemoryError: 8 GiB") == "yes");
  CHECK(value("MemoryError", "builtins.MemoryError") == "yes");
  CHECK(value("MemoryError", "torch.OutOfMemoryError: CUDA") == "no");
  CHECK(value("emoryError", "torch.OutOfMemoryError: CUDA") == "yes");
  CHECK(value("low on resource: {resource}", "The node was low on resource: memory. Threshold: 10Gi") == "memory");
  CHECK(value("errorcode {code}", "with errorcode 3.5.") == "3.5");
  CHECK(value("a*b", "ba") == "no");
  CHECK(value("taint {{taint} *in {flavor}", "taint {gpu present NoSchedule} in h100") == "h100");
  // However often the parts of a pattern are there, it ends.
  CHECK(value("a*a*a*a*a*a*a*a*z", std::string(20000, 'a')) == "no");
}

TEST_CASE("why: tables are read by their columns") {
  const auto lines = why::clean_lines("NODELISTSTATE       GRES\nn1      idle        gpu:2\n");
  const why::Table table = why::read_table(lines);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].get({"NODELIST"}) == "n1");
  CHECK(table.rows[0].get({"STATE"}) == "idle");
  const auto kubectl = why::clean_lines("NAME   QUEUE   RESERVED IN   AGE\nw1     main                  5s\n");
  const why::Table sparse = why::read_table(kubectl);
  CHECK(sparse.rows[0].get({"RESERVED IN"}).empty());
  CHECK(sparse.rows[0].get({"AGE"}) == "5s");
}

TEST_CASE("why: words under a rule of dashes are in the column that they are most under") {
  for (const std::size_t blanks : {0, 1, 2, 3, 4, 5}) {
    const std::string row =
        "99           " + std::string(blanks, ' ') + "TIMEOUT" + std::string(7 - blanks, ' ') + "0:0 \n";
    why::Facts facts;
    const auto found = ask({"JobID             State   ExitCode \n------------ ---------- -------- \n" + row}, facts);
    INFO(row);
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "slurm/time-limit");
  }
}

TEST_CASE("why: the catalogue is whole") {
  std::set<std::string_view> codes, ids;
  for (const why::Message& message : why::messages()) ids.insert(message.id);
  for (const why::Cause& cause : why::causes()) {
    INFO(cause.code);
    codes.insert(cause.code);
    CHECK(cause.rank >= 1);
    CHECK(cause.rank <= 9);
    CHECK(cause.when.find(';') != std::string_view::npos);
    CHECK_FALSE(cause.sentence.empty());
    // A pattern that a condition names exists.
    for (const std::string_view head : {"refused.", "create.", "event.", "waits.", "queue.", "gang."})
      for (std::size_t at = cause.when.find(head); at != std::string_view::npos; at = cause.when.find(head, at + 1)) {
        if (at > 0 && std::string_view(" ?!").find(cause.when[at - 1]) == std::string_view::npos) continue;
        const std::size_t begin = at + head.size();
        const std::string_view id = cause.when.substr(begin, cause.when.find_first_of(" ;=.<>&", begin) - begin);
        INFO(head << id);
        CHECK((ids.contains(id) ||
               is_one_of(id, {"cut", "fault", "any", "minimum", "room-empty", "room-now", "volcano-aborted"})));
      }
  }
  CHECK(codes.size() > 150);
  for (const why::Repair& repair : why::repairs()) {
    INFO(repair.code);
    CHECK(codes.contains(repair.code));
  }
}

TEST_CASE("why: names can be replaced, the same ones everywhere") {
  why::Facts facts;
  auto found =
      ask({"sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified\n",
           "Account|User|QOS\nbio|erin|normal\n", "#!/bin/bash\n#SBATCH --account=physics\nhostname\n"},
          facts);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "slurm/account-not-allowed");
  CHECK(found[0].sentence.find("erin") != std::string::npos);
  why::redact(facts, found);
  CHECK(found[0].sentence.find("erin") == std::string::npos);
  CHECK(found[0].sentence.find("user1") != std::string::npos);
  // Names in what a program printed may be known from nowhere else.
  why::Facts other;
  auto printed = ask({"CUDA out of memory on erins-node of team bio\n"}, other);
  CHECK(why::text_of(printed, files()).find("erins-node") != std::string::npos);
  why::redact(other, printed);
  CHECK(why::text_of(printed, files()).find("erins-node") == std::string::npos);
}

TEST_CASE("why: what an output gives away is not printed again") {
  why::Facts facts;
  const auto found =
      ask({"JobID           State      ExitCode \n--------------- ---------- -------- \n9                   FAILED     "
           " 1:0 \n\n",
           "ValueError: login of erin@example.org at https://erin:hunter2hunter2@hub.example.org failed\n"},
          facts);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "slurm/non-zero-exit");
  const std::string text = why::text_of(found, files());
  CHECK(text.find("ValueError") != std::string::npos);
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.find("erin@") == std::string::npos);
}

TEST_CASE("why: any bytes are read, and soon") {
  std::mt19937 random(7);
  const std::string shape = "{}[]|=:-> \n\r\t\x1BJobId=Name:#SBATCH apiVersion: NAME  a0%$";
  for (int draw = 0; draw < 200; ++draw) {
    std::string text;
    for (int i = 0; i < 400; ++i) text += shape[random() % shape.size()];
    why::Facts facts;
    ask({text}, facts);
    CHECK(facts.lines <= 401);
  }
  why::Facts deep;
  ask({"{" + std::string(100000, '[') + "\n"}, deep);
  why::Facts wide;
  ask({"Name: x\nNamespace: y\n" + std::string(200, ' ') + std::string(3000, 'a') + ":\n"}, wide);
  CHECK(deep.objects.size() + wide.objects.size() > 0);
}

}  // namespace why_test
