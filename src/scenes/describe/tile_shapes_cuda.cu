#include <array>

#include "scenes/describe/bank.h"
#include "scenes/describe/filters_cuda.cuh"
#include "scenes/describe/stored_points_cuda.cuh"
#include "scenes/describe/tile_shapes.h"

namespace fovea::scenes::cuda {
namespace {

using fovea::cuda::BlockShape;

template <int kRows, int kThreads, int kTall>
void describe_in_tiles(const GridEntry& entry, ImageView<float> out, cudaStream_t stream) {
  using Maker = DenseFilters<Color::kGray, kRows, kThreads, kTall>;
  const DescriberPlan plan{};
  NumberScales scales(plan, stream);
  KeptTable table;
  const typename Maker::Job job{bank_tables(plan.options), scales.scale(), scales.offset(),
                                nullptr};
  launch_describe<Maker>(
      {job, table.fill<typename Maker::Tiles>({&entry, 1}, stream), out.data, out.stride, 0},
      stream);
}

struct Variant {
  BlockShape shape;
  void (*describe)(const GridEntry&, ImageView<float>, cudaStream_t);
};
template <int kRows, int kThreads, int kTall>
constexpr Variant variant(bool used = false) {
  return {{kThreads, 32, kRows, used}, describe_in_tiles<kRows, kThreads, kTall>};
}

constexpr std::array<Variant, 7> kVariants{
    variant<8, 64, 4>(),   variant<8, 128, 4>(),      variant<16, 128, 4>(), variant<16, 256, 4>(),
    variant<32, 256, 4>(), variant<32, 512, 4>(true), variant<32, 1024, 2>()};

}  // namespace

std::span<const BlockShape> filter_shapes() {
  static const std::array<BlockShape, kVariants.size()> kShapes = [] {
    std::array<BlockShape, kVariants.size()> shapes{};
    for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = kVariants[i].shape;
    return shapes;
  }();
  return kShapes;
}

void shaped_descriptors(ImageView<const std::uint8_t> image, ImageView<float> out, const Exec& exec,
                        std::size_t shape) {
  fovea::cuda::Session session(exec);
  const GridEntry entry{.pixels = image.data,
                        .stride = image.stride,
                        .width = image.width,
                        .height = image.height,
                        .channels = image.channels,
                        .grid = place_grids({}, image.width, image.height).front(),
                        .listed = nullptr,
                        .output = 0,
                        .planes = 0,
                        .margin = 0};
  kVariants.at(shape).describe(entry, out, session.stream());
  session.must_wait();  // tables are freed now
  session.finish("scenes: descriptors");
}

}  // namespace fovea::scenes::cuda
