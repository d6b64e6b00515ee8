// CUDA twin of features. Images on the host are packed into pinned memory and copied one chunk at a
// time while the previous chunk is described; images on the device are read where they are. Counts
// are integers, so that features equal those of the CPU to the bit.
#include <fovea/core/stream.h>

#include <algorithm>
#include <array>

#include "core/backend.h"
#include "ops/kmeans/nearest_centers.cuh"
#include "scenes/describe/describer_cuda.cuh"
#include "scenes/words/feature_engine.h"
#include "scenes/words/staged_images_cuda.cuh"

namespace fovea::scenes::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::Event;
using fovea::cuda::KeptBuffer;
using fovea::cuda::ScopedDevice;

constexpr struct {
  ChunkNeed chunk{.staged_bytes = 16 << 20, .counts = 32 << 20, .pixels = 1 << 30};
  std::int64_t scratch_bytes = std::int64_t{1} << 30;
  int finish_threads = 128;
} kTuning;

struct FinishJob {
  const std::uint32_t* counts;
  const std::int64_t* totals;
  float* features;
  int words, pyramid;
};

// One thread per word and image: the cells of coarser levels are sums of the finest ones.
__global__ void finish_kernel(FinishJob job) {
  const int word = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  if (word >= job.words) return;
  const auto image = static_cast<std::int64_t>(blockIdx.x);
  const int side = 1 << job.pyramid;
  const std::uint32_t* counts = job.counts + image * side * side * job.words + word;
  float* features = job.features + image * pyramid_cells(job.pyramid) * job.words + word;
  const std::int64_t total = job.totals[image];
  for (int level = 0; level <= job.pyramid; ++level) {
    const int across = 1 << level, part = side / across;
    for (int cell = 0; cell < across * across; ++cell) {
      const int left = cell % across * part, top = cell / across * part;
      std::int64_t sum = 0;
      for (int i = 0; i < part * part; ++i) {
        const std::int64_t from = std::int64_t{top + i / part} * side + left + i % part;
        sum += counts[from * job.words];
      }
      features[std::int64_t{pyramid_start(level) + cell} * job.words] =
          feature_of(sum, total, level_weight(level, job.pyramid));
    }
  }
}

// A chunk of images between its upload and the arrival of its features.
struct Slot {
  StagedImages images{};
  Array<float> fetched{};
  KeptBuffer<std::uint32_t> counts{};
  KeptBuffer<std::int64_t> totals{};
  KeptBuffer<float> features{};
  Event done{};
  std::size_t first = 0, last = 0;  // images in flight
};

// The words with the numbers that kernels have.
Image<float> filled_up_words(const FeaturePlan& plan) {
  std::vector<float> row;
  Image<float> words;
  for (int y = 0; y < plan.words.height; ++y) {
    row =
        filled_up(plan.descriptor, {plan.words.row(y), static_cast<std::size_t>(plan.words.width)});
    if (words.empty()) words = Image<float>(static_cast<int>(row.size()), plan.words.height);
    std::copy(row.begin(), row.end(), words.row(y));
  }
  return words;
}

class CudaFeatures final : public WordEngine {
 public:
  explicit CudaFeatures(const FeaturePlan& plan)
      : options_(plan.descriptor),
        pyramid_(plan.pyramid),
        exec_(plan.exec),
        own_stream_(plan.exec.stream == nullptr ? Stream(plan.exec.device) : Stream()),
        uploads_(plan.exec.device),
        centers_(filled_up_words(plan), stream()),
        describer_(make_describer({plan.descriptor, plan.scale, plan.offset}, stream())) {
    check(cudaStreamSynchronize(stream()), "scenes: preparing words");
  }
  ~CudaFeatures() override { const AwaitStreams await{stream(), uploads()}; }

  void make(Images images, ImageView<float> features) override {
    const ScopedDevice here(exec_.device);
    const std::vector<ChunkNeed> needs = needs_of(images);
    const AwaitStreams await{stream(), uploads()};
    for (Slot& slot : slots_) slot.first = slot.last = 0;
    std::size_t turn = 0;
    for (std::size_t first = 0; first < images.size(); ++turn) {
      throw_if_stopped(exec_);
      Slot& slot = slots_[turn % slots_.size()];
      collect(slot, features);
      const std::size_t last = chunk_end(needs, first, limits());
      slot.first = first;
      slot.last = last;
      submit(slot, images, features);
      first = last;
    }
    for (std::size_t i = 0; i < slots_.size(); ++i)
      collect(slots_[(turn + i) % slots_.size()], features);
  }

  void words(ImageView<const std::uint8_t> image, ImageView<std::uint16_t> words) override {
    const ScopedDevice here(exec_.device);
    const AwaitStreams await{stream(), uploads()};
    Slot& slot = slots_[0];
    std::vector<GridEntry> entries = slot.images.upload({&image, 1}, exec_, uploads(), stream());
    const PlaceGrid grid = place_grids(options_, image.width, image.height).front();
    entries[0].grid = grid;
    std::uint16_t* there = words_.reserve(static_cast<std::size_t>(grid.count()));
    describer_->find_words(entries, centers_.view(), {nullptr, there, 0}, stream());
    const auto row_bytes = static_cast<std::size_t>(grid.columns) * sizeof(std::uint16_t);
    check(cudaMemcpy2DAsync(words.data,
                            static_cast<std::size_t>(words.stride) * sizeof(std::uint16_t), there,
                            row_bytes, row_bytes, static_cast<std::size_t>(grid.rows),
                            cudaMemcpyDeviceToHost, stream()),
          "scenes: fetching words");
    check(cudaStreamSynchronize(stream()), "scenes: words");
  }

 private:
  cudaStream_t stream() const {
    return static_cast<cudaStream_t>(exec_.stream == nullptr ? own_stream_.get() : exec_.stream);
  }
  cudaStream_t uploads() const { return static_cast<cudaStream_t>(uploads_.get()); }
  std::int64_t image_counts() const {
    return std::int64_t{centers_.view().centers} << (2 * pyramid_);
  }
  std::int64_t image_features() const {
    return std::int64_t{centers_.view().centers} * pyramid_cells(pyramid_);
  }

  ChunkNeed limits() const {
    ChunkNeed limits = kTuning.chunk;
    if (const auto bytes = static_cast<std::int64_t>(describer_->bytes_per_pixel()); bytes > 0)
      limits.pixels = std::max<std::int64_t>(1, kTuning.scratch_bytes / bytes);
    return limits;
  }
  std::vector<ChunkNeed> needs_of(Images images) const {
    std::vector<ChunkNeed> needs;
    needs.reserve(images.size());
    for (const auto& image : images)
      needs.push_back({.staged_bytes = staged_of(image),
                       .counts = image_counts(),
                       .pixels = std::int64_t{image.width} * image.height});
    return needs;
  }

  void submit(Slot& slot, Images all, ImageView<float> to) {
    const Images images = all.subspan(slot.first, slot.last - slot.first);
    const std::vector<GridEntry> uploaded = slot.images.upload(images, exec_, uploads(), stream());
    std::vector<GridEntry> entries;
    std::vector<std::int64_t> totals;
    for (std::size_t i = 0; i < images.size(); ++i) {
      std::int64_t total = 0;
      for (const PlaceGrid& grid : place_grids(options_, images[i].width, images[i].height)) {
        GridEntry entry = uploaded[i];
        entry.grid = grid;
        entry.output = static_cast<std::int64_t>(i) * image_counts();
        entries.push_back(entry);
        total += grid.count();
      }
      totals.push_back(total);
    }
    const std::size_t counts = images.size() * static_cast<std::size_t>(image_counts()),
                      features = images.size() * static_cast<std::size_t>(image_features());
    check(cudaMemsetAsync(slot.counts.reserve(counts), 0, counts * sizeof(std::uint32_t), stream()),
          "scenes: clearing counts");
    slot.totals.fill(totals, stream());
    describer_->find_words(entries, centers_.view(), {slot.counts.data(), nullptr, pyramid_},
                           stream());
    const int words = centers_.view().centers;
    const dim3 grid(static_cast<unsigned>(images.size()),
                    fovea::cuda::blocks_for(words, kTuning.finish_threads));
    finish_kernel<<<grid, kTuning.finish_threads, 0, stream()>>>(
        {slot.counts.data(), slot.totals.data(), slot.features.reserve(features), words, pyramid_});
    fovea::cuda::check_launch("scenes: features");
    if (to.memory == Memory::kCuda) keep(slot, to);
    else
      check(cudaMemcpyAsync(pinned(slot.fetched, features), slot.features.data(),
                            features * sizeof(float), cudaMemcpyDeviceToHost, stream()),
            "scenes: fetching features");
    slot.done.record(stream());
  }
  // The rows of features that stay on the device.
  void keep(Slot& slot, ImageView<float> to) const {
    const auto bytes = static_cast<std::size_t>(image_features()) * sizeof(float);
    check(
        cudaMemcpy2DAsync(to.row(static_cast<int>(slot.first)),
                          static_cast<std::size_t>(to.stride) * sizeof(float), slot.features.data(),
                          bytes, bytes, slot.last - slot.first, cudaMemcpyDeviceToDevice, stream()),
        "scenes: keeping features");
  }
  // The rows of the images in flight.
  void collect(Slot& slot, ImageView<float> features) const {
    if (slot.first == slot.last) return;
    slot.done.wait("scenes: features");
    if (features.memory == Memory::kCuda) {
      slot.first = slot.last = 0;
      return;
    }
    const auto length = static_cast<std::size_t>(image_features());
    for (std::size_t i = slot.first; i < slot.last; ++i)
      std::copy_n(slot.fetched.data() + (i - slot.first) * length, length,
                  features.row(static_cast<int>(i)));
    slot.first = slot.last = 0;
  }

  DescriptorOptions options_;
  int pyramid_;
  Exec exec_;
  Stream own_stream_;
  Stream uploads_;
  fovea::cuda::DeviceCenters centers_;
  std::unique_ptr<Describer> describer_;
  KeptBuffer<std::uint16_t> words_{};
  std::array<Slot, 2> slots_{};
};

}  // namespace

std::unique_ptr<WordEngine> make_word_engine(const FeaturePlan& plan) {
  const ScopedDevice here(plan.exec.device);
  return std::make_unique<CudaFeatures>(plan);
}

}  // namespace fovea::scenes::cuda
