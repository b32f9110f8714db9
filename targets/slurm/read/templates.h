// Placeholders that something fills in before a script is what it says.
#pragma once

#include <vector>

#include "targets/slurm/read/script.h"

namespace muster::targets::slurm {

// Appends the blanks of text[begin, end) that are told by their signs there: In::directive or In::text.
void find_templates(std::string_view text, std::uint32_t file, std::uint32_t begin, std::uint32_t end, In place,
                    std::vector<Template>& out);

// Whether a line holds nothing but {{ }}, {% %} or {# #}: after filling in, it may be anything or gone.
bool is_template_line(std::string_view line);

}  // namespace muster::targets::slurm
