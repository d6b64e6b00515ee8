#include "cli/program/shipped_models.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/scenes/scenes.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(ShippedModels, LieBesideTheProgramOrInTheSources) {
  EXPECT_TRUE(std::filesystem::exists(shipped_model("people_hog.safetensors")));
  EXPECT_THAT(test::message_of<IoError>([] { shipped_model("people_nobody.safetensors"); }),
              HasSubstr("people_nobody.safetensors is not in"));
}

TEST(ShippedModels, OfScenesIsRead) {
  const scenes::Model model = read_scenes_model("sun8");
  EXPECT_EQ(model.classes.size(), 8U);
  EXPECT_EQ(model.dictionary.size(), 500);
  EXPECT_EQ(model.pyramid, 2);
}

}  // namespace
}  // namespace fovea::cli
