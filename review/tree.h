// One side of a review: the workloads and objects of a tree, evaluated. Plain data without places in memory of
// anything else, so that two sides can be compared long after their files were closed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "lint/account.h"

namespace muster::review {

// Where something is written: "specs/a.muster", line 12. File "": nowhere.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Fact {
  std::string name, value;
  Place place{};
};

// What the rules say. Lists are sorted; `rules` are the rows that gave control plane, runtime, layout and requirements.
struct Decision {
  std::string control_plane, runtime, layout;
  std::string plane, target;  // "": the site has none
  std::vector<std::string> requires_, advice, rules;
};

// Whether it fits, at the levels that a compilation asks (capacity and policy). Verdict "": no fleet, not asked.
struct Placement {
  std::string verdict;             // fits, does-not-fit, unknown
  std::vector<std::string> pools;  // sorted
  std::int64_t leaf_switches = 0;
  std::string certificate;  // why not
  friend bool operator==(const Placement&, const Placement&) = default;
};

// Of one run, all roles and replicas together. nullopt: not known.
struct Resources {
  std::optional<std::int64_t> nodes, pods, gpus, cpus;
  std::optional<std::int64_t> memory;         // bytes
  std::optional<std::int64_t> time_limit_ms;  // of one task
  std::optional<std::int64_t> tasks;          // of an array, a sweep, a batch of replicas or nodes
  std::optional<std::int64_t> at_once{};      // of these, that run at once; nullopt: all of them
  friend bool operator==(const Resources&, const Resources&) = default;
};

// What it may use at most: GPUs, CPUs and nodes x time limit x tasks. nullopt: no time is known, or a price is missing.
struct Cost {
  std::optional<std::int64_t> gpu_seconds;
  std::optional<std::int64_t> micros;  // millionths of the site's unit of money
  bool at_most = false;                // no time limit is given: the time is the longest that the queue allows
  std::optional<std::int64_t> cpu_seconds{}, node_seconds{};
  friend bool operator==(const Cost&, const Cost&) = default;
};

// One value of a document: "spec.template.spec.containers[main].image".
struct Field {
  std::string path, value;
  friend bool operator==(const Field&, const Field&) = default;
};

// A document, or an object of one. Of a batch script the kind is "sbatch", options are fields, the rest are lines.
struct Object {
  std::string kind, name_space, name;
  std::vector<Field> fields;       // sorted by path, each path once
  std::vector<std::string> lines;  // in order
  friend bool operator==(const Object&, const Object&) = default;
};

struct Finding {
  std::string code, name;  // "SLM001", "double-launch"
  Severity severity = Severity::error;
  std::string message;
  std::string key;  // stable when lines move
  Place place{};
  std::string path{};      // what of the subject it is about: "target.slurm.mem"
  bool of_policy = false;  // about a site, fleet or rules that are beside the workload
  std::string accepted{};  // why it may stay, of one that a suppression or a waiver accepts; "" of an open one
  std::string proposed{};  // of an open one: why the new tree accepts it, where its suppressions do not count
};

enum class Form : std::uint8_t { spec, script, manifest };

struct Workload {
  std::string id;
  std::string name;  // what of the id stays when its file is moved; of an object its kind, namespace and name
  std::string site;  // "": there is only one
  std::string file;
  Form form = Form::spec;
  bool runs = true;        // it has pods or nodes; a ConfigMap has none
  bool own_site = false;   // its file declares the site that it is judged for
  std::uint64_t text = 0;  // hash of what its file and what that imports say; equal texts have equal hashes
  std::vector<Fact> facts;
  std::optional<Decision> decision;  // of specs
  Placement placement;
  Resources resources;
  Cost cost;
  std::string plane{}, queue{};               // of the site, that it goes to; "": it is not known
  std::string tenant{};                       // whose quota counts; "": it is not known
  std::optional<std::int64_t> tenant_gpus{};  // of the pools that it was placed on
  std::vector<Object> objects;
  std::optional<Object> program{};  // of a spec: its own words, which are in what is emitted for it
  std::vector<Finding> findings;
  // Paths of findings below which nobody could look ("": anywhere), so that one which is not there is not mended.
  std::vector<std::string> unjudged{};
  // What words of a target leave open of the amounts, by the names of their rows ("nodes", "GPU-hours").
  std::vector<std::string> open{};
};

// A file that could not be used, and why. Nothing of it is compared, on either side.
struct LeftOut {
  std::string file, why;
};

// What workloads are judged by.
struct Policy {
  std::string site;  // "generic" for the built-in one
  std::string profile, version, sha256;
  std::uint64_t text = 0;  // hash of the files of site, fleet and rules
};

struct Tree {
  std::string name;              // as the user wrote it: "main", "old/"
  std::vector<Policy> policies;  // a site each
  std::vector<Workload> workloads;
  std::vector<LeftOut> left_out;
  std::vector<lint::Account> accounts{};  // of the files that were looked at
};

}  // namespace muster::review
