#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/kernels.h>
#include <gmock/gmock.h>

#include "support/messages.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// Crops of 40x72 around a window of 32x64 in which a bar stands or a cross is
// drawn, which makes two clouds of positives; with `lying`, images in which
// bars lie.
class KernelImages final : public ImageSet {
 public:
  KernelImages(int count, bool lying, std::uint64_t seed)
      : count_(count), lying_(lying), seed_(seed) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(lying_ ? 88 : 40, lying_ ? 96 : 72);
    Random random(seed_, static_cast<std::uint64_t>(index));
    const int left = 14 + static_cast<int>(random.below(4));
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) {
        const bool stands = x >= left && x < left + 9 && y > 8 && y < 64;
        const bool bright = lying_ ? y / 9 % 2 == 1 : stands || (index % 2 && y > 30 && y < 38);
        image.at(x, y) = static_cast<std::uint8_t>((bright ? 130 : 70) + random.below(60));
      }
    return image;
  }

 private:
  int count_;
  bool lying_;
  std::uint64_t seed_;
};

CompareKernelsOptions small_study(int threads) {
  CompareKernelsOptions options;
  options.hog.window = {32, 64};
  options.random_windows = 6;
  options.hard_windows = 40;
  options.linear_costs = {0.01, 0.1};
  options.costs = {1, 10};
  options.gammas = {0.01, 0.1};
  options.scan.padding = 0;
  options.exec = {.device = Device::cpu(), .threads = threads};
  return options;
}

struct KernelTask {
  KernelImages positives{9, false, 1}, negatives{6, true, 2}, crops{7, false, 3},
      scenes{3, true, 4};
  KernelComparison run(const CompareKernelsOptions& options) const {
    return compare_kernels({positives, negatives}, {crops, scenes}, options);
  }
};

TEST(CompareKernels, MeasuresBothMachinesOnTheSameWindows) {
  const KernelTask task;
  const KernelComparison result = task.run(small_study(1));
  EXPECT_EQ(result.positives, 18);
  EXPECT_GT(result.random_windows, 12);
  for (const KernelMeasurement* measured : {&result.linear, &result.rbf}) {
    EXPECT_TRUE(measured->converged);
    EXPECT_EQ(measured->report.positives, 7);
    EXPECT_EQ(measured->report.negatives, result.linear.report.negatives);
    EXPECT_LT(measured->report.miss_rate_at(0.05),
              0.3);  // bars that stand are easy to tell
    for (const KernelTrial& trial : measured->trials)
      EXPECT_GE(trial.miss_rate, measured->chosen.miss_rate);
  }
  EXPECT_EQ(result.linear.trials.size(), 2U);
  EXPECT_EQ(result.rbf.trials.size(), 4U);
  EXPECT_GT(result.rbf.support_vectors, 2);
  EXPECT_EQ(result.gain(0.01),
            result.linear.report.miss_rate_at(0.01) - result.rbf.report.miss_rate_at(0.01));
}

TEST(CompareKernels, ThreadsDoNotMatter) {
  const KernelTask task;
  const KernelComparison one = task.run(small_study(1)), three = task.run(small_study(3));
  EXPECT_EQ(one.hard_windows, three.hard_windows);
  EXPECT_EQ(one.rbf.support_vectors, three.rbf.support_vectors);
  EXPECT_EQ(one.rbf.chosen.gamma, three.rbf.chosen.gamma);
  ASSERT_EQ(one.rbf.report.curve.size(), three.rbf.report.curve.size());
  for (std::size_t i = 0; i < one.rbf.report.curve.size(); ++i)
    EXPECT_EQ(one.rbf.report.curve[i].threshold, three.rbf.report.curve[i].threshold);
}

// Whatever the number of windows that settings are chosen with, both kinds are held out.
TEST(CompareKernels, AnyShareOfTheWindowsServesToChoose) {
  const KernelTask task;
  for (const int count : {25, 30, 40}) {
    CompareKernelsOptions options = small_study(1);
    options.tuning_windows = count;
    options.gammas = {0.05};
    options.costs = {1};
    EXPECT_EQ(task.run(options).rbf.trials.size(), 1U) << count;
  }
}

TEST(CompareKernels, RefusesWhatCannotBeCompared) {
  const KernelTask task;
  CompareKernelsOptions options = small_study(1);
  options.gammas.clear();
  EXPECT_THAT(message_of([&] { task.run(options); }), HasSubstr("is empty"));
  options = small_study(1);
  options.kernel_bytes = 1000;
  EXPECT_THAT(message_of([&] { task.run(options); }), HasSubstr("kernel-memory"));
  const KernelImages two(2, false, 1);
  EXPECT_THAT(message_of([&] {
                compare_kernels({two, task.negatives}, {task.crops, task.scenes}, small_study(1));
              }),
              HasSubstr("too few"));
}

}  // namespace
}  // namespace fovea::people
