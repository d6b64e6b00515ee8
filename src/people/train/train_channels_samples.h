// The windows of training images as the bytes that trees read: those of positives, those at given
// places, and those that a detector takes for people.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "people/channels/channel_levels.h"
#include "people/train/samples.h"

namespace fovea::people {

class ChannelWindows {
 public:
  // The model gives the geometry. All of these must outlive the object.
  struct Setup {
    const TrainData& data;
    const ChannelsModel& model;
    const ScanOptions& search;  // options of the search of negatives
    double person_height;       // share of the window's height
    double person_aspect;
  };
  ChannelWindows(const Setup& setup, const Exec& exec);

  int features() const;
  ScanPlan plan(Extent negative) const;
  // Every positive, followed by its mirror image where that is wanted; features() bytes each.
  std::vector<std::uint8_t> positives(bool mirror) const;
  // Windows of the negatives, in the order of `places`, which are sorted by image and level.
  std::vector<std::uint8_t> negatives(std::span<const WindowPlace> places) const;

  // `count` random windows, as many from each image as from the others, sorted by place.
  std::vector<WindowPlace> choose(int count) const;
  // Windows that pass the model: the best `per_image` of each image among those that do not overlap
  // much, sorted by place.
  std::vector<WindowPlace> mine(const ChannelsModel& model, int per_image, const char* stage) const;
  // How the values of channels fall as an image shrinks (ChannelsModel::decay), measured on
  // negatives.
  std::array<float, ChannelsModel::kChannels> decay() const;

 private:
  void copy_window(const cpu::ChannelLevels::Level& level, int column, int row,
                   std::uint8_t* out) const;

  const Setup setup_;
  const Exec& exec_;
};

}  // namespace fovea::people
