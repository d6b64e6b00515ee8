#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include "people/filtered/random_filtered.h"
#include "people/model_parts.h"
#include "support/files.h"

namespace fovea::people {
namespace {

FilteredModel small_filtered() { return people_test::random_filtered({3, 3, 2, 3}, {16, 32}); }

io::ModelFile saved(const FilteredModel& model) {
  io::ModelFile file;
  save(file, model);
  return file;
}

std::string refused(const FilteredModel& model) {
  return test::message_of<ModelError>([&] {
    const io::ModelFile file = saved(model);
    load_filtered(io::ModelReader(file));
  });
}

TEST(FilteredModel, SurvivesAFile) {
  for (const int depth : {2, 3, 4, 5}) {
    const FilteredModel model = people_test::random_filtered({3, depth, 2, 3}, {16, 32});
    const io::ModelFile file = io::ModelFile::parse(saved(model).bytes(), "model");
    const FilteredModel read = load_filtered(io::ModelReader(file));
    EXPECT_EQ(read.window, (Extent{16, 32}));
    EXPECT_EQ(read.exact_per_octave, 3);
    EXPECT_EQ(read.decay, model.decay);
    EXPECT_EQ(read.bank.filters, 2);
    EXPECT_EQ(read.bank.weights, model.bank.weights);
    EXPECT_EQ(read.bank.gain, model.bank.gain);
    EXPECT_EQ(read.bank.offset, model.bank.offset);
    EXPECT_EQ(read.trees.depth, depth);
    EXPECT_EQ(read.trees.feature, model.trees.feature);
    EXPECT_EQ(read.trees.threshold, model.trees.threshold);
    EXPECT_EQ(read.trees.leaf, model.trees.leaf);
    EXPECT_EQ(read.rejection, model.rejection);
  }
}

TEST(FilteredModel, ImpossibleOnesAreRefused) {
  FilteredModel model = small_filtered();
  model.trees.feature[5] = 640;
  EXPECT_NE(refused(model).find("feature 640; a window has 640"), std::string::npos);
  model = small_filtered();
  model.window.width = 18;
  EXPECT_NE(refused(model).find("18x32"), std::string::npos);
  model = small_filtered();
  model.shrink = 2;
  EXPECT_NE(refused(model).find("cells of 2 pixels"), std::string::npos);
  model = small_filtered();
  model.exact_per_octave = 65;
  EXPECT_NE(refused(model), "");
  model = small_filtered();
  model.decay[3] = 5;
  EXPECT_NE(refused(model).find("decay"), std::string::npos);
  model = small_filtered();
  for (int t = 0; t < FilterBank::kTaps; ++t) model.bank.weights[t] = t == 0 ? 16 : 10;
  EXPECT_NE(refused(model).find("add up to 256"), std::string::npos);
  model = small_filtered();
  model.bank.gain[1] = -1;
  EXPECT_NE(refused(model).find("gain of -1"), std::string::npos);
}

TEST(FilteredModel, TensorsMustAgreeInLength) {
  io::ModelFile file = saved(small_filtered());
  file.add("rejection", {1}, std::vector<std::int32_t>{0});
  EXPECT_THROW(load_filtered(io::ModelReader(file)), ModelError);
  file = saved(small_filtered());
  file.add("leaf", {3, 6}, std::vector<std::int16_t>(18));
  EXPECT_THROW(load_filtered(io::ModelReader(file)), ModelError);
  file = saved(small_filtered());
  file.add("filter", {10, 9, 5, 5}, std::vector<std::int8_t>(2250));
  EXPECT_THROW(load_filtered(io::ModelReader(file)), ModelError);
  FilteredModel model = small_filtered();
  model.trees.leaf.clear();
  EXPECT_THROW(check_filtered(model), ModelError);
}

}  // namespace
}  // namespace fovea::people
