// Text that is printed must not be a command to the CI host that reads the log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// How a text spells a character by its number: XML and JSON can, so that no reader of theirs sees a difference.
enum class TextForm : std::uint8_t { plain, json, xml };

// The text with each command of GitHub's runner (`::name …::` at the start of a line, `##[name]` anywhere), of Azure's
// agent (`##vso[…]`) and of TeamCity (`##teamcity[…]`) broken: a space between its first two characters, or in JSON and
// XML the second one by its number. A text without any is returned as it is.
// github.com/actions/runner, ActionCommand.cs; github.com/microsoft/azure-pipelines-agent, Command.cs.
std::string without_ci_commands(std::string text, TextForm form = TextForm::plain);

// Whether a text has invisible characters that terminals and editors obey: control characters (C0 without tabs and
// line ends, DEL, C1) and those that turn the direction of text.
bool has_hidden(std::string_view text);
// The text with each of them spelt as JSON does, `\u001b`. With `coloured`, what sets colours stays.
std::string without_hidden(std::string text, bool coloured = false);

// What all that is printed passes: without_ci_commands and without_hidden of the text without tokens and private keys
// (secret.h). Not for files that are the result itself, as of compile and fmt.
std::string safe_to_print(std::string text, TextForm form = TextForm::plain, bool coloured = false);

}  // namespace muster
