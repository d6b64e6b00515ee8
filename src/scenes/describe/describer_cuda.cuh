// Describes places on the device, by filters or gradients.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scenes/words/words_cuda.cuh"

namespace fovea::scenes::cuda {

// Memory in the order of one stream that grows and is kept. A describer that serves only one image
// does not stop the device for it.
template <class T>
class OrderedBuffer {
 public:
  T* reserve(std::size_t size, cudaStream_t stream) {
    if (!buffer_ || size > buffer_->size()) {
      buffer_.reset();
      buffer_.emplace(size, stream);
    }
    return buffer_->data();
  }
  T* fill(const std::vector<T>& values, cudaStream_t stream) {
    T* data = reserve(values.size(), stream);
    fovea::cuda::upload(data, values.data(), values.size() * sizeof(T), stream);
    return data;
  }
  T* data() const { return buffer_->data(); }

 private:
  std::optional<fovea::cuda::DeviceBuffer<T>> buffer_{};
};

// Keeps tables and scratch memory, which are used in the order of one stream.
class Describer {
 public:
  Describer() = default;
  Describer(const Describer&) = delete;
  Describer& operator=(const Describer&) = delete;
  virtual ~Describer() = default;

  // Grids whose images are on the device. Entries are read before the call returns.
  virtual void find_words(std::span<const GridEntry> entries, const CentersView& centers,
                          const WordsUse& use, cudaStream_t stream) = 0;
  // Descriptors go to the rows of `out`, which is on the device.
  virtual void write(std::span<const GridEntry> entries, ImageView<float> out,
                     cudaStream_t stream) = 0;
  // The device memory that it needs in addition, per pixel that is described.
  virtual std::size_t bytes_per_pixel() const = 0;
};

// Numbers are used as they are where scale and offset are empty.
struct DescriberPlan {
  DescriptorOptions options{};
  std::vector<float> scale{};
  std::vector<float> offset{};
};
std::unique_ptr<Describer> make_filter_describer(const DescriberPlan& plan, cudaStream_t stream);
std::unique_ptr<Describer> make_gradient_describer(const DescriberPlan& plan, cudaStream_t stream);
inline std::unique_ptr<Describer> make_describer(const DescriberPlan& plan, cudaStream_t stream) {
  return plan.options.words == WordSource::kFilters ? make_filter_describer(plan, stream)
                                                    : make_gradient_describer(plan, stream);
}

// Kernels have the filters of kBankScales sizes. A list of one number per dimension gets zeros
// where the bank has fewer; with gradients it stays as it is.
inline std::vector<float> filled_up(const DescriptorOptions& options,
                                    std::span<const float> numbers) {
  const auto filters = static_cast<std::size_t>(bank_filters(options));
  if (options.words != WordSource::kFilters || filters == kBankFilters)
    return {numbers.begin(), numbers.end()};
  std::vector<float> result(numbers.size() / filters * kBankFilters, 0.0F);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    result[i / filters * kBankFilters + i % filters] = numbers[i];
  return result;
}

// Scale and offset of numbers, on the device.
class NumberScales {
 public:
  NumberScales(const DescriberPlan& plan, cudaStream_t stream) {
    const auto count = static_cast<std::size_t>(dimensions(plan.options));
    // x * 1 + -0 is x, whatever its sign.
    const std::vector<float> ones(count, 1.0F), noughts(count, -0.0F);
    scale_.fill(filled_up(plan.options, plan.scale.empty() ? ones : plan.scale), stream);
    offset_.fill(filled_up(plan.options, plan.offset.empty() ? noughts : plan.offset), stream);
  }
  const float* scale() { return scale_.data(); }
  const float* offset() { return offset_.data(); }

 private:
  OrderedBuffer<float> scale_{};
  OrderedBuffer<float> offset_{};
};

// A table of grids on the device.
class KeptTable {
 public:
  // Tiles of places.
  template <class Tiles>
  GridTable fill(std::span<const GridEntry> entries, cudaStream_t stream) {
    firsts_.assign(1, 0);
    for (const GridEntry& entry : entries)
      add_tiles(Tiles::count(entry.grid.columns, entry.grid.rows));
    return upload({entries.begin(), entries.end()}, stream);
  }
  // Tiles of pixels, with margins.
  template <class Tiles>
  GridTable fill_pixels(std::span<const GridEntry> entries, cudaStream_t stream) {
    firsts_.assign(1, 0);
    for (const GridEntry& entry : entries)
      add_tiles(Tiles::count(entry.width + 2 * entry.margin, entry.height + 2 * entry.margin));
    return upload({entries.begin(), entries.end()}, stream);
  }

 private:
  void add_tiles(std::int64_t tiles);
  GridTable upload(const std::vector<GridEntry>& entries, cudaStream_t stream);

  std::vector<std::int32_t> firsts_{};
  OrderedBuffer<GridEntry> entries_there_{};
  OrderedBuffer<std::int32_t> firsts_there_{};
};

}  // namespace fovea::scenes::cuda
