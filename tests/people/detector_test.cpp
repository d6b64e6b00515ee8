// Covers: gray
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/io/frames.h>
#include <fovea/people/detector.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "people/hog/hog_grid.h"
#include "people/model_parts.h"
#include "support/device_rule.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// A light figure, head, body and legs, on gray: what the model of these tests is made from.
Image<std::uint8_t> figure_at(int width, int height, int x, int y, double scale = 1) {
  Image<std::uint8_t> image(width, height);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const double u = (column - x) / scale, v = (row - y) / scale;
      const bool head = std::hypot(u - 32, v - 24) < 9;
      const bool body = std::abs(u - 32) < 12 && v > 34 && v < 74;
      const bool legs = std::abs(std::abs(u - 32) - 6) < 4 && v >= 74 && v < 114;
      image.at(column, row) = head || body || legs ? 220 : 60;
    }
  return image;
}

// The template's own descriptor less its mean, as weights: the window that looks like it scores
// most.
std::shared_ptr<const Model> figure_model() {
  Model model;
  LinearModel linear;
  linear.weights.assign(static_cast<std::size_t>(descriptor_size(linear.hog)), 0);
  const Image<std::uint8_t> figure = figure_at(64, 128, 0, 0);
  cpu::HogGrid grid(Kind::kHog, linear.hog);
  grid.build(figure, plan_crop({64, 128}, linear.hog.window), {});
  std::vector<float> descriptor(linear.weights.size());
  grid.descriptor(0, 0, descriptor);
  float mean = 0, square = 0;
  for (const float value : descriptor) mean += value / static_cast<float>(descriptor.size());
  for (std::size_t i = 0; i < descriptor.size(); ++i) {
    linear.weights[i] = descriptor[i] - mean;
    square += linear.weights[i] * descriptor[i];
  }
  linear.bias = -0.7F * square;
  model.classifier = std::move(linear);
  return std::make_shared<const Model>(std::move(model));
}

class PeopleDetector : public test::OnEveryPlace {
 protected:
  DetectOptions options() const {
    DetectOptions options;
    options.exec.device = device();
    return options;
  }
};
FOVEA_ON_EVERY_PLACE(PeopleDetector);

// The confidence follows from the score alone, whatever computed it; other fields do not change.
TEST_P(PeopleDetector, PeopleHaveAConfidenceWhereTheModelIsCalibrated) {
  const Image<std::uint8_t> image = figure_at(200, 180, 40, 20);
  const std::shared_ptr<const Model> plain = figure_model();
  Model sure = *plain;
  sure.calibration = {0.5F, -1};
  const Image<std::uint8_t> everywhere = [&] {
    Image<std::uint8_t> mask(200, 180);
    for (int y = 0; y < 180; ++y) std::fill_n(mask.row(y), 200, std::uint8_t{1});
    return mask;
  }();
  Detector without(plain, options());
  Detector with(std::make_shared<const Model>(sure), options());
  const auto before = without.detect(image).people;
  ASSERT_FALSE(before.empty());
  for (const auto& people : {with.detect(image).people, with.detect(image, everywhere).people}) {
    ASSERT_EQ(people.size(), before.size());
    for (std::size_t i = 0; i < people.size(); ++i) {
      EXPECT_EQ(before[i].confidence, std::nullopt);
      EXPECT_EQ(people[i].score, before[i].score);
      EXPECT_EQ(people[i].box, before[i].box);
      EXPECT_EQ(people[i].confidence, sure.calibration->confidence(people[i].score));
    }
  }
}

// A least confidence is the threshold at which scores begin to have it.
TEST_P(PeopleDetector, AConfidenceStandsInPlaceOfAThreshold) {
  const Image<std::uint8_t> image = figure_at(200, 180, 40, 20);
  Model sure = *figure_model();
  sure.calibration = {0.5F, -1};
  const auto model = std::make_shared<const Model>(sure);
  DetectOptions asked = options();
  asked.threshold = -1e6;
  asked.fuse.method = FuseMethod::kNone;
  const std::vector<Detection> all = Detector(model, asked).detect(image).people;
  const float middle = *all[all.size() / 2].confidence;
  asked.threshold.reset();
  asked.confidence = middle;
  const std::vector<Detection> kept = Detector(model, asked).detect(image).people;
  EXPECT_EQ(std::ssize(kept), std::ranges::count_if(all, [&](const Detection& person) {
              return *person.confidence >= middle;
            }));
  for (const Detection& person : kept) EXPECT_GE(*person.confidence, middle);
  EXPECT_THAT(message_of<InvalidArgument>([&] { Detector(figure_model(), asked); }),
              HasSubstr("has no calibration"));
  asked.threshold = 3;
  EXPECT_THAT(message_of<InvalidArgument>([&] { Detector(model, asked); }),
              HasSubstr("both threshold 3 and confidence"));
}

// Detectors with streams of their own share the frames of a video, of changing size even.
TEST_P(PeopleDetector, SeveralWorkBesideEachOther) {
  struct FrameItem {
    Image<std::uint8_t> image;
    DetectResult result;
  };
  struct Worker {
    Stream stream;
    Detector detector;
  };
  const auto frame = [](int i) {
    return figure_at(200 + i % 3 * 24, 180, 8 * (i % 9), 4 * (i % 5));
  };
  std::vector<Worker> workers;
  for (int i = 0; i < 3; ++i) {
    Stream stream(device());
    DetectOptions own = options();
    own.exec.stream = stream.get();
    own.exec.threads = 1;
    workers.push_back({std::move(stream), Detector(figure_model(), own)});
  }
  Detector alone(figure_model(), options());
  int read = 0, written = 0;
  const io::FrameRun run = io::run_frames<FrameItem, Worker>(
      workers,
      {.read =
           [&](FrameItem& item) {
             item.image = frame(read);
             return ++read <= 20;
           },
       .work = [](Worker& worker,
                  FrameItem& item) { item.result = worker.detector.detect(item.image); },
       .write =
           [&](FrameItem& item) {
             const DetectResult expected = alone.detect(frame(written++));
             ASSERT_EQ(item.result.people.size(), expected.people.size());
             for (std::size_t k = 0; k < expected.people.size(); ++k) {
               EXPECT_EQ(item.result.people[k].score, expected.people[k].score);
               EXPECT_EQ(item.result.people[k].box.x, expected.people[k].box.x);
             }
           }},
      {.in_flight = 5});
  run.rethrow();
  EXPECT_EQ(written, 20);
}

TEST_P(PeopleDetector, FindsAFigureWhereItStands) {
  const Image<std::uint8_t> image = figure_at(320, 240, 128, 64);
  const DetectResult result = Detector(figure_model(), options()).detect(image);
  ASSERT_EQ(result.people.size(), 1U);
  const Detection& person = result.people[0];
  EXPECT_NEAR(person.window.x, 128, 8);
  EXPECT_NEAR(person.window.y, 64, 8);
  EXPECT_NEAR(person.box.height, 104, 12);
  EXPECT_NEAR(person.box.width, 0.41 * person.box.height, 0.5);
  EXPECT_NEAR(person.box.x + person.box.width / 2, 160, 6);
  EXPECT_GT(result.counts.windows, 100);
  EXPECT_EQ(result.counts.evaluations, 105 * result.counts.windows);
}

TEST_P(PeopleDetector, FindsLargerAndSmallerFigures) {
  Detector detector(figure_model(), options());
  const auto large = detector.detect(figure_at(320, 400, 64, 40, 2)).people;
  ASSERT_GE(large.size(), 1U);
  EXPECT_NEAR(large[0].box.height, 208, 25);
  DetectOptions enlarged = options();
  enlarged.scan.enlarge = 2;
  const auto small =
      Detector(figure_model(), enlarged).detect(figure_at(160, 120, 48, 24, .6)).people;
  ASSERT_GE(small.size(), 1U);
  EXPECT_NEAR(small[0].box.height, 62, 9);
}

TEST_P(PeopleDetector, AnImageWithoutAWindowIsRefusedWithAdviceThatHelps) {
  const auto refusal = [&](int side, double enlarge, double min_height) {
    DetectOptions given = options();
    given.scan.enlarge = enlarge;
    given.scan.min_height = min_height;
    return test::message_of<InvalidArgument>(
        [&] { Detector(figure_model(), given).detect(figure_at(side, side, 0, 0)); });
  };
  EXPECT_THAT(refusal(60, 1, 0), HasSubstr("raise enlarge, which is 1, to 8 at most"));
  EXPECT_THAT(refusal(8, 8, 0), testing::EndsWith("the image is too small for this model"));
  EXPECT_THAT(refusal(200, 8, 900), testing::EndsWith("lower min-height or raise max-height"));
}

TEST_P(PeopleDetector, ARegionIsAnImageOfItsOwn) {
  const Image<std::uint8_t> image = figure_at(320, 240, 128, 64);
  const auto within = [&](const Rect<int>& region) {
    DetectOptions part = options();
    part.region = region;
    return Detector(figure_model(), part).detect(image).people;
  };
  EXPECT_TRUE(within({0, 0, 100, 240}).empty());
  const auto found = within({100, 32, 180, 200});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].window.x, 128, 8);
  EXPECT_THROW(within({300, 0, 100, 240}), InvalidArgument);
}

TEST_P(PeopleDetector, AMaskLeavesPeopleOut) {
  Detector detector(figure_model(), options());
  const Image<std::uint8_t> image = figure_at(320, 240, 128, 64);
  Image<std::uint8_t> mask(320, 240);
  for (int y = 0; y < 240; ++y) std::fill_n(mask.row(y), 320, std::uint8_t{0});
  EXPECT_TRUE(detector.detect(image, mask).people.empty());
  for (int y = 100; y < 160; ++y)
    for (int x = 140; x < 180; ++x) mask.at(x, y) = 1;
  EXPECT_EQ(detector.detect(image, mask).people.size(), 1U);
}

TEST_P(PeopleDetector, ColorAndOpacityAreTaken) {
  Detector detector(figure_model(), options());
  const Image<std::uint8_t> gray = figure_at(320, 240, 128, 64);
  for (const int channels : {3, 4}) {
    Image<std::uint8_t> image(320, 240, channels);
    for (int y = 0; y < 240; ++y)
      for (int i = 0; i < 320 * channels; ++i)
        image.row(y)[i] =
            i % channels == 3 ? static_cast<std::uint8_t>(i) : gray.at(i / channels, y);
    const auto expected = detector.detect(gray).people, found = detector.detect(image).people;
    ASSERT_EQ(found.size(), expected.size()) << channels;
    EXPECT_EQ(found[0].box, expected[0].box);
    EXPECT_EQ(found[0].score, expected[0].score);
  }
}

TEST_P(PeopleDetector, ScoresOfCropsAreThoseOfWindows) {
  Detector detector(figure_model(), options());
  const Image<std::uint8_t> crop = figure_at(96, 160, 16, 16);
  EXPECT_GT(detector.score(crop), 0);
  EXPECT_LT(detector.score(figure_at(96, 160, 200, 16)), 0);
  EXPECT_THROW(detector.score(figure_at(60, 128, 0, 0)), InvalidArgument);
}

TEST_P(PeopleDetector, EveryWindowHasAScore) {
  ScanCounts counts;
  const auto scores =
      Detector(figure_model(), options()).scores(figure_at(160, 200, 0, 0), &counts);
  EXPECT_EQ(static_cast<std::int64_t>(scores.size()), counts.windows);
}

TEST_P(PeopleDetector, MeanShiftCountsTheWindowsThatItLeavesOut) {
  const auto result = [&](FuseWeights weights) {
    DetectOptions low = options();
    low.threshold = -2;
    low.fuse.method = FuseMethod::kMeanShift;
    low.fuse.weights = weights;
    return Detector(figure_model(), low).detect(figure_at(200, 180, 40, 20));
  };
  const DetectResult scores = result(FuseWeights::kScore);
  EXPECT_GT(scores.counts.zero_weight_windows, 0);
  for (const Detection& person : scores.people) EXPECT_GT(person.score, 0);
  const DetectResult margins = result(FuseWeights::kMargin);
  EXPECT_EQ(margins.counts.zero_weight_windows, 0);
  EXPECT_GE(margins.people.size(), scores.people.size());
}

TEST_P(PeopleDetector, AHorizonLeavesOutWhoCannotStandThere) {
  const Image<std::uint8_t> image = figure_at(200, 180, 64, 32);  // feet at row 148, 104 high
  const auto found = [&](double horizon, std::optional<Rect<int>> region = {}) {
    DetectOptions ground = options();
    ground.region = region;
    ground.scan.horizon = horizon;
    ground.scan.camera_height = 1.7;
    return Detector(figure_model(), ground).detect(image);
  };
  const DetectResult all = Detector(figure_model(), options()).detect(image);
  const DetectResult standing = found(148 - 104);
  ASSERT_EQ(standing.people.size(), 1U);
  EXPECT_EQ(standing.people[0].box.y, all.people[0].box.y);
  EXPECT_EQ(standing.people[0].score, all.people[0].score);
  EXPECT_LT(standing.counts.windows, all.counts.windows);
  EXPECT_TRUE(found(148 - 160).people.empty());
  // Rows are those of the whole image.
  EXPECT_EQ(found(148 - 104, Rect<int>{0, 16, 200, 164}).people.size(), 1U);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { found(5000); }),
              testing::HasSubstr("check horizon"));
}

// A cascade that votes by sign has no scores that say more than the next.
TEST(PeopleDetectorWeights, WindowsOfABinaryCascadeAreEqual) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  Model model;
  model.kind = Kind::kCascade;
  CascadeModel cascade;
  cascade.graded = cascade.chained = cascade.color = false;
  cascade.stages = {{{{{0, 0, 16, 16}, std::vector<float>(36, 0.0F), 1.0F, 1.0F}}, 1.0F}};
  model.classifier = cascade;
  DetectOptions options{.fuse = {.method = FuseMethod::kMeanShift},
                        .exec = {.device = Device::cpu()}};
  Detector detector(std::make_shared<const Model>(model), options);
  const DetectResult result = detector.detect(figure_at(100, 150, 0, 0));
  EXPECT_EQ(result.counts.zero_weight_windows, 0);  // although all scores are 0
  EXPECT_FALSE(result.people.empty());
}

TEST_P(PeopleDetector, ASmallImageIsRefusedWithBothSizes) {
  DetectOptions bare = options();
  bare.scan.padding = 0;
  Detector detector(figure_model(), bare);
  try {
    detector.detect(figure_at(63, 90, 0, 0));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("64x128"));
    EXPECT_THAT(error.what(), HasSubstr("63x90"));
  }
  EXPECT_THROW(detector.detect(Image<std::uint8_t>(200, 200, 2)), InvalidArgument);
}

TEST_P(PeopleDetector, AModelIsSharedOrNamed) {
  const Image<std::uint8_t> image = figure_at(320, 240, 128, 64);
  std::shared_ptr<const Model> model = load_model("people/cascade");
  Detector detector(model, options());
  const std::weak_ptr<const Model> watched = model;
  model.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(detector.detect(image).counts.windows,
            detect(image, "cascade", options()).counts.windows);
  EXPECT_THROW(Detector(std::shared_ptr<const Model>(), options()), InvalidArgument);
  EXPECT_THROW(Detector("people/nobody", options()), IoError);
}

void detect_on(ImageView<const std::uint8_t> image, Device device) {
  DetectOptions options;
  options.exec.device = device;
  Detector(figure_model(), options).detect(image);
}

TEST(PeopleDetectorDevice, DataOnAGpuIsRefusedOnTheCpu) {
  test::expect_refused_on_the_cpu(figure_at(320, 240, 128, 64), detect_on);
}

TEST(PeopleDetectorDevice, DataOnAGpuIsRefusedOnAnotherGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  test::expect_refused_on_another_gpu(figure_at(320, 240, 128, 64), detect_on);
}

// The scanner is made again where the data lies.
TEST(PeopleDetectorDevice, FollowsTheData) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<std::uint8_t> image = figure_at(320, 240, 128, 64);
  const Image<std::uint8_t> there = clone(image, Memory::kCuda);
  Detector detector(figure_model());
  const auto first = detector.detect(image).people;
  ASSERT_FALSE(first.empty());
  for (const ImageView<const std::uint8_t>& view : {there.view(), image.view()})
    EXPECT_EQ(detector.detect(view).people.size(), first.size());
}

TEST(PeopleDetectOptions, EveryFieldHasANameAndARange) {
  const std::string json =
      options_json(DetectOptions{.threshold = 0.25, .region = Rect<int>{1, 2, 3, 4}});
  EXPECT_THAT(json, HasSubstr("\"threshold\": 0.25"));
  EXPECT_THAT(json, HasSubstr("\"region\": [1, 2, 3, 4]"));
  EXPECT_THAT(json, HasSubstr("\"ratio\": 1.05"));
  EXPECT_THAT(json, HasSubstr("\"fuse\": \"smaller\""));
  DetectOptions wrong;
  wrong.scan.ratio = 1;
  EXPECT_THROW(Detector(figure_model(), wrong), InvalidArgument);
}

TEST_P(PeopleDetector, MovesWithItsMemory) {
  Detector detector(figure_model(), options());
  const Image<std::uint8_t> image = figure_at(320, 240, 128, 64);
  const auto first = detector.detect(image).people;
  Detector moved = std::move(detector);
  const auto second = moved.detect(image).people;
  ASSERT_EQ(first.size(), second.size());
  EXPECT_EQ(first[0].score, second[0].score);
}

}  // namespace
}  // namespace fovea::people
