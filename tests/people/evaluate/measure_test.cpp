#include <fovea/core/error.h>
#include <fovea/people/measure.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/people/scene.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::people {
namespace {

using cli::draw_someone;
using cli::street;
using test::message_of;
using testing::HasSubstr;

// Streets of 160x176 with someone in the window at (8 i, 16), or with nobody.
class Streets final : public io::ImageSet {
 public:
  Streets(int count, bool empty, int width = 160) : count_(count), empty_(empty), width_(width) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image = street(width_, 176);
    if (!empty_) draw_someone(image.view(), 8 * index, 16);
    return image;
  }

 private:
  int count_;
  bool empty_;
  int width_;
};

// Crops of 70x134: someone, and nobody.
class Crops final : public io::ImageSet {
 public:
  int count() const override { return 2; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> crop = street(70, 134);
    if (index == 0) draw_someone(crop.view(), 3, 3);
    return crop;
  }
};

// The last person is annotated where nobody is drawn.
std::vector<AnnotatedImage> street_truth() {
  std::vector<AnnotatedImage> images(4);
  for (std::size_t i = 0; i < 4; ++i) {
    const float x = i < 3 ? 8 * static_cast<float>(i) : 110;
    images[i] = {.width = 160, .height = 176, .people = {{.box = {x + 11, 28, 42, 104}}}};
  }
  return images;
}

std::shared_ptr<const Model> likeness_model() {
  return std::make_shared<const Model>(cli::likeness());
}

MeasureOptions on_cpu(int threads = 2) {
  MeasureOptions options;
  options.evaluate.draws = 20;
  options.exec = {.device = Device::cpu(), .threads = threads};
  return options;
}

TEST(Measure, ThreeOfFourAreFound) {
  const ImageMeasurement found =
      measure_on_images(likeness_model(), Streets(4, false), street_truth(), on_cpu());
  EXPECT_EQ(found.report.images, 4);
  EXPECT_EQ(found.report.people, 4);
  EXPECT_NEAR(found.report.miss_rates[8], 0.25, 1e-9);
  EXPECT_EQ(found.found.size(), 4U);
  EXPECT_GT(found.counts.windows, 1000);
  EXPECT_EQ(found.counts.evaluations, 105 * found.counts.windows);
  EXPECT_TRUE(found.stages.empty());
  // Scores below the threshold are taken until there is one false positive per image.
  EXPECT_LE(found.lowest_score, -0.5);
}

TEST(Measure, ResultsDependOnNeitherThreadsNorTheThresholdThatWasChosen) {
  const ImageMeasurement one =
      measure_on_images(likeness_model(), Streets(4, false), street_truth(), on_cpu(1));
  MeasureOptions options = on_cpu(3);
  options.threshold = one.lowest_score;
  const ImageMeasurement other =
      measure_on_images(likeness_model(), Streets(4, false), street_truth(), options);
  EXPECT_EQ(one.report.log_average_miss_rate, other.report.log_average_miss_rate);
  EXPECT_EQ(one.report.drawn, other.report.drawn);
  EXPECT_EQ(one.counts.windows, other.counts.windows);
}

TEST(Measure, WindowsOfCropsAndNegativesAreClassified) {
  std::set<std::string> stages;
  MeasureOptions options = on_cpu();
  options.exec.progress = [&](const Progress& progress) { stages.emplace(progress.stage); };
  const WindowMeasurement found =
      measure_on_windows(likeness_model(), Crops(), Streets(1, true), options);
  EXPECT_EQ(found.report.positives, 2);
  EXPECT_EQ(found.report.negatives, found.counts.windows);
  EXPECT_EQ(found.report.miss_rate_at(1e-4), 0.5);  // the empty crop is like all negatives
  for (const std::string& stage : stages) EXPECT_TRUE(stage == "crops" || stage == "negatives");
}

TEST(Measure, StagesOfACascadeAreCounted) {
  const auto cascade = std::make_shared<const Model>(cli::two_stages(-1));
  const ImageMeasurement found =
      measure_on_images(cascade, Streets(4, false), street_truth(), on_cpu());
  ASSERT_EQ(found.stages.size(), 2U);
  EXPECT_EQ(found.stages[0].blocks, 2);
  EXPECT_EQ(found.stages[0].passed, found.counts.windows);
  EXPECT_EQ(found.stages[1].reached, found.counts.windows);
  EXPECT_EQ(found.stages[1].passed, 0);
  const WindowMeasurement windows =
      measure_on_windows(cascade, Crops(), Streets(1, true), on_cpu());
  EXPECT_EQ(windows.stages[0].reached, windows.counts.windows);
}

TEST(Measure, WhatCannotBeMeasuredIsNamed) {
  const Streets images(4, false), narrow(4, true, 80);
  const MeasureOptions options = on_cpu();
  EXPECT_THAT(
      message_of<FormatError>(
          [&] { measure_on_images(likeness_model(), narrow, street_truth(), options); }),
      HasSubstr("image 0: the image is 80x176, but its annotation is for an image of 160x"));
  const std::vector<AnnotatedImage> nobody(4), few(3);
  EXPECT_THAT(message_of<>([&] { measure_on_images(likeness_model(), images, nobody, options); }),
              HasSubstr("no people in 4 images"));
  EXPECT_THAT(message_of<>([&] { measure_on_images(likeness_model(), images, few, options); }),
              HasSubstr("there are 4 images, but annotations of 3"));
  EXPECT_THAT(message_of<FormatError>([&] {
                measure_on_windows(likeness_model(), Streets(1, true, 40), images, options);
              }),
              HasSubstr("image 0: "));
  std::stop_source stop;
  stop.request_stop();
  MeasureOptions stopped = options;
  stopped.exec.stop = stop.get_token();
  EXPECT_THROW(measure_on_images(likeness_model(), images, street_truth(), stopped), Cancelled);
}

TEST(Measure, DetectorsTakeBytesWithoutOpacity) {
  Image<std::uint16_t> deep(3, 2, 4);
  for (int y = 0; y < 2; ++y) std::fill_n(deep.row(y), 12, std::uint16_t{0x8080});
  const test::TempFolder folder;
  io::write_image(folder / "deep.png", deep.view());
  const StoredImages files({folder / "deep.png"});
  const Image<std::uint8_t> pixels = files.read(0);
  ASSERT_EQ(pixels.channels(), 3);
  EXPECT_EQ(pixels.at(1, 1, 2), 0x80);
  EXPECT_EQ(files.name(0), folder / "deep.png");
  EXPECT_THAT(message_of<>([] { detector_pixels({Image<std::uint8_t>(3, 2, 5)}); }),
              HasSubstr("5 channels"));
}

}  // namespace
}  // namespace fovea::people
