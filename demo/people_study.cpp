#include "demo/people_study.h"

#include <fovea/core/random.h>
#include <fovea/people/study.h>
#include <fovea/report/evaluation_page.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/people/crowd.h"
#include "cli/people/study.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr double kNoise = 45;  // standard deviation, so that not everyone is found
constexpr Extent kStudyWindow{32, 64};
constexpr int kStudyMargin = 8;

// Shades, posts and boards, with the noise of a bad camera.
Image<std::uint8_t> drawn_place(Extent size, Random& random, bool person) {
  Image<std::uint8_t> image(size.width, size.height, 3);
  const Canvas canvas = image;
  const auto shade = [&] { return static_cast<std::uint8_t>(60 + random.below(140)); };
  fill_box(canvas, {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)},
           {{shade(), shade(), shade()}, 1});
  for (int i = 0; i < size.width * size.height / 900; ++i) {
    const double x = random.uniform() * size.width, y = random.uniform() * size.height;
    const double w = 3 + random.uniform() * 24, h = 3 + random.uniform() * 48;
    fill_box(canvas, {x - w / 2, y - h / 2, w, h}, {{shade(), shade(), shade()}, 1});
  }
  if (person) {
    const Walker walker{size.width / 2.0 + random.uniform() * 2 - 1,
                        size.height / 2.0 + 24,
                        47 + random.uniform() * 3,
                        0.12 * random.uniform(),
                        {shade(), shade(), shade()},
                        {shade(), shade(), shade()}};
    draw_walker(canvas, walker);
  }
  for (int y = 0; y < image.height(); ++y)
    for (int i = 0; i < image.view().row_elements(); ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(
          std::clamp(image.row(y)[i] + kNoise * random.normal(), 0.0, 255.0));
  return image;
}

class DrawnImages final : public people::ImageSet {
 public:
  DrawnImages(int count, bool person, std::uint64_t seed)
      : count_(count), person_(person), seed_(seed) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Random random(seed_, static_cast<std::uint64_t>(index));
    const Extent crop{kStudyWindow.width + 2 * kStudyMargin,
                      kStudyWindow.height + 2 * kStudyMargin};
    return drawn_place(person_ ? crop : Extent{160, 120}, random, person_);
  }

 private:
  int count_;
  bool person_;
  std::uint64_t seed_;
};

}  // namespace

void add_people_study(Page& page, const Exec& exec) {
  const DrawnImages positives(120, true, 1), negatives(24, false, 2);
  const DrawnImages test_positives(120, true, 3), test_negatives(12, false, 4);
  people::StudyOptions options;
  options.vary = {"bins", "norm"};
  options.hog.window = kStudyWindow;
  options.train.random_windows = 20;
  options.train.rounds = 0;
  options.false_rate = 1e-2;
  options.exec = exec;
  const people::StudyReport study =
      people::study({positives, negatives, test_positives, test_negatives}, options);
  std::vector<Figure> figures;
  figures.reserve(study.parameters.size());
  for (const report::EvaluationChart& chart : study_evaluation(study).charts)
    figures.push_back(Figure::chart(
        report::to_svg(chart),
        {fmt::format("what {} of the descriptor matter: miss rates at {:g} false positives per "
                     "window, on drawn people",
                     chart.title == "bins" ? "the bins" : "the norms", study.false_rate),
         fmt::format("fovea people study --vary {} --positives crops --negatives scenes -o study",
                     chart.title)}));
  page.figures(figures, 2);
}

}  // namespace fovea::cli
