// The stages of block matching on CUDA, each with one or two launches; their results equal those of
// the CPU to the bit.
#pragma once
#include "core/on_device.cuh"
#include "flow/bm/block_matching_math.h"
#include "flow/matcher.h"

namespace fovea::flow::cuda {

// One level of a frame. Sums over blocks exist for every block that lies inside; (x, y) is the
// first pixel of the block.
struct DeviceBlockLevel {
  int width = 0;
  int height = 0;
  ImageView<std::uint8_t> gray;   // 0 where a pixel does not count; rows begin on whole words
  ImageView<std::uint8_t> valid;  // 255 where a pixel counts; no data means everywhere
  ImageView<std::int32_t> sums;
  ImageView<std::int32_t> squares;  // no data where the cost does not need them
  ImageView<float> inverse;         // bm::inverse_deviation()
};

// A level before it is quantized: gray, and the share of each pixel that counts (no data means
// all).
struct DeviceBlockGray {
  ImageView<float> gray{}, cover{};
};
struct DeviceBlockSource {
  ImageView<const float> gray{}, cover{};
};

// Prepares the image itself. Without a mask `out` stays as it is, because the image is its own
// first level.
void quantize_blocks(ImageView<const float> gray, ImageView<const std::uint8_t> mask,
                     const DeviceBlockGray& out, const DeviceBlockLevel& level,
                     cudaStream_t stream);
// Computes the level after `gray`, which has half its size.
void halve_blocks(const DeviceBlockSource& gray, const DeviceBlockGray& out,
                  const DeviceBlockLevel& level, cudaStream_t stream);
void sum_blocks(const DeviceBlockLevel& level, int block, cudaStream_t stream);

// Searches around the result of the previous level, or around no motion at all.
struct DeviceBlockSearch {
  DeviceBlockLevel first, second;
  bm::Layout layout;
  int range;
  BlockCost cost;
  float least_texture;
  bm::PeakParams peak;
  bool neighbors;         // search also around the priors of neighbors
  bool plain;             // trust the best score alone
  bm::CoarseField prior;  // no data for the nodes means that there is none
  bm::Shift* priors;      // priors of all tiles, row by row; written and read
  bm::NodeField out;

  FOVEA_HD bool has_prior() const { return prior.nodes.u.data != nullptr; }
};
void search_blocks(const DeviceBlockSearch& search, cudaStream_t stream);

void copy_plane(const ImageView<float>& from, const ImageView<float>& to, cudaStream_t stream);
// Passes that fill in unreliable nodes, followed by the median; the planes u and v of `work` are
// scratch memory.
void smooth_blocks(const bm::NodeField& field, const bm::NodeField& work, int passes,
                   cudaStream_t stream);
// Lowers the confidence of nodes that do not return to where they began; `back` must be as it was
// before confidences were lowered in either direction.
void doubt_blocks(const bm::NodeField& field, const bm::NodeField& back, cudaStream_t stream);
// Lowers the confidence of nodes that smoothing has moved.
void doubt_smoothed(const bm::NodeField& raw, const bm::NodeField& smoothed, cudaStream_t stream);
// The backward flow.
void negate_blocks(const bm::NodeField& field, cudaStream_t stream);
// Interpolates from nodes to pixels, or gives pixels the flow of their block; out.confidence may
// have no data.
void spread_blocks(const bm::NodeField& field, ImageView<const std::uint8_t> valid,
                   bool interpolate, const FlowView& out, cudaStream_t stream);

}  // namespace fovea::flow::cuda
