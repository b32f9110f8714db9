// The proof by boxes: tables split the space into regions with one answer each.
#include <algorithm>
#include <functional>

#include "rules/evidence.h"

namespace muster::rules {
namespace {

struct Contribution {
  std::size_t output = 0;
  std::int32_t value = 0;
  Box box;
};

// Cells in which every table so far has set the same values. What was collected is kept as the boxes in which it
// was, so that tables of many independent rows do not multiply the regions.
struct Region {
  Box box;
  State state;
  std::vector<Contribution> collected = {};
};

// A part of a region in which a row holds.
struct Piece {
  std::size_t row = 0;
  Box box;
};

class Boxes {
 public:
  Boxes(const model::Policy& policy, const Space& space) : space_(space), compiled_(policy, space) {}

  // False: too many boxes.
  bool run() {
    regions_ = {{space_.whole(), compiled_.start()}};
    for (std::size_t t = 0; t < compiled_.tables().size(); ++t) {
      std::vector<Region> next;
      for (const Region& region : regions_) {
        split(t, region, next);
        if (next.size() > most_boxes || pieces_ > 8 * most_boxes) return false;
      }
      regions_ = std::move(next);
    }
    return true;
  }

  bool prove(Evidence& out) {
    if (!run()) return false;
    evidence_.cells = space_.cells();
    for (std::size_t i = 0; i < compiled_.invariants().size(); ++i)
      for (const Region& region : regions_) judge(i, region);
    for (std::size_t o = 0; o < compiled_.outputs().size(); ++o) {
      const auto parts = parts_of(o);
      if (parts.size() > most_boxes) return false;
      find_reactions(o, parts);
    }
    out = std::move(evidence_);
    return true;
  }

  // Where an output has a value: boxes that do not overlap. Of a collected one, each value by itself.
  std::map<std::string, std::vector<Part>> all_parts(bool& good) {
    std::map<std::string, std::vector<Part>> out;
    for (std::size_t o = 0; o < compiled_.outputs().size(); ++o) {
      std::vector<Part>& parts = out[compiled_.outputs()[o].name];
      for (auto& [box, value, present] : parts_of(o))
        if (present) parts.push_back({std::move(box), text(o, value)});
      good = good && parts.size() <= most_boxes;
    }
    return out;
  }

 private:
  // `present` says, of a collected output, whether the value is there.
  struct ValuePart {
    Box box;
    std::int32_t value = State::unset;
    bool present = true;
  };

  std::string text(std::size_t output, std::int32_t value) const {
    return value == State::unset
               ? ""
               : model::to_string(compiled_.outputs()[output].values[static_cast<std::size_t>(value)]);
  }

  bool is_collected(const Condition::OutputTerm& term) const {
    return term.output < compiled_.outputs().size() && compiled_.outputs()[term.output].collected;
  }

  // The part of `box`, a part of the region, in which the condition holds, as boxes that do not overlap.
  std::vector<Box> holding(const Region& region, const Box& box, const Condition& condition) const {
    std::vector<Box> out{box & condition.box};
    if (space_.is_empty(out[0])) return {};
    for (const Condition::OutputTerm& term : condition.outputs) {
      if (is_collected(term)) {
        out = holding(region, out, term);
      } else if (!compiled_.holds(term, region.state)) {
        return {};
      }
    }
    return out;
  }

  std::vector<Box> holding(const Region& region, const std::vector<Box>& boxes,
                           const Condition::OutputTerm& term) const {
    std::vector<Box> without = boxes, with;
    for (const Contribution& c : region.collected) {
      const bool wanted = std::find(term.wanted.begin(), term.wanted.end(), c.value) != term.wanted.end();
      if (c.output != term.output || !wanted) continue;
      for (const Box& box : without)
        if (Box both = box & c.box; !space_.is_empty(both)) with.push_back(std::move(both));
      without = space_.subtract(std::move(without), c.box);
    }
    return term.negated ? without : with;
  }

  void tally(Tally& tally, const Box& box) { tally.add(space_.cells(box), space_.least(box)); }

  void split(std::size_t number, const Region& region, std::vector<Region>& next) {
    const CompiledTable& table = compiled_.tables()[number];
    switch (table.table->hit) {
      case model::Hit::collect: return collect(number, region, next);
      case model::Hit::first: return split_first(number, region, next);
      case model::Hit::unique: return split_unique(number, region, next);
    }
  }

  void collect(std::size_t number, const Region& region, std::vector<Region>& next) {
    const CompiledTable& table = compiled_.tables()[number];
    Region& out = next.emplace_back(region);
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      for (Box& box : holding(region, region.box, table.rows[r].when)) {
        ++pieces_;
        tally(evidence_.reached[{number, r}], box);
        for (const CompiledRow::Set& set : table.rows[r].sets) out.collected.push_back({set.output, set.value, box});
      }
  }

  void split_first(std::size_t number, const Region& region, std::vector<Region>& next) {
    const CompiledTable& table = compiled_.tables()[number];
    std::vector<Box> rest{region.box};
    for (std::size_t r = 0; r < table.rows.size() && !rest.empty(); ++r) {
      std::vector<Box> hits;
      for (const Box& box : rest)
        for (Box& hit : holding(region, box, table.rows[r].when)) hits.push_back(std::move(hit));
      for (const Box& hit : hits) {
        rest = space_.subtract(std::move(rest), hit);
        take(number, {r, hit}, region, next);
      }
      if (rest.size() > most_boxes) return;
    }
    for (const Box& box : rest) tally(evidence_.gaps[number], box);
  }

  void take(std::size_t number, const Piece& piece, const Region& region, std::vector<Region>& next) {
    tally(evidence_.reached[{number, piece.row}], piece.box);
    grow(number, piece, region, next);
  }

  void grow(std::size_t number, const Piece& piece, const Region& region, std::vector<Region>& next) {
    ++pieces_;
    Region& out = next.emplace_back(region);
    out.box = piece.box;
    compiled_.fire(compiled_.tables()[number].rows[piece.row], out.state);
  }

  void split_unique(std::size_t number, const Region& region, std::vector<Region>& next) {
    const CompiledTable& table = compiled_.tables()[number];
    std::vector<Piece> pieces;
    std::vector<Box> rest{region.box};
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      for (Box& box : holding(region, region.box, table.rows[r].when)) {
        tally(evidence_.reached[{number, r}], box);
        rest = space_.subtract(std::move(rest), box);
        pieces.push_back({r, std::move(box)});
        if (rest.size() > most_boxes) return too_many(next);
      }
    for (const Box& box : rest) tally(evidence_.gaps[number], box);
    const std::vector<Box> twice = overlaps(number, pieces);
    for (const Piece& piece : pieces) {
      std::vector<Box> once{piece.box};
      for (const Box& box : twice) once = space_.subtract(std::move(once), box);
      for (Box& box : once) grow(number, {piece.row, std::move(box)}, region, next);
    }
  }

  // Where two rows hold.
  std::vector<Box> overlaps(std::size_t number, const std::vector<Piece>& pieces) {
    std::vector<Box> out;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      for (std::size_t j = i + 1; j < pieces.size() && out.size() <= most_boxes; ++j) {
        Box both = pieces[i].box & pieces[j].box;
        if (space_.is_empty(both)) continue;
        tally(evidence_.overlaps[{{number, pieces[i].row}, {number, pieces[j].row}}], both);
        out.push_back(std::move(both));
      }
    return out;
  }

  void too_many(std::vector<Region>& next) { next.resize(most_boxes + 1); }

  void judge(std::size_t number, const Region& region) {
    const CompiledInvariant& invariant = compiled_.invariants()[number];
    for (const Box& box : holding(region, region.box, invariant.when)) {
      tally(evidence_.asked[number], box);
      std::vector<Box> wrong{box};
      for (const Box& kept : holding(region, box, invariant.then)) wrong = space_.subtract(std::move(wrong), kept);
      for (const Box& bad : wrong) tally(evidence_.broken[number], bad);
    }
  }

  std::vector<ValuePart> parts_of(std::size_t number) const {
    const Output& output = compiled_.outputs()[number];
    std::vector<ValuePart> out;
    for (const Region& region : regions_) {
      if (!output.collected) {
        out.push_back({region.box, region.state.values[number]});
        continue;
      }
      for (std::size_t value = 0; value < output.values.size() && out.size() <= most_boxes; ++value) {
        const auto n = static_cast<std::int32_t>(value);
        const Condition::OutputTerm has_it{nullptr, number, {n}, false}, lacks_it{nullptr, number, {n}, true};
        for (Box& box : holding(region, {region.box}, has_it)) out.push_back({std::move(box), n});
        for (Box& box : holding(region, {region.box}, lacks_it)) out.push_back({std::move(box), n, false});
      }
    }
    return out;
  }

  // Two parts with different answers that are apart in one fact alone.
  void find_reactions(std::size_t number, const std::vector<ValuePart>& parts) {
    const Output& output = compiled_.outputs()[number];
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = i + 1; j < parts.size(); ++j) {
        const bool differ = output.collected ? parts[i].value == parts[j].value && parts[i].present != parts[j].present
                                             : parts[i].value != parts[j].value;
        if (!differ) continue;
        if (const Dimension* d = only_difference(parts[i].box, parts[j].box))
          evidence_.reactions.emplace(output.name, d->fact);
      }
  }

  const Dimension* only_difference(const Box& a, const Box& b) const {
    const Dimension* found = nullptr;
    for (const Dimension& d : space_.dimensions()) {
      std::uint64_t any = 0;
      for (std::size_t i = d.first; i < d.first + d.words; ++i) any |= a[i] & b[i];
      if (any != 0) continue;
      if (found != nullptr) return nullptr;
      found = &d;
    }
    return found;
  }

  const Space& space_;
  Compiled compiled_;
  Evidence evidence_;
  std::vector<Region> regions_;
  std::size_t pieces_ = 0;
};

}  // namespace

std::optional<Evidence> by_boxes(const model::Policy& policy, const Space& space) {
  Evidence out;
  if (!Boxes(policy, space).prove(out)) return std::nullopt;
  return out;
}

std::optional<std::map<std::string, std::vector<Part>>> parts_by_output(const model::Policy& policy,
                                                                        const Space& space) {
  Boxes boxes(policy, space);
  bool good = boxes.run();
  if (!good) return std::nullopt;
  auto out = boxes.all_parts(good);
  if (!good) return std::nullopt;
  return out;
}

}  // namespace muster::rules
