// The cascade's scanner on CUDA against the CPU's: every score and every count, to the bit.
#include <gtest/gtest.h>

#include <limits>

#include "people/scanner.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::people {
namespace {

BlockClassifier random_classifier(Random& random, const std::vector<Block>& pool) {
  BlockClassifier each;
  each.block = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
  for (int i = 0; i < 4 * CascadeModel::bins; ++i)
    each.weights.push_back(static_cast<float>(random.normal()));
  each.bias = static_cast<float>(0.3 * random.normal());
  each.vote = static_cast<float>(0.5 + random.uniform());
  return each;
}

// Ten stages that each reject about a third of what reaches them.
CascadeModel random_model(bool ranking) {
  CascadeModel model;
  Random random(11);
  const std::vector<Block> pool = block_pool({64, 128});
  for (int s = 0; s < 10; ++s) {
    CascadeStage stage;
    for (int k = 0; k < 2 + 4 * s; ++k)
      stage.classifiers.push_back(random_classifier(random, pool));
    stage.threshold = -1.F - 0.4F * static_cast<float>(s);
    model.stages.push_back(stage);
  }
  for (int k = 0; ranking && k < 70; ++k) model.ranking.push_back(random_classifier(random, pool));
  return model;
}

void expect_equal_scans(const CascadeModel& model, const Image<std::uint8_t>& image,
                        const ScanOptions& scan, float threshold) {
  const ScanPlan plan = plan_scan({image.width(), image.height()}, {64, 128}, 0.8, scan);
  ASSERT_FALSE(plan.levels.empty());
  const ScanRequest request{image, plan, threshold};
  const ScanResult cpu = cpu::make_cascade_scanner(model)->scan(request, {.device = Device::cpu()});
  const auto scanner = cuda::make_cascade_scanner(model);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const ScanResult gpu = scanner->scan(request, {.device = Device::cuda()});
    EXPECT_EQ(cpu.counts.windows, gpu.counts.windows);
    EXPECT_EQ(cpu.counts.evaluations, gpu.counts.evaluations);
    ASSERT_EQ(cpu.hits.size(), gpu.hits.size());
    int different = 0;
    for (std::size_t i = 0; i < cpu.hits.size(); ++i)
      if (!(cpu.hits[i] == gpu.hits[i]) && different++ < 3)
        ADD_FAILURE() << "level " << cpu.hits[i].level << " column " << cpu.hits[i].column
                      << " row " << cpu.hits[i].row << ": " << cpu.hits[i].score << " and "
                      << gpu.hits[i].score;
    EXPECT_EQ(different, 0) << "of " << cpu.hits.size();
  }
}

TEST(CascadeScannerParity, EveryWindowOfEveryStride) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  constexpr float kAll = -std::numeric_limits<float>::infinity();
  for (const int channels : {1, 3, 4})
    for (const int stride : {3, 4, 6, 8, 16})
      expect_equal_scans(random_model(true),
                         test::random_image<std::uint8_t>(random, 201, 190, channels),
                         {.ratio = 1.3, .stride = stride, .padding = 7}, kAll);
}

TEST(CascadeScannerParity, OptionsOfTheModel) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(6);
  const auto image = test::random_image<std::uint8_t>(random, 180, 200, 3);
  for (const bool color : {false, true})
    for (const bool graded : {false, true})
      for (const bool chained : {false, true})
        for (const bool ranking : {false, true}) {
          CascadeModel model = random_model(ranking);
          model.color = color;
          model.graded = graded;
          model.chained = chained;
          for (const float threshold : {-1e9F, -60.F, 0.5F})
            expect_equal_scans(model, image, {.ratio = 1.5, .stride = 8, .padding = 24}, threshold);
        }
}

}  // namespace
}  // namespace fovea::people
