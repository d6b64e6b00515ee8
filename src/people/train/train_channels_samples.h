// The windows of training images as the bytes that trees read, filtered or not: those of positives,
// and those at given places.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "people/filtered/filter_cells.h"
#include "people/train/samples.h"

namespace fovea::people {

// Copies of positives that are moved and resized a little.
struct Jitter {
  int copies = 0;  // of every positive
  int pixels = 1;  // as ChannelsTrainOptions::jitter_pixels, as are the next two
  double ratio = 1.05;
  bool resample = false;
};

class ChannelWindows {
 public:
  // All of these must outlive the object.
  struct Setup {
    const TrainData& data;
    Extent window;
    const ScanOptions& search;  // options of the search of negatives
    double person_height;       // share of the window's height
  };
  ChannelWindows(const Setup& setup, const Exec& exec);
  // How channels are computed from here on, and by which filters, which must outlive the object.
  // Without filters, the channels themselves are what trees read.
  void use(const ChannelPyramid& pyramid, const FilterBank* bank = nullptr);

  int features() const;
  ScanPlan plan(Extent negative) const;
  // Every positive as it is and its copies, each followed by its mirror image where that is
  // wanted; features() bytes each.
  std::vector<std::uint8_t> positives(bool mirror, const Jitter& jitter) const;
  // Windows of the negatives, in the order of `places`, which are sorted by image and level.
  std::vector<std::uint8_t> negatives(std::span<const WindowPlace> places) const;

  // `count` random windows, as many from each image as from the others, sorted by place.
  std::vector<WindowPlace> choose(int count) const;
  // How the values of channels fall as an image shrinks (ChannelsModel::decay), measured on
  // negatives.
  std::array<float, ChannelsModel::kChannels> decay() const;

 private:
  // The cells of a level as trees read them.
  struct Cells {
    cpu::ChannelLevels::Level level{};
    FilteredCells filtered;
  };
  void take_level(const cpu::ChannelLevels::Level& level, Cells& cells) const;
  void copy_window(const Cells& cells, int column, int row, std::uint8_t* out) const;

  const Setup setup_;
  ChannelPyramid pyramid_;
  const FilterBank* bank_ = nullptr;
  const Exec& exec_;
};

}  // namespace fovea::people
