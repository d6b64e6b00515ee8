// The shares of all places of a cell add up to what is divided.
#include "scenes/words/place_terms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenes/words/coded.h"

namespace fovea::scenes::cpu {
namespace {

TEST(PlaceTerms, ThoseOfAllPlacesAddUp) {
  for (const Coding coding : {Coding::kSoft, Coding::kVlad, Coding::kFisher}) {
    const Dictionary dictionary = coded_dictionary(coding, {.step = 5}, 5, 4);
    const CodePlan plan = code_plan(dictionary.code, dictionary.size());
    const PlaceCode code(plan);
    PlaceCoder coder(code);
    constexpr int kPlaces = 70;
    Random random(3);
    Image<float> numbers(dictionary.words.width(), kPlaces);
    for (int y = 0; y < kPlaces; ++y)
      for (int x = 0; x < numbers.width(); ++x) numbers.at(x, y) = random.uniform(-2, 2);
    const PlaceBlock block{
        {0, 0, 1, 0, kPlaces}, false, numbers.row(0), numbers.row(1) - numbers.row(0)};
    std::vector<std::int64_t> sums(static_cast<std::size_t>(plan.shape.sums()), 0);
    coder.add(block, std::vector<std::int64_t>(kPlaces, 0), sums.data());
    std::vector<double> values(static_cast<std::size_t>(plan.shape.length()));
    double all = 0, size = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // What has no weight is not divided.
      const std::size_t word = coding == Coding::kSoft
                                   ? i
                                   : i % static_cast<std::size_t>(plan.shape.moments()) /
                                         static_cast<std::size_t>(plan.shape.components);
      values[i] = sums[word] > 0 ? double{random.uniform(-1, 1)} : 0;
      all += values[i];
      size += std::fabs(values[i]);
    }
    PlaceTerms terms(plan, 0);
    terms.add(0, 0, sums, values);
    double shared = 0;
    coder.each(block, [&](const CodedPlace& place) { shared += terms.of_place(0, place); });
    EXPECT_NEAR(shared, all, 1e-6 * size) << static_cast<int>(coding);
  }
}

// A cell of a coarser level is divided among the finer cells inside it.
TEST(PlaceTerms, CoarseCellsReachAllFineOnes) {
  const Dictionary dictionary = coded_dictionary(Coding::kSoft, {.step = 5}, 3, 4);
  const CodePlan plan = code_plan(dictionary.code, dictionary.size());
  PlaceTerms terms(plan, 1);
  const std::vector<std::int64_t> sums{10, 20, 0};
  terms.add(0, 0, sums, std::vector<double>{5, 4, 0});
  terms.add(1, 3, sums, std::vector<double>{1, 0, 0});
  std::vector<float> weights(3 * kCodeBlock, 0.0F);
  weights[0] = 2;
  const CodedPlace place{weights.data(), nullptr};
  EXPECT_DOUBLE_EQ(terms.of_place(0, place), 1.0);
  EXPECT_DOUBLE_EQ(terms.of_place(3, place), 1.2);
}

}  // namespace
}  // namespace fovea::scenes::cpu
