#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cmath>

#include "people/model_parts.h"

namespace fovea::people {
namespace {

using testing::HasSubstr;

LinearModel example() {
  LinearModel model;
  model.hog.window.width = 48;
  model.hog.window.height = 96;
  model.hog.sigma = 4.5F;
  model.hog.norm = BlockNorm::kL1Sqrt;
  model.hog.gamma = Gamma::kNone;
  model.hog.color = false;
  for (int i = 0; i < descriptor_size(model.hog); ++i)
    model.weights.push_back(std::sin(static_cast<float>(i)));
  model.bias = -0.75F;
  return model;
}

io::ModelFile saved(const LinearModel& model) {
  io::ModelFile file;
  save(file, model);
  return io::ModelFile::parse(file.bytes(), "example");
}

std::string complaint(const io::ModelFile& file) {
  try {
    load_linear(Kind::kHog, io::ModelReader(file));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no ModelError";
}

TEST(LinearModel, SurvivesAFile) {
  const LinearModel model = example();
  const io::ModelFile file = saved(model);
  const LinearModel read = load_linear(Kind::kHog, io::ModelReader(file));
  EXPECT_EQ(options_json(read.hog), options_json(model.hog));
  EXPECT_EQ(read.weights, model.weights);
  EXPECT_EQ(read.bias, model.bias);
}

// Files that were written before an option existed mean its default, and files of defaults are as
// they were then.
TEST(LinearModel, LaterOptionsAreStoredWhereTheyDiffer) {
  const io::ModelFile plain = saved(example());
  for (const auto& [key, value] : plain.metadata())
    EXPECT_FALSE(key.starts_with("hog.") && is_later_option(key.substr(4))) << key;
  LinearModel model = example();
  model.hog.mask = GradientMask::kSobel;
  model.hog.epsilon = 1;
  const io::ModelFile file = saved(model);
  EXPECT_EQ(file.metadata().at("hog.mask"), "sobel");
  EXPECT_FALSE(file.metadata().contains("hog.vote"));
  const LinearModel read = load_linear(Kind::kHog, io::ModelReader(file));
  EXPECT_EQ(options_json(read.hog), options_json(model.hog));
}

TEST(LinearModel, IsNotSavedWithTheWrongNumberOfWeights) {
  LinearModel model = example();
  model.weights.pop_back();
  io::ModelFile file;
  EXPECT_THROW(save(file, model), InvalidArgument);
}

TEST(LinearModel, HostileFilesAreRefused) {
  const auto with_fact = [](const char* key, const char* value) {
    io::ModelFile file = saved(example());
    file.set_metadata(key, value);
    return complaint(file);
  };
  EXPECT_THAT(with_fact("hog.cell", "0"), HasSubstr("example: hog.cell: cell is '0'"));
  EXPECT_THAT(with_fact("hog.cell", "eight"), HasSubstr("cell is 'eight'"));
  EXPECT_THAT(with_fact("hog.window-width", "64"), HasSubstr("weights"));
  EXPECT_THAT(with_fact("hog.window-width", "12"), HasSubstr("window-width is 12"));
  EXPECT_THAT(with_fact("hog.mask", "round"), HasSubstr("mask is 'round'"));
  EXPECT_THAT(with_fact("hog.epsilon", "0"), HasSubstr("epsilon is '0'"));
  EXPECT_THAT(with_fact("hog.norm", "l3"), HasSubstr("norm is 'l3'"));
  EXPECT_THAT(with_fact("hog.sigma", "nan"), HasSubstr("sigma"));
  EXPECT_THAT(with_fact("hog.block-stride", "2147483647"), HasSubstr("block-stride"));
  EXPECT_THAT(complaint(io::ModelFile()),
              HasSubstr("model: has no hog.window-width; it comes from"));

  io::ModelFile file = saved(example());
  file.add("bias", {1}, std::vector<float>{NAN});
  EXPECT_THAT(complaint(file), HasSubstr("bias"));
  file = saved(example());
  file.add("weights", {2}, std::vector<float>{1, 2});
  EXPECT_THAT(complaint(file), HasSubstr("weights"));
  file = saved(example());
  file.add("bias", {0}, std::vector<float>{});
  EXPECT_THAT(complaint(file), HasSubstr("bias"));
}

}  // namespace
}  // namespace fovea::people
