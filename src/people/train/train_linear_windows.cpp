// Reads training images one at a time, computes their descriptors, and searches for hard windows.
// Work is divided by image; every result has its own row or a place in a total order, so that
// threads have no influence. Windows are searched for on the device of exec and described on the
// CPU.
#include "people/train/train_linear_windows.h"

#include <fovea/core/random.h>
#include <fovea/io/image_io.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "people/hog/hog_layout.h"
#include "people/level_image.h"

namespace fovea::people {

HardWindows::HardWindows(int most, float above)
    : most_(most),
      least_(most > 0 ? std::nextafter(above, std::numeric_limits<float>::infinity())
                      : std::numeric_limits<float>::infinity()) {
  kept_.reserve(static_cast<std::size_t>(most));
}

bool HardWindows::harder(const MinedWindow& a, const MinedWindow& b) {
  return a.score != b.score ? a.score > b.score : before(a.place, b.place);
}

void HardWindows::offer(float score, const WindowPlace& place) {
  const std::lock_guard lock(mutex_);
  const MinedWindow entry{place, score};
  if (most_ == 0 || !(score >= least())) return;
  if (full()) {
    if (!harder(entry, kept_.front())) return;
    std::pop_heap(kept_.begin(), kept_.end(), harder);
    kept_.pop_back();
  }
  kept_.push_back(entry);
  std::push_heap(kept_.begin(), kept_.end(), harder);
  if (full()) least_.store(kept_.front().score, std::memory_order_relaxed);
}

std::vector<MinedWindow> HardWindows::windows() const {
  std::vector<MinedWindow> windows = kept_;
  std::sort(windows.begin(), windows.end(),
            [](const MinedWindow& a, const MinedWindow& b) { return before(a.place, b.place); });
  return windows;
}

// What one thread needs: a grid, and the image of a level.
struct TrainWindows::Worker {
  Worker(Kind kind, const HogOptions& options)
      : hog(hog_of_kind(kind, options)), grid(kind, options) {
    const bool cells = kind != Kind::kHog;
    const HogSide side = side_across(hog);
    unit = cells ? side.cell : side.block();
    part = cells ? side.cell : 0;
    around = surrounding_pixels(hog);
  }

  // Converted to gray before it is resized where the descriptor has no color, as scanners do.
  void set(Image<std::uint8_t> image) {
    source = hog.color || image.channels() == 1 ? std::move(image) : io::to_gray(image);
  }

  // The windows of one level; descriptor `k` goes to row_of(k).
  template <class RowOf>
  void describe(const ScanPlan& plan, std::span<const WindowPlace> places, RowOf row_of) {
    const ScanLevel& level = plan.levels[static_cast<std::size_t>(places[0].level)];
    const Extent size = plan.padded(level);
    const auto pixels = static_cast<std::size_t>(size.width) * size.height * source.channels();
    if (memory.size() < pixels) memory.resize(pixels);
    const auto padded = packed_view(memory.data(), size.width, size.height, source.channels());
    cpu::level_image(source, plan, level, padded, exec);
    std::int64_t apart = 0;  // pixels around the windows
    for (const WindowPlace& place : places) {
      const Surroundings around = surroundings(plan, level, place);
      apart += static_cast<std::int64_t>(around.size.width) * around.size.height;
    }
    if (apart >= static_cast<std::int64_t>(size.width) * size.height) {
      grid.build(padded, plan, exec);
      for (std::size_t k = 0; k < places.size(); ++k)
        grid.descriptor(places[k].column, places[k].row, row_of(k));
      return;
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Surroundings s = surroundings(plan, level, places[k]);
      const ScanPlan alone{plan.window, plan.stride, 0, 0, {{s.size, 1, 1, s.columns, s.rows}}};
      grid.build(padded.crop(s.first_column * plan.stride, s.first_row * plan.stride, s.size.width,
                             s.size.height),
                 alone, exec);
      grid.descriptor(places[k].column - s.first_column, places[k].row - s.first_row, row_of(k));
    }
  }

  // A part of a level in which a window has exactly the descriptor that it has in the level: with
  // the pixels that gradients at its border need, on the same grid of blocks (which more than one
  // window decides, where there are several), and beginning where the pixels of a line vote in the
  // same order.
  struct Surroundings {
    int first_column, first_row, columns, rows;
    Extent size;
  };
  Surroundings surroundings(const ScanPlan& plan, const ScanLevel& level,
                            const WindowPlace& place) const {
    const int blocks = std::gcd(plan.stride, hog.block_stride), votes = std::gcd(blocks, part);
    const int period = (unit + votes - 1) / votes * votes;
    const int step = period / std::gcd(period, plan.stride);
    const Extent padded = plan.padded(level);
    Surroundings s{};
    const int before = (around + plan.stride - 1) / plan.stride;  // windows to begin earlier
    s.first_column = std::max(place.column - before, 0) / step * step;
    s.first_row = std::max(place.row - before, 0);
    s.columns = std::max(place.column, std::min(s.first_column + 1, level.columns - 1)) + 1 -
                s.first_column;
    s.rows = std::max(place.row, std::min(s.first_row + 1, level.rows - 1)) + 1 - s.first_row;
    const int right = (s.first_column + s.columns - 1) * plan.stride + plan.window.width + around;
    const int bottom = (s.first_row + s.rows - 1) * plan.stride + plan.window.height + around;
    s.size = {std::min(right, padded.width) - s.first_column * plan.stride,
              std::min(bottom, padded.height) - s.first_row * plan.stride};
    return s;
  }

  HogOptions hog;
  int unit, part;  // pixels of a unit that votes go to, and of its grid where that is finer than
                   // the grid of blocks
  int around;      // pixels around a window that its descriptor depends on
  cpu::HogGrid grid;
  Image<std::uint8_t> source;
  std::vector<std::uint8_t> memory;
  Exec exec{.device = Device::cpu(), .threads = 1};
};

TrainWindows::TrainWindows(const Setup& setup, const Exec& exec) : setup_(setup), exec_(exec) {
  for (std::size_t i = 0; i < setup_.sizes.size(); ++i)
    for (const ScanLevel& level : plan(static_cast<int>(i)).levels)
      count_ += static_cast<std::int64_t>(level.columns) * level.rows;
}
TrainWindows::~TrainWindows() = default;

ScanPlan TrainWindows::plan(Extent image) const {
  return plan_scan(image, setup_.hog.window, 1, setup_.search);
}

ScanPlan TrainWindows::plan(int negative) const {
  return plan(setup_.sizes[static_cast<std::size_t>(negative)]);
}

void TrainWindows::for_each(const ImageLoop& loop, const std::function<void(Worker&, int)>& task) {
  for_each_image(loop, exec_, [&](int index) {
    std::unique_ptr<Worker> worker;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        worker = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!worker) worker = std::make_unique<Worker>(setup_.kind, setup_.hog);
    task(*worker, index);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  });
}

void TrainWindows::describe_positives(bool mirror, SampleRows& samples) {
  const int each = mirror ? 2 : 1, count = setup_.data.positives.count();
  for_each({"describing positives", count}, [&](Worker& worker, int index) {
    Image<std::uint8_t> crop = setup_.data.positives.read(index);
    ScanPlan plan = plan_crop({crop.width(), crop.height()}, setup_.hog.window);
    // A single window, so that a grid need not be as fine as a pixel.
    plan.stride = setup_.hog.block_stride * std::max(crop.width(), crop.height());
    for (int turn = 0; turn < each; ++turn) {
      if (turn == 1) crop = mirrored(crop);
      worker.grid.build(crop, plan, worker.exec);
      worker.grid.descriptor(0, 0, samples.row(samples.used + index * each + turn));
    }
  });
  samples.used += each * count;
}

void TrainWindows::describe_places(std::span<const WindowPlace> places, SampleRows& samples) {
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return before(places[static_cast<std::size_t>(a)], places[static_cast<std::size_t>(b)]);
  });
  std::vector<WindowPlace> sorted;
  sorted.reserve(places.size());
  for (const int k : order) sorted.push_back(places[static_cast<std::size_t>(k)]);
  std::vector<std::size_t> firsts;  // first place of every image that has some
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (k == 0 || sorted[k].image != sorted[k - 1].image) firsts.push_back(k);
  const auto images = static_cast<int>(firsts.size());
  firsts.push_back(sorted.size());
  for_each({"describing windows", images}, [&](Worker& worker, int index) {
    std::size_t first = firsts[static_cast<std::size_t>(index)];
    const std::size_t end = firsts[static_cast<std::size_t>(index) + 1];
    worker.set(setup_.data.negatives.read(sorted[first].image));
    const ScanPlan levels = plan(sorted[first].image);
    for (std::size_t last = first; first < end; first = last) {
      while (last < end && sorted[last].level == sorted[first].level) ++last;
      worker.describe(levels, std::span(sorted).subspan(first, last - first),
                      [&](std::size_t k) { return samples.row(samples.used + order[first + k]); });
    }
  });
  samples.used += static_cast<int>(places.size());
}

std::vector<WindowPlace> random_places(const TrainWindows& windows, int images, int each,
                                       std::uint64_t seed) {
  std::vector<WindowPlace> places;
  for (int i = 0; i < images; ++i) {
    const ScanPlan plan = windows.plan(i);
    if (plan.levels.empty()) continue;
    Random random(seed, static_cast<std::uint64_t>(i));
    const std::size_t first = places.size();
    for (int k = 0; k < each; ++k) {
      const auto level = random.below(static_cast<std::uint32_t>(plan.levels.size()));
      const auto column = random.below(static_cast<std::uint32_t>(plan.levels[level].columns));
      const auto row = random.below(static_cast<std::uint32_t>(plan.levels[level].rows));
      places.push_back(
          {i, static_cast<int>(level), static_cast<int>(column), static_cast<int>(row)});
    }
    const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, places.end(), before);
    places.erase(std::unique(begin, places.end()), places.end());
  }
  return places;
}

}  // namespace fovea::people
