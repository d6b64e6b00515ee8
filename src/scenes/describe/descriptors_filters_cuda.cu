// Filter responses on the device: in tiles where every pixel is described by filters of the default
// sizes, one by one where places are farther apart or filters have other sizes. A bank of fewer
// sizes is filled up with filters whose responses are 0, which do not change any score of a word.
#include <fovea/core/error.h>

#include <limits>

#include "scenes/describe/bank.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/filters_cuda.cuh"
#include "scenes/describe/stored_points_cuda.cuh"

namespace fovea::scenes::cuda {

void KeptTable::add_tiles(std::int64_t tiles) {
  const std::int64_t sum = firsts_.back() + tiles;
  if (sum > std::numeric_limits<std::int32_t>::max())
    throw DeviceError("scenes: too many places in a launch; ask for device cpu");
  firsts_.push_back(static_cast<std::int32_t>(sum));
}

GridTable KeptTable::upload(const std::vector<GridEntry>& entries, cudaStream_t stream) {
  return {entries_there_.fill(entries, stream), firsts_there_.fill(firsts_, stream),
          static_cast<int>(entries.size()), 0, firsts_.back()};
}

namespace {

// Rows of a tile, parts of 16 points per warp, and warps that share points. For gray, one block of
// a dense tile runs at a time on an H200; two of half the size take 7 % longer. In Lab the points
// of a tall tile do not fit into shared memory; without them, three blocks with 28 rows each are on
// a multiprocessor, and two blocks that search.
template <Color kColor>
struct Tuning;
template <>
struct Tuning<Color::kGray> {
  using Dense = InOneKernel<DenseFilters<Color::kGray, 32, 512, 4>, 2, 1, 1>;
  using Sparse = InOneKernel<SparseFilters<Color::kGray, 256, 256>, 2, 1, 2>;
};
template <>
struct Tuning<Color::kLab> {
  using Dense = ThroughMemory<DenseFilters<Color::kLab, 28, 256, 4>, 3, 128, 256, 2, 2, 2>;
  using Sparse = InOneKernel<SparseFilters<Color::kLab, 128, 256>, 2, 2, 1>;
};

template <Color kColor>
class FilterDescriber final : public Describer {
  using Tuned = Tuning<kColor>;
  using Dense = typename Tuned::Dense;
  using Sparse = typename Tuned::Sparse;

 public:
  FilterDescriber(const DescriberPlan& plan, cudaStream_t stream)
      : tables_(bank_tables(plan.options)),
        every_(step_of(plan.options) == 1 && has_default_sizes(tables_)),
        scales_(plan, stream),
        kept_(tables_.count == kBankScales ? 0 : kBankKinds * tables_.count) {
    tables_there_.fill({tables_}, stream);
    linear_.fill({linear_of_srgb().begin(), linear_of_srgb().end()}, stream);
  }

  void find_words(std::span<const GridEntry> entries, const CentersView& centers,
                  const WordsUse& use, cudaStream_t stream) override {
    if (every_)
      dense_.find_words(dense_job(), table_.fill<typename Dense::Tiles>(entries, stream), centers,
                        use, stream);
    else
      sparse_.find_words(sparse_job(), table_.fill<typename Sparse::Tiles>(entries, stream),
                         centers, use, stream);
  }
  void write(std::span<const GridEntry> entries, ImageView<float> out,
             cudaStream_t stream) override {
    if (every_ && entries.front().listed == nullptr)
      dense_.write(dense_job(), table_.fill<typename Dense::Tiles>(entries, stream), out, stream);
    else
      sparse_.write_some(sparse_job(), table_.fill<typename Sparse::Tiles>(entries, stream), out,
                         kept_, stream);
  }
  // What is stored between kernels is bounded, whatever the number of pixels.
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
  int kept_;  // numbers per plane that are written; 0 stands for all
  OrderedBuffer<BankTables> tables_there_{};
  OrderedBuffer<float> linear_{};
  KeptTable table_{};
  Dense dense_{};
  Sparse sparse_{};
};

}  // namespace

std::unique_ptr<Describer> make_filter_describer(const DescriberPlan& plan, cudaStream_t stream) {
  if (plan.options.color == Color::kGray)
    return std::make_unique<FilterDescriber<Color::kGray>>(plan, stream);
  return std::make_unique<FilterDescriber<Color::kLab>>(plan, stream);
}

}  // namespace fovea::scenes::cuda
