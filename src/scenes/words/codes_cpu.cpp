// Features by soft, vlad and fisher coding on the CPU: tiles of some images are divided among all
// threads, and their sums, which are whole numbers, are added up in any order.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "scenes/describe/describe.h"
#include "scenes/words/feature_engine.h"
#include "scenes/words/features_math.h"
#include "scenes/words/place_coder_cpu.h"
#include "scenes/words/place_pixels.h"
#include "scenes/words/place_terms.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kCodeTileLines = 64;  // where one image has to occupy several threads
constexpr int kWholeLines = 4096;

struct CodeWorker {
  std::unique_ptr<Describer> describer;
  std::unique_ptr<PlaceCoder> coder;
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> sums;  // of one tile
};

struct CodeJob {
  std::size_t image;
  PlaceTile tile;
};

// Adds absolute values as coding_math.h says.
double absolute_sum(const std::vector<double>& values) {
  std::array<double, kCodePartial> partial{};
  for (std::size_t i = 0; i < values.size(); ++i) partial[i % kCodePartial] += std::fabs(values[i]);
  for (std::size_t width = kCodePartial / 2; width > 0; width /= 2)
    for (std::size_t k = 0; k < width; ++k) partial[k] += partial[k + width];
  return partial[0];
}

class CpuCodes final : public FeatureEngine, public PlaceShares {
 public:
  CpuCodes(const FeaturePlan& plan, CodePlan code)
      : descriptor_(plan.descriptor),
        scale_(plan.scale),
        offset_(plan.offset),
        pyramid_(plan.pyramid),
        exec_(plan.exec),
        plan_(std::move(code)),
        code_(plan_) {}

  void make(std::span<const ImageView<const std::uint8_t>> images,
            ImageView<float> features) override {
    const std::size_t group = group_images(image_sums() * sizeof(std::int64_t));
    for (std::size_t first = 0; first < images.size(); first += group) {
      const std::size_t count = std::min(group, images.size() - first);
      make_group(
          images.subspan(first, count),
          features.crop(0, static_cast<int>(first), features.width, static_cast<int>(count)));
    }
  }

  std::vector<float> look(ImageView<const std::uint8_t> image) override {
    sums_ = sums_of({&image, 1});
    std::vector<float> features(static_cast<std::size_t>(plan_.shape.length()) *
                                static_cast<std::size_t>(pyramid_cells(pyramid_)));
    put_features(sums_.data(), features.data());
    return features;
  }

  std::vector<double> word_places() const override {
    std::vector<double> shares(static_cast<std::size_t>(plan_.shape.words), 0.0);
    double total = 0;
    for (std::size_t cell = 0; cell < std::size_t{1} << (2 * pyramid_); ++cell)
      for (std::size_t k = 0; k < shares.size(); ++k) {
        const auto weight = static_cast<double>(sums_[cell * cell_sums() + k]);
        shares[k] += weight;
        total += weight;
      }
    for (double& share : shares) share = total > 0 ? share / total : 0;
    return shares;
  }

  void share_out(ImageView<const std::uint8_t> image, std::span<const double> values,
                 ImageView<double> heat, WordSquares& squares) override {
    PlaceTerms terms(plan_, pyramid_);
    each_cell(sums_.data(), [&](const std::vector<std::int64_t>& sums, int level, int cell) {
      const auto first = static_cast<std::size_t>(pyramid_start(level) + cell) *
                         static_cast<std::size_t>(plan_.shape.length());
      terms.add(level, cell, sums,
                values.subspan(first, static_cast<std::size_t>(plan_.shape.length())));
    });
    // Grids of several scales meet in the same pixels, the tiles of one grid do not.
    for (const PlaceGrid& grid : place_grids(descriptor_, image.width, image.height)) {
      const std::vector<PlaceTile> tiles = place_tiles({&grid, 1}, kCodeTileLines);
      parallel_for(exec_, std::ssize(tiles), 1, [&](std::int64_t begin, std::int64_t end) {
        CodeWorker worker = take_worker();
        for (std::int64_t i = begin; i < end; ++i)
          worker.describer->describe(
              image, grid, tiles[static_cast<std::size_t>(i)], [&](const PlaceBlock& block) {
                std::vector<PixelPlace> places;
                places.reserve(static_cast<std::size_t>(block.count()));
                each_place(block.places, grid, image, pyramid_,
                           [&](const PixelPlace& place) { places.push_back(place); });
                auto place = places.begin();
                worker.coder->each(block, [&](const CodedPlace& coded) {
                  add_to_pixels(*place, terms.of_place(place->cell, coded), heat);
                  for (const int word : squares.chosen())
                    squares.add(
                        word,
                        static_cast<std::int64_t>(coded.weights[std::ptrdiff_t{word} * kCodeBlock]),
                        place->x, place->y);
                  ++place;
                });
              });
        const std::lock_guard lock(mutex_);
        workers_.push_back(std::move(worker));
      });
    }
  }

 private:
  using Images = std::span<const ImageView<const std::uint8_t>>;

  std::size_t cell_sums() const { return static_cast<std::size_t>(plan_.shape.sums()); }
  std::size_t image_sums() const { return cell_sums() << (2 * pyramid_); }

  void make_group(Images images, ImageView<float> features) {
    const std::vector<std::int64_t> sums = sums_of(images);
    parallel_for(exec_, features.height, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        put_features(sums.data() + static_cast<std::size_t>(i) * image_sums(),
                     features.row(static_cast<int>(i)));
    });
  }

  // The sums of all finest cells, image after image.
  std::vector<std::int64_t> sums_of(Images images) {
    const bool many = static_cast<int>(images.size()) >= 2 * thread_count(exec_);
    std::vector<std::vector<PlaceGrid>> grids;
    std::vector<CodeJob> jobs;
    grids.reserve(images.size());
    for (const auto& image : images) {
      grids.push_back(place_grids(descriptor_, image.width, image.height));
      for (const PlaceTile& tile : place_tiles(grids.back(), many ? kWholeLines : kCodeTileLines))
        jobs.push_back({grids.size() - 1, tile});
    }
    std::vector<std::int64_t> sums(images.size() * image_sums());
    parallel_for(exec_, static_cast<std::int64_t>(jobs.size()), 1,
                 [&](std::int64_t begin, std::int64_t end) {
                   CodeWorker worker = take_worker();
                   for (std::int64_t i = begin; i < end; ++i) {
                     const CodeJob& job = jobs[static_cast<std::size_t>(i)];
                     add_tile(images[job.image],
                              grids[job.image][static_cast<std::size_t>(job.tile.grid)], job.tile,
                              worker);
                     merge(worker.sums, sums.data() + job.image * image_sums());
                   }
                   const std::lock_guard lock(mutex_);
                   workers_.push_back(std::move(worker));
                 });
    return sums;
  }

  CodeWorker take_worker() {
    {
      const std::lock_guard lock(mutex_);
      if (!workers_.empty()) {
        CodeWorker worker = std::move(workers_.back());
        workers_.pop_back();
        return worker;
      }
    }
    const Standard standard = scale_.empty() ? Standard{} : Standard{scale_.data(), offset_.data()};
    return {make_describer(descriptor_, standard), std::make_unique<PlaceCoder>(code_), {}, {}};
  }

  void add_tile(ImageView<const std::uint8_t> image, const PlaceGrid& grid, const PlaceTile& tile,
                CodeWorker& worker) const {
    worker.sums.assign(image_sums(), 0);
    worker.describer->describe(image, grid, tile, [&](const PlaceBlock& block) {
      const PlaceTile& places = block.places;
      worker.cells.clear();
      for (int line = places.line; line < places.line + places.lines; ++line) {
        const int row = pyramid_cell(grid.top + line * grid.step, image.height, pyramid_);
        for (int i = places.column; i < places.column + places.columns; ++i) {
          const int column = pyramid_cell(grid.left + i * grid.step, image.width, pyramid_);
          worker.cells.push_back(((std::int64_t{row} << pyramid_) + column) * plan_.shape.sums());
        }
      }
      worker.coder->add(block, worker.cells, worker.sums.data());
    });
  }

  static void merge(const std::vector<std::int64_t>& tile, std::int64_t* image) {
    for (std::size_t i = 0; i < tile.size(); ++i)
      if (tile[i] != 0) std::atomic_ref(image[i]).fetch_add(tile[i], std::memory_order_relaxed);
  }

  // Sums are kept for the cells of the finest level only. A cell of a coarser level has the sum of
  // the finest cells inside it.
  template <class Use>
  void each_cell(const std::int64_t* finest, const Use& use) const {
    std::vector<std::int64_t> cell_of(cell_sums());
    for (int level = 0; level <= pyramid_; ++level) {
      const int across = 1 << level, parts = 1 << (pyramid_ - level);
      for (int cell = 0; cell < across * across; ++cell) {
        std::ranges::fill(cell_of, 0);
        for (int part = 0; part < parts * parts; ++part) {
          const int x = cell % across * parts + part % parts;
          const int y = cell / across * parts + part / parts;
          const std::int64_t* from =
              finest +
              (static_cast<std::size_t>(y << pyramid_) + static_cast<std::size_t>(x)) * cell_sums();
          for (std::size_t i = 0; i < cell_of.size(); ++i) cell_of[i] += from[i];
        }
        use(cell_of, level, cell);
      }
    }
  }

  void put_features(const std::int64_t* finest, float* features) const {
    std::int64_t total = 0;  // of all weights
    for (std::size_t cell = 0; cell < std::size_t{1} << (2 * pyramid_); ++cell)
      for (int k = 0; k < plan_.shape.words; ++k)
        total += finest[cell * cell_sums() + static_cast<std::size_t>(k)];
    each_cell(finest, [&](const std::vector<std::int64_t>& sums, int level, int) {
      put_cell(sums, total, level, features);
      features += plan_.shape.length();
    });
  }

  void put_cell(const std::vector<std::int64_t>& sums, std::int64_t total, int level,
                float* features) const {
    const auto length = static_cast<std::size_t>(plan_.shape.length());
    if (plan_.shape.coding == Coding::kSoft) {
      for (std::size_t k = 0; k < length; ++k)
        features[k] = feature_of(sums[k], total, level_weight(level, pyramid_));
      return;
    }
    const CodeFactors factors = plan_.factors();
    std::vector<double> values(length);
    for (std::size_t i = 0; i < length; ++i)
      values[i] = code_value(plan_.shape, factors, static_cast<std::int64_t>(i),
                             [&](std::int64_t at) { return sums[static_cast<std::size_t>(at)]; });
    const double sum = absolute_sum(values);
    for (std::size_t i = 0; i < length; ++i)
      features[i] = code_feature(values[i], sum, cell_length(level));
  }

  DescriptorOptions descriptor_;
  std::vector<float> scale_, offset_;
  int pyramid_;
  Exec exec_;
  CodePlan plan_;
  PlaceCode code_;
  std::mutex mutex_;
  std::vector<CodeWorker> workers_;
  std::vector<std::int64_t> sums_;  // of the image that look() saw
};

}  // namespace

std::unique_ptr<FeatureEngine> make_code_engine(const FeaturePlan& plan, const CodePlan& code) {
  return std::make_unique<CpuCodes>(plan, code);
}

}  // namespace fovea::scenes::cpu
