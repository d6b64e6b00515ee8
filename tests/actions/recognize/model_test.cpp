#include <fovea/actions/model.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/model_file.h>
#include <fovea/io/models.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/match/features.h"
#include "actions/synthetic.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

Model small_model() {
  Model model;
  model.classes = {"walk", "run"};
  model.features.scale = 1.5;
  model.score.fusion = 0.5;
  model.match.dummy_cost = 2.25;
  model.points.harris.threshold = 1e-10;
  for (int label = 0; label < 2; ++label) {
    model.clips.push_back(most_salient(synthetic_points(label, 0, 12)));
    round_to_file(model.clips.back().descriptors);
    model.prototypes.push_back({label, label, 1, 8, false, 1.25F});
    model.prototypes.push_back({label, label, 4, 8, true, 0.75F});
  }
  model.descriptors = Image<float>(kHofSize, 3);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < kHofSize; ++x) model.descriptors.at(x, y) = 0.25F * static_cast<float>(y);
  model.descriptor_labels = {0, 1, 1};
  model.facts["data"] = "synthetic";
  return model;
}

class ModelFiles : public testing::Test {
 protected:
  const test::TempFolder folder_;
  const std::string path_ = folder_ / "model.safetensors";

  template <class Change>
  std::string why_not_after(Change change) {
    small_model().write(path_);
    io::ModelFile file = io::ModelFile::read(path_);
    change(file);
    file.write(path_);
    return message_of<ModelError>([&] { Model::read(path_); });
  }
};

TEST_F(ModelFiles, GiveTheSameChainsToTheBit) {
  const Model model = small_model();
  model.write(path_);
  const Model back = Model::read(path_);
  EXPECT_EQ(back.classes, model.classes);
  EXPECT_EQ(back.facts, model.facts);
  EXPECT_EQ(options_json(back.points), options_json(model.points));
  EXPECT_EQ(options_json(back.match), options_json(model.match));
  EXPECT_EQ(options_json(back.features), options_json(model.features));
  EXPECT_EQ(options_json(back.score), options_json(model.score));
  EXPECT_EQ(back.descriptor_labels, model.descriptor_labels);
  EXPECT_TRUE(test::images_equal(back.descriptors, model.descriptors));
  ASSERT_EQ(back.prototypes.size(), 4U);
  EXPECT_EQ(back.prototypes[3].reject, 0.75F);
  const auto chains = model.chains(), again = back.chains();
  for (std::size_t i = 0; i < chains.size(); ++i) {
    EXPECT_TRUE(test::images_equal(again[i].features, chains[i].features));
    EXPECT_EQ(again[i].nodes[3].x, chains[i].nodes[3].x);
    EXPECT_EQ(again[i].nodes[3].frame, chains[i].nodes[3].frame);
  }
}

LateFusion small_fusion() {
  LateFusion fusion;
  fusion.weights = {1, 0, 0.5, 2};
  fusion.words = Image<float>(kDescriptorSize, 2);
  fusion.classifier.kind = scenes::ClassifierKind::kSvm;
  fusion.classifier.classes = 2;
  fusion.classifier.svm.weights = Image<float>(2 * 3, 2);  // three numbers per word
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < kDescriptorSize; ++x) fusion.words.at(x, y) = 0.5F * static_cast<float>(y);
    for (int x = 0; x < 6; ++x) fusion.classifier.svm.weights.at(x, y) = static_cast<float>(x - y);
  }
  fusion.classifier.svm.bias = {0.25F, -0.5F};
  return fusion;
}

TEST_F(ModelFiles, KeepLateFusion) {
  Model model = small_model();
  model.score.fusion = 0;
  model.write(path_);
  EXPECT_FALSE(Model::read(path_).late_fusion.has_value());
  model.late_fusion = small_fusion();
  model.write(path_);
  const Model back = Model::read(path_);
  ASSERT_TRUE(back.late_fusion.has_value());
  EXPECT_EQ(back.late_fusion->weights, model.late_fusion->weights);
  EXPECT_TRUE(test::images_equal(back.late_fusion->words, model.late_fusion->words));
  Image<float> histogram(2, 1);
  histogram.at(0, 0) = 0.25F;
  histogram.at(1, 0) = 0.75F;
  EXPECT_TRUE(test::images_equal(back.late_fusion->classifier.scores(histogram),
                                 model.late_fusion->classifier.scores(histogram)));
}

TEST_F(ModelFiles, WithLateFusionThatDoesNotFitAreRefused) {
  Model model = small_model();
  model.score.fusion = 0;
  const auto why = [&](LateFusion fusion) {
    model.late_fusion = std::move(fusion);
    model.write(path_);
    return message_of<ModelError>([&] { Model::read(path_); });
  };
  LateFusion negative = small_fusion();
  negative.weights[2] = -1;
  EXPECT_THAT(why(std::move(negative)), HasSubstr("a weight of its late fusion is -1"));
  LateFusion narrow = small_fusion();
  narrow.classifier.svm.weights = Image<float>(5, 2);
  for (int y = 0; y < 2; ++y) std::fill_n(narrow.classifier.svm.weights.row(y), 5, 0.0F);
  EXPECT_THAT(why(std::move(narrow)), HasSubstr("word_weights"));
  LateFusion fewer = small_fusion();
  fewer.classifier.svm.weights = Image<float>(6, 1);
  std::fill_n(fewer.classifier.svm.weights.row(0), 6, 0.0F);
  EXPECT_THAT(why(std::move(fewer)), HasSubstr("word_weights has 1 rows"));
  model.descriptor_labels.clear();
  EXPECT_THAT(why(small_fusion()), HasSubstr("compares single descriptors, but it has none"));
}

TEST_F(ModelFiles, AMirroredPrototypeIsMadeOfTheClip) {
  const Model model = small_model();
  const Chain chain = model.chain(1);
  EXPECT_EQ(chain.nodes[0].frame, 4);
  EXPECT_EQ(chain.nodes[0].x, 159 - model.clips[0].points[4].x);
  EXPECT_THROW(model.chain(4), InvalidArgument);
}

TEST_F(ModelFiles, ThoseOfVersion010AreRead) {
  const Model model = Model::read(io::find_model("actions/weizmann"));
  EXPECT_EQ(load_model("weizmann")->classes, model.classes);
  EXPECT_EQ(load_model(io::find_model("actions/weizmann"))->facts, model.facts);
  EXPECT_THROW(load_model("nothing"), IoError);
  EXPECT_EQ(model.classes.size(), 10U);
  EXPECT_EQ(model.points.votes, FlowVotes::kMagnitude);
  EXPECT_EQ(model.points.detector, PointDetector::kHarris);
  EXPECT_EQ(model.match.closeness, Closeness::kSpan);
  EXPECT_EQ(model.cut.nodes, 20);
}

TEST_F(ModelFiles, OfAnotherMakeAreRefused) {
  io::ModelFile file;
  file.set_schema("scenes.words", 1);
  file.write(path_);
  EXPECT_THAT(message_of<ModelError>([&] { Model::read(path_); }), HasSubstr("scenes.words"));
  EXPECT_THROW(Model::read(folder_ / "none.safetensors"), IoError);
  test::save(path_, "not a model");
  EXPECT_THROW(Model::read(path_), FormatError);
}

TEST_F(ModelFiles, WithNumbersThatDoNotFitAreRefused) {
  const auto set = [](const char* name, const io::Shape& shape, std::vector<std::int32_t> values) {
    return [=](io::ModelFile& file) { file.add(name, shape, values); };
  };
  const auto option = [](const char* name, const char* value) {
    return [=](io::ModelFile& file) { file.set_metadata(name, value); };
  };
  EXPECT_THAT(why_not_after(set("prototypes", {4, 5}, std::vector<std::int32_t>(20, 7))),
              HasSubstr("prototype 0 has class 7"));
  EXPECT_THAT(why_not_after(set("prototypes", {0, 5}, {})), HasSubstr("prototypes has 0 rows"));
  EXPECT_THAT(why_not_after(set("clips", {2, 4}, {160, 120, 12, 12, 160, 120, 12, 13})),
              HasSubstr("clip 1 has 13 points, but only 12 are left"));
  EXPECT_THAT(why_not_after(set("clips", {2, 4}, {160, 120, 12, 12, 160, 120, 11, 12})),
              HasSubstr("frame 11"));
  EXPECT_THAT(why_not_after(set("clips", {2, 4}, {160, 120, 12, 12, 0, 120, 12, 12})),
              HasSubstr("clip 1 is 0 x 120"));
  EXPECT_THAT(why_not_after(set("point_frames", {24}, std::vector<std::int32_t>(24, 3))),
              HasSubstr("frame 3 follows one in 3"));
  EXPECT_THAT(why_not_after(set("descriptor_labels", {3}, {0, 1, 2})), HasSubstr("class 2"));
  EXPECT_THAT(why_not_after(set("scene_points", {1}, {-1})),
              HasSubstr("scene_points is -1, expected 0 to 1000"));
  EXPECT_THAT(why_not_after(option("option.features.scale", "0")),
              HasSubstr("scale of its features is 0"));
  EXPECT_THAT(why_not_after(option("option.score.best", "many")), HasSubstr("'many'"));
}

}  // namespace
}  // namespace fovea::actions
