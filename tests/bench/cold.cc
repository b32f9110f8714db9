// How long a whole `muster compile` takes, as a ratio to an empty static program started the same way.
#include "tests/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char** environ;

namespace muster::bench {
namespace {

double milliseconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

}  // namespace

double run_once(const std::vector<const char*>& words) {
  std::vector<char*> argv;
  for (const char* word : words) argv.push_back(const_cast<char*>(word));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  int status = -1;
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) == 0) waitpid(pid, &status, 0);
  const double took = milliseconds(std::chrono::steady_clock::now() - start);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 ? took : -1;
}

double processor_time(const std::vector<const char*>& words) {
  const auto used = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto ms = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
    };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
  };
  const double before = used();
  return run_once(words) < 0 ? -1 : used() - before;
}

int cold(const char* muster, const char* empty) {
  const std::vector<const char*> compile = {muster, "compile", "examples/workloads/pretrain.muster", "--site",
                                            "examples/sites/slurm.muster"};
  std::vector<double> ours, theirs;
  for (int i = 0; i < 400; ++i) {  // in turn, so that both see the same machine
    ours.push_back(run_once(compile));
    theirs.push_back(run_once({empty}));
  }
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  if (ours.front() < 0 || theirs.front() < 0) {
    std::fprintf(stderr, "bench: a program could not be run; start it in the checkout\n");
    return 1;
  }
  const std::size_t middle = ours.size() / 2;
  std::printf("cold compile of pretrain with site and fleet: median %.2f ms, min %.2f ms\n", ours[middle], ours[0]);
  std::printf("empty static program:                         median %.2f ms, min %.2f ms\n", theirs[middle], theirs[0]);
  std::printf("ratio: median %.2f, min %.2f (to stay at or under 6)\n", ours[middle] / theirs[middle],
              ours[0] / theirs[0]);
  return 0;
}

}  // namespace muster::bench
