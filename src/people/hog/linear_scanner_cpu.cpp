// Scores every window of an image with one linear classifier, level by level; threads share the
// rows of each level.
#include <fovea/io/image_io.h>

#include <vector>

#include "people/hog/hog_grid.h"
#include "people/hog/hog_layout.h"
#include "people/level_image.h"
#include "people/model_parts.h"
#include "people/scanner.h"

namespace fovea::people::cpu {
namespace {

class LinearScanner final : public Scanner {
 public:
  LinearScanner(Kind kind, const LinearModel& model)
      : model_(model), color_(hog_of_kind(kind, model.hog).color), grid_(kind, model.hog) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    ImageView<const std::uint8_t> image = request.image;
    Image<std::uint8_t> gray;
    if (!color_ && image.channels > 1) {
      gray = io::to_gray(image);
      image = gray;
    }
    ScanResult result;
    for (std::size_t k = 0; k < request.plan.levels.size(); ++k) {
      throw_if_stopped(exec);
      scan_level(image, request, static_cast<int>(k), exec, result);
    }
    return result;
  }

 private:
  // Memory for an image of this size, kept from level to level and from image to image.
  template <class T>
  static ImageView<T> room(std::vector<T>& memory, Extent size, int channels) {
    const auto elements =
        static_cast<std::size_t>(size.width) * size.height * static_cast<std::size_t>(channels);
    if (memory.size() < elements) memory.resize(elements);
    return packed_view(memory.data(), size.width, size.height, channels);
  }

  void scan_level(ImageView<const std::uint8_t> image, const ScanRequest& request, int index,
                  const Exec& exec, ScanResult& result) {
    const ScanPlan& plan = request.plan;
    const ScanLevel& level = plan.levels[index];
    const auto pixels = room(pixels_, plan.padded(level), image.channels);
    level_image(image, plan, level, pixels, exec);
    grid_.build(pixels, plan, exec);
    const auto scores = room(scores_, {level.columns, level.rows}, 1);
    grid_.scores(model_, scores, exec);
    const std::int64_t windows = static_cast<std::int64_t>(level.columns) * level.rows;
    result.counts.windows += windows;
    result.counts.evaluations += windows * grid_.window_blocks();
    for (int row = 0; row < level.rows; ++row)
      for (int column = 0; column < level.columns; ++column)
        if (const float score = scores.at(column, row); score >= request.threshold)
          result.hits.push_back({index, column, row, score});
  }

  const LinearModel& model_;
  bool color_;
  HogGrid grid_;
  std::vector<std::uint8_t> pixels_;
  std::vector<float> scores_;
};

}  // namespace

std::unique_ptr<Scanner> make_linear_scanner(Kind kind, const LinearModel& model) {
  check_linear(kind, model);
  return std::make_unique<LinearScanner>(kind, model);
}

}  // namespace fovea::people::cpu
