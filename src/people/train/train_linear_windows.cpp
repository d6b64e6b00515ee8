// Reading training images one at a time, their descriptors, and the search for hard windows. Work
// is divided by image; every result has its own row or a place in a total order, so that threads
// leave no trace.
#include "people/train/train_linear_windows.h"

#include <fovea/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/parallel.h"
#include "io/crc32.h"
#include "people/level_image.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr int kImagesPerReport = 16;  // progress comes from the calling thread, between batches

void in_batches(const Exec& exec, const char* stage, int count,
                const std::function<void(int)>& task) {
  for (int first = 0; first < count; first += kImagesPerReport) {
    const int batch = std::min(kImagesPerReport, count - first);
    parallel_for(exec, batch, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) task(first + static_cast<int>(i));
    });
    if (exec.progress)
      exec.progress({stage, static_cast<double>(first + batch), static_cast<double>(count)});
  }
}

std::uint32_t checksum_of(const Image<std::uint8_t>& image) {
  std::uint32_t crc = 0;
  for (int y = 0; y < image.height(); ++y)
    crc = io::crc32(std::as_bytes(std::span(image.row(y),
                                            static_cast<std::size_t>(image.view().row_elements()))),
                    crc);
  return crc;
}

}  // namespace

ImageSurvey survey_images(const ImageSet& images, const Exec& exec) {
  const int count = images.count();
  ImageSurvey survey;
  survey.sizes.resize(static_cast<std::size_t>(count));
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(count));
  in_batches(exec, "looking through images", count, [&](int i) {
    const Image<std::uint8_t> image = images.read(i);
    survey.sizes[static_cast<std::size_t>(i)] = {image.width(), image.height()};
    sums[static_cast<std::size_t>(i)] = checksum_of(image);
  });
  survey.checksum = io::crc32(std::as_bytes(std::span(sums)));
  return survey;
}

bool before(const WindowPlace& a, const WindowPlace& b) {
  return std::tie(a.image, a.level, a.row, a.column) < std::tie(b.image, b.level, b.row, b.column);
}

HardWindows::HardWindows(int most, float above, SampleRows* samples)
    : most_(most),
      least_(most > 0 ? std::nextafter(above, std::numeric_limits<float>::infinity())
                      : std::numeric_limits<float>::infinity()),
      samples_(samples) {
  kept_.reserve(static_cast<std::size_t>(most));
}

bool HardWindows::harder(const Kept& a, const Kept& b) {
  return a.score != b.score ? a.score > b.score : before(a.place, b.place);
}

// The row of a window that is kept, for which the easiest may have to go; -1 where it is not.
int HardWindows::take(float score, const WindowPlace& place) {
  if (most_ == 0 || !promising(score)) return -1;
  Kept entry{score, place, count()};
  if (full()) {
    if (!harder(entry, kept_.front())) return -1;
    std::pop_heap(kept_.begin(), kept_.end(), harder);
    entry.row = kept_.back().row;
    kept_.pop_back();
  }
  kept_.push_back(entry);
  std::push_heap(kept_.begin(), kept_.end(), harder);
  if (full()) least_.store(kept_.front().score, std::memory_order_relaxed);
  return entry.row;
}

std::vector<WindowPlace> HardWindows::finish() {
  std::sort(kept_.begin(), kept_.end(),
            [](const Kept& a, const Kept& b) { return before(a.place, b.place); });
  std::vector<WindowPlace> places;
  for (const Kept& entry : kept_) places.push_back(entry.place);
  if (samples_ == nullptr) return places;
  // Row k takes what lies in kept_[k].row: along the cycles of this permutation, one row aside.
  std::vector<bool> done(kept_.size());
  std::vector<float> aside(static_cast<std::size_t>(samples_->rows.width()));
  const auto row = [&](std::size_t k) {
    return samples_->row(samples_->used + static_cast<int>(k));
  };
  for (std::size_t start = 0; start < kept_.size(); ++start) {
    if (done[start]) continue;
    std::ranges::copy(row(start), aside.begin());
    std::size_t to = start;
    for (;;) {
      done[to] = true;
      const auto from = static_cast<std::size_t>(kept_[to].row);
      if (from == start) break;
      std::ranges::copy(row(from), row(to).begin());
      to = from;
    }
    std::ranges::copy(aside, row(to).begin());
  }
  samples_->used += count();
  return places;
}

// What one thread needs: a grid, the image of a level and the scores of its windows.
struct TrainWindows::Worker {
  Worker(Kind kind, const HogOptions& hog) : grid(kind, hog) {}

  void build(ImageView<const std::uint8_t> image, const ScanPlan& plan, const ScanLevel& level) {
    const Extent size = plan.padded(level);
    const auto pixels = static_cast<std::size_t>(size.width) * size.height * image.channels;
    if (memory.size() < pixels) memory.resize(pixels);
    const auto padded = packed_view(memory.data(), size.width, size.height, image.channels);
    cpu::level_image(image, plan, level, padded, exec);
    grid.build(padded, plan, exec);
  }

  cpu::HogGrid grid;
  std::vector<std::uint8_t> memory;
  std::vector<float> scores;
  Exec exec{.device = Device::cpu(), .threads = 1};
};

TrainWindows::TrainWindows(const Setup& setup, const Exec& exec) : setup_(setup), exec_(exec) {
  for (std::size_t i = 0; i < setup_.sizes.size(); ++i)
    for (const ScanLevel& level : plan(static_cast<int>(i)).levels)
      count_ += static_cast<std::int64_t>(level.columns) * level.rows;
}
TrainWindows::~TrainWindows() = default;

ScanPlan TrainWindows::plan(int negative) const {
  return plan_scan(setup_.sizes[static_cast<std::size_t>(negative)], setup_.hog.window(), 1,
                   setup_.search);
}

void TrainWindows::for_each(const char* stage, int count,
                            const std::function<void(Worker&, int)>& task) {
  in_batches(exec_, stage, count, [&](int index) {
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
  for_each("describing positives", count, [&](Worker& worker, int index) {
    Image<std::uint8_t> crop = setup_.data.positives.read(index);
    ScanPlan plan = plan_crop({crop.width(), crop.height()}, setup_.hog.window());
    // One window, so that a grid need not be as fine as a pixel.
    plan.stride = setup_.hog.cell * std::max(crop.width(), crop.height());
    for (int turn = 0; turn < each; ++turn) {
      if (turn == 1) crop = mirrored(crop);
      worker.grid.build(crop, plan, worker.exec);
      worker.grid.descriptor(0, 0, samples.row(samples.used + index * each + turn));
    }
  });
  samples.used += each * count;
}

void TrainWindows::describe_places(std::span<const WindowPlace> places, SampleRows& samples) {
  // Those of one image together, level by level.
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place_of = [&](int k) -> const WindowPlace& {
    return places[static_cast<std::size_t>(k)];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return before(place_of(a), place_of(b)); });
  std::vector<std::span<const int>> images;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && place_of(order[last]).image == place_of(order[first]).image)
      ++last;
    images.push_back(std::span(order).subspan(first, last - first));
  }
  for_each("describing windows", static_cast<int>(images.size()), [&](Worker& worker, int index) {
    const std::span<const int> group = images[static_cast<std::size_t>(index)];
    const int negative = place_of(group[0]).image;
    const Image<std::uint8_t> image = setup_.data.negatives.read(negative);
    const ScanPlan levels = plan(negative);
    int level = -1;
    for (const int k : group) {
      const WindowPlace& place = place_of(k);
      if (place.level != level) {
        level = place.level;
        worker.build(image, levels, levels.levels[static_cast<std::size_t>(level)]);
      }
      worker.grid.descriptor(place.column, place.row, samples.row(samples.used + k));
    }
  });
  samples.used += static_cast<int>(places.size());
}

void TrainWindows::search(const LinearModel& model, std::span<const WindowPlace> known,
                          const char* stage, HardWindows& hard) {
  for_each(stage, setup_.data.negatives.count(), [&](Worker& worker, int negative) {
    const Image<std::uint8_t> image = setup_.data.negatives.read(negative);
    const ScanPlan levels = plan(negative);
    for (std::size_t k = 0; k < levels.levels.size(); ++k) {
      throw_if_stopped(exec_);
      worker.build(image, levels, levels.levels[k]);
      const int columns = worker.grid.columns(), rows = worker.grid.rows();
      worker.scores.resize(static_cast<std::size_t>(columns) * rows);
      const auto scores = packed_view(worker.scores.data(), columns, rows);
      worker.grid.scores(model, scores, worker.exec);
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          const float score = scores.at(column, row);
          if (!hard.promising(score)) continue;
          const WindowPlace place{negative, static_cast<int>(k), column, row};
          if (std::binary_search(known.begin(), known.end(), place, before)) continue;
          hard.offer(score, place,
                     [&](std::span<float> out) { worker.grid.descriptor(column, row, out); });
        }
    }
  });
}

}  // namespace fovea::people
