// Training images are read again whenever they are needed, one image per task; only the windows
// that are learned from stay in memory.
#include "people/train/train_channels_samples.h"

#include <fovea/core/random.h>
#include <fovea/ops/resize.h>

#include <algorithm>
#include <cmath>

namespace fovea::people {
namespace {

constexpr int kDecayImages = 100;  // images on which the decay is measured
// Sequences of random numbers for windows, and for the jitter of positives.
constexpr std::uint64_t kChance = 1ULL << 60U, kJitter = 1ULL << 59U;

Exec alone() { return {.device = Device::cpu(), .threads = 1}; }

Extent extent(const Image<std::uint8_t>& image) { return {image.width(), image.height()}; }

std::int64_t windows(const ScanPlan& plan) {
  std::int64_t count = 0;
  for (const ScanLevel& level : plan.levels)
    count += static_cast<std::int64_t>(level.columns) * level.rows;
  return count;
}

// The window with number `index` among all windows of a plan.
WindowPlace place_of(const ScanPlan& plan, int image, std::int64_t index) {
  for (int l = 0;; ++l) {
    const ScanLevel& level = plan.levels[static_cast<std::size_t>(l)];
    const std::int64_t here = static_cast<std::int64_t>(level.columns) * level.rows;
    if (index < here)
      return {image, l, static_cast<int>(index % level.columns),
              static_cast<int>(index / level.columns)};
    index -= here;
  }
}

// The image around the same middle, moved and resized a little, with its own size. What comes from
// beyond the border repeats it.
Image<std::uint8_t> jittered(const Image<std::uint8_t>& image, const Jitter& jitter,
                             Random& random) {
  const auto step = [&] {
    return static_cast<int>(random.below(2 * static_cast<std::uint32_t>(jitter.pixels) + 1)) -
           jitter.pixels;
  };
  const int dx = step(), dy = step();
  const double scale = std::pow(jitter.ratio, 2 * random.uniform() - 1);
  const Extent size{std::max(1, static_cast<int>(std::lround(image.width() * scale))),
                    std::max(1, static_cast<int>(std::lround(image.height() * scale)))};
  Image<std::uint8_t> resized(size.width, size.height, image.channels());
  resize(image.view(), resized.view(), {.exec = alone()});
  Image<std::uint8_t> out(image.width(), image.height(), image.channels());
  const int left = (size.width - image.width()) / 2 + dx,
            top = (size.height - image.height()) / 2 + dy;
  for (int y = 0; y < out.height(); ++y)
    for (int x = 0; x < out.width(); ++x)
      for (int c = 0; c < out.channels(); ++c)
        out.at(x, y, c) = resized.at(std::clamp(x + left, 0, size.width - 1),
                                     std::clamp(y + top, 0, size.height - 1), c);
  return out;
}

// The window in the middle of a crop as the second of two levels, whose channels come from those of
// the first. That is smaller or larger than the crop, by as much as levels of a search may differ
// from the one that they come from.
ScanPlan plan_resampled(Extent crop, Extent window, int exact_per_octave, Random& random) {
  ScanPlan plan = plan_crop(crop, window);
  const double most = 0.5 / exact_per_octave, size = std::exp2((2 * random.uniform() - 1) * most);
  ScanLevel source = plan.levels[0];
  source.size = {std::max(1, static_cast<int>(std::lround(crop.width * size))),
                 std::max(1, static_cast<int>(std::lround(crop.height * size)))};
  source.scale_x = static_cast<double>(crop.width) / source.size.width;
  source.scale_y = static_cast<double>(crop.height) / source.size.height;
  plan.levels.insert(plan.levels.begin(), source);
  return plan;
}

std::vector<WindowPlace> joined(const std::vector<std::vector<WindowPlace>>& parts) {
  std::vector<WindowPlace> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

ChannelWindows::ChannelWindows(const Setup& setup, const Exec& exec) : setup_(setup), exec_(exec) {}

void ChannelWindows::use(const ChannelPyramid& pyramid, const FilterBank* bank) {
  pyramid_ = pyramid;
  bank_ = bank;
}

int ChannelWindows::features() const {
  return setup_.window.width / channels::kCell * (setup_.window.height / channels::kCell) *
         channels::kChannels * (bank_ ? bank_->filters : 1);
}

ScanPlan ChannelWindows::plan(Extent image) const {
  return plan_scan(image, setup_.window, setup_.person_height, setup_.search);
}

void ChannelWindows::take_level(const cpu::ChannelLevels::Level& level, Cells& cells) const {
  cells.level = level;
  if (bank_) cpu::filter_cells(*level.cells, *bank_, cells.filtered, alone());
}

void ChannelWindows::copy_window(const Cells& cells, int column, int row, std::uint8_t* out) const {
  const int columns = setup_.window.width / channels::kCell,
            rows = setup_.window.height / channels::kCell;
  const int margin = bank_ ? filtered::kReach : 0;
  const int x = cells.level.first_column + column - margin,
            y = cells.level.first_row + row - margin;
  const int lines = channels::kChannels * (bank_ ? bank_->filters : 1);
  for (int k = 0; k < lines; ++k)
    for (int r = 0; r < rows; ++r, out += columns)
      std::copy_n((bank_ ? cells.filtered.line(y + r, k) : cells.level.cells->line(y + r, k)) + x,
                  columns, out);
}

std::vector<std::uint8_t> ChannelWindows::positives(bool mirror, const Jitter& jitter) const {
  const int sides = mirror ? 2 : 1, copies = sides * (1 + jitter.copies),
            count = setup_.data.positives.count();
  const auto bytes = static_cast<std::size_t>(features());
  std::vector<std::uint8_t> rows(bytes * copies * count);
  for_each_image({"reading positives", count}, exec_, [&](int i) {
    const Image<std::uint8_t> image = setup_.data.positives.read(i);
    const ScanPlan crop = plan_crop(extent(image), setup_.window);
    cpu::ChannelLevels levels;
    Cells cells;
    std::uint8_t* out = rows.data() + bytes * copies * i;
    const auto add = [&](const Image<std::uint8_t>& one, const ScanPlan& plan) {
      for (int side = 0; side < sides; ++side, out += bytes) {
        const Image<std::uint8_t> other = side == 0 ? Image<std::uint8_t>() : mirrored(one);
        levels.start(side == 0 ? one.view() : other.view(), plan, pyramid_);
        take_level(levels.make(static_cast<int>(plan.levels.size()) - 1, alone()), cells);
        copy_window(cells, 0, 0, out);
      }
    };
    add(image, crop);
    for (int copy = 1; copy <= jitter.copies; ++copy) {
      Random random(exec_.seed, kJitter + static_cast<std::uint64_t>(i) * 1024U +
                                    static_cast<std::uint64_t>(copy));
      const Image<std::uint8_t> moved = jittered(image, jitter, random);
      add(moved, jitter.resample && pyramid_.exact_per_octave > 0
                     ? plan_resampled(crop.levels[0].size, setup_.window, pyramid_.exact_per_octave,
                                      random)
                     : crop);
    }
  });
  return rows;
}

std::vector<std::uint8_t> ChannelWindows::negatives(std::span<const WindowPlace> places) const {
  const auto bytes = static_cast<std::size_t>(features());
  std::vector<std::uint8_t> rows(bytes * places.size());
  std::vector<std::size_t> first_of;  // first place of every image that has some
  for (std::size_t p = 0; p < places.size(); ++p)
    if (p == 0 || places[p].image != places[p - 1].image) first_of.push_back(p);
  first_of.push_back(places.size());
  for_each_image({"reading negatives", static_cast<int>(first_of.size()) - 1}, exec_, [&](int i) {
    const Image<std::uint8_t> image = setup_.data.negatives.read(places[first_of[i]].image);
    const ScanPlan scan = plan(extent(image));
    const int step = scan.stride / channels::kCell;
    cpu::ChannelLevels levels;
    levels.start(image, scan, pyramid_);
    Cells cells;
    for (std::size_t p = first_of[i]; p < first_of[i + 1]; ++p) {
      if (p == first_of[i] || places[p].level != places[p - 1].level)
        take_level(levels.make(places[p].level, alone()), cells);
      copy_window(cells, places[p].column * step, places[p].row * step, rows.data() + bytes * p);
    }
  });
  return rows;
}

std::vector<WindowPlace> ChannelWindows::choose(int count) const {
  const int images = setup_.data.negatives.count();
  std::vector<std::vector<WindowPlace>> chosen(static_cast<std::size_t>(images));
  for_each_image({"choosing negatives", images}, exec_, [&](int i) {
    const std::int64_t first = std::int64_t{count} * i / images,
                       last = std::int64_t{count} * (i + 1) / images;
    if (first == last) return;
    const ScanPlan scan = plan(extent(setup_.data.negatives.read(i)));
    const std::int64_t all = windows(scan);
    if (all == 0) return;
    Random random(exec_.seed, kChance + static_cast<std::uint64_t>(i));
    auto& mine = chosen[static_cast<std::size_t>(i)];
    for (std::int64_t k = first; k < last; ++k)
      mine.push_back(place_of(
          scan, i,
          random.below(static_cast<std::uint32_t>(std::min<std::int64_t>(all, 1U << 31U)))));
    std::sort(mine.begin(), mine.end(), before);
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  });
  return joined(chosen);
}

std::array<float, ChannelsModel::kChannels> ChannelWindows::decay() const {
  // The means of the channels of an image and of the same image at half its size: their ratio is 2
  // to the power of minus the decay.
  using Means = std::array<double, ChannelsModel::kChannels>;
  const int images = std::min(kDecayImages, setup_.data.negatives.count());
  std::vector<std::array<Means, 2>> means(static_cast<std::size_t>(images));
  const ChannelPyramid exact{.exact_per_octave = 0};
  for_each_image({"measuring channels", images}, exec_, [&](int i) {
    const int at = static_cast<int>(std::int64_t{i} * setup_.data.negatives.count() / images);
    const Image<std::uint8_t> image = setup_.data.negatives.read(at);
    const ScanPlan scan = plan_scan(extent(image), setup_.window, setup_.person_height,
                                    {.ratio = 2, .stride = channels::kCell, .padding = 0});
    if (scan.levels.size() < 2) return;
    cpu::ChannelLevels levels;
    levels.start(image, scan, exact);
    for (int l = 0; l < 2; ++l) {
      const auto level = levels.make(l, alone());
      const Extent size = window_cells(scan, scan.levels[static_cast<std::size_t>(l)]);
      for (int k = 0; k < channels::kChannels; ++k) {
        std::int64_t sum = 0;
        for (int y = 0; y < size.height; ++y) {
          const std::uint8_t* line = level.cells->line(level.first_row + y, k) + level.first_column;
          for (int x = 0; x < size.width; ++x) sum += line[x];
        }
        means[i][l][k] = static_cast<double>(sum) / (double(size.width) * size.height);
      }
    }
  });
  std::array<float, ChannelsModel::kChannels> decay{};  // the mean of colors does not change
  for (int k = channels::kMagnitude; k < channels::kChannels; ++k) {
    double large = 0, small = 0;
    for (const auto& mean : means) {
      large += mean[0][k];
      small += mean[1][k];
    }
    if (large > 0 && small > 0)
      decay[k] = static_cast<float>(std::clamp(std::log2(large / small), -1.0, 1.0));
  }
  return decay;
}

}  // namespace fovea::people
