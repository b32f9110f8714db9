// muster man [VERB]: manual pages, made from the options of the verbs.
#include <cstdio>

#include "cli/command.h"
#include "cli/completion.h"
#include "compiler/base/text.h"

namespace muster::cli {
namespace {

// Text for troff: characters that it would read as its own, and those that it would print as others.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char c : text) switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '`': out += "\\(ga"; break;
      case '\'': out += "\\(aq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// What it is called in `man`: muster-lint.
std::string page_name(std::string_view verb) { return verb.empty() ? "muster" : "muster-" + std::string(verb); }

std::string page_head(std::string_view verb, std::string_view summary) {
  std::string title = page_name(verb);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return ".TH " + roff(title) + " 1 \"\" \"muster " MUSTER_VERSION "\" \"muster manual\"\n.SH NAME\n" +
         roff(page_name(verb)) + " \\- " + roff(summary) + "\n";
}

// "muster lint [OPTION]... [FILE]..."
std::string synopsis(const std::string& command, const VerbEntry& verb) {
  std::string out = bold(command) + " [" + italic("OPTION") + "]...";
  for (const OptionEntry& option : verb.options)
    if (option.names.empty())
      out += (option.required ? " " : " [") + italic(option.value) + (option.required ? "" : "]") +
             (option.repeated ? "..." : "");
  return out + "\n";
}

// ": text json" where the help of an option does not name its values.
std::string choices_note(const OptionEntry& option) {
  constexpr std::size_t few = 12;
  if (option.choices.empty() || option.choices.size() > few) return {};
  for (const std::string& choice : option.choices)
    if (option.help.find(choice) == std::string::npos) return ": " + spaced(option.choices);
  return {};
}

std::string option_entry(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty()) names += (names.empty() ? "" : " ") + italic(option.value);
  return ".TP\n" + names + "\n" + roff(option.help + choices_note(option)) + "\n";
}

std::string option_entries(const VerbEntry& verb) {
  std::string out;
  for (const bool named : {false, true})
    for (const OptionEntry& option : verb.options)
      if (option.names.empty() != named) out += option_entry(option);
  return out;
}

constexpr const char* exit_status =
    ".SH EXIT STATUS\n"
    ".TP\n\\fB0\\fR\nDone.\n"
    ".TP\n\\fB1\\fR\nA negative result: findings, a gang that does not fit, or a field that the target cannot "
    "express.\n"
    ".TP\n\\fB2\\fR\nThe input, the arguments or the output location cannot be used.\n"
    ".TP\n\\fB3\\fR\nAn internal error of muster.\n";

std::string page(const VerbEntry& verb) {
  const std::string command = "muster " + verb.name;
  std::string out = page_head(verb.name, verb.summary) + ".SH SYNOPSIS\n";
  if (verb.verbs.empty()) out += synopsis(command, verb);
  for (const VerbEntry& below : verb.verbs)
    out += (&below == verb.verbs.data() ? "" : ".br\n") + synopsis(command + " " + below.name, below);
  if (!verb.about.empty()) out += ".SH DESCRIPTION\n" + roff(verb.about) + "\n";
  if (!verb.options.empty()) out += ".SH OPTIONS\n" + option_entries(verb);
  for (const VerbEntry& below : verb.verbs)
    out += ".SH " + roff(command + " " + below.name) + "\n" + roff(below.about) + "\n" + option_entries(below);
  return out + exit_status + ".SH SEE ALSO\n.BR muster (1)\n";
}

std::string main_page(std::span<const VerbEntry> verbs) {
  std::string out =
      page_head("", "decide where a workload runs, prove that it fits, write the files for the orchestrator");
  out += ".SH SYNOPSIS\n" + bold("muster") + " " + italic("VERB") + " [" + italic("OPTION") + "]...\n.SH DESCRIPTION\n";
  out += roff(about_muster) + "\nIt needs no cluster, no server, no network and no credentials.\n.SH VERBS\n";
  std::string pages;
  for (const VerbEntry& verb : verbs) {
    out += ".TP\n" + bold(verb.name) + "\n" + roff(verb.summary) + "\n";
    pages += (pages.empty() ? "" : " ,\n") + (".BR " + roff(page_name(verb.name))) + " (1)";
  }
  return out + exit_status + ".SH ENVIRONMENT\n.TP\n" + bold("NO_COLOR") +
         "\nIf it is set, messages have no color.\n.SH SEE ALSO\n" + pages + "\n";
}

}  // namespace

int run_man(const CommandLine& line) {
  std::string name;
  Arguments app("Prints the manual page of muster or of a verb: muster man lint | man -l -", "muster man");
  app.add_option("VERB", name, "verb whose page is printed; default: the page of muster").one_of(names_of(commands()));
  if (const auto exit = app.parse(line)) return *exit;
  const std::vector<VerbEntry> verbs = describe_commands();
  std::string text = name.empty() ? main_page(verbs) : std::string();
  for (const VerbEntry& verb : verbs)
    if (verb.name == name) text = page(verb);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
