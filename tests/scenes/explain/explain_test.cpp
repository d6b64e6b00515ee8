// Explanations add up to what the classifier says.
// Covers: present, records
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>
#include <fovea/scenes/explain.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "scenes/textures.h"
#include "support/devices.h"
#include "support/messages.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::HasSubstr;

struct Case {
  const char* name;
  Coding coding = Coding::kHard;
  ClassifierKind kind = ClassifierKind::kSvm;
  Kernel kernel = Kernel::kChiSquared;
  WordSource source = WordSource::kFilters;
  int pyramid = 0;
  int folds = 3;
  int color_words = 0;
  Distance distance = Distance::kChiSquared;
};

std::shared_ptr<const Model> model_of(const Case& which) {
  const Textures set(4);
  TrainOptions options;
  options.descriptor.words = which.source;
  options.descriptor.step = 4;
  options.descriptor.scales = 2;
  options.dictionary.words = 6;
  options.dictionary.samples = 20;
  options.dictionary.coding = which.coding;
  options.dictionary.components = 5;
  options.dictionary.color_words = which.color_words;
  options.pyramid = which.pyramid;
  options.classifier.classifier = which.kind;
  options.classifier.kernel = which.kernel;
  options.classifier.folds = which.folds;
  options.classifier.neighbors = 3;
  options.classifier.distance = which.distance;
  return std::make_shared<const Model>(train(set, set.labels, set.classes, options));
}

// What the face itself says about both classes.
double told_by_scores(const Model& model, const SceneExplanation& why,
                      ImageView<const std::uint8_t> image) {
  const auto share = [](Model&& changed, ImageView<const std::uint8_t> shown) {
    return Classifier(std::make_shared<const Model>(std::move(changed))).classify(shown).scores;
  };
  const auto first = static_cast<std::size_t>(why.first);
  const auto second = static_cast<std::size_t>(why.second);
  const auto copy = [&] {
    Model other{.dictionary = clone(model.dictionary),
                .pyramid = model.pyramid,
                .classifier = {.kind = model.classifier.kind, .classes = model.classifier.classes},
                .classes = model.classes,
                .facts = {}};
    if (model.classifier.kind == ClassifierKind::kSvm)
      other.classifier.svm = {.kernel = model.classifier.svm.kernel,
                              .weights = clone(model.classifier.svm.weights),
                              .bias = model.classifier.svm.bias,
                              .slope = {},
                              .offset = {}};
    return other;
  };
  const std::vector<float>& scores = why.result.scores;
  switch (why.evidence) {
    case Evidence::kVotes:
    case Evidence::kMargin: return double{scores[first]} - double{scores[second]};
    case Evidence::kLogits: return std::log(double{scores[first]} / double{scores[second]});
    case Evidence::kLogOdds: break;
  }
  // Without slopes and offsets the scores are margins.
  const std::vector<float> margins = share(copy(), image);
  const SvmClasses& svm = model.classifier.svm;
  const auto odds = [&](std::size_t c) {
    return -(double{svm.slope[c]} * double{margins[c]} + double{svm.offset[c]});
  };
  return odds(first) - odds(second);
}

class ExplainScene : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Models, ExplainScene,
    testing::Values(
        Case{.name = "Hard", .pyramid = 2},
        Case{.name = "Margins", .kernel = Kernel::kIntersection, .pyramid = 1, .folds = 0},
        Case{.name = "Logistic", .kind = ClassifierKind::kLogistic, .pyramid = 1},
        Case{.name = "Gradients", .source = WordSource::kGradients, .pyramid = 1},
        Case{.name = "Soft", .coding = Coding::kSoft, .pyramid = 1},
        Case{.name = "Vlad", .coding = Coding::kVlad, .kernel = Kernel::kLinear, .pyramid = 1},
        Case{.name = "Fisher", .coding = Coding::kFisher, .kernel = Kernel::kLinear, .pyramid = 2},
        Case{.name = "FisherGradients",
             .coding = Coding::kFisher,
             .kind = ClassifierKind::kLogistic,
             .kernel = Kernel::kLinear,
             .source = WordSource::kGradients},
        Case{.name = "ColorWords", .pyramid = 1, .color_words = 4},
        Case{.name = "FisherColorWords",
             .coding = Coding::kFisher,
             .kernel = Kernel::kLinear,
             .pyramid = 1,
             .color_words = 4},
        Case{.name = "Neighbors", .kind = ClassifierKind::kKnn, .pyramid = 1},
        Case{.name = "Cosine",
             .coding = Coding::kVlad,
             .kind = ClassifierKind::kKnn,
             .distance = Distance::kCosine}),
    [](const auto& one) { return one.param.name; });

TEST_P(ExplainScene, WordsCellsAndPixelsAddUpToTheDifferenceOfBothClasses) {
  const auto model = model_of(GetParam());
  Classifier classifier(model, {.exec = {.device = Device::cpu()}});
  for (const int texture_class : {0, 2}) {
    const Image<std::uint8_t> image = texture(texture_class, 70);
    const SceneExplanation why = explain(*model, image);
    const ClassifyResult said = classifier.classify(image);
    EXPECT_EQ(why.result.scores, said.scores);
    EXPECT_EQ(why.first, said.label);
    EXPECT_NE(why.second, why.first);
    EXPECT_NEAR(why.total, told_by_scores(*model, why, image), 2e-5 * (1 + std::abs(why.total)));
    double words = why.bias, cells = why.bias, heat = why.bias, places[2] = {0, 0}, size = 0;
    for (const WordShare& word : why.words) {
      words += word.value;
      places[word.dictionary] += word.places;
      size += std::abs(word.value);
    }
    for (const CellShare& cell : why.cells) cells += cell.value;
    for (int y = 0; y < why.heat.height(); ++y)
      for (int x = 0; x < why.heat.width(); ++x) heat += double{why.heat.at(x, y)};
    const double rounding = 1e-5 * (1 + size);
    EXPECT_NEAR(words, why.total, rounding);
    EXPECT_NEAR(cells, why.total, rounding);
    EXPECT_NEAR(heat, why.total, 10 * rounding);
    EXPECT_NEAR(places[0], 1, 1e-4);
    EXPECT_NEAR(places[1], GetParam().color_words > 0 ? 1 : 0, 1e-4);
  }
}

TEST_P(ExplainScene, IsTheSameForAnyNumberOfThreads) {
  const auto model = model_of(GetParam());
  const Image<std::uint8_t> image = texture(1, 71);
  ExplainOptions one, many;
  one.exec.threads = 1;
  many.exec.threads = 5;
  const SceneExplanation a = explain(*model, image, one), b = explain(*model, image, many);
  EXPECT_EQ(a.total, b.total);
  for (int y = 0; y < a.heat.height(); ++y)
    for (int x = 0; x < a.heat.width(); ++x) ASSERT_EQ(a.heat.at(x, y), b.heat.at(x, y));
}

// An image whose left half is one texture and whose right half is another: each half speaks for its
// own class.
TEST(ExplainScenePlaces, HalvesSpeakForTheirOwnClass) {
  const auto model = model_of({.name = "Hard"});
  const Image<std::uint8_t> left = texture(0, 90), right = texture(2, 91);
  Image<std::uint8_t> both = clone(left);
  for (int y = 0; y < both.height(); ++y)
    for (int x = both.width() / 2; x < both.width(); ++x)
      for (int c = 0; c < both.channels(); ++c)
        both.at(x, y, c) =
            right.at(std::min(x, right.width() - 1), std::min(y, right.height() - 1), c);
  const SceneExplanation why = explain(*model, both, {.first = 0, .second = 2});
  EXPECT_EQ(why.first_name, model->classes[0]);
  EXPECT_EQ(why.second_name, model->classes[2]);
  double sums[2] = {0, 0};
  for (int y = 0; y < both.height(); ++y)
    for (int x = 0; x < both.width(); ++x)
      sums[x < both.width() / 2 ? 0 : 1] += double{why.heat.at(x, y)};
  EXPECT_GT(sums[0], sums[1]);
  const SceneExplanation turned = explain(*model, both, {.first = 2, .second = 0});
  EXPECT_NEAR(turned.total, -why.total, 1e-9);
}

// Squares of the words that speak for a half of an image reach into that half.
TEST(ExplainScenePlaces, WordsAreShownWhereTheyAre) {
  const auto model = model_of({.name = "Hard"});
  Image<std::uint8_t> both = clone(texture(0, 90));
  const Image<std::uint8_t> other = texture(2, 91);
  for (int y = 0; y < both.height(); ++y)
    for (int x = both.width() / 2; x < both.width(); ++x)
      for (int c = 0; c < both.channels(); ++c)
        both.at(x, y, c) =
            other.at(std::min(x, other.width() - 1), std::min(y, other.height() - 1), c);
  const SceneExplanation why = explain(*model, both, {.first = 0, .second = 2});
  const Rect<double> whole{0, 0, static_cast<double>(both.width()),
                           static_cast<double>(both.height())};
  const auto by_value = [](const WordShare& a, const WordShare& b) { return a.value < b.value; };
  const WordShare& least = *std::ranges::min_element(why.words, by_value);
  const WordShare& most = *std::ranges::max_element(why.words, by_value);
  EXPECT_LT(most.place.x, both.width() / 2.0);
  EXPECT_GT(least.place.right(), both.width() / 2.0);
  for (const WordShare& word : why.words) {
    EXPECT_EQ(word.place.empty(), word.places == 0);
    EXPECT_EQ(intersect(word.place, whole), word.place);
  }
  const report::Explanation shown = present(why);
  EXPECT_TRUE(std::ranges::any_of(shown.reasons, [&](const report::Reason& reason) {
    return reason.place == most.place && reason.value == most.value;
  }));
}

TEST_P(ExplainScene, WordsWithAShareOfThePlacesAreShown) {
  const SceneExplanation why = explain(*model_of(GetParam()), texture(0, 70));
  for (const WordShare& word : why.words) EXPECT_EQ(word.place.empty(), word.places == 0);
}

// A cell has the places of its pixels: the finest cells cover the image once.
TEST(ExplainScenePlaces, CellsAreThoseOfThePyramid) {
  const auto model = model_of({.name = "Hard", .pyramid = 2});
  const Image<std::uint8_t> image = texture(0, 5);
  const SceneExplanation why = explain(*model, image);
  ASSERT_EQ(why.cells.size(), 21U);
  EXPECT_THAT(io::record_json(record_ref(why)), HasSubstr("\"cells\": [{\"level\": 0"));
  double area = 0;
  for (const CellShare& cell : why.cells)
    if (cell.level == 2) area += cell.place.area();
  EXPECT_EQ(area, double{1} * image.width() * image.height());
  EXPECT_EQ(why.cells[0].place.area(), area);
}

TEST(ExplainSceneText, SaysWhichClassesAndAddsUp) {
  const auto model = model_of({.name = "Hard", .pyramid = 1});
  const report::Explanation shown = present(explain(*model, texture(1, 3)));
  EXPECT_THAT(shown.summary, HasSubstr("speaks most for"));
  double sum = shown.rest;
  for (const report::Reason& reason : shown.reasons) sum += reason.value;
  EXPECT_NEAR(sum, shown.total, 1e-4 * (1 + std::abs(shown.total)));
  ASSERT_EQ(shown.layers.size(), 2U);
  EXPECT_TRUE(shown.layers[0].diverging);
  ASSERT_EQ(shown.tables.size(), 2U);
  EXPECT_EQ(shown.tables[1].rows.size(), model->classes.size());
}

TEST(ExplainSceneErrors, NameWhatIsWrong) {
  const auto model = model_of({.name = "Hard"});
  const Image<std::uint8_t> image = texture(1, 3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { explain(*model, image, {.first = 7}); }),
              HasSubstr("first is class 7, expected 0 to 2"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { explain(*model, image, {.first = 1, .second = 1}); }),
      HasSubstr("class 1 cannot be compared with itself"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { explain(*model, Image<std::uint8_t>()); }),
              HasSubstr("expected 1x1 or more"));
}

}  // namespace
}  // namespace fovea::scenes
