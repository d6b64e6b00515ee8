#include "people/train/samples.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <atomic>
#include <numeric>

#include "support/files.h"
#include "support/images.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

class Sizes final : public ImageSet {
 public:
  explicit Sizes(std::vector<Extent> sizes) : sizes_(std::move(sizes)) {}
  int count() const override { return static_cast<int>(sizes_.size()); }
  Image<std::uint8_t> read(int index) const override {
    const Extent size = sizes_[static_cast<std::size_t>(index)];
    Image<std::uint8_t> image(size.width, size.height, 3);
    for (int y = 0; y < size.height; ++y)
      std::fill_n(image.row(y), 3 * size.width, static_cast<std::uint8_t>(index));
    return image;
  }

 private:
  std::vector<Extent> sizes_;
};

TEST(Samples, MirrorsPixelsNotChannels) {
  Random random(1);
  const auto image = test::random_image<std::uint8_t>(random, 7, 4, 3);
  const auto mirror = mirrored(image);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 7; ++x)
      for (int c = 0; c < 3; ++c) ASSERT_EQ(mirror.at(x, y, c), image.at(6 - x, y, c));
  EXPECT_TRUE(test::images_equal(mirrored(mirror).view(), image.view()));
}

TEST(Samples, DataIsSurveyedBeforeTraining) {
  const Extent window{64, 128};
  const Sizes none({}), fits({{96, 160}, {64, 128}}), small({{96, 160}, {60, 128}});
  const auto refusal = [&](const ImageSet& positives, const ImageSet& negatives) {
    return message_of<InvalidArgument>([&] { survey_images({positives, negatives}, window, {}); });
  };
  const TrainSurvey survey = survey_images({fits, small}, window, {.threads = 2});
  EXPECT_EQ(survey.positives.sizes, (std::vector<Extent>{{96, 160}, {64, 128}}));
  EXPECT_EQ(survey.negatives.sizes[1], (Extent{60, 128}));
  EXPECT_NE(survey.positives.checksum, survey.negatives.checksum);
  EXPECT_EQ(survey.positives.checksum, survey_images({fits, fits}, window, {}).negatives.checksum);
  EXPECT_THAT(refusal(none, fits), HasSubstr("no positives"));
  EXPECT_THAT(refusal(fits, none), HasSubstr("no negatives"));
  EXPECT_THAT(refusal(small, fits),
              HasSubstr("positive 1 has 60x128 pixels, fewer than the window's 64x128"));
}

TEST(Samples, EveryImageOnceAndProgressBetweenBatches) {
  std::vector<int> seen(10);
  std::vector<double> reports;
  Exec exec{.threads = 3};
  exec.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.stage, "looking");
    EXPECT_EQ(progress.total, 10);
    reports.push_back(progress.done);
  };
  const auto count = [&](int i) { ++seen[static_cast<std::size_t>(i)]; };
  for_each_image({"looking", 10, 4}, exec, count);
  EXPECT_EQ(seen, std::vector<int>(10, 1));
  EXPECT_EQ(reports, (std::vector<double>{4, 8, 10}));
  for_each_image({"looking", 10, 4}, exec, count, [] { return true; });
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 14);
}

// Finds one window of every image, as high as the image is; some images are too much for it.
class OddScanner final : public Scanner {
 public:
  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    EXPECT_EQ(exec.threads, 1);
    if (request.image.height % 10 == 9) throw DeviceError("too much");
    return {{{0, 0, 0, static_cast<float>(request.image.height)}}, {1, 1}};
  }
};

TEST(Samples, NegativesAreScannedInAnyOrder) {
  std::vector<Extent> sizes;
  for (int i = 0; i < 40; ++i) sizes.push_back({64, 128 + 10 * i});
  sizes.push_back({20, 20});   // holds no window
  sizes.push_back({64, 129});  // fails
  const Sizes images(sizes);
  std::atomic<int> made = 0;
  const auto plan = [](Extent image) { return plan_scan(image, {64, 128}, 1, {.padding = 0}); };
  const auto maker = [&](bool cuda) {
    EXPECT_FALSE(cuda);
    ++made;
    return std::make_unique<OddScanner>();
  };
  const Exec exec{.device = Device::cpu(), .threads = 4};
  NegativeScanner scanner({images, plan, maker}, exec);
  std::vector<NegativeScanner::Found> found(41);
  for_each_image({"", 41}, exec, [&](int i) { found[i] = scanner.scan(i, 0); });
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(found[i].result.hits.size(), 1U);
    EXPECT_EQ(found[i].result.hits[0].score, 128 + 10 * i);
    EXPECT_EQ(found[i].plan.levels.size(), plan(sizes[i]).levels.size());
  }
  EXPECT_TRUE(found[40].result.hits.empty());
  EXPECT_LE(made, 4);
  EXPECT_THROW(scanner.scan(41, 0), DeviceError);
  EXPECT_EQ(scanner.scan(0, 0).result.hits.size(), 1U);  // and goes on
}

}  // namespace
}  // namespace fovea::people
