// Where slices of a MIG profile may be, as `nvidia-smi mig -lgipp` writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/model/fleet.h"

namespace muster::sema {

// "{0,2,4}:2": begins at memory slice 0, 2 or 4 and takes two. nullopt: not of that form, or over the edge of the GPU.
std::optional<model::SlicePlaces> parse_places(std::string_view text);

std::string places_text(const model::SlicePlaces& places);

// The number before the g of a profile's name: 3 of "3g.40gb"; 0: it has none from 1 to 7.
std::int64_t compute_slices_of(std::string_view profile);

}  // namespace muster::sema
