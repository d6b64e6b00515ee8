// Gradient words on the device. Planes of an image go through memory: smoothed pixels, then votes
// for eight directions, which are shared down and across. Every place reads its 16 cells from them.
#include <algorithm>

#include "scenes/describe/bank.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/describer_cuda.cuh"
#include "scenes/describe/gradient_planes_cuda.cuh"
#include "scenes/describe/gradients_cuda.cuh"

namespace fovea::scenes::cuda {
namespace {

void launch_planes(void (*kernel)(PlanesJob), const PlanesJob& job, cudaStream_t stream) {
  if (job.table.tiles == 0) return;
  // Enough blocks to fill any device several times; each then has many pixels of few images.
  constexpr std::int32_t kMostBlocks = 1 << 14;
  kernel<<<std::min(job.table.tiles, kMostBlocks), kPixelThreads, 0, stream>>>(job);
  fovea::cuda::check_launch("scenes: planes of directions");
}

// Points per block, so that two blocks fit at once; gray descriptors are searched by the tensor
// cores.
template <Color kColor>
constexpr int kBlockPoints = kColor == Color::kGray ? 128 : 64;
constexpr int kBlockThreads = 256;
// Parts of 16 points per warp, warps that share points, and blocks at once.
constexpr int kWarpTiles = 2, kWarpSplit = 2, kBlocks = 2;

template <Color kColor>
class GradientDescriber final : public Describer {
  using Maker = Gradients<kColor, kBlockPoints<kColor>, kBlockThreads>;
  static constexpr int kPlanes = Maker::kPlanes;

 public:
  GradientDescriber(const DescriberPlan& plan, cudaStream_t stream) : scales_(plan, stream) {
    linear_.fill({linear_of_srgb().begin(), linear_of_srgb().end()}, stream);
  }

  void find_words(std::span<const GridEntry> entries, const CentersView& centers,
                  const WordsUse& use, cudaStream_t stream) override {
    each_scale(entries, stream, [&](const typename Maker::Job& job, const GridTable& table) {
      if constexpr (kColor == Color::kGray)
        launch_words<Maker, kWarpTiles, kWarpSplit, kBlocks>({job, table, centers, use}, stream);
      else launch_long_words<Maker>({job, table, centers, use}, stream);
    });
  }
  void write(std::span<const GridEntry> entries, ImageView<float> out,
             cudaStream_t stream) override {
    each_scale(entries, stream, [&](const typename Maker::Job& job, const GridTable& table) {
      launch_describe<Maker>({job, table, out.data, out.stride}, stream);
    });
  }
  std::size_t bytes_per_pixel() const override {
    return kPlanes * (2 * sizeof(float) + 2 * kDirections * sizeof(float));
  }

 private:
  // Grids with one size of cells come after those with another, so that they share the memory of
  // the planes.
  template <class Body>
  void each_scale(std::span<const GridEntry> entries, cudaStream_t stream, const Body& body) {
    std::vector<int> cells;
    for (const GridEntry& entry : entries)
      if (std::find(cells.begin(), cells.end(), entry.grid.cell) == cells.end())
        cells.push_back(entry.grid.cell);
    for (const int cell : cells) {
      std::vector<GridEntry> equal;
      std::int64_t pixels = 0;
      for (GridEntry entry : entries) {
        if (entry.grid.cell != cell) continue;
        entry.planes = pixels;
        // All cells lie inside, except for an image that is too small for them.
        const bool inside = kCellsAcross * cell <= std::min(entry.width, entry.height);
        entry.margin = inside ? 0 : 2 * cell;
        equal.push_back(entry);
        pixels += std::int64_t{entry.width + 2 * entry.margin} * (entry.height + 2 * entry.margin);
      }
      const float* planes = make_planes(equal, cell, pixels, stream);
      body({{planes, pixels}, scales_.scale(), scales_.offset()},
           table_.fill<typename Maker::Tiles>(equal, stream));
    }
  }

  const float* make_planes(const std::vector<GridEntry>& entries, int cell, std::int64_t pixels,
                           cudaStream_t stream) {
    const GradientScale scale = gradient_scale(cell, kColor);
    const auto size = static_cast<std::size_t>(pixels) * kPlanes;
    constexpr std::size_t kHalves = 2;
    const PlanesJob job{.table = pixel_table_.fill_pixels<RunTiles<kPixelThreads>>(entries, stream),
                        .scale = scale_.fill({scale}, stream),
                        .linear = linear_.data(),
                        .pixels = pixels,
                        .line = line_.reserve(size, stream),
                        .other = other_.reserve(size, stream),
                        .votes = votes_.reserve(size * kHalves, stream),
                        .shared = shared_.reserve(size * kHalves, stream)};
    launch_planes(pixels_kernel<kColor>, job, stream);
    if (scale.smooth_reach > 0) {
      launch_planes(smooth_kernel<true, kPlanes>, job, stream);
      launch_planes(smooth_kernel<false, kPlanes>, job, stream);
    }
    launch_planes(votes_kernel<kPlanes>, job, stream);
    launch_planes(share_kernel<true, kPlanes>, job, stream);
    launch_planes(share_kernel<false, kPlanes>, job, stream);
    return reinterpret_cast<const float*>(job.votes);
  }

  NumberScales scales_;
  KeptTable table_{}, pixel_table_{};
  OrderedBuffer<GradientScale> scale_{};
  OrderedBuffer<float> linear_{}, line_{}, other_{};
  OrderedBuffer<float4> votes_{}, shared_{};
};

}  // namespace

std::unique_ptr<Describer> make_gradient_describer(const DescriberPlan& plan, cudaStream_t stream) {
  if (plan.options.color == Color::kGray)
    return std::make_unique<GradientDescriber<Color::kGray>>(plan, stream);
  return std::make_unique<GradientDescriber<Color::kLab>>(plan, stream);
}

}  // namespace fovea::scenes::cuda
