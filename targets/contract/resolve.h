// What the site has for the names of a role: its code, secrets, storage and fast network. A name that the site does
// not know is refused in the same words on every target.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "targets/account.h"

namespace muster::targets::contract {

// How the program's files come to the nodes.
struct CodeSource {
  enum class By : std::uint8_t { submission, git, image, shared_path } by = By::submission;
  const model::Git* git = nullptr;
  std::string folder;  // below the root of the user's tree; "." is the root
  std::string root;    // where the site has that root, in the image or on the shared path; "" where it does not say
};

// What differs between targets: whether the folder of the submission is on the nodes, and what to add to a site that
// does not say how code arrives.
struct CodeRules {
  bool submission_is_shared = false;
  std::string_view help_for_git, help_for_folder;
};

// nullopt without code, and after a refusal.
std::optional<CodeSource> code_source(Account& account, const model::Role& role, const model::Site& site,
                                      const model::Plane& plane, const CodeRules& rules);

// The site's entry for a secret or a mount; nullptr after a refusal. `help` says what to add to the site.
const model::SiteSecret* site_secret(Account& account, const model::Secret& secret, const model::Site& site,
                                     const model::Plane& plane, std::string help);
void refuse_storage(Account& account, const model::Mount& mount, const model::Site& site, std::string help);

// What the site says of the role's fast network; nullptr where nothing is added, which is a refusal if the role
// requires the network. `users`: "jobs" or "pods"; `key`: what to add to the site, "env { … }".
const model::FabricAttachment* fabric_of(Account& account, const plan::Plan& plan, const plan::RolePlan& shape,
                                         std::string_view users, std::string_view key);

}  // namespace muster::targets::contract
