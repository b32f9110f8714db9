// The style of write_html's page, and the digest by which the page allows it and nothing else.
#pragma once

#include <string_view>

namespace muster::review {

// clang-format off
inline constexpr std::string_view page_style = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #f3f4f6; --line: #c9ced6; --quiet: #565f6b;
  --red: #a40e26; --green: #116329; --blue: #0a4f9e; --amber: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #14171a; --soft: #20242a; --line: #434a54;
  --quiet: #a8b0bb; --red: #ff9aa5; --green: #7fd897; --blue: #8cc2ff; --amber: #f0bd6a; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, footer { max-width: 68rem; margin: 0 auto; padding: 1rem 1.25rem; }
footer, .counts { color: var(--quiet); }
h1 { font-size: 1.5rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1rem 0 0.25rem; }
section { border-top: 1px solid var(--line); padding: 1.25rem 0; }
table { border-collapse: collapse; margin: 0.75rem 0; width: 100%; }
caption { text-align: left; color: var(--quiet); padding: 0.25rem 0; overflow-wrap: anywhere; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.6rem; text-align: left; vertical-align: top;
  font-weight: normal; overflow-wrap: break-word; }
details th, details td { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
thead th { background: var(--soft); font-weight: 600; }
tr.same { color: var(--quiet); }
tr.differs { background: var(--soft); }
tr.differs th, tr.differs td:last-child { font-weight: 600; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
a { color: var(--blue); }
del { color: var(--quiet); text-decoration-thickness: 1px; }
ins { text-decoration: none; font-weight: 600; }
summary { cursor: pointer; padding: 0.25rem 0; }
.badge { border: 1px solid currentColor; border-radius: 0.25rem; padding: 0 0.4rem; font-size: 0.85rem; white-space: nowrap; }
.blocked, .why strong { color: var(--red); }
.added { color: var(--green); }
.removed, .left-out strong { color: var(--amber); }
.changed, .moved { color: var(--blue); }
)css";
// clang-format on

// Of the text between <style> and </style>: SHA-256 in base 64. A test works it out anew.
inline constexpr std::string_view page_style_digest = "sha256-P0+73xBES8rEeipuYahI167W6jo9fWCxEhbKwmQ3sEc=";

}  // namespace muster::review
