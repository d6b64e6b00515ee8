// CUDA twin of soft, vlad and fisher coding. Descriptors of some lines of places go through memory;
// their sums are whole numbers, so that features equal those of the CPU to the bit.
#include "scenes/words/codes_cuda.cuh"

#include <fovea/core/stream.h>

#include <algorithm>

#include "core/backend.h"
#include "scenes/describe/describer_cuda.cuh"
#include "scenes/words/feature_engine.h"
#include "scenes/words/staged_images_cuda.cuh"

namespace fovea::scenes::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::KeptBuffer;
using fovea::cuda::require_shared;
using fovea::cuda::ScopedDevice;

constexpr struct {
  ChunkNeed chunk{.staged_bytes = 64 << 20, .counts = 64 << 20, .pixels = 1 << 30};
  std::int64_t scratch_bytes = std::int64_t{1} << 30;     // of gradients
  std::int64_t descriptor_bytes = std::int64_t{1} << 30;  // at a time
} kTuning;

// Linear functions on the device.
class KeptMap {
 public:
  KeptMap(const LinearMap& map, cudaStream_t stream) : inputs_(map.inputs), outputs_(map.outputs) {
    factors_.fill(map.factors, stream);
    bias_.fill(map.bias, stream);
  }
  MapView view() { return {inputs_, outputs_, factors_.data(), bias_.data()}; }

 private:
  int inputs_, outputs_;
  KeptBuffer<float> factors_{}, bias_{};
};

class CudaCodes final : public FeatureEngine {
 public:
  CudaCodes(const FeaturePlan& plan, const CodePlan& code)
      : options_(plan.descriptor),
        pyramid_(plan.pyramid),
        exec_(plan.exec),
        shape_(code.shape),
        own_stream_(plan.exec.stream == nullptr ? Stream(plan.exec.device) : Stream()),
        uploads_(plan.exec.device),
        projection_(code.projection, stream()),
        scores_(code.scores, stream()),
        describer_(make_describer({plan.descriptor, plan.scale, plan.offset}, stream())),
        places_(code_places(shape_, numbers(),
                            static_cast<std::size_t>(require_shared(0, "scenes: coding")))) {
    if (!code.means.empty()) means_.fill(code.means, stream());
    if (!code.spreads.empty()) {
      spreads_.fill(code.spreads, stream());
      first_.fill(code.first, stream());
      second_.fill(code.second, stream());
    }
    check(cudaStreamSynchronize(stream()), "scenes: preparing codes");
  }
  ~CudaCodes() override { const AwaitStreams await{stream(), uploads()}; }

  void make(Images images, ImageView<float> features) override {
    const ScopedDevice here(exec_.device);
    std::vector<ChunkNeed> needs;
    needs.reserve(images.size());
    for (const auto& image : images)
      needs.push_back({.staged_bytes = staged_of(image),
                       .counts = image_sums(),
                       .pixels = std::int64_t{image.width} * image.height});
    const AwaitStreams await{stream(), uploads()};
    forget_collected();  // what a call that failed has left
    for (std::size_t first = 0; first < images.size();) {
      throw_if_stopped(exec_);
      const std::size_t last = chunk_end(needs, first, limits());
      const auto count = static_cast<int>(last - first);
      make_chunk(images.subspan(first, last - first),
                 features.crop(0, static_cast<int>(first), features.width, count));
      first = last;
    }
  }

 private:
  cudaStream_t stream() const {
    return static_cast<cudaStream_t>(exec_.stream == nullptr ? own_stream_.get() : exec_.stream);
  }
  cudaStream_t uploads() const { return static_cast<cudaStream_t>(uploads_.get()); }
  std::int64_t image_sums() const { return shape_.sums() << (2 * pyramid_); }
  int numbers() const { return dimensions(options_); }

  ChunkNeed limits() const {
    ChunkNeed limits = kTuning.chunk;
    if (const auto bytes = static_cast<std::int64_t>(describer_->bytes_per_pixel()); bytes > 0)
      limits.pixels = std::max<std::int64_t>(1, kTuning.scratch_bytes / bytes);
    return limits;
  }
  // Places whose descriptors are in memory at a time.
  std::int64_t most_places() const {
    return std::max<std::int64_t>(
        1, kTuning.descriptor_bytes / (std::int64_t{numbers()} * std::int64_t{sizeof(float)}));
  }

  void make_chunk(Images images, ImageView<float> features) {
    const std::vector<GridEntry> uploaded = staged_.upload(images, exec_, uploads(), stream());
    const std::size_t sums = images.size() * static_cast<std::size_t>(image_sums());
    check(cudaMemsetAsync(sums_.reserve(sums), 0, sums * sizeof(unsigned long long), stream()),
          "scenes: clearing sums");
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::int64_t first = static_cast<std::int64_t>(i) * image_sums();
      for (const PlaceGrid& grid : place_grids(options_, images[i].width, images[i].height))
        add_grid(uploaded[i], grid, first);
    }
    code_collected();
    finish(static_cast<int>(images.size()), features);
    check(cudaStreamSynchronize(stream()), "scenes: codes");
  }

  // Collects some lines of a grid at a time, and codes what has been collected where it is enough.
  void add_grid(const GridEntry& image, const PlaceGrid& grid, std::int64_t sums) {
    const auto lines =
        static_cast<int>(std::clamp<std::int64_t>(most_places() / grid.columns, 1, grid.rows));
    for (int line = 0; line < grid.rows; line += lines) {
      GridEntry entry = image;
      entry.grid = grid;
      entry.grid.top = grid.top + line * grid.step;
      entry.grid.rows = std::min(lines, grid.rows - line);
      if (rows_ > 0 && rows_ + entry.grid.count() > most_places()) code_collected();
      entry.output = rows_;
      described_.push_back(entry);
      coded_.push_back({entry.grid, entry.width, entry.height, rows_, sums});
      firsts_.push_back(firsts_.back() +
                        static_cast<std::int32_t>((entry.grid.count() + places_ - 1) / places_));
      rows_ += entry.grid.count();
    }
  }

  void code_collected() {
    if (rows_ == 0) return;
    float* there =
        descriptors_.reserve(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(numbers()));
    describer_->write(described_,
                      packed_view(there, numbers(), static_cast<int>(rows_), 1, Memory::kCuda),
                      stream());
    const CodeJob job{.descriptors = there,
                      .stride = numbers(),
                      .entries = entries_there_.fill(coded_, stream()),
                      .firsts = firsts_there_.fill(firsts_, stream()),
                      .count = static_cast<int>(coded_.size()),
                      .shape = shape_,
                      .pyramid = pyramid_,
                      .projection = projection_.view(),
                      .scores = scores_.view(),
                      .sums = sums_.data()};
    if (places_ == 32) launch<CodeTile<32>>(job);
    else if (places_ == 16) launch<CodeTile<16>>(job);
    else launch<CodeTile<kLeastCodePlaces>>(job);
    // Tables are read by copies in the order of the stream, and filled again only after them.
    check(cudaStreamSynchronize(stream()), "scenes: coding");
    forget_collected();
  }
  template <class Tile>
  void launch(const CodeJob& job) {
    const std::size_t bytes = code_room(shape_, numbers(), Tile::kPlaces).bytes();
    fovea::cuda::allow_shared(code_kernel<Tile>, bytes, "scenes: coding");
    code_kernel<Tile>
        <<<static_cast<unsigned>(firsts_.back()), kCodeThreads, bytes, stream()>>>(job);
    fovea::cuda::check_launch("scenes: coding");
  }
  void forget_collected() {
    described_.clear();
    coded_.clear();
    firsts_.assign(1, 0);
    rows_ = 0;
  }

  void finish(int images, ImageView<float> features) {
    const int cells = pyramid_cells(pyramid_);
    const auto row = static_cast<std::size_t>(shape_.length()) * static_cast<std::size_t>(cells);
    float* there = features_.reserve(row * static_cast<std::size_t>(images));
    code_finish_kernel<<<static_cast<unsigned>(images * cells), kCodePartial, 0, stream()>>>(
        {sums_.data(),
         shape_,
         pyramid_,
         {means_.data(), spreads_.data(), first_.data(), second_.data()},
         there});
    fovea::cuda::check_launch("scenes: features of codes");
    const std::size_t bytes = row * sizeof(float);
    check(cudaMemcpy2DAsync(
              features.data, static_cast<std::size_t>(features.stride) * sizeof(float), there,
              bytes, bytes, static_cast<std::size_t>(images),
              features.memory == Memory::kCuda ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost,
              stream()),
          "scenes: fetching features");
  }

  DescriptorOptions options_;
  int pyramid_;
  Exec exec_;
  CodeShape shape_;
  Stream own_stream_;
  Stream uploads_;
  KeptMap projection_, scores_;
  std::unique_ptr<Describer> describer_;
  int places_;  // of a block
  KeptBuffer<double> means_{}, spreads_{}, first_{}, second_{};
  StagedImages staged_{};
  KeptBuffer<unsigned long long> sums_{};
  KeptBuffer<float> descriptors_{}, features_{};
  KeptBuffer<CodeEntry> entries_there_{};
  KeptBuffer<std::int32_t> firsts_there_{};
  // What has been collected: grids, the same for coding, their tiles, and how many rows they have.
  std::vector<GridEntry> described_{};
  std::vector<CodeEntry> coded_{};
  std::vector<std::int32_t> firsts_{0};
  std::int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<FeatureEngine> make_code_engine(const FeaturePlan& plan, const CodePlan& code) {
  const ScopedDevice here(plan.exec.device);
  return std::make_unique<CudaCodes>(plan, code);
}

}  // namespace fovea::scenes::cuda
