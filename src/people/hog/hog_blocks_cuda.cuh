// The normalized HOG blocks of all levels of a frame on the device. Arithmetic and order are those
// of the CPU, so that both agree to the bit.
#pragma once
#include <fovea/people/model.h>

#include <vector>

#include "people/hog/hog_layout.h"
#include "people/level_images_cuda.cuh"
#include "people/steps_cuda.cuh"

namespace fovea::people::cuda {

// Where the HOG blocks of a level are: number e of block (k, row) is at blocks[first + (row *
// numbers + e) * pitch + k].
struct HogDeviceLevel {
  HogAxis x, y;
  int unit_grid, period;  // classes of pixels along x, which give the order in which they vote
  int pitch;
  std::int64_t first;
  bool common;  // the fast kernels support its blocks
  // For those blocks, the vote of pixel 16 * c + q of row y is at first_vote + (y * 16 + q) *
  // vote_pitch + c.
  int vote_pitch;
  std::int64_t first_vote;
};

struct HogVotes {
  float2* shares;      // shares of the lower and the higher bin
  std::uint8_t* bins;  // number of the lower bin
};

// What the kernels read of the descriptor's options, in device memory.
struct HogTables {
  VoteParams votes;
  NormParams norm;
  const float* gamma;    // value of each byte after gamma correction
  const float* weights;  // [part][pixel of a block], in one direction
  const int* circle;     // part of each pixel of a circular block
  const float* circle_weights;
  GradientMask mask;
  int cell, block, bins, size;  // size: side of a block, in pixels
  int numbers;                  // numbers per block
  int channels;                 // channels that are used
};

class HogBlocks {
 public:
  // Throws InvalidArgument for options that only the CPU has: smooth, and cells or blocks that are
  // not square.
  HogBlocks(Kind kind, const HogOptions& hog);

  // Prepares the blocks of the levels that are laid out in `images`.
  void lay_out(Session& session, LevelImages& images, const ScanPlan& plan);
  void build(Session& session, LevelImages& images, DeviceSteps* steps = nullptr);

  const std::vector<HogDeviceLevel>& levels() const { return levels_; }
  const HogDeviceLevel* device_levels() { return device_levels_.data(); }
  const float* blocks() { return blocks_.data(); }
  int numbers() const { return numbers_; }
  const HogOptions& hog() const { return hog_; }

 private:
  HogTables tables(int channels);

  Kind kind_;
  HogOptions hog_;
  int numbers_;
  std::vector<HogDeviceLevel> levels_;
  std::size_t vote_tiles_ = 0, common_tiles_ = 0, other_tiles_ = 0;
  KeptBuffer<HogDeviceLevel> device_levels_;
  KeptBuffer<Tile> voting_, common_, other_;
  KeptBuffer<float2> vote_shares_;
  KeptBuffer<std::uint8_t> vote_bins_;
  KeptBuffer<float> gamma_, weights_, circle_weights_, blocks_;
  KeptBuffer<int> circle_;
};

}  // namespace fovea::people::cuda
