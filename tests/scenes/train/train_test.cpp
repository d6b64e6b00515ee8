// Covers: all_places
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stop_token>

#include "scenes/textures.h"
#include "scenes/train/train_images.h"
#include "scenes/with_exec.h"
#include "support/files.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

TrainOptions small_options(ClassifierKind kind) {
  TrainOptions options;
  options.descriptor.step = 2;
  options.dictionary.words = 20;
  options.dictionary.samples = 30;
  options.dictionary.kmeans.max_iterations = 10;
  options.pyramid = 1;
  options.classifier.classifier = kind;
  options.classifier.neighbors = 3;
  return options;
}

Model small_model(const Textures& set, ClassifierKind kind, const Exec& exec = {},
                  const ImageFailure& failed = {}) {
  return train(set, set.labels, set.classes, with(small_options(kind), exec), failed);
}

// Pictures that training did not see have numbers from 100 on.
double accuracy(const Model& model) {
  FeatureMaker maker(model.dictionary, features_with(model.pyramid));
  Image<float> features(maker.length(), 30);
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 30; ++i) {
    const std::vector<float> row = maker.make(texture(i % 3, 100 + i));
    std::copy(row.begin(), row.end(), features.row(i));
  }
  const auto predicted = best_classes(model.classifier.scores(features));
  int right = 0;
  for (int i = 0; i < 30; ++i) right += predicted[static_cast<std::size_t>(i)] == i % 3 ? 1 : 0;
  return right / 30.0;
}

TEST(Train, MachinesOverAPyramidAreTheDefault) {
  EXPECT_EQ(TrainOptions{}.classifier.classifier, ClassifierKind::kSvm);
  EXPECT_EQ(TrainOptions{}.pyramid, 2);
}

TEST(Train, LearnsKindsOfPictures) {
  const Textures set(12);
  for (const ClassifierKind kind : {ClassifierKind::kKnn, ClassifierKind::kSvm}) {
    const Model model = small_model(set, kind);
    EXPECT_EQ(model.classes, set.classes);
    EXPECT_EQ(model.facts.at("images"), "36");
    EXPECT_GT(accuracy(model), 0.9);
  }
}

TrainOptions coded_options(Coding coding) {
  TrainOptions options = small_options(ClassifierKind::kSvm);
  options.dictionary.words = 6;
  options.dictionary.coding = coding;
  options.dictionary.components = 8;
  options.dictionary.color_words = 4;
  options.classifier.kernel =
      coding == Coding::kSoft || coding == Coding::kHard ? Kernel::kChiSquared : Kernel::kLinear;
  return options;
}

TEST(Train, LearnsFromEveryCodingWithWordsOfColorBeside) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Textures set(8);
  const test::TempFolder folder;
  for (const Coding coding : {Coding::kHard, Coding::kSoft, Coding::kVlad, Coding::kFisher}) {
    const Model model = train(set, set.labels, set.classes, coded_options(coding));
    EXPECT_GT(accuracy(model), 0.9);
    EXPECT_EQ(model.dictionary.beside.at(0).size(), 4);
    EXPECT_TRUE(model.facts.contains("beside.kmeans_iterations"));
    const Model other =
        train(set, set.labels, set.classes, with(coded_options(coding), {.threads = 3}));
    model.write(folder / "one.safetensors");
    other.write(folder / "other.safetensors");
    EXPECT_EQ(test::load(folder / "one.safetensors"), test::load(folder / "other.safetensors"));
    const Model read = Model::read(folder / "one.safetensors");
    EXPECT_EQ(read.dictionary.code.coding, coding);
    EXPECT_EQ(accuracy(read), accuracy(model));
  }
}

TEST(Train, HistogramKernelsAreNoneForSignedNumbers) {
  const Textures set(4);
  TrainOptions options = coded_options(Coding::kFisher);
  const auto why = [&] {
    return message_of<InvalidArgument>([&] { (void)train(set, set.labels, set.classes, options); });
  };
  options.classifier.kernel = Kernel::kChiSquared;
  EXPECT_THAT(why(), HasSubstr("choose kernel linear"));
  options.classifier.classifier = ClassifierKind::kKnn;
  EXPECT_THAT(why(), HasSubstr("distance euclidean or cosine"));
  options.classifier.distance = Distance::kCosine;
  EXPECT_GT(accuracy(train(set, set.labels, set.classes, options)), 0.6);
  options.dictionary.color_words = 1;
  EXPECT_THAT(why(), HasSubstr("color_words is 1"));
}

// A stage at a time gives the model that train() gives, with words of color too.
TEST(Train, CodedStagesGiveTheSameModel) {
  const Textures set(5);
  const TrainOptions options = coded_options(Coding::kFisher);
  const Dictionary dictionary = learn_dictionary(set, options.descriptor, options.dictionary);
  const FeatureTable table = make_features(set, dictionary, features_with(1));
  const Model model =
      train_model(dictionary, table.features, set.labels, set.classes, options.classifier);
  const Model whole = train(set, set.labels, set.classes, options);
  const test::TempFolder folder;
  model.write(folder / "stages.safetensors");
  whole.write(folder / "whole.safetensors");
  EXPECT_EQ(test::load(folder / "stages.safetensors"), test::load(folder / "whole.safetensors"));
}

TEST(Train, IsTheSameForAnyNumberOfThreads) {
  const Textures set(8);
  const Model one = small_model(set, ClassifierKind::kSvm, {.threads = 1});
  for (const int threads : {2, 7}) {
    const Model many = small_model(set, ClassifierKind::kSvm, {.threads = threads});
    EXPECT_TRUE(test::images_equal(one.dictionary.words, many.dictionary.words));
    EXPECT_EQ(one.dictionary.mean, many.dictionary.mean);
    EXPECT_TRUE(test::images_equal(one.classifier.svm.weights, many.classifier.svm.weights));
    EXPECT_EQ(one.classifier.svm.bias, many.classifier.svm.bias);
  }
  const Model other = small_model(set, ClassifierKind::kSvm, {.seed = 5});
  EXPECT_FALSE(test::images_equal(one.dictionary.words, other.dictionary.words));
}

// Words of all places lie nearer to the places than those of a few samples do.
TEST(Train, LearnsWordsFromAllPlaces) {
  const Textures set(5);
  TrainOptions options = small_options(ClassifierKind::kKnn);
  options.dictionary.samples = 5;
  const Model few = train(set, set.labels, set.classes, options);
  options.dictionary.all_places = true;
  options.dictionary.passes = 2;
  options.dictionary.kmeans.batch = 700;  // batches that end amid images
  const Model all = train(set, set.labels, set.classes, with(options, {.threads = 1}));
  const WordLearning& learning = all.dictionary.learning;
  EXPECT_EQ(learning.passes, 2);
  EXPECT_GT(learning.batches, 4);
  EXPECT_EQ(all.facts.at("kmeans_passes"), "2");
  std::int64_t places = 0;
  double distances[2] = {};
  for (int i = 0; i < set.count(); ++i) {
    const Image<float> found = descriptors(set.read(i), options.descriptor);
    places += found.height();
    for (const Model* model : {&few, &all}) {
      const Dictionary& dictionary = model->dictionary;
      const std::vector<std::uint16_t> words = find_words(found.view(), dictionary);
      for (int y = 0; y < found.height(); ++y)
        for (int x = 0; x < found.width(); ++x) {
          const auto n = static_cast<std::size_t>(x);
          const double apart = (found.at(x, y) - dictionary.mean[n]) * dictionary.scale[n] -
                               dictionary.words.at(x, words[static_cast<std::size_t>(y)]);
          distances[model == &all ? 1 : 0] += apart * apart;
        }
    }
  }
  EXPECT_EQ(learning.samples, places);
  EXPECT_LT(distances[1], 0.95 * distances[0]);
  EXPECT_NEAR(learning.inertia, distances[1], 0.2 * distances[1]);
  for (const int threads : {2, 5}) {
    const Model again = train(set, set.labels, set.classes, with(options, {.threads = threads}));
    EXPECT_TRUE(test::images_equal(all.dictionary.words, again.dictionary.words));
  }
  EXPECT_THAT(
      message_of([&] { learn_dictionary(Image<float>(32, 100).view(), {}, options.dictionary); }),
      HasSubstr("samples are not all places"));
}

TEST(Train, WordsAloneAreThoseOfTheModel) {
  const Textures set(8, {4});
  const TrainOptions options = small_options(ClassifierKind::kKnn);
  std::vector<int> failed;
  const ImageFailure report = [&](int index, const std::string&) { failed.push_back(index); };
  const Dictionary words = learn_dictionary(set, options.descriptor, options.dictionary, report);
  EXPECT_THAT(failed, ElementsAre(4));
  const Model model = small_model(set, ClassifierKind::kKnn, {}, report);
  EXPECT_TRUE(test::images_equal(words.words, model.dictionary.words));
  EXPECT_EQ(words.mean, model.dictionary.mean);
  EXPECT_THROW(learn_dictionary(set, options.descriptor, options.dictionary), FormatError);
}

TEST(Train, AnImageThatCannotBeReadIsReportedAndLeftOut) {
  const Textures set(8, {4, 23});
  EXPECT_THAT(message_of<FormatError>([&] { small_model(set, ClassifierKind::kKnn); }),
              HasSubstr("picture 4"));
  std::vector<int> failed;
  const Model model =
      small_model(set, ClassifierKind::kKnn, {}, [&](int index, const std::string& why) {
        failed.push_back(index);
        EXPECT_THAT(why, HasSubstr("broken"));
      });
  EXPECT_THAT(failed, ElementsAre(4, 23));
  EXPECT_EQ(model.classifier.knn.samples.height(), 22);
  EXPECT_EQ(model.facts.at("images"), "22");
}

TEST(Train, ACorruptFileIsReportedByItsName) {
  const test::TempFolder folder;
  std::vector<std::string> paths;
  const Textures set(4);
  for (int i = 0; i < set.count(); ++i) {
    paths.push_back(folder / (std::to_string(i) + ".png"));
    io::write_image(paths.back(), set.read(i).view());
  }
  test::save(paths[7], test::load(paths[7]).substr(0, 60));
  test::save(paths[8], "GIF89a and so on");
  std::vector<std::string> failed;
  train(io::ImageFileSet(paths), set.labels, set.classes, small_options(ClassifierKind::kSvm),
        [&](int, const std::string& why) { failed.push_back(why); });
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_THAT(failed[0], HasSubstr("7.png"));
  EXPECT_THAT(failed[1], HasSubstr("8.png"));
}

TEST(Train, SaysWhatIsWrong) {
  const Textures set(3);
  const auto why = [&](std::span<const std::int32_t> labels,
                       const std::vector<std::string>& classes, const Textures& images) {
    return message_of<InvalidArgument>([&] {
      train(images, labels, classes, small_options(ClassifierKind::kKnn),
            [](int, const std::string&) {});
    });
  };
  EXPECT_THAT(why(set.labels, {"one"}, set), HasSubstr("1 class,"));
  EXPECT_THAT(why(std::span(set.labels).first(2), set.classes, set), HasSubstr("2 labels for 9"));
  EXPECT_THAT(why(set.labels, {"a", "b"}, set), HasSubstr("image 2 has label 2"));
  EXPECT_THAT(why(set.labels, set.classes, Textures(3, {1, 4, 7})),
              HasSubstr("class spots has no image that can be read"));
}

TEST(DrawSamples, RefusesImagesAndCountsThatDoNotExist) {
  const Textures set(3);
  const auto why = [&](const std::vector<int>& which, int samples) {
    return message_of<InvalidArgument>([&] { (void)draw_samples(set, which, {}, samples); });
  };
  EXPECT_THAT(why({0, 9}, 5), HasSubstr("element 1 of `which` is 9, but there are images 0 to 8"));
  EXPECT_THAT(why({-1}, 5), HasSubstr("element 0 of `which` is -1"));
  EXPECT_THAT(why({0}, 0), HasSubstr("0 samples of an image"));
  EXPECT_THAT(why({0, 1, 2}, 1 << 30), HasSubstr("make 3221225472 rows"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { (void)draw_samples(set, {}, -4); }),
              HasSubstr("-4 samples of an image"));
  const SampleTable table = draw_samples(set, std::vector<int>{8, 0}, {}, 5);
  EXPECT_EQ(table.rows.height(), 10);
  EXPECT_THAT(table.usable, ElementsAre(true, true));
}

TEST(Train, StopsWhenAsked) {
  const Textures set(30);
  std::stop_source stop;
  const Exec exec{.progress = [&](const Progress&) { stop.request_stop(); },
                  .stop = stop.get_token()};
  EXPECT_THROW(small_model(set, ClassifierKind::kSvm, exec), Cancelled);
}

TEST(Train, ProgressEndsWhereItSaid) {
  const Textures set(30);
  std::vector<std::string> stages;
  double last = 0, words = 0;
  const Exec exec{.progress = [&](const Progress& progress) {
    if (stages.empty() || stages.back() != progress.stage) stages.emplace_back(progress.stage);
    if (progress.stage == "features") last = progress.done;
    if (progress.stage == "k-means") words = progress.done / progress.total;
  }};
  small_model(set, ClassifierKind::kKnn, exec);
  EXPECT_EQ(last, 90);
  EXPECT_EQ(words, 1);
  EXPECT_EQ(stages.front(), "drawing samples");
  EXPECT_EQ(stages.back(), "training the classifier");
}

TEST(Features, RowsOfImagesThatFailedAreZero) {
  const Textures set(3, {5});
  const Model model = small_model(Textures(4), ClassifierKind::kKnn);
  const FeatureTable table = make_features(set, model.dictionary, features_with(model.pyramid),
                                           [](int, const std::string&) {});
  ASSERT_EQ(table.features.height(), 9);
  EXPECT_FALSE(table.usable[5]);
  EXPECT_EQ(std::count(table.usable.begin(), table.usable.end(), true), 8);
  FeatureMaker maker(model.dictionary, features_with(model.pyramid));
  for (int y = 0; y < 9; ++y) {
    const std::vector<float> alone =
        y == 5 ? std::vector<float>(static_cast<std::size_t>(maker.length()), 0)
               : maker.make(set.read(y));
    for (int x = 0; x < maker.length(); ++x)
      ASSERT_EQ(table.features.at(x, y), alone[static_cast<std::size_t>(x)]);
  }
}

TEST(KeptImages, AreReadOnceUpToTheBound) {
  struct Counted final : io::ImageSet {
    int count() const override { return 3; }
    Image<std::uint8_t> read(int index) const override {
      ++reads;
      return texture(0, index);
    }
    mutable int reads = 0;
  };
  const Counted set;
  const Image<std::uint8_t> first = set.read(0);
  set.reads = 0;
  const KeptImages kept(set, first.height() * first.stride());
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(test::images_equal(kept.read(0), first));
  EXPECT_EQ(set.reads, 1);
  kept.read(1);
  kept.read(1);
  EXPECT_EQ(set.reads, 3);
}

}  // namespace
}  // namespace fovea::scenes
