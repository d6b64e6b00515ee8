#include "emd/map/map_mask.h"

namespace fovea::emd {
namespace {

// A box whose sides are empty has been shrunk; this many cuts after one another are enough for what
// moves in a frame, and each looks at all pixels of a box.
constexpr int kMostCuts = 12;

struct Gap {
  int first = 0, count = 0;
};

// The widest run of zeros, the first of several.
Gap widest_gap(const std::vector<char>& used) {
  Gap widest, gap;
  for (int i = 0; i < static_cast<int>(used.size()); ++i) {
    if (used[static_cast<std::size_t>(i)] != 0) gap = {i + 1, 0};
    else if (++gap.count > widest.count) widest = gap;
  }
  return widest;
}

// Which rows and columns of a box have a pixel of the mask.
struct Profile {
  std::vector<char> rows, columns;

  Profile(ImageView<const std::uint8_t> mask, const Rect<int>& box)
      : rows(static_cast<std::size_t>(box.height)), columns(static_cast<std::size_t>(box.width)) {
    for (int y = 0; y < box.height; ++y) {
      const std::uint8_t* const row = mask.row(box.y + y) + box.x;
      char any = 0;
      for (std::size_t x = 0; x < columns.size(); ++x) {
        const char set = row[x] != 0 ? 1 : 0;
        columns[x] = static_cast<char>(columns[x] | set);
        any = static_cast<char>(any | set);
      }
      rows[static_cast<std::size_t>(y)] = any;
    }
  }
  // The box without empty rows and columns at its sides.
  Rect<int> shrunk(const Rect<int>& box) const {
    const auto first = [](const std::vector<char>& used) {
      return static_cast<int>(std::find(used.begin(), used.end(), 1) - used.begin());
    };
    const auto last = [](const std::vector<char>& used) {
      return static_cast<int>(used.rend() - std::find(used.rbegin(), used.rend(), 1));
    };
    const int left = first(columns), top = first(rows);
    return {box.x + left, box.y + top, std::max(0, last(columns) - left),
            std::max(0, last(rows) - top)};
  }
};

void split(ImageView<const std::uint8_t> mask, const Rect<int>& within, int reach, int cuts,
           std::vector<Rect<int>>& boxes) {
  Profile profile(mask, within);
  const Rect<int> box = profile.shrunk(within);
  if (box.empty()) return;
  if (box != within) profile = Profile(mask, box);
  const Gap row = widest_gap(profile.rows), column = widest_gap(profile.columns);
  const bool by_row = row.count >= column.count;
  const Gap& gap = by_row ? row : column;
  if (cuts == 0 || gap.count <= 2 * reach) {
    boxes.push_back(box);
    return;
  }
  Rect<int> one = box, other = box;
  if (by_row) {
    one.height = gap.first;
    other.y += gap.first + gap.count;
    other.height -= gap.first + gap.count;
  } else {
    one.width = gap.first;
    other.x += gap.first + gap.count;
    other.width -= gap.first + gap.count;
  }
  split(mask, one, reach, cuts - 1, boxes);
  split(mask, other, reach, cuts - 1, boxes);
}

template <class View>
View part_of(const View& view, const Rect<int>& box) {
  return view.empty() ? view : view.crop(box.x, box.y, box.width, box.height);
}

}  // namespace

std::vector<Rect<int>> box_around(ImageView<const std::uint8_t> mask) {
  if (mask.empty()) return {};
  const Rect<int> whole{0, 0, mask.width, mask.height};
  const Rect<int> box = Profile(mask, whole).shrunk(whole);
  if (box.empty()) return {};
  return {box};
}

std::vector<Rect<int>> boxes_of(ImageView<const std::uint8_t> mask, int reach) {
  std::vector<Rect<int>> boxes;
  if (!mask.empty()) split(mask, {0, 0, mask.width, mask.height}, reach, kMostCuts, boxes);
  return boxes;
}

Rect<int> reached_from(const Rect<int>& box, int reach, int width, int height) {
  return intersect<int>(
      {box.x - reach, box.y - reach, box.width + 2 * reach, box.height + 2 * reach},
      {0, 0, width, height});
}

MapFrame cut(const MapFrame& frame, const Rect<int>& box) {
  return {part_of(frame.labels, box), part_of(frame.bytes, box), part_of(frame.words, box),
          part_of(frame.distances, box), part_of(frame.mask, box)};
}

}  // namespace fovea::emd
