#include "cli/bench/emd/emd_spectra.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

std::vector<std::string> spectra_words(const std::string& cubes) {
  return {"bench",     "emd", "--quiet",  "--spectra", "--cubes",   cubes, "--spectra-bins", "8",
          "--repeats", "1",   "--device", "cpu",       "--threads", "1",   "--json"};
}

TEST(BenchEmdSpectra, MeasuresSignaturesAndMaps) {
  const Ended ended = run_here(spectra_words("32x24x5"));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["rows"];
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0]["name"], "emd_signature_bands");
  EXPECT_EQ(rows[1]["name"], "emd_spectra_bands_cold");
  EXPECT_EQ(rows[5]["name"], "emd_spectra_contrast_warm");
  EXPECT_THAT(rows[5]["size"].get<std::string>(), HasSubstr("32x24x5 7 channels"));
}

TEST(BenchEmdSpectra, SaysWhatACubeIs) {
  for (const char* wrong : {"32x24", "32x24x0", "8x24x3", "32x24x3x1", "axbxc"}) {
    const Ended ended = run_here(spectra_words(wrong));
    EXPECT_EQ(ended.status, kUsage) << wrong;
    EXPECT_THAT(ended.err, HasSubstr("WIDTHxHEIGHTxBANDS"));
  }
  const Ended both = run_here({"bench", "emd", "--spectra", "--frames"});
  EXPECT_EQ(both.status, kUsage);
  EXPECT_THAT(both.err, HasSubstr("different measurements"));
}

}  // namespace
}  // namespace fovea::cli
