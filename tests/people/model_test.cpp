#include <fovea/core/error.h>
#include <fovea/io/model_file.h>
#include <fovea/io/models.h>
#include <fovea/people/model.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "people/model_parts.h"
#include "support/files.h"

namespace fovea::people {
namespace {

using testing::HasSubstr;

Model small_model() {
  Model model;
  LinearModel linear;
  linear.hog.window.width = 16;
  linear.hog.window.height = 24;
  linear.weights.assign(static_cast<std::size_t>(descriptor_size(linear.hog)), 0.25F);
  linear.bias = -1;
  model.classifier = linear;
  model.threshold = -0.9F;
  model.stride = 4;
  model.facts["data"] = "some";
  return model;
}

std::string why_not(const std::string& path) {
  try {
    Model::read(path);
    return "";
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(Model, ComesBackAsItWasWritten) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  const Model model = small_model();
  model.write(path);
  const Model back = Model::read(path);
  EXPECT_EQ(back.kind, Kind::kHog);
  EXPECT_EQ(back.threshold, model.threshold);
  EXPECT_EQ(back.stride, 4);
  EXPECT_EQ(back.person_height, model.person_height);
  EXPECT_EQ(back.facts, model.facts);
  EXPECT_EQ(back.window(), (Extent{16, 24}));
  EXPECT_EQ(std::get<LinearModel>(back.classifier).weights,
            std::get<LinearModel>(model.classifier).weights);
}

TEST(Model, ACalibrationComesBackAndModelsWithoutOneHaveNone) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  Model model = small_model();
  model.write(path);
  EXPECT_FALSE(Model::read(path).calibration);
  EXPECT_FALSE(io::ModelFile::read(path).has("calibration"));
  model.calibration = {0.375F, -2.5F};
  model.write(path);
  EXPECT_EQ(Model::read(path).calibration, model.calibration);
}

TEST(Model, ADamagedCalibrationIsRefusedInOneLine) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  const auto refusal = [&](const std::vector<float>& numbers) {
    Model model = small_model();
    model.calibration.emplace();
    model.write(path);
    io::ModelFile file = io::ModelFile::read(path);
    file.add("calibration", {std::ssize(numbers)}, numbers);
    file.write(path);
    const std::string why = why_not(path);
    EXPECT_THAT(why, HasSubstr(path));
    EXPECT_THAT(why, HasSubstr("calibration"));
    EXPECT_EQ(why.find('\n'), std::string::npos);
    return why;
  };
  EXPECT_THAT(refusal({-0.25F, 1}), HasSubstr("-0.25"));
  EXPECT_THAT(refusal({1}), HasSubstr("2"));
  EXPECT_THAT(refusal({1, 2, 3}), HasSubstr("2"));
  refusal({1, std::numeric_limits<float>::infinity()});
  refusal({std::numeric_limits<float>::quiet_NaN(), 0});
}

TEST(Model, OfAnotherMakeIsRefused) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  io::ModelFile file;
  file.set_schema("flow.thing", 1);
  file.write(path);
  EXPECT_THAT(why_not(path), HasSubstr("flow.thing"));
  file.set_schema("people.hog", 99);
  file.write(path);
  EXPECT_THAT(why_not(path), HasSubstr("99"));
  EXPECT_THROW(Model::read(folder / "none.safetensors"), IoError);
}

TEST(Model, NumbersThatAreNotFiniteAreRefused) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  Model model = small_model();
  std::get<LinearModel>(model.classifier).weights[7] = std::numeric_limits<float>::quiet_NaN();
  model.write(path);
  EXPECT_NE(why_not(path), "");
}

TEST(Model, ADescriptorThatItsKindLacksIsRefused) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  Model model = small_model();
  auto& linear = std::get<LinearModel>(model.classifier);
  linear.hog.shape = BlockShape::kCircular;
  linear.hog.rings = linear.hog.sectors = 1;
  linear.weights.assign(static_cast<std::size_t>(descriptor_size(linear.hog)), 0.25F);
  model.kind = Kind::kHogCells;  // whose blocks are never circular
  model.write(path);
  EXPECT_NE(why_not(path), "");
}

TEST(Model, ImpossiblePeopleAndStridesAreRefused) {
  const test::TempFolder folder;
  const std::string path = folder / "model.safetensors";
  Model model = small_model();
  model.person_height = 0;
  model.write(path);
  EXPECT_THAT(why_not(path), HasSubstr("impossible"));
  model = small_model();
  model.stride = 0;
  model.write(path);
  EXPECT_THAT(why_not(path), HasSubstr("stride"));
}

TEST(Model, ShippedModelsAreCalibrated) {
  for (const char* name :
       {"hog", "hog-cells", "hog-integral", "cascade", "thesis", "channels", "filtered"}) {
    const std::shared_ptr<const Model> model = load_model(name);
    ASSERT_TRUE(model->calibration) << name;
    EXPECT_GT(model->calibration->slope, 0) << name;
    EXPECT_THAT(model->facts.at("calibration"), HasSubstr("187 images"));
    EXPECT_GT(model->calibration->confidence(model->threshold), 0) << name;
    EXPECT_LT(model->calibration->confidence(model->threshold), 0.5F) << name;
  }
}

// They were written by version 0.1.0.
TEST(Model, ShippedModelsAreReadByNameAndStayAsTheyAre) {
  const test::TempFolder folder;
  for (const char* name : {"hog", "cascade", "channels", "filtered"}) {
    const std::shared_ptr<const Model> model = load_model(name);
    EXPECT_STREQ(to_string(model->kind), name);
    EXPECT_EQ(model->window(), (Extent{64, 128}));
    EXPECT_EQ(load_model(std::string("people/") + name)->facts, model->facts);
    const std::string path = folder / "again.safetensors";
    model->write(path);
    const Model again = Model::read(path);
    const auto floats = [](const Model& m) {
      if (const auto* linear = std::get_if<LinearModel>(&m.classifier)) return linear->weights;
      std::vector<float> all;
      if (const auto* cascade = std::get_if<CascadeModel>(&m.classifier)) {
        all = {cascade->color ? 1.F : 0, cascade->graded ? 1.F : 0, cascade->chained ? 1.F : 0};
        for (const CascadeStage& stage : cascade->stages)
          for (const BlockClassifier& c : stage.classifiers)
            all.insert(all.end(), c.weights.begin(), c.weights.end());
      } else if (const auto* filtered = std::get_if<FilteredModel>(&m.classifier)) {
        all.assign(filtered->trees.leaf.begin(), filtered->trees.leaf.end());
      } else {
        for (const ChannelTree& tree : std::get<ChannelsModel>(m.classifier).trees)
          all.insert(all.end(), tree.leaf.begin(), tree.leaf.end());
      }
      return all;
    };
    EXPECT_EQ(floats(again), floats(*model));
    EXPECT_EQ(again.threshold, model->threshold);
  }
  const auto cascade = std::get<CascadeModel>(load_model("cascade")->classifier);
  EXPECT_TRUE(cascade.color && cascade.graded && cascade.chained);
  EXPECT_TRUE(std::get<LinearModel>(load_model("hog")->classifier).hog.color);
  EXPECT_THROW(load_model("nobody"), IoError);
}

}  // namespace
}  // namespace fovea::people
