#include "scenes/words/dictionary_file.h"

#include <fovea/core/error.h>
#include <fovea/scenes/features.h>
#include <gmock/gmock.h>

#include "scenes/words/coded.h"
#include "support/files.h"
#include "support/messages.h"

namespace fovea::scenes {
namespace {

Dictionary two_words() {
  Dictionary dictionary;
  dictionary.descriptor.step = 3;
  dictionary.words = Image<float>(32, 2);
  for (int i = 0; i < 32; ++i) {
    dictionary.words.at(i, 0) = 0.1F * static_cast<float>(i);
    dictionary.words.at(i, 1) = -1;
  }
  dictionary.mean.assign(32, 0.25F);
  dictionary.scale.assign(32, 3);
  dictionary.learning.options.samples = 77;
  dictionary.learning.iterations = 12;
  dictionary.learning.inertia = 0.1;
  dictionary.learning.converged = true;
  dictionary.learning.samples = 4000;
  return dictionary;
}

TEST(DictionaryFile, ReadsWhatItWrote) {
  const test::TempFolder folder;
  const Dictionary written = two_words();
  written.write(folder / "words.safetensors");
  const Dictionary read = Dictionary::read(folder / "words.safetensors");
  EXPECT_EQ(read.descriptor.step, 3);
  EXPECT_EQ(read.mean, written.mean);
  EXPECT_EQ(read.scale, written.scale);
  EXPECT_EQ(read.words.at(7, 0), written.words.at(7, 0));
  EXPECT_EQ(read.learning.options.samples, 77);
  EXPECT_EQ(read.learning.iterations, 12);
  EXPECT_EQ(read.learning.inertia, 0.1);
  EXPECT_TRUE(read.learning.converged);
  EXPECT_EQ(read.learning.samples, 4000);
  read.write(folder / "again.safetensors");
  EXPECT_EQ(test::load(folder / "again.safetensors"), test::load(folder / "words.safetensors"));
}

TEST(DictionaryFile, KeepsTheBankAndHowAllPlacesWereSeen) {
  const test::TempFolder folder;
  Dictionary written = two_words();
  written.descriptor.filter_sizes = {5, 9, 13, 3, 3, 3, 3, 3};
  written.descriptor.filter_sigmas = {1, 1.25, 2, 3, 0.1, 0.2, 0.3, 0.4};
  written.learning.options.all_places = true;
  written.learning.options.passes = 3;
  written.learning.passes = 3;
  written.learning.batches = 41;
  written.write(folder / "words.safetensors");
  const Dictionary read = Dictionary::read(folder / "words.safetensors");
  EXPECT_EQ(read.descriptor.filter_sizes, written.descriptor.filter_sizes);
  EXPECT_EQ(read.descriptor.filter_sigmas, written.descriptor.filter_sigmas);
  EXPECT_TRUE(read.learning.options.all_places);
  EXPECT_EQ(read.learning.options.passes, 3);
  EXPECT_EQ(read.learning.passes, 3);
  EXPECT_EQ(read.learning.batches, 41);
}

TEST(DictionaryFile, KeepsCodesAndWordsBesideOthers) {
  const test::TempFolder folder;
  for (const Coding coding : {Coding::kSoft, Coding::kVlad, Coding::kFisher}) {
    Dictionary written = coded_dictionary(coding, {.words = WordSource::kGradients}, 3, 5);
    written.beside.push_back(coded_dictionary(coding, {.color = Color::kLab, .step = 4}, 2, 4));
    written.write(folder / "words.safetensors");
    EXPECT_EQ(io::ModelReader(io::ModelFile::read(folder / "words.safetensors"))
                  .version("scenes.dictionary", 2),
              2);
    const Dictionary read = Dictionary::read(folder / "words.safetensors");
    EXPECT_EQ(read.code.coding, coding);
    EXPECT_EQ(read.code.components(), 5);
    EXPECT_EQ(read.code.shift, written.code.shift);
    EXPECT_EQ(read.code.shares, written.code.shares);
    ASSERT_EQ(read.beside.size(), 1U);
    EXPECT_EQ(read.beside[0].descriptor.color, Color::kLab);
    EXPECT_EQ(read.beside[0].learning.iterations, written.beside[0].learning.iterations);
    EXPECT_EQ(feature_length(read, 1), feature_length(written, 1));
    read.write(folder / "again.safetensors");
    EXPECT_EQ(test::load(folder / "again.safetensors"), test::load(folder / "words.safetensors"));
  }
}

TEST(DictionaryFile, RefusesCodesThatDoNotFit) {
  const test::TempFolder folder;
  Dictionary written = coded_dictionary(Coding::kFisher, {.step = 4}, 3, 5);
  written.code.variances.at(1, 1) = -2;
  written.write(folder / "words.safetensors");
  EXPECT_THAT(test::message_of<ModelError>([&] { Dictionary::read(folder / "words.safetensors"); }),
              testing::HasSubstr("a variance of -2"));
}

TEST(DictionaryFile, HoldsOneDictionaryBesideAnother) {
  const test::TempFolder folder;
  const auto why = [&](const Dictionary& dictionary) {
    return test::message_of<InvalidArgument>([&] { dictionary.write(folder / "words"); });
  };
  Dictionary two = two_words();
  two.beside.push_back(two_words());
  two.beside.push_back(two_words());
  EXPECT_THAT(why(two), testing::HasSubstr("2 dictionaries beside another"));
  two.beside.pop_back();
  two.beside[0].beside.push_back(two_words());
  EXPECT_THAT(why(two), testing::HasSubstr("has one beside it"));
}

// Files from before an option existed have its default.
TEST(DictionaryFile, KnowsFilesWithFewerOptions) {
  io::ModelFile file;
  file.set_schema("scenes.dictionary", 1);
  const Dictionary dictionary = two_words();
  add_dictionary(file, dictionary);
  io::add_facts(file, kFactPrefix, learning_facts(dictionary));
  io::ModelFile old;
  old.set_schema("scenes.dictionary", 1);
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with("option.descriptor.") || key.starts_with(kFactPrefix) ||
        key == "option.dictionary.samples")
      old.set_metadata(key, value);
  old.add("bank_sizes", {8}, std::vector<std::int32_t>{3, 5, 7, 9, 11, 17, 21, 31});
  old.add("bank_sigmas", {8}, std::vector<double>{0.3, 0.5, 1, 1.5, 2, 3, 4, 6});
  io::add_rows(old, "words", dictionary.words);
  const Dictionary read = parse_dictionary(old);
  EXPECT_EQ(read.learning.options.samples, 77);
  EXPECT_FALSE(read.learning.options.all_places);
  EXPECT_EQ(read.learning.passes, 0);
}

TEST(DictionaryFile, TrustsNothing) {
  const test::TempFolder folder;
  const std::string path = folder / "words.safetensors";
  const auto refused = [&](const Dictionary& dictionary, const char* fact, const char* text) {
    io::ModelFile file;
    file.set_schema("scenes.dictionary", 1);
    add_dictionary(file, dictionary);
    auto facts = learning_facts(dictionary);
    if (fact != nullptr) facts[fact] = text;
    io::add_facts(file, kFactPrefix, facts);
    EXPECT_THROW(parse_dictionary(file), ModelError) << (fact != nullptr ? fact : "");
  };
  refused(two_words(), "kmeans_iterations", "many");
  refused(two_words(), "kmeans_inertia", "inf");
  refused(two_words(), "kmeans_samples", "-3");
  Dictionary other = two_words();
  other.words = Image<float>(31, 2);
  for (int y = 0; y < 2; ++y) std::fill_n(other.words.row(y), 31, 0.F);
  refused(other, nullptr, nullptr);
  test::save(path, "no model");
  EXPECT_THROW(Dictionary::read(path), Error);
}

}  // namespace
}  // namespace fovea::scenes
