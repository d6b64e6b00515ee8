#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <limits>

#include "people/model_parts.h"
#include "support/files.h"

namespace fovea::people {
namespace {

ChannelsModel small_model() {
  ChannelsModel model;
  model.window.width = 16;
  model.window.height = 32;
  model.exact_per_octave = 3;
  model.decay[4] = 0.11F;
  model.trees.push_back({{0, 319, 17}, {3, 255, 0}, {-5, 7, 32767, -32768}});
  model.trees.push_back({{1, 2, 3}, {4, 5, 6}, {7, 8, 9, 10}});
  model.rejection = {-4096, 12};
  return model;
}

io::ModelFile saved(const ChannelsModel& model) {
  io::ModelFile file;
  save(file, model);
  return file;
}

std::string refusal(const ChannelsModel& model) {
  return test::message_of<ModelError>([&] {
    const io::ModelFile file = saved(model);
    load_channels(io::ModelReader(file));
  });
}

TEST(ChannelsModel, SurvivesAFile) {
  const ChannelsModel model = small_model();
  const io::ModelFile file = io::ModelFile::parse(saved(model).bytes(), "model");
  const ChannelsModel read = load_channels(io::ModelReader(file));
  EXPECT_EQ(read.window.width, 16);
  EXPECT_EQ(read.window.height, 32);
  EXPECT_EQ(read.exact_per_octave, 3);
  EXPECT_EQ(read.decay, model.decay);
  EXPECT_EQ(read.rejection, model.rejection);
  ASSERT_EQ(read.trees.size(), 2U);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(read.trees[t].feature, model.trees[t].feature);
    EXPECT_EQ(read.trees[t].threshold, model.trees[t].threshold);
    EXPECT_EQ(read.trees[t].leaf, model.trees[t].leaf);
  }
}

TEST(ChannelsModel, ImpossibleOnesAreRefused) {
  ChannelsModel model = small_model();
  model.trees[1].feature[2] = 320;
  EXPECT_NE(refusal(model).find("feature 320; a window has 320"), std::string::npos);
  model = small_model();
  model.window.width = 18;
  EXPECT_NE(refusal(model).find("18x32"), std::string::npos);
  model.window.width = 1 << 30;
  EXPECT_NE(refusal(model), "");
  model.window.width = -16;
  EXPECT_NE(refusal(model), "");
  model = small_model();
  model.shrink = 0;
  EXPECT_NE(refusal(model).find("cells of 0 pixels"), std::string::npos);
  model = small_model();
  model.exact_per_octave = -1;
  EXPECT_NE(refusal(model), "");
  model = small_model();
  model.decay[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(refusal(model).find("decay"), std::string::npos);
  model = small_model();
  model.trees.clear();
  model.rejection.clear();
  EXPECT_NE(refusal(model).find("0 trees"), std::string::npos);
}

TEST(ChannelsModel, TensorsMustAgreeInLength) {
  io::ModelFile file = saved(small_model());
  file.add("rejection", {1}, std::vector<std::int32_t>{0});
  EXPECT_THROW(load_channels(io::ModelReader(file)), ModelError);
  file = saved(small_model());
  file.add("leaf", {2, 3}, std::vector<std::int16_t>(6));
  EXPECT_THROW(load_channels(io::ModelReader(file)), ModelError);
}

}  // namespace
}  // namespace fovea::people
