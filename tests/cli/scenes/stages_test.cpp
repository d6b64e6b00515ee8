// Covers: sample, dictionary, features, classifier, scenes
#include "cli/scenes/stages.h"

#include <fovea/io/npy.h>
#include <fovea/scenes/model.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using StageWords = std::vector<std::string>;

class ScenesStages : public testing::Test {
 protected:
  ScenesStages() { write_places(folder_ / "places", 5); }

  Ended run_with(StageWords words, const StageWords& more = {}) const {
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kDone) << words[1] << ": " << ended.err;
    return ended;
  }
  // Runs all stages by themselves, and train with the options of all of them.
  void expect_the_model_of_train(const StageWords& descriptor, const StageWords& dictionary,
                                 const StageWords& features, const StageWords& classifier) {
    const std::string places = folder_ / "places", words = folder_ / "words.safetensors";
    const std::string table = folder_ / "features.npy", labels = folder_ / "labels.csv";
    StageWords all{"scenes", "train", places, "-o", folder_ / "train.safetensors"};
    for (const StageWords* some : {&descriptor, &dictionary, &features, &classifier})
      all.insert(all.end(), some->begin(), some->end());
    run_with(all, {"--samples", "40", "--seed", "9"});
    run_with({"scenes", "sample", places, "-o", folder_ / "samples.npy", "--samples", "40",
              "--seed", "9"},
             descriptor);
    StageWords both = descriptor;
    both.insert(both.end(), dictionary.begin(), dictionary.end());
    run_with({"scenes", "dictionary", folder_ / "samples.npy", "-o", words, "--samples", "40",
              "--seed", "9"},
             both);
    run_with({"scenes", "features", places, "--dictionary", words, "-o", table, "--labels", labels},
             features);
    run_with({"scenes", "classifier", table, "--labels", labels, "--dictionary", words, "-o",
              folder_ / "stages.safetensors", "--seed", "9"},
             classifier);
    EXPECT_EQ(test::load(folder_ / "stages.safetensors"),
              test::load(folder_ / "train.safetensors"));
  }

  test::TempFolder folder_;
};

TEST_F(ScenesStages, OneByOneTheyGiveTheBytesOfTrain) {
  expect_the_model_of_train({}, {"--dictionary", "12"}, {"--pyramid", "2"},
                            {"--classifier", "svm"});
  expect_the_model_of_train({}, {"--dictionary", "12"}, {"--pyramid", "0"},
                            {"--classifier", "knn", "--neighbors", "3"});
  expect_the_model_of_train({"--color", "lab", "--step", "2"},
                            {"--dictionary", "9", "--start", "random", "--no-standardize"},
                            {"--pyramid", "1"}, {"--classifier", "svm", "--folds", "2"});
  expect_the_model_of_train({}, {"--dictionary", "12"}, {"--pyramid", "0"},
                            {"--classifier", "logistic", "--kernel", "linear", "--cost", "300"});
  expect_the_model_of_train({}, {"--dictionary", "12"}, {"--pyramid", "0"},
                            {"--classifier", "knn", "--neighbors", "3", "--distance", "cosine"});
}

TEST_F(ScenesStages, AModelSaysHowManySamplesItsWordsHave) {
  const std::string places = folder_ / "places", model = folder_ / "m.safetensors";
  const auto learned = [&](const std::string& samples) {
    run_with(
        {"scenes", "dictionary", samples, "-o", folder_ / "w.safetensors", "--dictionary", "6"});
    run_with({"scenes", "features", places, "--dictionary", folder_ / "w.safetensors", "-o",
              folder_ / "f.npy", "--labels", folder_ / "l.csv"});
    run_with({"scenes", "classifier", folder_ / "f.npy", "--labels", folder_ / "l.csv",
              "--dictionary", folder_ / "w.safetensors", "-o", model});
    return json::parse(scenes::load_model(model)->facts.at("options"))["samples"];
  };
  run_with({"scenes", "sample", places, "-o", folder_ / "s.npy", "--samples", "9"});
  EXPECT_EQ(json::parse(test::load(folder_ / "s.npy.json"))["command"], "scenes sample");
  EXPECT_EQ(learned(folder_ / "s.npy"), 9);
  run_with({"scenes", "train", places, "-o", folder_ / "whole.safetensors", "--samples", "9",
            "--dictionary", "6", "--pyramid", "0", "--classifier", "knn"});
  EXPECT_EQ(test::load(model), test::load(folder_ / "whole.safetensors"));
  test::save(folder_ / "s.npy.json", "{}");
  const Ended refused = run_here({"scenes", "dictionary", folder_ / "s.npy", "-o", model});
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("s.npy.json: does not say how many samples"));
}

TEST_F(ScenesStages, ResponsesAndMapsOfWordsAreReadBack) {
  const std::string places = folder_ / "places", words = folder_ / "words.safetensors";
  run_with({"scenes", "sample", places, "-o", folder_ / "samples.npy"});
  run_with({"scenes", "dictionary", folder_ / "samples.npy", "-o", words, "--dictionary", "12"});
  for (const std::string& kind : place_kinds()) {
    const std::string images = places + "/" + kind;
    run_with({"scenes", "filters", images, "-o", (folder_ / "responses/") + kind + "/{}.npy"});
    run_with({"scenes", "words", images, "--dictionary", words, "--numbers",
              (folder_ / "maps/") + kind + "/{}.npy"});
    run_with({"scenes", "words", (folder_ / "responses/") + kind, "--responses", "--dictionary",
              words, "--numbers", (folder_ / "again/") + kind + "/{}.npy"});
  }
  const io::NdArray responses = io::read_array(folder_ / "responses/lying/2.npy");
  EXPECT_THAT(responses.shape, ElementsAre(40, 50, 32));
  EXPECT_EQ(test::load(folder_ / "maps/lying/2.npy"), test::load(folder_ / "again/lying/2.npy"));
  for (const StageWords& from : {StageWords{places}, {folder_ / "again", "--from", "words"}}) {
    const std::string name = from.size() == 1 ? "images" : "words";
    run_with({"scenes", "features", from[0], "--dictionary", words, "--pyramid", "2", "-o",
              folder_ / (name + ".npy"), "--labels", folder_ / (name + ".csv")},
             {from.begin() + 1, from.end()});
  }
  EXPECT_EQ(test::load(folder_ / "images.npy"), test::load(folder_ / "words.npy"));
  run_with({"scenes", "filters", places + "/lying/2.png", "-o", folder_ / "r.tif"});
  run_with({"scenes", "words", folder_ / "r.tif", "--responses", "--dictionary", words, "--numbers",
            folder_ / "tif.npy"});
  EXPECT_EQ(test::load(folder_ / "maps/lying/2.npy"), test::load(folder_ / "tif.npy"));
}

TEST_F(ScenesStages, WordsOfAllPlacesAreThoseOfTrain) {
  const std::string places = folder_ / "places", model = folder_ / "m.safetensors";
  const StageWords learn{"--dictionary", "12",  "--samples",      "40",      "--all-places",
                         "--batch",      "900", "--filter-sizes", "3,13,21", "--filter-sigmas",
                         "0.5,2,4"};
  const StageWords train{"scenes", "train",        places, "-o",          model, "--pyramid",
                         "0",      "--classifier", "knn",  "--neighbors", "3"};
  run_with(train, learn);
  const Ended learned = run_with(
      {"scenes", "dictionary", places, "-o", folder_ / "words.safetensors", "--json"}, learn);
  const json kmeans = json::parse(learned.out)["kmeans"];
  EXPECT_EQ(kmeans["samples"], 40 * 50 * 15);
  EXPECT_EQ(kmeans["passes"], 1);
  EXPECT_EQ(kmeans["batches"], 34);
  run_with({"scenes", "features", places, "--dictionary", folder_ / "words.safetensors", "-o",
            folder_ / "f.npy", "--labels", folder_ / "l.csv"});
  run_with({"scenes", "classifier", folder_ / "f.npy", "--labels", folder_ / "l.csv",
            "--dictionary", folder_ / "words.safetensors", "-o", folder_ / "again.safetensors",
            "--neighbors", "3"});
  EXPECT_EQ(test::load(folder_ / "again.safetensors"), test::load(model));
  EXPECT_THAT(run_with(train, learn).out,
              HasSubstr("mini-batch k-means saw 30000 places in 1 pass and 34 batches"));
  run_with({"scenes", "sample", places, "-o", folder_ / "samples.npy"});
  const Ended refused =
      run_here({"scenes", "dictionary", folder_ / "samples.npy", "-o", model, "--all-places"});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("--all-places needs images"));
  const Ended even = run_here({"scenes", "filters", places + "/lying", "-o", folder_ / "out/{}.npy",
                               "--filter-sizes", "4", "--filter-sigmas", "1"});
  EXPECT_NE(even.status, kDone);
  EXPECT_THAT(even.err, HasSubstr("expected odd numbers"));
}

// eval of a table divides, trains and tests as eval of the images does.
TEST_F(ScenesStages, AClassifierIsEvaluatedOnFeatures) {
  const std::string places = folder_ / "places", words = folder_ / "words.safetensors";
  const std::string table = folder_ / "f.npy", labels = folder_ / "l.csv";
  run_with({"scenes", "sample", places, "-o", folder_ / "s.npy", "--samples", "40"});
  run_with({"scenes", "dictionary", folder_ / "s.npy", "-o", words, "--samples", "40",
            "--dictionary", "12"});
  run_with({"scenes", "features", places, "--dictionary", words, "-o", table, "--labels", labels});
  for (const StageWords& kind :
       {StageWords{"--classifier", "knn", "--neighbors", "2", "--distance", "euclidean"},
        {"--classifier", "logistic"}}) {
    const json of_table = json::parse(
        run_with({"scenes", "eval", table, "--labels", labels, "--splits", "2", "--json"}, kind)
            .out);
    const json of_images =
        json::parse(run_with({"scenes", "eval", places, "--splits", "2", "--samples", "40",
                              "--dictionary", "12", "--pyramid", "0", "--json"},
                             kind)
                        .out);
    EXPECT_EQ(of_table["accuracies"], of_images["accuracies"]);
    EXPECT_EQ(of_table["confusion_matrix"], of_images["confusion_matrix"]);
    EXPECT_EQ(of_table["images"], 15);
    EXPECT_TRUE(of_table["kmeans"].empty());
  }
  const auto why = [&](const StageWords& given) {
    const Ended ended = run_here(given);
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(why({"scenes", "eval", table}), HasSubstr("needs --labels"));
  EXPECT_THAT(why({"scenes", "eval", table, "--labels", labels, "--sweep-samples", "5"}),
              HasSubstr("learns words from images"));
  EXPECT_THAT(why({"scenes", "eval", table, "--labels", labels, "--model", "sun8"}),
              HasSubstr("--model, --train and --test go with images"));
  EXPECT_THAT(why({"scenes", "eval", places, "--labels", labels}), HasSubstr("--labels"));
  test::save(labels, "class\na\nb\n");
  EXPECT_THAT(why({"scenes", "eval", table, "--labels", labels}), HasSubstr("15 rows"));
}

TEST_F(ScenesStages, TheyTellHowWordsWereLearned) {
  const std::string places = folder_ / "places", model = folder_ / "m.safetensors";
  const json trained =
      json::parse(run_with(quick({"scenes", "train", places, "-o", model, "--json"})).out);
  EXPECT_EQ(trained["kmeans"]["converged"], true);
  EXPECT_EQ(trained["kmeans"]["samples"], 600);
  EXPECT_GT(trained["kmeans"]["inertia"], 0);
  EXPECT_EQ(trained["facts"]["kmeans_iterations"],
            std::to_string(trained["kmeans"]["iterations"].get<int>()));
  const scenes::WordLearning read = scenes::Model::read(model).dictionary.learning;
  EXPECT_EQ(read.iterations, trained["kmeans"]["iterations"]);
  EXPECT_EQ(read.inertia, trained["kmeans"]["inertia"]);
  EXPECT_TRUE(read.converged);
  const json cut =
      json::parse(run_with(quick({"scenes", "eval", places, "--splits", "2", "--neighbors", "1",
                                  "--json", "--max-iterations", "1", "--dictionary-from", "split"}))
                      .out);
  ASSERT_EQ(cut["kmeans"].size(), 2U);
  EXPECT_EQ(cut["kmeans"][0]["iterations"], 1);
  EXPECT_EQ(cut["kmeans"][1]["converged"], false);
  const Ended shown =
      run_with(quick({"scenes", "eval", places, "--splits", "2", "--neighbors", "1"}));
  EXPECT_THAT(shown.out, HasSubstr("k-means ended after"));
}

TEST_F(ScenesStages, BadInputIsOneLineAndNothingIsWritten) {
  const std::string places = folder_ / "places", words = folder_ / "words.safetensors";
  const std::string table = folder_ / "features.npy", labels = folder_ / "labels.csv";
  run_with({"scenes", "sample", places, "-o", folder_ / "samples.npy"});
  run_with({"scenes", "dictionary", folder_ / "samples.npy", "-o", words, "--dictionary", "12"});
  run_with({"scenes", "features", places, "--dictionary", words, "-o", table, "--labels", labels});
  const std::string out = folder_ / "out.safetensors";
  const auto expect = [&](const StageWords& given, int status, const char* why) {
    const Ended ended = run_here(given);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  expect({"scenes", "sample", places}, kUsage, "-o FILE.npy");
  expect({"scenes", "sample", places, "-o", folder_ / "s.csv"}, kUsage, ".npy");
  expect({"scenes", "filters", places + "/lying/1.png"}, kUsage, "needs -o OUT");
  expect({"scenes", "dictionary", folder_ / "samples.npy", "-o", out, "--color", "lab"}, kUsage,
         "96");
  expect({"scenes", "dictionary", words, "-o", out}, kBadInput, "words.safetensors");
  expect({"scenes", "features", places, "-o", table, "--labels", labels}, kUsage, "--dictionary");
  expect({"scenes", "classifier", table, "--labels", labels, "-o", out}, kUsage, "--dictionary");
  expect({"scenes", "classifier", folder_ / "samples.npy", "--labels", labels, "--dictionary",
          words, "-o", out},
         kUsage, "3000 rows");
  test::save(folder_ / "short.csv", "name,class\na,b\n");
  expect({"scenes", "classifier", table, "--labels", folder_ / "short.csv", "--dictionary", words,
          "-o", out},
         kUsage, "15 rows");
  test::save(folder_ / "bad.csv", "name,kind\na,b\n");
  expect({"scenes", "classifier", table, "--labels", folder_ / "bad.csv", "--dictionary", words,
          "-o", out},
         kBadInput, "class");
  expect({"scenes", "words", table, "--responses", "--dictionary", words, "--numbers",
          folder_ / "w.npy"},
         kBadInput, "per pixel");
}

}  // namespace
}  // namespace fovea::cli
