// The windows of training images as the bytes that trees look at: those of positives, those asked
// for by place, and those that a detector takes for people.
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
  // The model gives the geometry. All outlive this.
  struct Setup {
    const TrainData& data;
    const ChannelsModel& model;
    const ScanOptions& search;  // of the negatives
    double person_height;       // share of the window
    double person_aspect;
  };
  ChannelWindows(const Setup& setup, const Exec& exec);

  int features() const;
  ScanPlan plan(Extent negative) const;
  // Every positive, each with its mirror image behind it where asked for; features() bytes each.
  std::vector<std::uint8_t> positives(bool mirror) const;
  // Windows of the negatives, in the order of `places`, which is by image and level.
  std::vector<std::uint8_t> negatives(std::span<const WindowPlace> places) const;

  // `count` windows chosen by chance, as many of each image as of the others; by place.
  std::vector<WindowPlace> choose(int count) const;
  // Windows that pass the model, the best `per_image` of each image of those that do not overlap
  // much; by place.
  std::vector<WindowPlace> mine(const ChannelsModel& model, int per_image, const char* stage) const;
  // How channels fade as an image shrinks (ChannelsModel::decay), measured on negatives.
  std::array<float, ChannelsModel::kChannels> decay() const;

 private:
  void copy_window(const cpu::ChannelLevels::Level& level, int column, int row,
                   std::uint8_t* out) const;

  const Setup setup_;
  const Exec& exec_;
};

}  // namespace fovea::people
