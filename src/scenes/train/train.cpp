// Training in two passes over the images: places for the dictionary, then histograms for the
// classifier.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/words.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/describe/describe.h"
#include "scenes/train/all_places.h"
#include "scenes/train/train_images.h"
#include "scenes/words/dictionary_file.h"
#include "scenes/words/features_math.h"

namespace fovea::scenes {
namespace {

std::vector<int> all_of(const io::ImageSet& images) {
  std::vector<int> which(static_cast<std::size_t>(images.count()));
  std::iota(which.begin(), which.end(), 0);
  return which;
}

void check_corpus(const io::ImageSet& images, std::span<const std::int32_t> labels,
                  std::span<const std::string> classes) {
  if (labels.size() != static_cast<std::size_t>(images.count()))
    throw InvalidArgument(fmt::format("train: {} for {}",
                                      fovea::detail::counted(labels.size(), "label"),
                                      fovea::detail::counted(images.count(), "image")));
  if (classes.size() < 2)
    throw InvalidArgument(fmt::format("train: {}, expected two or more",
                                      fovea::detail::counted(classes.size(), "class", "classes")));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= classes.size())
      throw InvalidArgument(fmt::format("train: image {} has label {}, expected 0 to {}", i,
                                        labels[i], classes.size() - 1));
}

void check_every_class(std::span<const std::int32_t> labels, std::span<const std::string> classes) {
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (std::ranges::find(labels, static_cast<std::int32_t>(c)) == labels.end())
      throw InvalidArgument(
          fmt::format("train: class {} has no image that can be read", classes[c]));
}

void check_samples(int samples) {
  if (samples < 1)
    throw InvalidArgument(
        fmt::format("draw_samples: {} samples of an image, expected 1 or more", samples));
}

void check_which(std::span<const int> which, int count) {
  for (std::size_t i = 0; i < which.size(); ++i)
    if (which[i] < 0 || which[i] >= count)
      throw InvalidArgument(fmt::format(
          "draw_samples: element {} of `which` is {}, but there {}", i, which[i],
          count < 1 ? std::string("are no images") : fmt::format("are images 0 to {}", count - 1)));
}

// Draws samples of the images at `which`, from which those that cannot be read are taken out.
Image<float> samples_of(const io::ImageSet& images, std::vector<int>& which,
                        const SampleRequest& request, const ImageFailure& failed) {
  SampleTable samples = sample_images({images, which, "drawing samples"}, request, failed);
  std::erase_if(which, [&](int i) { return !samples.usable[static_cast<std::size_t>(i)]; });
  if (which.size() == samples.usable.size()) return std::move(samples.rows);
  return rows_of(samples.rows, which, request.samples);
}

// Returns the levels of the pyramid that features of this length have.
int pyramid_of(int length, const Dictionary& dictionary) {
  for (int pyramid = 0; pyramid <= kMostPyramid; ++pyramid)
    if (length == feature_length(dictionary, pyramid)) return pyramid;
  throw InvalidArgument(fmt::format(
      "train_model: features of {} numbers, but a dictionary of {} words makes {}, {} or {}",
      length, dictionary.size(), feature_length(dictionary, 0), feature_length(dictionary, 1),
      feature_length(dictionary, 2)));
}

}  // namespace

void describe(OptionVisitor& visit, TrainOptions& options) {
  describe(visit, options.descriptor);
  describe(visit, options.dictionary);
  visit("pyramid", options.pyramid,
        "levels of the spatial pyramid: 1 counts words in the quarters of the image as well, 2 in "
        "its sixteenths too",
        0, 2);
  describe(visit, options.classifier);
}

TrainOptions with_exec(TrainOptions options, const Exec& exec) {
  options.exec = options.descriptor.exec = options.dictionary.exec = options.classifier.exec = exec;
  return options;
}

FeatureOptions feature_options(const TrainOptions& options) {
  FeatureOptions features;
  features.pyramid = options.pyramid;
  features.exec = options.exec;
  return features;
}

SampleTable draw_samples(const io::ImageSet& images, const DescriptorOptions& descriptor,
                         int samples, const ImageFailure& failed) {
  check_descriptor(descriptor);
  check_samples(samples);
  std::vector<int> which = all_of(images);
  SampleTable result;
  result.rows = samples_of(images, which, {descriptor, samples}, failed);
  result.usable.assign(static_cast<std::size_t>(images.count()), false);
  for (const int i : which) result.usable[static_cast<std::size_t>(i)] = true;
  return result;
}

SampleTable draw_samples(const io::ImageSet& images, std::span<const int> which,
                         const DescriptorOptions& descriptor, int samples,
                         const ImageFailure& failed) {
  check_descriptor(descriptor);
  check_samples(samples);
  check_which(which, images.count());
  return sample_images({images, which, "drawing samples"}, {descriptor, samples}, failed);
}

FeatureTable make_features(const io::ImageSet& images, const Dictionary& dictionary,
                           const FeatureOptions& options, const ImageFailure& failed) {
  return make_features(ImageLoop{images, all_of(images), "features"}, dictionary, options, failed);
}

Dictionary learn_dictionary(const io::ImageSet& images, const DescriptorOptions& descriptor,
                            const DictionaryOptions& options, const ImageFailure& failed) {
  DescriptorOptions described = descriptor;
  described.exec = options.exec;
  check_descriptor(described);
  check_options(options);
  std::vector<int> which = all_of(images);
  const Image<float> samples = samples_of(images, which, {described, options.samples}, failed);
  return learn_from_images({images, which, "words"}, samples, {described, options}, failed);
}

void check_classifier(Coding coding, const TrainClassifierOptions& options) {
  if (coding == Coding::kHard || coding == Coding::kSoft || takes_negative(options)) return;
  throw InvalidArgument(
      fmt::format("train: {} coding makes negative numbers, which {} cannot compare; choose {}",
                  coding == Coding::kVlad ? "vlad" : "fisher",
                  options.classifier == ClassifierKind::kKnn ? "chi-squared distances"
                                                             : "the kernels of histograms",
                  options.classifier == ClassifierKind::kKnn
                      ? "distance euclidean or cosine, or classifier svm with kernel linear"
                      : "kernel linear"));
}

Model train(const io::ImageSet& images, std::span<const std::int32_t> labels,
            std::span<const std::string> classes, const TrainOptions& given,
            const ImageFailure& failed) {
  const TrainOptions options = with_exec(given, given.exec);
  check_options(options);
  check_coding(options.dictionary);
  check_classifier(options.dictionary.coding, options.classifier);
  check_corpus(images, labels, classes);
  std::vector<int> which = all_of(images);
  Dictionary dictionary;
  {
    const Image<float> samples =
        samples_of(images, which, {options.descriptor, options.dictionary.samples}, failed);
    std::vector<std::int32_t> usable;
    usable.reserve(which.size());
    for (const int i : which) usable.push_back(labels[static_cast<std::size_t>(i)]);
    check_every_class(usable, classes);
    dictionary = learn_from_images({images, which, "words"}, samples,
                                   {options.descriptor, options.dictionary}, failed);
  }
  // A file that fails only now, in the second pass, is left out as well.
  const FeatureTable table = make_features(ImageLoop{images, which, "features"}, dictionary,
                                           feature_options(options), failed);
  std::vector<int> places;
  std::vector<std::int32_t> usable;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (!table.usable[i]) continue;
    places.push_back(static_cast<int>(i));
    usable.push_back(labels[static_cast<std::size_t>(which[i])]);
  }
  check_every_class(usable, classes);
  const bool all = places.size() == which.size();
  const Image<float> chosen = all ? Image<float>() : rows_of(table.features, places, 1);
  return train_model(dictionary, all ? table.features.view() : chosen.view(), usable, classes,
                     options.classifier);
}

Model train_model(const Dictionary& dictionary, ImageView<const float> features,
                  std::span<const std::int32_t> labels, std::span<const std::string> classes,
                  const TrainClassifierOptions& options) {
  const Exec& exec = options.exec;
  check_classifier(dictionary.code.coding, options);
  Model model;
  model.pyramid = pyramid_of(features.width, dictionary);
  if (exec.progress) exec.progress({"training the classifier", 0, 1});
  model.classifier = train_classifier(features, labels, static_cast<int>(classes.size()), options);
  if (exec.progress) exec.progress({"training the classifier", 1, 1});
  model.dictionary = clone(dictionary);
  model.classes.assign(classes.begin(), classes.end());
  const TrainOptions used{.descriptor = dictionary.descriptor,
                          .dictionary = dictionary.learning.options,
                          .pyramid = model.pyramid,
                          .classifier = options};
  model.facts = learning_facts(dictionary);
  model.facts["options"] = options_json(used);
  model.facts["seed"] = std::to_string(exec.seed);
  model.facts["images"] = std::to_string(labels.size());
  return model;
}

}  // namespace fovea::scenes
