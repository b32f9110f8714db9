// `export NAME=WORD …` lines of a script, several names a line, and whether lines are such.
#pragma once

#include <string>
#include <string_view>

namespace muster::targets {

class Exports {
 public:
  // The lines are appended to `script`, which must outlive this. `goes_on`: the last line there is one of these.
  explicit Exports(std::string& script, bool goes_on = false) : script_(script), goes_on_(goes_on) {}
  Exports(const Exports&) = delete;
  Exports& operator=(const Exports&) = delete;
  ~Exports() { end(); }
  // `word` is a word of the shell: quoted where it holds an expansion.
  void add(std::string_view name, std::string_view word);
  // Ends the line that was begun, so that what follows in the script may read its names.
  void end();

 private:
  // Takes the last line back from the script, if the word does not read what that sets.
  void go_on(std::string_view word);

  std::string& script_;
  std::string line_;
  bool goes_on_;
};

// Whether lines of a shell only set variables, so that nothing in them can fail: `export` lines, lists of the values of
// an axis, and the table from which a point of a sweep gets its values.
bool only_sets(std::string_view lines);

}  // namespace muster::targets
