#include "people/train/preset.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/files.h"

namespace fovea::people {
namespace {

// Chapter 5 of the thesis, and what it says about Zhu et al.
TEST(CascadePreset, HasTheNumbersOfThePapers) {
  const CascadeTrainOptions thesis = cascade_options(CascadePreset::kThesis);
  EXPECT_EQ(thesis.stages, 23);
  EXPECT_EQ(thesis.pass_rate, 0.99);
  EXPECT_EQ(thesis.false_rate, 0.65);
  EXPECT_EQ(thesis.target_rate, 5e-5);
  EXPECT_LE(std::pow(thesis.false_rate, thesis.stages), thesis.target_rate);
  const CascadeTrainOptions zhu = cascade_options(CascadePreset::kZhu);
  EXPECT_EQ(zhu.stages, 30);
  EXPECT_EQ(zhu.pass_rate, 0.9975);
  EXPECT_EQ(zhu.false_rate, 0.7);
  for (const CascadeTrainOptions& options : {thesis, zhu}) {
    EXPECT_EQ(options.negatives, 2416);
    EXPECT_EQ(options.blocks_per_round, 125);
    EXPECT_EQ(options.ranking_windows, 0);
    EXPECT_FALSE(options.color || options.graded || options.chained || options.measured_rate);
    EXPECT_NO_THROW(check_options(options));
  }
}

TEST(CascadePreset, FactsNameWhatDiffers) {
  TrainOptions options;
  use_preset(options, CascadePreset::kThesis);
  EXPECT_EQ(preset_text(options.preset, options.cascade), "thesis");
  options.cascade.enlarge = 1.5;
  options.cascade.color = true;
  EXPECT_EQ(preset_text(options.preset, options.cascade), "thesis with color true, enlarge 1.5");
  use_preset(options, CascadePreset::kNone);
  EXPECT_EQ(options_json(options), options_json(TrainOptions{}));
}

TEST(CascadePreset, IsRefusedForOtherKinds) {
  const ImageFileSet none({});
  TrainOptions options;
  use_preset(options, CascadePreset::kZhu);
  EXPECT_NE(test::message_of<InvalidArgument>([&] {
              train(Kind::kHog, {none, none}, options);
            }).find("kind cascade"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea::people
