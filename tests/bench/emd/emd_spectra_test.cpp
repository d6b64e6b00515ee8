#include "bench/emd/emd_spectra.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> spectra_words(const std::string& cubes) {
  return {"bench",     "emd", "--quiet",  "--spectra", "--cubes",   cubes, "--spectra-bins", "8",
          "--repeats", "1",   "--device", "cpu",       "--threads", "1",   "--json"};
}

TEST(BenchEmdSpectra, MeasuresSignaturesAndMaps) {
  const Ended ended = run_here(spectra_words("32x24x5"));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["rows"];
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row["name"]);
  ASSERT_THAT(names, ElementsAre("emd_signature_bands", "emd_spectra_bands_cold",
                                 "emd_spectra_bands_warm", "emd_spectra_bands_cold_16bit",
                                 "emd_signature_contrast", "emd_spectra_contrast_cold",
                                 "emd_spectra_contrast_warm", "emd_spectra_contrast_cold_16bit",
                                 "emd_spectra_fused_cold", "emd_spectra_fused_warm"));
  for (const auto& row : rows) EXPECT_EQ(row["device"], "cpu");
  EXPECT_THAT(rows[6]["size"].get<std::string>(), HasSubstr("32x24x5 7 channels"));
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
