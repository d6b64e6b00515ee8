// Scores every window of an image with one linear classifier. One thread takes level after level;
// several take a level each and share the rows of the largest.
#include <fovea/io/image_io.h>

#include <vector>

#include "people/hog/hog_grid.h"
#include "people/hog/hog_layout.h"
#include "people/level_image.h"
#include "people/level_tasks.h"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "people/steps.h"

namespace fovea::people::cpu {
namespace {

// The memory of one level while it is searched.
struct LinearSpace {
  LinearSpace(Kind kind, const HogOptions& hog) : grid(kind, hog) {}
  HogGrid grid;
  std::vector<std::uint8_t> pixels;
  std::vector<float> scores;
};

class LinearScanner final : public Scanner {
 public:
  LinearScanner(Kind kind, const LinearModel& model)
      : kind_(kind), model_(model), color_(hog_of_kind(kind, model.hog).color) {
    take(0);  // throws now where the geometry is impossible
  }

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    ImageView<const std::uint8_t> image = request.image;
    Image<std::uint8_t> gray;
    if (!color_ && image.channels > 1) {
      const StepTimer timer = shared_step(request.clock, Step::kPlanes);
      gray = io::to_gray(image);
      image = gray;
    }
    const int levels = static_cast<int>(request.plan.levels.size());
    const auto scan_one = [&](int k, const Exec& own, ScanResult& result) {
      const auto space = take(level_pixels(request.plan, k));
      scan_level({image, request.plan, request.threshold, request.clock}, k, own, *space, result);
    };
    if (thread_count(exec) == 1) {
      ScanResult result;
      for (int k = 0; k < levels; ++k) {
        throw_if_stopped(exec);
        scan_one(k, exec, result);
      }
      return result;
    }
    const LevelTasks tasks(exec, level_pixels(request.plan, 0, levels), request.clock != nullptr);
    std::vector<ScanResult> results(request.plan.levels.size());
    for (int first = 0, last = 0; first < levels; first = last) {
      last = group_end(request.plan, first, kGroupPixels);
      tasks.run(exec, last - first, [&](int i) {
        const int k = first + i;
        scan_one(k, tasks.within(level_pixels(request.plan, k)),
                 results[static_cast<std::size_t>(k)]);
      });
    }
    return joined(results);
  }

 private:
  FreeList<LinearSpace>::Loan take(std::int64_t size) {
    return spaces_.take(size, [&] { return std::make_unique<LinearSpace>(kind_, model_.hog); });
  }

  // Memory for an image of this size, kept from level to level and from image to image.
  template <class T>
  static ImageView<T> room(std::vector<T>& memory, Extent size, int channels) {
    const auto elements =
        static_cast<std::size_t>(size.width) * size.height * static_cast<std::size_t>(channels);
    if (memory.size() < elements) memory.resize(elements);
    return packed_view(memory.data(), size.width, size.height, channels);
  }

  // The image of the request has the channels that the descriptor needs.
  void scan_level(const ScanRequest& request, int index, const Exec& exec, LinearSpace& space,
                  ScanResult& result) const {
    const ScanPlan& plan = request.plan;
    const ScanLevel& level = plan.levels[index];
    const auto pixels = room(space.pixels, plan.padded(level), request.image.channels);
    {
      const StepTimer timer(request.clock, Step::kLevels);
      level_image(request.image, plan, level, pixels, exec);
    }
    space.grid.build(pixels, plan, exec, request.clock);
    const StepTimer timer(request.clock, Step::kWindows);
    const auto scores = room(space.scores, {level.columns, level.rows}, 1);
    space.grid.scores(model_, scores, exec);
    const std::int64_t windows = static_cast<std::int64_t>(level.columns) * level.rows;
    result.counts.windows += windows;
    result.counts.evaluations += windows * space.grid.window_blocks();
    for (int row = 0; row < level.rows; ++row)
      for (int column = 0; column < level.columns; ++column)
        if (const float score = scores.at(column, row); score >= request.threshold)
          result.hits.push_back({index, column, row, score});
  }

  Kind kind_;
  const LinearModel& model_;
  bool color_;
  FreeList<LinearSpace> spaces_;
};

}  // namespace

std::unique_ptr<Scanner> make_linear_scanner(Kind kind, const LinearModel& model) {
  check_linear(kind, model);
  return std::make_unique<LinearScanner>(kind, model);
}

}  // namespace fovea::people::cpu
