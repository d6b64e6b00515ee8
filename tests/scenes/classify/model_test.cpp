#include <fovea/core/error.h>
#include <fovea/io/model_file.h>
#include <fovea/io/models.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/model.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "scenes/classify/kernel_map.h"
#include "scenes/textures.h"
#include "scenes/with_exec.h"
#include "scenes/words/coded.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::HasSubstr;

Model small_model(ClassifierKind kind, Color color = Color::kGray) {
  const Textures set(4);
  TrainOptions options;
  options.descriptor.step = 4;
  options.descriptor.color = color;
  options.dictionary.words = 6;
  options.dictionary.samples = 10;
  options.dictionary.standardize = color == Color::kLab;
  options.pyramid = 1;
  options.classifier.classifier = kind;
  options.classifier.neighbors = 3;
  Model model = train(set, set.labels, set.classes, options);
  model.facts["data"] = "textures";
  return model;
}

Image<float> predictions(const Model& model) {
  const Textures set(7);
  return model.classifier.scores(
      make_features(set, model.dictionary, features_with(model.pyramid)).features);
}

std::string why_not(const std::string& path) {
  return message_of<ModelError>([&] { Model::read(path); });
}

class ModelFiles : public testing::Test {
 protected:
  const test::TempFolder folder_;
  const std::string path_ = folder_ / "model.safetensors";

  // Writes the model, changes the file, and says why it cannot be read.
  template <class Change>
  std::string why_not_after(const Model& model, Change change) {
    model.write(path_);
    io::ModelFile file = io::ModelFile::read(path_);
    change(file);
    file.write(path_);
    return why_not(path_);
  }
};

TEST_F(ModelFiles, GiveTheSamePredictionsToTheBit) {
  for (const ClassifierKind kind :
       {ClassifierKind::kKnn, ClassifierKind::kSvm, ClassifierKind::kLogistic})
    for (const Color color : {Color::kGray, Color::kLab}) {
      const Model model = small_model(kind, color);
      model.write(path_);
      const Model back = Model::read(path_);
      EXPECT_EQ(back.classes, model.classes);
      EXPECT_EQ(back.facts, model.facts);
      EXPECT_EQ(back.pyramid, 1);
      EXPECT_EQ(back.dictionary.descriptor.step, 4);
      EXPECT_EQ(back.dictionary.mean, model.dictionary.mean);
      EXPECT_TRUE(test::images_equal(predictions(back), predictions(model)));
    }
}

// Version 1 had numbers of enumerators in tensors, where version 2 has words.
void make_first_version(io::ModelFile& file, const Model& model) {
  const auto number = [&](const char* name, int value) {
    file.add(name, {1}, std::vector<std::int32_t>{value});
  };
  file.set_schema("scenes.words", 1);
  number("words_from", static_cast<int>(model.dictionary.descriptor.words));
  number("color", static_cast<int>(model.dictionary.descriptor.color));
  number("step", model.dictionary.descriptor.step);
  number("cell", model.dictionary.descriptor.cell);
  number("scales", model.dictionary.descriptor.scales);
  number("classifier", static_cast<int>(model.classifier.kind));
  number("kernel", static_cast<int>(model.classifier.svm.kernel));
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with("option.")) file.set_metadata(key, "");
}

TEST_F(ModelFiles, OfVersionOneAreRead) {
  for (const ClassifierKind kind : {ClassifierKind::kKnn, ClassifierKind::kSvm}) {
    const Model model = small_model(kind, Color::kLab);
    model.write(path_);
    io::ModelFile file = io::ModelFile::read(path_);
    make_first_version(file, model);
    file.write(path_);
    const Model back = Model::read(path_);
    EXPECT_EQ(back.dictionary.descriptor.color, Color::kLab);
    EXPECT_TRUE(test::images_equal(predictions(back), predictions(model)));
    file.add("color", {1}, std::vector<std::int32_t>{7});
    file.write(path_);
    EXPECT_THAT(why_not(path_), HasSubstr("color is 7"));
  }
}

TEST_F(ModelFiles, NameTheirChoicesByWords) {
  small_model(ClassifierKind::kSvm, Color::kLab).write(path_);
  const auto metadata = io::ModelFile::read(path_).metadata();
  EXPECT_EQ(metadata.at("option.descriptor.words"), "filters");
  EXPECT_EQ(metadata.at("option.descriptor.color"), "lab");
  EXPECT_EQ(metadata.at("option.classifier.kind"), "svm");
  EXPECT_EQ(metadata.at("option.classifier.kernel"), "chi-squared");
}

TEST_F(ModelFiles, RememberDistancesAndKernels) {
  const auto retrained = [](const TrainClassifierOptions& options) {
    Model model = small_model(ClassifierKind::kKnn);
    const Textures set(4);
    const Image<float> features =
        make_features(set, model.dictionary, features_with(model.pyramid)).features;
    model.classifier = train_classifier(features, set.labels, 3, options);
    return model;
  };
  for (const Distance distance : {Distance::kEuclidean, Distance::kCosine}) {
    const Model model = retrained({.neighbors = 3, .distance = distance});
    model.write(path_);
    const Model back = Model::read(path_);
    EXPECT_EQ(back.classifier.knn.distance, distance);
    EXPECT_TRUE(test::images_equal(predictions(back), predictions(model)));
  }
  EXPECT_EQ(io::ModelFile::read(path_).metadata().at("option.classifier.distance"), "cosine");
  for (const ClassifierKind kind : {ClassifierKind::kSvm, ClassifierKind::kLogistic}) {
    const Model model = retrained({.classifier = kind, .kernel = Kernel::kLinear});
    model.write(path_);
    const Model back = Model::read(path_);
    EXPECT_EQ(back.classifier.kind, kind);
    EXPECT_TRUE(test::images_equal(predictions(back), predictions(model)));
  }
  EXPECT_EQ(io::ModelFile::read(path_).metadata().at("option.classifier.kernel"), "linear");
  EXPECT_EQ(io::ModelFile::read(path_).metadata().at("option.classifier.kind"), "logistic");
}

TEST_F(ModelFiles, WithAnUnknownDistanceAreRefused) {
  EXPECT_THAT(why_not_after(small_model(ClassifierKind::kKnn),
                            [](io::ModelFile& file) {
                              file.set_metadata("option.classifier.distance", "far");
                            }),
              HasSubstr("far"));
}

// The model of 0.1.0 as it was shipped.
TEST_F(ModelFiles, ThatShipAreRead) {
  const Model model = Model::read(io::find_model("scenes/sun8"));
  EXPECT_EQ(load_model("sun8")->classes, model.classes);
  EXPECT_EQ(load_model(io::find_model("scenes/sun8"))->facts, model.facts);
  EXPECT_THROW(load_model("nowhere"), IoError);
  EXPECT_EQ(model.classes.size(), 8U);
  EXPECT_EQ(model.dictionary.size(), 500);
  EXPECT_EQ(model.dictionary.descriptor.color, Color::kLab);
  EXPECT_EQ(model.classifier.kind, ClassifierKind::kSvm);
}

TEST_F(ModelFiles, WithFisherVectorsShipsToo) {
  const auto model = load_model("sun8-fisher");
  EXPECT_EQ(model->classes, load_model("sun8")->classes);
  EXPECT_EQ(model->dictionary.code.coding, Coding::kFisher);
  EXPECT_EQ(model->dictionary.size(), 64);
  ASSERT_EQ(model->dictionary.beside.size(), 1U);
  EXPECT_EQ(model->dictionary.beside[0].descriptor.color, Color::kLab);
  EXPECT_EQ(model->dictionary.beside[0].size(), 64);
}

TEST_F(ModelFiles, OfAnotherMakeAreRefused) {
  io::ModelFile file;
  file.set_schema("people.hog", 1);
  file.write(path_);
  EXPECT_THAT(why_not(path_), HasSubstr("people.hog"));
  EXPECT_THROW(Model::read(folder_ / "none.safetensors"), IoError);
  test::save(path_, "not a model");
  EXPECT_THROW(Model::read(path_), FormatError);
}

TEST_F(ModelFiles, OfABankThatIsNoneAreRefused) {
  EXPECT_THAT(why_not_after(small_model(ClassifierKind::kKnn),
                            [](io::ModelFile& file) {
                              file.add("bank_sizes", {2}, std::vector<std::int32_t>{3, 5});
                            }),
              HasSubstr("the bank of filters cannot be used: filter-sizes has 2 sizes"));
}

TEST_F(ModelFiles, WithSizesThatDoNotFitAreRefused) {
  const Model svm = small_model(ClassifierKind::kSvm), knn = small_model(ClassifierKind::kKnn);
  const auto number = [](const char* name, int value) {
    return [=](io::ModelFile& file) { file.add(name, {1}, std::vector<std::int32_t>{value}); };
  };
  const auto word = [](const char* key, const char* value) {
    return [=](io::ModelFile& file) { file.set_metadata(key, value); };
  };
  EXPECT_THAT(why_not_after(svm, word("option.descriptor.color", "lab")), HasSubstr("words"));
  EXPECT_THAT(why_not_after(svm, word("option.descriptor.color", "cmyk")), HasSubstr("cmyk"));
  EXPECT_THAT(why_not_after(svm, number("pyramid", 2)), HasSubstr("weights"));
  EXPECT_THAT(why_not_after(svm, number("pyramid", 3)), HasSubstr("pyramid is 3"));
  EXPECT_THAT(why_not_after(svm, word("option.classifier.kind", "knn")), HasSubstr("samples"));
  EXPECT_THAT(why_not_after(svm, word("option.descriptor.step", "-1")), HasSubstr("step"));
  EXPECT_THAT(why_not_after(knn, number("neighbors", 13)), HasSubstr("neighbors is 13"));
  EXPECT_THAT(why_not_after(knn,
                            [](io::ModelFile& file) {
                              file.add("labels", {12}, std::vector<std::int32_t>(12, 3));
                            }),
              HasSubstr("class 3"));
  EXPECT_THAT(why_not_after(svm, [](io::ModelFile& file) { file.set_metadata("class.3", "more"); }),
              HasSubstr("3 classes, but 4"));
}

// Chi-squared distances and the kernels of histograms cannot compare negative numbers.
TEST_F(ModelFiles, WithNegativeFeaturesNeedAClassifierThatTakesThem) {
  const Dictionary fisher = coded_dictionary(Coding::kFisher, {.step = 4}, 2, 3);
  const auto model_of = [&](Coding coding, Distance distance, bool beside) {
    Model model;
    model.dictionary = clone(fisher);
    model.dictionary.code.coding = coding;
    if (beside) {
      model.dictionary.beside.push_back(clone(model.dictionary));
      model.dictionary.code = {};
    }
    model.classes = {"a", "b"};
    model.classifier.classes = 2;
    const int bins = feature_length(model.dictionary, 0);
    Image<float> samples(bins, 2);
    for (int y = 0; y < 2; ++y) std::fill_n(samples.row(y), bins, 0.F);
    model.classifier.knn = {1, distance, std::move(samples), {0, 1}};
    return model;
  };
  const auto refused = [&](Model model) {
    const std::string why = why_not_after(model, [](io::ModelFile&) {});
    const auto shared = std::make_shared<const Model>(std::move(model));
    EXPECT_THAT(message_of<InvalidArgument>([&] { Classifier classifier(shared); }),
                HasSubstr("negative numbers"));
    EXPECT_THAT(why, HasSubstr("negative numbers"));
  };
  refused(model_of(Coding::kFisher, Distance::kChiSquared, true));
  Model model = model_of(Coding::kVlad, Distance::kChiSquared, false);
  const int numbers = feature_length(model.dictionary, 0) * map_numbers(Kernel::kChiSquared);
  model.classifier.kind = ClassifierKind::kSvm;
  model.classifier.svm.weights = Image<float>(numbers, 2);
  for (int y = 0; y < 2; ++y) std::fill_n(model.classifier.svm.weights.row(y), numbers, 0.F);
  model.classifier.svm.bias = {0, 0};
  refused(std::move(model));
  model_of(Coding::kFisher, Distance::kCosine, true).write(path_);
  EXPECT_EQ(Model::read(path_).classifier.knn.distance, Distance::kCosine);
  model_of(Coding::kSoft, Distance::kChiSquared, false).write(path_);
  EXPECT_EQ(Model::read(path_).classifier.knn.distance, Distance::kChiSquared);
}

TEST_F(ModelFiles, WithNumbersThatAreNotFiniteAreRefused) {
  Model model = small_model(ClassifierKind::kSvm);
  model.classifier.svm.weights.at(3, 1) = std::numeric_limits<float>::quiet_NaN();
  model.write(path_);
  EXPECT_NE(why_not(path_), "");
}

}  // namespace
}  // namespace fovea::scenes
