// Features on the CPU: tiles of all images are divided among all threads. Each tile is described a
// few lines at a time and counted at the pyramid's finest level. Counts are whole numbers, so that
// the order of additions does not matter.
#include <atomic>
#include <mutex>

#include "ops/kmeans/nearest.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/describe_cpu.h"
#include "scenes/words/feature_engine.h"
#include "scenes/words/features_math.h"
#include "scenes/words/place_pixels.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kFeatureTileLines = 64;  // used if one image has to occupy several threads
constexpr int kManyLines = 1024;

// The memory of one thread.
struct Worker {
  std::unique_ptr<Describer> describer;
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> counts;  // for one tile
};

struct Job {
  int image;
  PlaceTile tile;
};

class CpuFeatures final : public WordEngine, public PlaceShares {
 public:
  explicit CpuFeatures(const FeaturePlan& plan)
      : descriptor_(plan.descriptor),
        scale_(plan.scale),
        offset_(plan.offset),
        pyramid_(plan.pyramid),
        exec_(plan.exec),
        centers_(fovea::cpu::prepare_centers(plan.words)) {}

  void make(std::span<const ImageView<const std::uint8_t>> images,
            ImageView<float> features) override {
    const bool many = static_cast<int>(images.size()) >= 2 * thread_count(exec_);
    std::vector<std::vector<PlaceGrid>> grids;
    std::vector<Job> jobs;
    for (const auto& image : images) {
      grids.push_back(place_grids(descriptor_, image.width, image.height));
      for (const PlaceTile& tile : place_tiles(grids.back(), many ? kManyLines : kFeatureTileLines))
        jobs.push_back({static_cast<int>(grids.size()) - 1, tile});
    }
    std::vector<std::uint32_t> counts(images.size() * finest());
    each_job(jobs, [&](const Job& job, Worker& worker) {
      const auto i = static_cast<std::size_t>(job.image);
      count(images[i], grids[i][static_cast<std::size_t>(job.tile.grid)], job.tile, worker);
      std::uint32_t* to = counts.data() + i * finest();
      for (std::size_t w = 0; w < worker.counts.size(); ++w)
        if (worker.counts[w] > 0)
          std::atomic_ref(to[w]).fetch_add(worker.counts[w], std::memory_order_relaxed);
    });
    for (std::size_t i = 0; i < images.size(); ++i) {
      std::int64_t total = 0;
      for (const PlaceGrid& grid : grids[i]) total += grid.count();
      put_features(counts.data() + i * finest(), total, features.row(static_cast<int>(i)));
    }
  }

  void words(ImageView<const std::uint8_t> image, ImageView<std::uint16_t> words) override {
    const PlaceGrid grid = place_grids(descriptor_, image.width, image.height).front();
    std::vector<Job> jobs;
    for (const PlaceTile& tile : place_tiles({&grid, 1}, kFeatureTileLines))
      jobs.push_back({0, tile});
    each_job(jobs, [&](const Job& job, Worker& worker) {
      worker.describer->describe(image, grid, job.tile, [&](const PlaceBlock& block) {
        const std::int32_t* label = find_words(block, worker);
        const PlaceTile& places = block.places;
        for (int y = places.line; y < places.line + places.lines; ++y)
          for (int x = places.column; x < places.column + places.columns; ++x)
            words.at(x, y) = static_cast<std::uint16_t>(*label++);
      });
    });
  }

  std::vector<float> look(ImageView<const std::uint8_t> image) override {
    features_.resize(static_cast<std::size_t>(centers_.centers) *
                     static_cast<std::size_t>(pyramid_cells(pyramid_)));
    make({&image, 1}, packed_view(features_.data(), static_cast<int>(features_.size()), 1));
    return features_;
  }

  std::vector<double> word_places() const override {
    const auto words = static_cast<std::size_t>(centers_.centers);
    std::vector<double> shares(features_.begin(),
                               features_.begin() + static_cast<std::ptrdiff_t>(words));
    for (double& share : shares) share /= static_cast<double>(level_weight(0, pyramid_));
    return shares;
  }

  // A place counts once in the bin of its word in each level, so that it has the same share as all
  // other places in that bin.
  void share_out(ImageView<const std::uint8_t> image, std::span<const double> values,
                 ImageView<double> heat, WordSquares& squares) override {
    const std::vector<PlaceGrid> grids = place_grids(descriptor_, image.width, image.height);
    std::int64_t total = 0;
    for (const PlaceGrid& grid : grids) total += grid.count();
    const std::vector<double> of_place = shares_by_cell(values, total);
    // Grids of several scales meet in the same pixels, the tiles of one grid do not.
    for (const PlaceGrid& grid : grids) {
      std::vector<Job> jobs;
      for (const PlaceTile& tile : place_tiles({&grid, 1}, kFeatureTileLines))
        jobs.push_back({0, tile});
      each_job(jobs, [&](const Job& job, Worker& worker) {
        worker.describer->describe(image, grid, job.tile, [&](const PlaceBlock& block) {
          const std::int32_t* label = find_words(block, worker);
          each_place(block.places, grid, image, pyramid_, [&](const PixelPlace& place) {
            squares.add(*label, 1, place.x, place.y);
            add_to_pixels(place,
                          of_place[place.cell * static_cast<std::size_t>(centers_.centers) +
                                   static_cast<std::size_t>(*label++)],
                          heat);
          });
        });
      });
    }
  }

 private:
  // What a place with a word has in a cell of the finest level, over all levels: one number per
  // cell and word.
  std::vector<double> shares_by_cell(std::span<const double> values, std::int64_t total) const {
    const auto words = static_cast<std::size_t>(centers_.centers);
    std::vector<double> shares(finest(), 0.0);
    for (int level = 0; level <= pyramid_; ++level) {
      const double one =
          static_cast<double>(level_weight(level, pyramid_)) / static_cast<double>(total);
      for (std::size_t cell = 0; cell < std::size_t{1} << (2 * pyramid_); ++cell) {
        const std::size_t first = coarse_cell(static_cast<int>(cell), level, pyramid_) * words;
        for (std::size_t w = 0; w < words; ++w)
          if (features_[first + w] > 0)
            shares[cell * words + w] +=
                values[first + w] * one / static_cast<double>(features_[first + w]);
      }
    }
    return shares;
  }

  // Returns the number of counts per image: words times cells of the finest level.
  std::size_t finest() const {
    return static_cast<std::size_t>(centers_.centers) << (2 * pyramid_);
  }

  // Runs on all threads, each with one of the workers that are kept.
  template <class Work>
  void each_job(const std::vector<Job>& jobs, const Work& work) {
    parallel_for(exec_, static_cast<std::int64_t>(jobs.size()), 1,
                 [&](std::int64_t begin, std::int64_t end) {
                   Worker worker = take_worker();
                   for (std::int64_t i = begin; i < end; ++i)
                     work(jobs[static_cast<std::size_t>(i)], worker);
                   const std::lock_guard lock(mutex_);
                   workers_.push_back(std::move(worker));
                 });
  }
  Worker take_worker() {
    {
      const std::lock_guard lock(mutex_);
      if (!workers_.empty()) {
        Worker worker = std::move(workers_.back());
        workers_.pop_back();
        return worker;
      }
    }
    const Standard standard = scale_.empty() ? Standard{} : Standard{scale_.data(), offset_.data()};
    return {make_describer(descriptor_, standard), {}, {}};
  }

  const std::int32_t* find_words(const PlaceBlock& block, Worker& worker) const {
    const int count = block.count();
    if (worker.labels.size() < static_cast<std::size_t>(count))
      worker.labels.resize(static_cast<std::size_t>(count));
    if (block.planar) {
      fovea::cpu::nearest_centers(centers_,
                                  fovea::cpu::PlanarPoints{block.numbers, block.stride, count},
                                  worker.labels.data());
    } else {
      const ImageView<const float> rows{block.numbers, centers_.dimensions, count, 1, block.stride};
      fovea::cpu::nearest_of_rows(centers_, rows, worker.labels.data());
    }
    return worker.labels.data();
  }

  void count(ImageView<const std::uint8_t> image, const PlaceGrid& grid, const PlaceTile& tile,
             Worker& worker) const {
    worker.counts.assign(finest(), 0);
    std::vector<std::size_t> cell_of_column;
    for (int i = 0; i < tile.columns; ++i) {
      const int x = grid.left + (tile.column + i) * grid.step;
      cell_of_column.push_back(static_cast<std::size_t>(pyramid_cell(x, image.width, pyramid_)) *
                               static_cast<std::size_t>(centers_.centers));
    }
    worker.describer->describe(image, grid, tile, [&](const PlaceBlock& block) {
      const std::int32_t* label = find_words(block, worker);
      for (int i = 0; i < block.places.lines; ++i) {
        const int y = grid.top + (block.places.line + i) * grid.step;
        const auto row = static_cast<std::size_t>(pyramid_cell(y, image.height, pyramid_));
        std::uint32_t* counts =
            worker.counts.data() + (row << pyramid_) * static_cast<std::size_t>(centers_.centers);
        for (const std::size_t cell : cell_of_column)
          ++counts[cell + static_cast<std::size_t>(*label++)];
      }
    });
  }

  // A cell of a level is the sum of four cells of the next finer level.
  void put_features(const std::uint32_t* finest, std::int64_t total, float* features) const {
    const int words = centers_.centers;
    for (int level = 0; level <= pyramid_; ++level) {
      const float weight = level_weight(level, pyramid_);
      const int across = 1 << level, parts = 1 << (pyramid_ - level);
      for (int cell = 0; cell < across * across; ++cell) {
        const int left = cell % across * parts, top = cell / across * parts;
        for (int w = 0; w < words; ++w) {
          std::int64_t sum = 0;
          for (int y = top; y < top + parts; ++y)
            for (int x = left; x < left + parts; ++x)
              sum += finest[static_cast<std::ptrdiff_t>((y << pyramid_) + x) * words + w];
          *features++ = feature_of(sum, total, weight);
        }
      }
    }
  }

  DescriptorOptions descriptor_;
  std::vector<float> scale_, offset_;
  int pyramid_;
  Exec exec_;
  fovea::cpu::PreparedCenters centers_;
  std::mutex mutex_;
  std::vector<Worker> workers_;
  std::vector<float> features_;  // of the image that look() saw
};

}  // namespace

std::unique_ptr<WordEngine> make_word_engine(const FeaturePlan& plan) {
  return std::make_unique<CpuFeatures>(plan);
}

}  // namespace fovea::scenes::cpu
