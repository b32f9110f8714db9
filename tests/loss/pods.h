// A pod of a manifest, and what of it is read in files of their own. Inside tests/loss only.
#pragma once

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "tests/loss/reader.h"

namespace muster::loss {

// One pod of the role that is asked about, whatever the kind of object says it in.
struct Pods {
  const Asked& asked;
  const model::Workload& work;
  const model::Role& role;
  const std::string& target;
  const std::string& text;
  const std::vector<Tree>& objects;
  const Tree& main;        // the object that is the workload
  const Tree &meta, &pod;  // of its template
  Tree container;
  std::string start{};               // the prelude
  std::vector<std::string> words{};  // of it, and of the file with the program
};

inline const std::string& scalar(const Tree& tree) { return tree.text; }
inline std::string when(bool found, std::string place) { return found ? std::move(place) : std::string(); }

inline const Tree nothing;
inline std::int64_t seconds(const Duration& d) { return (d.ms + 999) / 1000; }

// The first object of the kind; `nothing` where there is none.
inline const Tree& object(const Pods& p, const std::string& kind) {
  for (const Tree& o : p.objects)
    if (o["kind"].text == kind) return o;
  return nothing;
}

// A name of the language as a label of DNS.
inline std::string dns(std::string name) {
  for (char& c : name) c = c == '_' || c == '.' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

template <class List>
auto named(const List& all, const std::string& name) -> decltype(&*all.begin()) {
  for (const auto& item : all)
    if (item.name == name) return &item;
  return nullptr;
}

// The container of a role in the pods of another one, whose program is in the first of `containers`.
inline const Tree* container_named(const Tree& pod, const std::string& name) {
  for (const char* list : {"initContainers", "containers"})
    for (const Tree& container : pod[list].items)
      if (scalar(container["name"]) == name) return &container;
  return nullptr;
}

// read_programs.cc: what the container runs, and what starts it. The words, those in the file of the program too; of an
// MPIJob those of its launcher.
std::vector<std::string> program_arguments(const Pods& p);
std::vector<std::string> launcher_words(const Pods& p);
bool in_config(const Pods& p, const std::string& bytes);
std::string find_command(const Pods& p);
std::string find_script(const Pods& p);
std::string find_runner(const Pods& p);
std::string find_processes(const Pods& p);
// The value of a variable that `env` or the prelude sets; "" where none does.
std::string told(const Pods& p, const std::string& variable);

// read_services.cc: ports, probes, servers, how many of them run.
std::string find_port(const Pods& p);
std::string find_probe(const Pods& p);
std::string find_scale(const Pods& p);
std::string find_serve(const Pods& p);

// read_endings.cc: attempts, and how near the pods are to each other.
std::string find_limit(const Pods& p);
std::string find_codes(const Pods& p);
std::string find_reasons(const Pods& p);
std::string find_topology(const Pods& p);

}  // namespace muster::loss
