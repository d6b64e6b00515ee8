// A window has changed where the number of changed labels in it is above 0. Changes are counted
// column by column with a running count, 255 at most; then they are spread along each row.
#include "emd/scene/changes.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/parallel.h"

namespace fovea::emd {
namespace {

constexpr std::int64_t kChangeRows = 64;

struct Pair {
  ImageView<const std::uint8_t> labels, before;

  // Adds the changes of a row to the counts of its columns, or takes them away.
  template <int kSign>
  void count_row(int y, std::uint8_t* counts) const {
    if (y < 0 || y >= labels.height) return;
    const std::uint8_t* const now = labels.row(y);
    const std::uint8_t* const then = before.row(y);
    for (int x = 0; x < labels.width; ++x)
      counts[x] = static_cast<std::uint8_t>(counts[x] + (now[x] != then[x] ? kSign : 0));
  }
};

// Spreads counts above 0 to the `reach` pixels on both sides. Returns how many there are then.
std::int64_t spread(const std::vector<std::uint8_t>& counts, int reach, std::uint8_t* out) {
  const auto width = static_cast<int>(counts.size());
  std::fill_n(out, width, std::uint8_t{0});
  std::int64_t marked = 0;
  int done = 0;  // pixels before this one are settled
  for (int x = 0; x < width; ++x) {
    if (counts[static_cast<std::size_t>(x)] == 0) continue;
    const int first = std::max(done, x - reach), last = std::min(width, x + reach + 1);
    std::fill(out + first, out + last, std::uint8_t{1});
    marked += last - first;
    done = last;
  }
  return marked;
}

}  // namespace

std::int64_t mark_changes(ImageView<const std::uint8_t> labels,
                          ImageView<const std::uint8_t> before, int reach,
                          ImageView<std::uint8_t> mask, const Exec& exec) {
  const Pair pair{labels, before};
  std::atomic<std::int64_t> marked{0};
  parallel_for(exec, labels.height, kChangeRows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint8_t> counts(static_cast<std::size_t>(labels.width));
    const auto first = static_cast<int>(begin), last = static_cast<int>(end);
    for (int y = first - reach; y < first + reach; ++y) pair.count_row<1>(y, counts.data());
    std::int64_t here = 0;
    for (int y = first; y < last; ++y) {
      pair.count_row<1>(y + reach, counts.data());
      here += spread(counts, reach, mask.row(y));
      pair.count_row<-1>(y - reach, counts.data());
    }
    marked += here;
  });
  return marked;
}

}  // namespace fovea::emd
