#include "bench/pipeline/pipeline_rates.h"

#include <gmock/gmock.h>

namespace fovea::cli::pipeline {
namespace {

using testing::HasSubstr;

// Decoding takes 0.1 s, work 0.2 s and encoding 0.05 s.
Rates rates(const char* device, Encoding encoding) {
  return {.name = "a verb",
          .device = device,
          .threads = 2,
          .decode = 10,
          .work = 5,
          .encode = 20,
          .whole = 2,
          .encoding = encoding};
}

TEST(PipelineRates, PartsShareTheCoresOfACpu) {
  EXPECT_DOUBLE_EQ(rates("cpu", Encoding::kBeside).bound(), 1 / 0.35);
  EXPECT_DOUBLE_EQ(rates("cpu", Encoding::kAtTheEnd).bound(), 1 / 0.35);
}

TEST(PipelineRates, WorkOnAGpuRunsBesideTheFiles) {
  EXPECT_DOUBLE_EQ(rates("cuda:0", Encoding::kBeside).bound(), 5);
  EXPECT_DOUBLE_EQ(rates("cuda:0", Encoding::kAtTheEnd).bound(), 4);
}

TEST(PipelineRates, TheRatioComparesWithThePool) {
  Rates row = rates("cpu", Encoding::kBeside);
  EXPECT_FALSE(row.ratio().has_value());
  row.rival = {"imread, imwrite", 0.5, 0.8};
  EXPECT_DOUBLE_EQ(row.ratio().value(), 2.5);
  EXPECT_THAT(rates_table({row}, true), HasSubstr("| 2.0 | 70 % | 0.5 | 0.8 | 2.50 |\n"));
}

TEST(PipelineRates, ARowWithoutARivalHasEmptyCells) {
  const std::vector<Rates> rows{rates("cpu", Encoding::kBeside)};
  EXPECT_THAT(rates_table(rows, true), HasSubstr("| 2.0 | 70 % |  |  |  |\n"));
  EXPECT_THAT(rates_table(rows, false), testing::EndsWith(" 70 %\n"));
}

}  // namespace
}  // namespace fovea::cli::pipeline
