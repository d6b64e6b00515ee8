// Covers: study_windows, parameters
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/study.h>
#include <gmock/gmock.h>

#include <set>

#include "people/model_parts.h"
#include "people/study/study_windows.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// Crops of 48x80 around a window of 32x64 with a bright bar that stands among noise.
class NoisyBars final : public ImageSet {
 public:
  NoisyBars(int count, std::uint64_t seed) : count_(count), seed_(seed) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(48, 80, 3);
    Random random(seed_, static_cast<std::uint64_t>(index));
    const int left = 19 + static_cast<int>(random.below(3));
    for (int y = 0; y < 80; ++y)
      for (int x = 0; x < 48; ++x) {
        const bool inside = x >= left && x < left + 8 && y >= 18 && y < 62;
        for (int c = 0; c < 3; ++c)
          image.at(x, y, c) = static_cast<std::uint8_t>((inside ? 110 : 70) + random.below(80));
      }
    return image;
  }

 private:
  int count_;
  std::uint64_t seed_;
};

// Noise with bars that lie.
class Scenes final : public ImageSet {
 public:
  Scenes(int count, std::uint64_t seed) : count_(count), seed_(seed) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(80 + 5 * index, 90, 3);
    Random random(seed_, static_cast<std::uint64_t>(index));
    for (int y = 0; y < image.height(); ++y)
      for (int i = 0; i < image.view().row_elements(); ++i)
        image.row(y)[i] = static_cast<std::uint8_t>((y / 9 % 2 ? 110 : 70) + random.below(80));
    return image;
  }

 private:
  int count_;
  std::uint64_t seed_;
};

struct Drawn {
  NoisyBars positives{10, 1}, test_positives{8, 2};
  Scenes negatives{3, 3}, test_negatives{2, 4};
  StudyData data() const { return {positives, negatives, test_positives, test_negatives}; }

  static StudyOptions options(std::vector<std::string> vary) {
    StudyOptions options;
    options.vary = std::move(vary);
    options.hog.window = {32, 64};
    options.train.rounds = 0;
    options.train.ratio = 1.5;
    options.exec.threads = 1;
    return options;
  }
};

TEST(StudyParameters, VaryOneThingEach) {
  const auto parameters = study_parameters();
  std::set<std::string> names, labels;
  HogOptions plain;
  for (const StudyParameter& parameter : parameters) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_FALSE(parameter.text.empty());
    EXPECT_FALSE(parameter.values.empty()) << parameter.name;
    for (const StudyValue& value : parameter.values) {
      EXPECT_NE(options_json(value.hog), options_json(plain)) << value.label;
      EXPECT_TRUE(labels.insert(value.label).second) << value.label;
      check_geometry(value.hog);
    }
  }
  for (const char* name :
       {"gamma", "color", "smooth", "mask", "vote", "bins", "signed", "interpolate", "cell",
        "block", "aspect", "overlap", "sigma", "shape", "norm", "epsilon", "border"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_TRUE(labels.contains("mask sobel"));
  EXPECT_TRUE(labels.contains("cell 6, block-stride 6"));
}

TEST(StudyParameters, LeaveOutWhatAWindowDoesNotHold) {
  HogOptions small;
  small.window = {24, 24};
  for (const StudyParameter& parameter : study_parameters(small))
    for (const StudyValue& value : parameter.values) EXPECT_NO_THROW(check_geometry(value.hog));
}

TEST(StudyWindows, AreCutWithAMarginThatIsMirrored) {
  const Scenes scenes(2, 5);
  const LinearTrainOptions search{.enlarge = 1, .ratio = 4, .stride = 8, .random_windows = 50};
  const CutWindows cut = cut_random_windows(scenes, {{32, 64}, 3, search, {.threads = 1}});
  // Only one level holds a window, and each place is taken once: 7x4 and 7x4 places at most.
  EXPECT_LE(cut.count(), 56);
  EXPECT_GT(cut.count(), 20);
  const Image<std::uint8_t> crop = cut.read(0);
  EXPECT_EQ(crop.width(), 38);
  EXPECT_EQ(crop.height(), 70);
  const CutWindows again = cut_random_windows(scenes, {{32, 64}, 3, search, {.threads = 2}});
  ASSERT_EQ(again.count(), cut.count());
  for (int i = 0; i < cut.count(); ++i)
    EXPECT_TRUE(test::images_equal(cut.read(i), again.read(i))) << i;
}

TEST(StudyWindows, MiddlesAreTheCropsWithoutWhatIsNotNeeded) {
  const NoisyBars bars(1, 6);
  const Image<std::uint8_t> whole = bars.read(0);
  const CutWindows cut = cut_middles(bars, {{32, 64}, 2, {}, {}});
  const Image<std::uint8_t> middle = cut.read(0);
  ASSERT_EQ(middle.width(), 36);
  ASSERT_EQ(middle.height(), 68);
  EXPECT_EQ(middle.at(0, 0, 1), whole.at(6, 6, 1));
  EXPECT_EQ(cut_middles(bars, {{32, 64}, 20, {}, {}}).read(0).width(), 48);
  EXPECT_THAT(message_of<FormatError>([&] {
                cut_middles(bars, {{64, 128}, 2, {}, {}});
              }),
              HasSubstr("48x80"));
}

TEST(StudyWindows, ImagesAreKeptUpToALimit) {
  class Counted final : public ImageSet {
   public:
    int count() const override { return 3; }
    Image<std::uint8_t> read(int) const override {
      ++reads;
      return Image<std::uint8_t>(10, 10);
    }
    mutable int reads = 0;
  };
  const Counted images;
  std::atomic<std::int64_t> bytes = 250;
  const KeptImages kept(images, bytes);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 3; ++i) kept.read(i);
  EXPECT_EQ(images.reads, 2 + 3);
}

TEST(Study, MeasuresEveryVariantOnTheSameWindows) {
  const Drawn drawn;
  StudyOptions options = Drawn::options({"vote", "mask"});
  std::size_t reports = 0;
  options.finished = [&](const StudyReport& report) {
    EXPECT_EQ(report.variants.size(), reports++);
  };
  const StudyReport report = study(drawn.data(), options);
  EXPECT_EQ(reports, 8U);
  ASSERT_EQ(report.variants.size(), 7U);
  EXPECT_EQ(report.variants.front().parameter, "vote");
  EXPECT_EQ(report.variants.back().label, "mask diagonal");
  EXPECT_EQ(report.positives, 20);
  EXPECT_EQ(report.base.report.positives, 8);
  for (const StudyVariant& variant : report.variants) {
    EXPECT_EQ(variant.report.negatives, report.base.report.negatives);
    EXPECT_EQ(variant.numbers, 3 * 7 * 36);
    EXPECT_EQ(variant.hard_windows, 0);
  }
  // There are fewer windows than 10000, so that the lowest rate is one of them.
  EXPECT_DOUBLE_EQ(report.false_rate, 1.0 / static_cast<double>(report.base.report.negatives));
  // A bar that stands is easy to tell from bars that lie.
  EXPECT_LT(report.base.miss_rate, 0.2);
}

TEST(Study, DoesNotDependOnThreadsOrMemory) {
  const Drawn drawn;
  StudyOptions options = Drawn::options({"color", "border"});
  options.train.rounds = 1;
  options.train.hard_windows = 40;
  const StudyReport one = study(drawn.data(), options);
  options.exec.threads = 3;
  options.image_bytes = 0;
  const StudyReport three = study(drawn.data(), options);
  ASSERT_EQ(one.variants.size(), three.variants.size());
  for (std::size_t i = 0; i < one.variants.size(); ++i) {
    const auto &a = one.variants[i].report.curve, &b = three.variants[i].report.curve;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].threshold, b[k].threshold);
  }
}

// A study trains what train_linear() trains where both have the same windows: with one level, all
// places of which are taken.
TEST(Study, TheDefaultIsAPlainTraining) {
  const Drawn drawn;
  StudyOptions options = Drawn::options({"gamma"});
  options.train.ratio = 4;
  options.train.random_windows = 400;
  const StudyReport report = study(drawn.data(), options);
  const Model model =
      train_linear(Kind::kHog, options.hog, {drawn.positives, drawn.negatives}, options.train);
  EXPECT_EQ(model.facts.at("samples"), std::to_string(report.positives) + " positives, " +
                                           std::to_string(report.random_windows) +
                                           " random and 0 hard windows");
}

TEST(Study, WrongRequestsAreNamed) {
  const Drawn drawn;
  EXPECT_THAT(message_of([&] { study(drawn.data(), Drawn::options({"masks"})); }),
              HasSubstr("there is no parameter 'masks'; expected one of gamma, color"));
  EXPECT_THAT(message_of([&] {
                study(drawn.data(), Drawn::options({"mask", "mask"}));
              }),
              HasSubstr("'mask' is given twice"));
  const NoisyBars nobody(0, 1);
  EXPECT_THAT(message_of([&] {
                study({drawn.positives, drawn.negatives, nobody, drawn.test_negatives},
                      Drawn::options({"mask"}));
              }),
              HasSubstr("there are no test positives"));
  StudyOptions large = Drawn::options({"mask"});
  large.hog.window = {64, 128};
  EXPECT_THAT(message_of<FormatError>([&] { study(drawn.data(), large); }), HasSubstr("48x80"));
}

TEST(Study, StopsBetweenVariants) {
  const Drawn drawn;
  StudyOptions options = Drawn::options({"mask"});
  std::stop_source stop;
  options.exec.stop = stop.get_token();
  std::size_t finished = 0;
  options.finished = [&](const StudyReport& report) {
    finished = report.variants.size();
    if (finished == 2) stop.request_stop();
  };
  EXPECT_THROW(study(drawn.data(), options), Cancelled);
  EXPECT_EQ(finished, 2U);
}

}  // namespace
}  // namespace fovea::people
