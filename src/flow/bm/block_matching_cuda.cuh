// The stages of block matching on CUDA, each a launch or two; equal to those of the CPU to the bit.
#pragma once
#include "core/on_device.cuh"
#include "flow/bm/block_matching_math.h"
#include "flow/matcher.h"

namespace fovea::flow::cuda {

// One level of a frame. Sums over blocks are there for every block that lies inside; (x, y) is the
// block's first pixel.
struct DeviceBlockLevel {
  int width = 0;
  int height = 0;
  ImageView<std::uint8_t> gray;   // 0 where a pixel does not count; rows start on whole words
  ImageView<std::uint8_t> valid;  // 255 where a pixel counts; without data: everywhere
  ImageView<std::int32_t> sums;
  ImageView<std::int32_t> squares;  // without data where the cost needs none
  ImageView<float> inverse;         // bm::inverse_deviation()
};

// A level before it is quantized: gray, and the share of it that counts (no data: all).
struct DeviceBlockGray {
  ImageView<float> gray{}, cover{};
};
struct DeviceBlockSource {
  ImageView<const float> gray{}, cover{};
};

// The image itself. Without a mask `out` stays as it is: the image is its first level.
void quantize_blocks(ImageView<const float> gray, ImageView<const std::uint8_t> mask,
                     const DeviceBlockGray& out, const DeviceBlockLevel& level,
                     cudaStream_t stream);
// The level after `gray`, which has half its size.
void halve_blocks(const DeviceBlockSource& gray, const DeviceBlockGray& out,
                  const DeviceBlockLevel& level, cudaStream_t stream);
void sum_blocks(const DeviceBlockLevel& level, int block, cudaStream_t stream);

// Around what was found at the level before, or around no motion at all.
struct DeviceBlockSearch {
  DeviceBlockLevel first, second;
  bm::Layout layout;
  int range;
  BlockCost cost;
  float least_texture;
  bm::PeakParams peak;
  bm::CoarseField prior;  // nodes without data: none
  bm::Shift* priors;      // of all tiles, row by row; written and read
  bm::NodeField out;

  FOVEA_HD bool has_prior() const { return prior.nodes.u.data != nullptr; }
};
void search_blocks(const DeviceBlockSearch& search, cudaStream_t stream);

void copy_plane(const ImageView<float>& from, const ImageView<float>& to, cudaStream_t stream);
// Passes of filling in and of the median; the planes u and v of `work` are scratch.
void smooth_blocks(const bm::NodeField& field, const bm::NodeField& work, int passes,
                   cudaStream_t stream);
// Doubts what does not return to where it began; `back` is as it was before either was doubted.
void doubt_blocks(const bm::NodeField& field, const bm::NodeField& back, cudaStream_t stream);
// Doubts what smoothing moved.
void doubt_smoothed(const bm::NodeField& raw, const bm::NodeField& smoothed, cudaStream_t stream);
// The way back.
void negate_blocks(const bm::NodeField& field, cudaStream_t stream);
// From nodes to pixels; out.confidence may have no data.
void spread_blocks(const bm::NodeField& field, ImageView<const std::uint8_t> valid,
                   const FlowView& out, cudaStream_t stream);

}  // namespace fovea::flow::cuda
