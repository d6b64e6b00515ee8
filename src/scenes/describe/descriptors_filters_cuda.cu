// Filter responses on the device: in tiles where every pixel is described, one by one where places
// are farther apart.
#include <fovea/core/error.h>

#include <limits>

#include "scenes/describe/bank.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/describer_cuda.cuh"
#include "scenes/describe/filters_cuda.cuh"

namespace fovea::scenes::cuda {

void KeptTable::add_tiles(std::int64_t tiles) {
  const std::int64_t sum = firsts_.back() + tiles;
  if (sum > std::numeric_limits<std::int32_t>::max())
    throw DeviceError("scenes: too many places in a launch; ask for device cpu");
  firsts_.push_back(static_cast<std::int32_t>(sum));
}

GridTable KeptTable::upload(const std::vector<GridEntry>& entries, cudaStream_t stream) {
  return {entries_there_.fill(entries, stream), firsts_there_.fill(firsts_, stream),
          static_cast<int>(entries.size()), firsts_.back()};
}

namespace {

// Rows of a tile, parts of 16 points per warp, and warps that share points. One block of a dense
// tile runs at a time on an H200; for gray, two of half the size take 7 % longer. The points of a
// tile in Lab fill the shared memory, so that two warps share points.
template <Color kColor>
struct Tuning;
template <>
struct Tuning<Color::kGray> {
  using Dense = DenseFilters<Color::kGray, 32, 512, 4>;
  using Sparse = SparseFilters<Color::kGray, 256, 256>;
  static constexpr int kDenseTiles = 2, kDenseSplit = 1, kDenseBlocks = 1;
  static constexpr int kSparseTiles = 2, kSparseSplit = 1, kSparseBlocks = 2;
};
template <>
struct Tuning<Color::kLab> {
  using Dense = DenseFilters<Color::kLab, 8, 512, 1>;
  using Sparse = SparseFilters<Color::kLab, 128, 256>;
  static constexpr int kDenseTiles = 2, kDenseSplit = 2, kDenseBlocks = 1;
  static constexpr int kSparseTiles = 2, kSparseSplit = 2, kSparseBlocks = 1;
};

template <Color kColor>
class FilterDescriber final : public Describer {
  using Tuned = Tuning<kColor>;
  using Dense = typename Tuned::Dense;
  using Sparse = typename Tuned::Sparse;

 public:
  FilterDescriber(const DescriberPlan& plan, cudaStream_t stream)
      : tables_(bank_tables(kColor)), every_(step_of(plan.options) == 1), scales_(plan, stream) {
    tables_there_.fill({tables_}, stream);
    linear_.fill({linear_of_srgb().begin(), linear_of_srgb().end()}, stream);
  }

  void find_words(std::span<const GridEntry> entries, const CentersView& centers,
                  const WordsUse& use, cudaStream_t stream) override {
    if (every_)
      launch_words<Dense, Tuned::kDenseTiles, Tuned::kDenseSplit, Tuned::kDenseBlocks>(
          {dense_job(), table_.fill<typename Dense::Tiles>(entries, stream), centers, use}, stream);
    else
      launch_words<Sparse, Tuned::kSparseTiles, Tuned::kSparseSplit, Tuned::kSparseBlocks>(
          {sparse_job(), table_.fill<typename Sparse::Tiles>(entries, stream), centers, use},
          stream);
  }
  void write(std::span<const GridEntry> entries, ImageView<float> out,
             cudaStream_t stream) override {
    if (every_ && entries.front().listed == nullptr)
      launch_describe<Dense>(
          {dense_job(), table_.fill<typename Dense::Tiles>(entries, stream), out.data, out.stride},
          stream);
    else
      launch_describe<Sparse>({sparse_job(), table_.fill<typename Sparse::Tiles>(entries, stream),
                               out.data, out.stride},
                              stream);
  }
  std::size_t bytes_per_pixel() const override { return 0; }

 private:
  typename Dense::Job dense_job() {
    return {tables_, scales_.scale(), scales_.offset(), linear_.data()};
  }
  typename Sparse::Job sparse_job() {
    return {tables_there_.data(), scales_.scale(), scales_.offset(), linear_.data()};
  }

  BankTables tables_;
  bool every_;
  NumberScales scales_;
  OrderedBuffer<BankTables> tables_there_{};
  OrderedBuffer<float> linear_{};
  KeptTable table_{};
};

}  // namespace

std::unique_ptr<Describer> make_filter_describer(const DescriberPlan& plan, cudaStream_t stream) {
  if (plan.options.color == Color::kGray)
    return std::make_unique<FilterDescriber<Color::kGray>>(plan, stream);
  return std::make_unique<FilterDescriber<Color::kLab>>(plan, stream);
}

}  // namespace fovea::scenes::cuda
