#include <fovea/core/error.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stop_token>

#include "scenes/textures.h"
#include "support/devices.h"
#include "support/files.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::HasSubstr;

std::shared_ptr<const Model> small_model(ClassifierKind kind) {
  const Textures set(6);
  TrainOptions options;
  options.descriptor.step = 3;
  options.dictionary.words = 10;
  options.dictionary.samples = 20;
  options.pyramid = 1;
  options.classifier.classifier = kind;
  options.classifier.neighbors = 3;
  return std::make_shared<const Model>(train(set, set.labels, set.classes, options));
}

class Classify : public testing::TestWithParam<ClassifierKind> {
 protected:
  std::shared_ptr<const Model> model_ = small_model(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Kinds, Classify,
                         testing::Values(ClassifierKind::kKnn, ClassifierKind::kSvm,
                                         ClassifierKind::kLogistic));

void expect_same(const ClassifyResult& a, const ClassifyResult& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.scores, b.scores);
}

TEST_P(Classify, NamesTheClassWithTheGreatestScore) {
  Classifier classifier(model_);
  EXPECT_EQ(&classifier.model(), model_.get());
  EXPECT_EQ(classifier.classes(), model_->classes);
  int right = 0;
  for (int i = 0; i < 12; ++i) {
    const ClassifyResult result = classifier.classify(texture(i % 3, 100 + i));
    ASSERT_EQ(result.scores.size(), 3U);
    EXPECT_EQ(result.score, *std::ranges::max_element(result.scores));
    EXPECT_EQ(result.score, result.scores[static_cast<std::size_t>(result.label)]);
    EXPECT_EQ(result.name, model_->classes[static_cast<std::size_t>(result.label)]);
    EXPECT_NEAR(std::accumulate(result.scores.begin(), result.scores.end(), 0.0), 1, 1e-5);
    right += result.label == i % 3 ? 1 : 0;
  }
  EXPECT_GE(right, 10);
}

TEST_P(Classify, ManyImagesAreWhatEachIs) {
  Classifier classifier(model_, {.exec = {.threads = 2}});
  EXPECT_EQ(classifier.options().exec.threads, 2);
  std::vector<Image<std::uint8_t>> images;
  for (int i = 0; i < 9; ++i) images.push_back(texture(i % 3, 50 + i));
  const std::vector<ImageView<const std::uint8_t>> views(images.begin(), images.end());
  const std::vector<ClassifyResult> all = classifier.classify(views);
  ASSERT_EQ(all.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) expect_same(all[i], classifier.classify(images[i]));
  EXPECT_TRUE(classifier.classify(std::span<const ImageView<const std::uint8_t>>()).empty());
}

TEST_P(Classify, ASetComesInOrderWithTheImagesThatFail) {
  Classifier classifier(model_);
  Classifier other(model_);  // the first one is at work on later images meanwhile
  const Textures set(30, {0, 5, 6, 89});
  int next = 0;
  classifier.classify(set, [&](const ClassifiedImage& image) {
    ASSERT_EQ(image.index, next++);
    const bool broken =
        image.index == 0 || image.index == 5 || image.index == 6 || image.index == 89;
    EXPECT_EQ(image.result.has_value(), !broken) << image.index;
    if (image.result) expect_same(*image.result, other.classify(set.read(image.index)));
    else EXPECT_THAT(image.error, HasSubstr("broken"));
  });
  EXPECT_EQ(next, 90);
}

TEST_P(Classify, AStoppedSetKeepsItsOrder) {
  std::stop_source stop;
  Classifier classifier(model_, {.exec = {.threads = 1, .stop = stop.get_token()}});
  int next = 0;
  EXPECT_THROW(classifier.classify(Textures(150),
                                   [&](const ClassifiedImage& image) {
                                     EXPECT_EQ(image.index, next++);
                                     stop.request_stop();
                                   }),
               Cancelled);
  EXPECT_GT(next, 0);
  EXPECT_LT(next, 450);
}

TEST_P(Classify, OnAGpuAsOnTheCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Classifier here(model_, {.exec = {.device = Device::cpu()}});
  Classifier there(model_, {.exec = {.device = Device::cuda()}});
  std::vector<Image<std::uint8_t>> images;
  for (int i = 0; i < 20; ++i) images.push_back(texture(i % 3, 70 + i));
  const std::vector<ImageView<const std::uint8_t>> views(images.begin(), images.end());
  const auto expected = here.classify(views), found = there.classify(views);
  for (std::size_t i = 0; i < expected.size(); ++i) expect_same(found[i], expected[i]);
}

TEST(Classifier, KeepsItsModelAlive) {
  std::shared_ptr<const Model> model = small_model(ClassifierKind::kKnn);
  Classifier first(model);
  const ClassifyResult before = first.classify(texture(1, 77));
  model.reset();
  Classifier moved = std::move(first);
  expect_same(moved.classify(texture(1, 77)), before);
}

TEST(Classifier, FindsShippedModelsByName) {
  Classifier classifier("scenes/sun8");
  EXPECT_EQ(classifier.classes().size(), 8U);
  const Image<std::uint8_t> image = texture(0, 3);
  const ClassifyResult result = classifier.classify(image);
  EXPECT_EQ(result.scores.size(), 8U);
  expect_same(classify(image, "sun8"), result);
}

TEST(Classifier, SaysWhatIsWrong) {
  EXPECT_THAT(message_of<IoError>([] { Classifier classifier("scenes/moon"); }), HasSubstr("sun8"));
  EXPECT_THAT(
      message_of<InvalidArgument>([] { Classifier classifier(std::shared_ptr<const Model>{}); }),
      HasSubstr("null"));
  Classifier classifier(small_model(ClassifierKind::kSvm));
  EXPECT_THROW(classifier.classify(Image<std::uint8_t>(5, 5, 2)), InvalidArgument);
}

// Someone who stops early keeps some results, and someone who watches sees the first ones soon.
TEST(Classifier, TheFirstResultsOfASetComeEarly) {
  struct Counted final : io::ImageSet {
    int count() const override { return 150; }
    Image<std::uint8_t> read(int index) const override {
      ++reads;
      return texture(index % 3, index);
    }
    mutable std::atomic<int> reads = 0;
  };
  const Counted set;
  Classifier classifier(small_model(ClassifierKind::kKnn), {.exec = {.threads = 1}});
  int next = 0, reads_at_first = 0;
  classifier.classify(set, [&](const ClassifiedImage& image) {
    if (next == 0) reads_at_first = set.reads;
    EXPECT_EQ(image.index, next++);
  });
  EXPECT_EQ(next, 150);
  EXPECT_LE(reads_at_first, 4 + 8 + 16 + 32);  // at most three batches are in flight
}

}  // namespace
}  // namespace fovea::scenes
