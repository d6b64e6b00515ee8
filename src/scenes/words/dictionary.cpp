// Words: places are drawn at random, their numbers are standardized, and k-means finds the words.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/scenes/dictionary.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "core/dispatch.h"
#include "scenes/describe/describe.h"
#include "scenes/words/learn.h"
#include "scenes/words/standard.h"

namespace fovea::scenes {
namespace {

// Separate from the random sequences that k-means uses.
constexpr std::uint64_t kSampleSequence = std::uint64_t{0x5CE7E5} << 32;

std::int64_t below(Random& random, std::int64_t count) {
  if (count <= std::numeric_limits<std::uint32_t>::max())
    return random.below(static_cast<std::uint32_t>(count));
  const std::uint64_t high = random.bits();
  return static_cast<std::int64_t>((high << 32 | random.bits()) %
                                   static_cast<std::uint64_t>(count));
}

// Draws `samples` of `count` places, in ascending order. No place is drawn a second time before all
// others have been (Floyd's way of drawing without replacement).
std::vector<std::int64_t> draw(Random random, std::int64_t count, std::int64_t samples) {
  std::vector<std::int64_t> places;
  for (std::int64_t round = 0; round < samples / count; ++round)
    for (std::int64_t i = 0; i < count; ++i) places.push_back(i);
  std::unordered_set<std::int64_t> drawn;
  for (std::int64_t i = count - samples % count; i < count; ++i) {
    const std::int64_t place = below(random, i + 1);
    if (!drawn.insert(place).second) drawn.insert(i);
  }
  places.insert(places.end(), drawn.begin(), drawn.end());
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

void describe(OptionVisitor& visit, DictionaryOptions& options) {
  visit("dictionary", options.words, "how many words are learned", kLeastWords, kMostWords);
  visit("samples", options.samples,
        "how many places of each image, drawn at random, words are learned from", 1, 1 << 20);
  visit("all-places", options.all_places,
        "learn words from every place of every image, by mini-batches that begin with the words of "
        "the samples");
  visit("passes", options.passes, "with --all-places: how often every place is looked at", 1, 1000);
  visit("standardize", options.standardize,
        "bring every number of a descriptor to mean 0 and deviation 1 before words are learned",
        {.off_help = "compare the numbers of descriptors as they are, as the paper does, instead "
                     "of bringing each to mean 0 and deviation 1"});
  visit("coding", options.coding,
        "how places become features: hard counts words; soft shares each place among near words; "
        "vlad sums up how places differ from their words; fisher does so for a mixture of "
        "Gaussians (vlad and fisher need --classifier svm --kernel linear, or the like)");
  visit("components", options.components,
        "soft, vlad, fisher: how many numbers a descriptor is projected to", 1, kMostComponents);
  visit("color-words", options.color_words,
        "learn so many words of Lab filters as well, with a place every 4 pixels, whose features "
        "follow those of the other words; 0 learns none",
        0, kMostWords);
  visit("start", options.kmeans.start,
        "where k-means begins: plus-plus draws far samples more often, random draws all samples "
        "equally often, spread takes every n-th sample");
  visit("restarts", options.kmeans.restarts,
        "how many starts of k-means are tried; the result with the least inertia counts", 1, 1000);
  visit("max-iterations", options.kmeans.max_iterations, "how many iterations k-means has at most",
        1, 100000);
  visit("tolerance", options.kmeans.tolerance,
        "stop k-means where no word moved farther than this many times the spread of the samples; "
        "0 goes on until no sample changes its word",
        0, 1);
  visit("batch", options.kmeans.batch,
        "how many samples, drawn at random, an iteration of k-means looks at (mini-batch); 0, or "
        "as many as there are samples, looks at all; with --all-places the places of a mini-batch, "
        "where 0 stands for 65536",
        0, 1 << 24);
}

void check_coding(const DictionaryOptions& options) {
  if (options.coding != Coding::kHard && options.words > kMostCodedWords)
    throw InvalidArgument(
        fmt::format("learn_dictionary: {} words cannot be coded so; expected at most {}, or hard "
                    "coding",
                    options.words, kMostCodedWords));
  const int beside = options.color_words;
  if (beside != 0 && beside < kLeastWords)
    throw InvalidArgument(fmt::format(
        "learn_dictionary: color_words is {}, expected 0 or at least {}", beside, kLeastWords));
  if (options.coding != Coding::kHard && beside > kMostCodedWords)
    throw InvalidArgument(
        fmt::format("learn_dictionary: {} words of color cannot be coded so; expected at most {}, "
                    "or hard coding",
                    beside, kMostCodedWords));
}

Dictionary clone(const Dictionary& dictionary) {
  Dictionary result{.descriptor = dictionary.descriptor,
                    .mean = dictionary.mean,
                    .scale = dictionary.scale,
                    .words = clone(dictionary.words),
                    .learning = dictionary.learning,
                    .code = clone(dictionary.code)};
  result.beside.reserve(dictionary.beside.size());
  for (const Dictionary& other : dictionary.beside) result.beside.push_back(clone(other));
  return result;
}

Image<float> sample_descriptors(ImageView<const std::uint8_t> image, int index, int samples,
                                const DescriptorOptions& options) {
  constexpr const char* kName = "sample_descriptors";
  if (index < 0)
    throw InvalidArgument(fmt::format("{}: index is {}, expected 0 or more", kName, index));
  if (samples < 1)
    throw InvalidArgument(fmt::format("{}: samples is {}, expected 1 or more", kName, samples));
  const Random random(options.exec.seed, kSampleSequence + static_cast<std::uint64_t>(index));
  return describe_places(kName, image, options,
                         [&](std::int64_t count) { return draw(random, count, samples); });
}

void require_samples_only(const DictionaryOptions& options) {
  if (options.all_places)
    throw InvalidArgument(
        "learn_dictionary: all_places is set, but samples are not all places; give images");
  if (options.color_words > 0)
    throw InvalidArgument(
        fmt::format("learn_dictionary: color_words is {}, but words of another kind cannot be "
                    "learned from samples of one; give images",
                    options.color_words));
}

Dictionary learn_dictionary(ImageView<const float> samples, const DescriptorOptions& descriptor,
                            const DictionaryOptions& options) {
  require_samples_only(options);
  Dictionary dictionary = learn_words(samples, descriptor, options).dictionary;
  learn_code(samples, options, dictionary);
  return dictionary;
}

void check_learning(std::int64_t samples, const DescriptorOptions& descriptor,
                    const DictionaryOptions& options) {
  check_descriptor(descriptor);
  check_options(options);
  check_coding(options);
  if (samples < options.words)
    throw InvalidArgument(
        fmt::format("learn_dictionary: {} words cannot be learned from {} samples; expected at "
                    "least as many samples as words",
                    options.words, samples));
}

KmeansOptions word_kmeans(const DictionaryOptions& options) {
  KmeansOptions kmeans = options.kmeans;
  kmeans.clusters = options.words;
  kmeans.exec = options.exec;
  return kmeans;
}

void take_words(Kmeans&& found, std::int64_t samples, const DictionaryOptions& options,
                LearnedWords& learned) {
  learned.dictionary.words = std::move(found.centers);
  WordLearning& learning = learned.dictionary.learning;
  learning.options = options;
  learning.options.exec = learning.options.kmeans.exec = {};
  learning.iterations = static_cast<int>(found.iterations.size());
  learning.inertia = found.inertia;
  learning.converged = found.converged;
  learning.samples = samples;
  learned.counts = std::move(found.counts);
}

LearnedWords learn_words(ImageView<const float> samples, const DescriptorOptions& descriptor,
                         const DictionaryOptions& options) {
  check_learning(samples.height, descriptor, options);
  detail::require_shape("learn_dictionary", "samples", samples, dimensions(descriptor),
                        samples.height, 1);
  LearnedWords learned;
  Dictionary& dictionary = learned.dictionary;
  dictionary.descriptor = descriptor;
  dictionary.descriptor.exec = {};  // how the program was run is no property of the words
  Image<float> points = clone(samples);
  if (options.standardize) measure_standard(points, dictionary);
  standardize(dictionary, points);
  take_words(kmeans(points, word_kmeans(options)), samples.height, options, learned);
  return learned;
}

}  // namespace fovea::scenes
