// Descriptors of all or some places of an image on the CPU: tiles of places are divided among all
// threads.
#include <algorithm>
#include <numeric>

#include "scenes/describe/bank_math.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/describe_cpu.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kStripPixels = 512;  // rings of wider lines would not stay in the second-level cache
constexpr int kTileLines = 64;

int pieces(int size, int most) { return (size + most - 1) / most; }

// The places that are wanted, ordered by their indices, and the rows they are written to.
struct Wanted {
  std::span<const std::int64_t> places;
  std::vector<std::int64_t> order;  // indices into places; empty if all places are wanted

  explicit Wanted(std::span<const std::int64_t> wanted) : places(wanted), order(wanted.size()) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return place(a) < place(b); });
  }
  std::int64_t place(std::int64_t i) const { return places[static_cast<std::size_t>(i)]; }
  // Calls put(place, row) for the wanted ones among `count` places from `first`.
  template <class Put>
  void each(std::int64_t first, int count, const Put& put) const {
    auto at = std::lower_bound(order.begin(), order.end(), first,
                               [&](auto a, auto number) { return place(a) < number; });
    for (; at != order.end() && place(*at) < first + count; ++at)
      put(static_cast<int>(place(*at) - first), *at);
  }
  bool any(std::int64_t first, int count) const {
    bool found = places.empty();
    if (!found) each(first, count, [&](int, std::int64_t) { found = true; });
    return found;
  }
};

void copy_place(const PlaceBlock& block, int place, std::span<float> to) {
  if (block.planar) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = block.numbers[static_cast<std::ptrdiff_t>(i) * block.stride + place];
  } else {
    std::copy_n(block.numbers + place * block.stride, to.size(), to.begin());
  }
}

// Copies line i of a block to the rows of its places.
void copy_line(const PlaceBlock& block, int i, ImageView<float> rows) {
  const int first = i * block.places.columns;
  if (block.planar) return planes_to_rows(block.numbers + first, block.stride, rows.height, rows);
  for (int p = 0; p < rows.height; ++p)
    std::copy_n(block.numbers + (first + p) * block.stride, rows.width, rows.row(p));
}

}  // namespace

std::vector<PlaceTile> place_tiles(std::span<const PlaceGrid> grids, int most_lines) {
  std::vector<PlaceTile> tiles;
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const PlaceGrid& grid = grids[g];
    const int strips = pieces(grid.columns, std::max(1, kStripPixels / grid.step));
    const int bands = pieces(grid.rows, std::max(1, most_lines / grid.step));
    const auto cut = [](int size, int part, int parts) {
      return static_cast<int>(static_cast<std::int64_t>(size) * part / parts);
    };
    for (int band = 0; band < bands; ++band) {
      const int line = cut(grid.rows, band, bands), end = cut(grid.rows, band + 1, bands);
      for (int strip = 0; strip < strips; ++strip) {
        const int column = cut(grid.columns, strip, strips);
        tiles.push_back({static_cast<int>(g), line, end - line, column,
                         cut(grid.columns, strip + 1, strips) - column});
      }
    }
  }
  return tiles;
}

std::unique_ptr<Describer> make_describer(const DescriptorOptions& options,
                                          const Standard& standard) {
  return options.words == WordSource::kFilters ? make_filter_describer(options, standard)
                                               : make_gradient_describer(options, standard);
}

void descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options,
                 std::span<const std::int64_t> places, ImageView<float> out, const Exec& exec) {
  const auto grids = place_grids(options, image.width, image.height);
  std::vector<std::int64_t> starts(1, 0);  // first index of each grid among all places
  for (const PlaceGrid& grid : grids) starts.push_back(starts.back() + grid.count());
  const Wanted wanted(places);
  const int most_lines = thread_count(exec) == 1 ? image.height : kTileLines;
  const auto tiles = place_tiles(grids, most_lines);
  parallel_for(
      exec, static_cast<std::int64_t>(tiles.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        const auto describer = make_describer(options, {});
        for (std::int64_t t = begin; t < end; ++t) {
          const PlaceTile& tile = tiles[static_cast<std::size_t>(t)];
          const PlaceGrid& grid = grids[static_cast<std::size_t>(tile.grid)];
          const auto number = [&](int line) {
            return starts[static_cast<std::size_t>(tile.grid)] +
                   static_cast<std::int64_t>(line) * grid.columns + tile.column;
          };
          bool any = false;
          for (int line = tile.line; line < tile.line + tile.lines && !any; ++line)
            any = wanted.any(number(line), tile.columns);
          if (!any) continue;
          describer->describe(image, grid, tile, [&](const PlaceBlock& block) {
            for (int i = 0; i < block.places.lines; ++i) {
              const std::int64_t first = number(block.places.line + i);
              if (places.empty())
                copy_line(block, i, out.crop(0, static_cast<int>(first), out.width, tile.columns));
              else
                wanted.each(first, tile.columns, [&](int place, std::int64_t row) {
                  copy_place(block, i * tile.columns + place,
                             {out.row(static_cast<int>(row)), static_cast<std::size_t>(out.width)});
                });
            }
          });
        }
      });
}

}  // namespace fovea::scenes::cpu
