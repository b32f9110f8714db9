#include "cli/fleet_picture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/text.h"

namespace muster::cli {
namespace {

// Who has a GPU, or a node without GPUs: a workload by its number, or one of these.
enum Owner : int { unowned = -1, others = -2, drained = -3, spare = -4 };

// Colours that people with colour blindness tell apart (Okabe and Ito), from light to dark and back.
constexpr std::array<std::string_view, 7> colours{"#f0e442", "#0072b2", "#e69f00", "#009e73",
                                                  "#56b4e9", "#d55e00", "#cc79a7"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out;
}

// A … Z, AA, AB …
std::string letters(std::size_t number) {
  std::string out(1, static_cast<char>('A' + number % 26));
  for (number /= 26; number > 0; number /= 26) out.insert(out.begin(), static_cast<char>('A' + --number % 26));
  return out;
}

std::string fill_of(int owner) {
  switch (owner) {
    case unowned: return "#ffffff";
    case others: return "url(#o)";
    case drained: return "url(#d)";
    case spare: return "url(#s)";
    default: return "url(#w" + std::to_string(owner) + ")";
  }
}

std::string rect(long x, long y, long width, long height, const std::string& fill) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(width) +
         "\" height=\"" + std::to_string(height) + "\" fill=\"" + fill + "\"/>";
}

std::string text_at(long x, long y, std::string_view kind, std::string_view text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" class=\"" + std::string(kind) + "\">" +
         escaped(text) + "</text>";
}

// One pattern a workload: its colour, and lines of one of several slopes and distances.
std::string pattern(std::size_t number) {
  static constexpr std::array<int, 4> slopes{45, 135, 0, 90};
  const std::string gap = std::to_string(5 + 2 * (number / 4 % 3));
  const bool dark = number % colours.size() == 1 || number % colours.size() == 3 || number % colours.size() == 5;
  return "<pattern id=\"w" + std::to_string(number) + "\" width=\"" + gap + "\" height=\"" + gap +
         "\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(" + std::to_string(slopes[number % 4]) +
         ")\"><rect width=\"9\" height=\"9\" fill=\"" + std::string(colours[number % colours.size()]) +
         "\"/><path d=\"M0 0h9\" stroke=\"" + (dark ? "#fff" : "#000") + "\" stroke-width=\"1\"/></pattern>";
}

// The end of a name, which tells it from its neighbours, without the pool's name before it.
std::string short_name(std::string_view name, std::string_view pool, std::size_t most) {
  if (name.size() > pool.size() && name.starts_with(pool) && name[pool.size()] == '-')
    name.remove_prefix(pool.size() + 1);
  return std::string(name.size() > most ? name.substr(name.size() - most) : name);
}

// A part of a GPU, in hundredths of it.
struct PartPicture {
  long from = 0, size = 0;
  int owner = unowned;
};

// Who has what of a pool.
struct PoolPicture {
  const model::Pool* pool = nullptr;
  std::int64_t cells = 1;                                 // a node: its GPUs, or one
  std::vector<int> owner;                                 // [node][cell]; of a GPU in parts one of those who have them
  std::map<std::size_t, std::vector<PartPicture>> parts;  // by cell
};

void mark_all(PoolPicture& picture, std::uint32_t node, int owner) {
  for (std::int64_t c = 0; c < picture.cells; ++c) {
    int& cell = picture.owner[static_cast<std::size_t>(node * picture.cells + c)];
    if (cell == unowned) cell = owner;
  }
}

void mark_state(PoolPicture& picture) {
  const model::Pool& pool = *picture.pool;
  const auto known = [&](std::uint32_t node) { return static_cast<std::int64_t>(node) < pool.node_count; };
  for (const std::uint32_t node : pool.drained)
    if (known(node)) mark_all(picture, node, drained);
  for (const std::uint32_t node : pool.spare)
    if (known(node)) mark_all(picture, node, spare);
  // What is in use is taken to hold the highest devices.
  for (const model::InUse& use : pool.in_use)
    for (const std::uint32_t node : use.nodes) {
      if (!known(node)) continue;
      std::int64_t left = use.gpus >= 0 ? std::min(use.gpus, picture.cells) : picture.cells;
      for (std::int64_t c = picture.cells; c-- > 0 && left > 0;) {
        int& cell = picture.owner[static_cast<std::size_t>(node * picture.cells + c)];
        if (cell == unowned) cell = others, --left;
      }
    }
}

// Slices are where they are in memory, shares one above the other.
void mark_part(PoolPicture& picture, std::size_t cell, const plan::PlacedPart& part, int number) {
  std::vector<PartPicture>& parts = picture.parts[cell];
  long from = 0;
  for (const PartPicture& other : parts) from = std::max(from, other.from + other.size);
  if (part.slices != 0)
    parts.push_back({100 * std::countr_zero(part.slices) / 8, 100 * std::popcount(part.slices) / 8, number});
  else parts.push_back({from, static_cast<long>(part.percent), number});
}

void mark_placements(PoolPicture& picture, const plan::Fit& fit, int number) {
  for (const plan::PlacedNode& placed : fit.placements) {
    if (placed.pool != picture.pool->name) continue;
    if (placed.gpus.empty() && picture.cells == 1) mark_all(picture, placed.index, number);
    for (const std::int64_t gpu : placed.gpus) {
      if (gpu < 0 || gpu >= picture.cells) continue;
      const auto cell = static_cast<std::size_t>(placed.index * picture.cells + gpu);
      picture.owner[cell] = number;
      if (placed.part) mark_part(picture, cell, *placed.part, number);
    }
  }
}

// The nodes by leaf; those of no leaf come last, under no name.
std::vector<model::Leaf> rows_of(const model::Pool& pool) {
  std::vector<model::Leaf> out = pool.leaves;
  std::vector<bool> seen(static_cast<std::size_t>(pool.node_count), false);
  for (model::Leaf& leaf : out) {
    std::erase_if(leaf.nodes, [&](std::uint32_t node) { return node >= seen.size() || seen[node]; });
    for (const std::uint32_t node : leaf.nodes) seen[node] = true;
  }
  model::Leaf rest;
  for (std::uint32_t node = 0; node < seen.size(); ++node)
    if (!seen[node]) rest.nodes.push_back(node);
  if (!rest.nodes.empty()) out.push_back(std::move(rest));
  return out;
}

class Drawing {
 public:
  Drawing(const model::Fleet& fleet, std::span<const plan::Plan* const> plans) : plans_(plans) {
    for (const model::Pool& pool : fleet.pools) {
      if (pool.node_count <= 0) continue;
      PoolPicture picture{
          &pool, pool.gpu && pool.gpu->count > 0 ? std::min<std::int64_t>(pool.gpu->count, 64) : 1, {}, {}};
      picture.owner.assign(static_cast<std::size_t>(pool.node_count * picture.cells), unowned);
      mark_state(picture);
      for (std::size_t i = 0; i < plans.size(); ++i) mark_placements(picture, plans[i]->fit, static_cast<int>(i));
      nodes_ += pool.node_count;
      pools_.push_back(std::move(picture));
    }
  }

  std::string svg(const std::string& name) {
    legend();
    for (const PoolPicture& picture : pools_) {
      y_ += 26;
      body_ += text_at(margin, y_, "h", "pool " + picture.pool->name + ": " + summary(picture)) + "\n";
      y_ += 8;
      if (nodes_ <= detailed) detail(picture);
      else overview(picture);
    }
    return head(name) + body_ + "</svg>\n";
  }

 private:
  static constexpr std::int64_t detailed = 256;
  static constexpr long width = 1200, margin = 16;

  std::string head(const std::string& name) const {
    const std::string w = std::to_string(width), h = std::to_string(y_ + margin);
    std::string out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " +
        h + "\" role=\"img\">\n<title>fleet " + escaped(name) + "</title>\n<desc>" + escaped(description_) +
        "</desc>\n<style>text{font-family:sans-serif;" +
        "fill:#000}.h{font-size:14px;font-weight:bold}.t{font-size:11px}.c{font-size:9px;" +
        "text-anchor:middle;font-weight:bold;stroke:#fff;stroke-width:2px;paint-order:stroke}</style>\n" +
        "<defs><pattern id=\"o\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><rect "
        "width=\"4\" height=\"4\" fill=\"#bbb\"/><rect width=\"1\" height=\"1\" fill=\"#444\"/></pattern>" +
        "<pattern id=\"d\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect width=\"5\" "
        "height=\"5\" fill=\"#000\"/><path d=\"M0 0L5 5M5 0L0 5\" stroke=\"#fff\" "
        "stroke-width=\"0.7\"/></pattern>" +
        "<pattern id=\"s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
        "height=\"6\" fill=\"#fff\"/><circle cx=\"3\" cy=\"3\" r=\"1.3\" fill=\"#000\"/></pattern>";
    for (std::size_t i = 0; i < plans_.size(); ++i) out += pattern(i);
    return out + "</defs>\n" + rect(0, 0, width, y_ + margin, "#fff") + "\n";
  }

  static std::string summary(const PoolPicture& picture) {
    std::map<int, long long> count;
    for (const int owner : picture.owner) ++count[owner];
    std::string out = counted(picture.pool->node_count, "node");
    if (picture.pool->gpu && picture.pool->gpu->count > 0)
      out += " of " + counted(picture.pool->gpu->count, picture.pool->gpu->model + " GPU") + "; of " +
             counted(static_cast<long long>(picture.owner.size()), "GPU");
    out += ": ";
    long long placed = 0;
    for (const auto& [owner, n] : count) placed += owner >= 0 ? n : 0;
    out += std::to_string(placed) + " placed, " + std::to_string(count[unowned]) + " free, " +
           std::to_string(count[others]) + " in use, " + std::to_string(count[drained]) + " drained, " +
           std::to_string(count[spare]) + " spare";
    return out;
  }

  // Placements are nodes, or pods that share them.
  static std::string_view unit_of(const plan::Fit& fit) {
    std::set<std::pair<std::string_view, std::uint32_t>> nodes;
    for (const plan::PlacedNode& placed : fit.placements) nodes.emplace(placed.pool, placed.index);
    return nodes.size() < fit.placements.size() ? "pod" : "node";
  }

  // One entry; wraps at the right edge.
  void entry(long& x, int owner, const std::string& mark, const std::string& label) {
    const long wide = 34 + 7 * static_cast<long>(label.size());
    if (x + wide > width - margin && x > margin) x = margin, y_ += 22;
    body_ += "<g stroke=\"#000\" stroke-width=\"0.8\">" + rect(x, y_, 20, 14, fill_of(owner)) + "</g>";
    if (!mark.empty()) body_ += text_at(x + 10, y_ + 10, "c", mark);
    body_ += text_at(x + 25, y_ + 11, "t", label) + "\n";
    x += wide;
  }

  void legend() {
    y_ = margin;
    long x = margin;
    entry(x, unowned, "", "free");
    entry(x, others, "", "in use");
    entry(x, drained, "", "drained");
    entry(x, spare, "", "spare");
    constexpr std::size_t shown = 60;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const plan::Fit& fit = plans_[i]->fit;
      const std::string label =
          letters(i) + " " + plans_[i]->workload->name + ": " +
          (fit.placements.empty() ? std::string(plan::name(fit.verdict))
                                  : counted(static_cast<long long>(fit.placements.size()), unit_of(fit)));
      description_ += (i == 0 ? "" : "; ") + label;
      if (i < shown && !fit.placements.empty()) entry(x, static_cast<int>(i), letters(i), label);
      else if (i < shown) entry(x, unowned, "-", label);
    }
    if (plans_.size() > shown)
      entry(x, unowned, "", counted(static_cast<long long>(plans_.size() - shown), "other") + " not listed");
    y_ += 14;
  }

  // Runs of cells of one owner, framed; the letter in each.
  void cells(const int* owner, std::int64_t count, long x, long cell, long height) {
    for (std::int64_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && owner[end] == owner[begin]) ++end;
      const long left = x + static_cast<long>(begin) * cell, wide = static_cast<long>(end - begin) * cell;
      body_ += rect(left, y_, wide, height, fill_of(owner[begin]));
      if (owner[begin] >= 0 && wide >= 11)
        body_ += text_at(left + wide / 2, y_ + (height > 20 ? height / 2 + 3 : height - 4), "c",
                         letters(static_cast<std::size_t>(owner[begin])));
    }
  }

  // Thin lines between cells, so that they can be counted.
  void grid(long x, std::int64_t count, long cell, long height) {
    std::string path;
    for (std::int64_t i = 1; i < count; ++i)
      path += "M" + std::to_string(x + static_cast<long>(i) * cell) + " " + std::to_string(y_) + "v" +
              std::to_string(height);
    if (!path.empty()) body_ += "<path d=\"" + path + "\" stroke=\"#fff\" stroke-width=\"1\"/>";
    if (!path.empty()) body_ += "<path d=\"" + path + "\" stroke=\"#000\" stroke-width=\"0.3\"/>";
  }

  // The parts of a node's GPUs over its cells: a band each, with the letter of who has it.
  void bands(const PoolPicture& picture, std::uint32_t node, long x, long cell, long height) {
    const auto first = static_cast<std::size_t>(node * picture.cells);
    for (auto at = picture.parts.lower_bound(first);
         at != picture.parts.end() && at->first < first + static_cast<std::size_t>(picture.cells); ++at) {
      const long left = x + static_cast<long>(at->first - first) * cell;
      body_ += rect(left, y_, cell, height, fill_of(unowned)) + "<g stroke=\"#000\" stroke-width=\"0.5\">";
      for (const PartPicture& part : at->second)
        body_ += rect(left, y_ + part.from * height / 100, cell, part.size * height / 100, fill_of(part.owner));
      body_ += "</g>";
      for (const PartPicture& part : at->second)
        body_ += text_at(left + cell / 2, y_ + (2 * part.from + part.size) * height / 200 + 3, "c",
                         letters(static_cast<std::size_t>(part.owner)));
    }
  }

  // Each node a box with its name above and a cell a GPU; tall where GPUs are in parts.
  void detail(const PoolPicture& picture) {
    const bool parts = !picture.parts.empty();
    const long cell = parts ? 15 : picture.cells > 16 ? 4 : 12, height = parts ? 80 : 14;
    const long box = std::max<long>(static_cast<long>(picture.cells) * cell, 48), step = box + 14;
    const long a_row = std::max<long>((width - 2 * margin - 70) / step, 1);
    for (const model::Leaf& leaf : rows_of(*picture.pool)) {
      body_ +=
          text_at(margin, y_ + 24, "t", leaf.name.empty() ? "no leaf" : short_name(leaf.name, picture.pool->name, 10));
      long column = 0;
      for (const std::uint32_t node : leaf.nodes) {
        if (column == a_row) column = 0, y_ += height + 18;
        const long x = margin + 70 + column++ * step;
        body_ += text_at(x, y_ + 10, "t", picture.pool->node_name(node));
        y_ += 13;
        const long wide = picture.cells == 1 ? box : cell;
        cells(&picture.owner[static_cast<std::size_t>(node * picture.cells)], picture.cells, x, wide, height);
        bands(picture, node, x, wide, height);
        grid(x, picture.cells, wide, height);
        body_ +=
            "<g fill-opacity=\"0\" stroke=\"#000\">" + rect(x, y_, wide * picture.cells, height, "#fff") + "</g>\n";
        y_ -= 13;
      }
      y_ += height + 22;
    }
  }

  // The owner of most of a node's cells that have one.
  static int main_owner(const PoolPicture& picture, std::uint32_t node) {
    std::map<int, int> count;
    for (std::int64_t c = 0; c < picture.cells; ++c)
      ++count[picture.owner[static_cast<std::size_t>(node * picture.cells + c)]];
    count.erase(unowned);
    int best = unowned, most = 0;
    for (const auto& [owner, n] : count)
      if (n > most || (n == most && owner >= 0)) best = owner, most = n;
    return best;
  }

  // Each leaf a row of squares, the rows in columns; a leaf of many nodes takes several rows.
  void overview(const PoolPicture& picture) {
    constexpr long cell = 7, height = 11, wrap = 32, label = 46;
    constexpr long column_width = label + wrap * cell + 10, columns = (width - 2 * margin) / column_width;
    struct Row {
      std::string name;
      std::vector<int> owner;
    };
    std::vector<Row> rows;
    for (const model::Leaf& leaf : rows_of(*picture.pool))
      for (std::size_t at = 0; at < leaf.nodes.size(); at += wrap) {
        rows.push_back({at == 0 ? leaf.name : "", {}});
        for (std::size_t n = at; n < std::min<std::size_t>(at + wrap, leaf.nodes.size()); ++n)
          rows.back().owner.push_back(main_owner(picture, leaf.nodes[n]));
      }
    const std::size_t tall = (rows.size() + columns - 1) / columns;
    const long top = y_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const long x = margin + static_cast<long>(i / tall) * column_width;
      y_ = top + static_cast<long>(i % tall) * (height + 3);
      const auto count = static_cast<std::int64_t>(rows[i].owner.size());
      body_ += text_at(x, y_ + height - 2, "t", short_name(rows[i].name, picture.pool->name, 7));
      cells(rows[i].owner.data(), count, x + label, cell, height);
      grid(x + label, count, cell, height);
      body_ += "<g fill-opacity=\"0\" stroke=\"#000\" stroke-width=\"0.6\">" +
               rect(x + label, y_, static_cast<long>(count) * cell, height, "#fff") + "</g>\n";
    }
    y_ = top + static_cast<long>(tall) * (height + 3);
  }

  std::span<const plan::Plan* const> plans_;
  std::vector<PoolPicture> pools_;
  std::int64_t nodes_ = 0;
  long y_ = 0;
  std::string body_, description_;
};

}  // namespace

std::string fleet_svg(const model::Fleet& fleet, std::span<const plan::Plan* const> plans) {
  return Drawing(fleet, plans).svg(fleet.name);
}

}  // namespace muster::cli
