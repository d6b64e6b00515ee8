// Measures how often scenes are classified correctly: splits into training and test images, with a
// confusion matrix for each.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/scenes/evaluate.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "scenes/train/all_places.h"
#include "scenes/train/split_result.h"
#include "scenes/train/train_images.h"

namespace fovea::scenes {
namespace {

constexpr std::int64_t kKeptBytes = std::int64_t{1} << 30;  // of decoded images that are kept

// The images of one side of a split.
struct Part {
  std::vector<int> images;
  std::vector<std::int32_t> labels;
};

// Runs the splits over images whose samples are drawn only once.
class Evaluator {
 public:
  struct Data {
    const io::ImageSet& images;
    std::span<const std::int32_t> labels;
    int classes;
    const ImageFailure& failed;
  };
  Evaluator(const Data& data, const EvaluateOptions& options)
      : data_(data),
        images_(data.images, kKeptBytes),
        options_(options),
        usable_(data.labels.size(), false) {}

  // Reads all images that a split names; images that cannot be read are left out from then on.
  void draw_samples(std::span<const Split> splits);
  void learn_from_all(const Exec& exec);
  SplitReport run(const Split& split, const Exec& exec);

  int failed() const { return failed_; }

 private:
  Part usable_part(std::span<const int> images) const;
  void learn(const std::vector<int>& dictionary_images, const std::vector<int>& images,
             const Exec& exec);
  Image<float> features_of(const Part& part) const { return rows_of(features_, part.images, 1); }

  Data data_;
  KeptImages images_;
  const EvaluateOptions& options_;
  std::vector<bool> usable_;
  Image<float> samples_;
  Image<float>
      features_;  // one row per image, by the dictionary of all images or of the current split
  std::vector<WordLearning> learning_;
  int failed_ = 0;
};

void Evaluator::draw_samples(std::span<const Split> splits) {
  std::vector<bool> named(usable_.size(), false);
  for (const Split& split : splits) {
    for (const int i : split.train) named[static_cast<std::size_t>(i)] = true;
    for (const int i : split.test) named[static_cast<std::size_t>(i)] = true;
  }
  // Images that no split names are not read, but their rows remain, because rows are found by the
  // index of the image.
  std::vector<int> wanted;
  for (std::size_t i = 0; i < named.size(); ++i)
    if (named[i]) wanted.push_back(static_cast<int>(i));
  const int each = options_.train.dictionary.samples;
  const SampleTable table = sample_images({images_, wanted, "drawing samples"},
                                          {options_.train.descriptor, each}, data_.failed);
  samples_ = Image<float>(table.rows.width(), static_cast<int>(usable_.size()) * each);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!table.usable[i]) {
      ++failed_;
      continue;
    }
    usable_[static_cast<std::size_t>(wanted[i])] = true;
    copy(table.rows.view().crop(0, static_cast<int>(i) * each, table.rows.width(), each),
         samples_.view().crop(0, wanted[i] * each, table.rows.width(), each));
  }
}

Part Evaluator::usable_part(std::span<const int> images) const {
  Part part;
  for (const int i : images) {
    if (!usable_[static_cast<std::size_t>(i)]) continue;
    part.images.push_back(i);
    part.labels.push_back(data_.labels[static_cast<std::size_t>(i)]);
  }
  return part;
}

void Evaluator::learn(const std::vector<int>& dictionary_images, const std::vector<int>& images,
                      const Exec& exec) {
  const TrainOptions options = with_exec(options_.train, exec);
  const Dictionary dictionary =
      learn_from_images({images_, dictionary_images, "words"},
                        rows_of(samples_, dictionary_images, options.dictionary.samples),
                        {options.descriptor, options.dictionary}, data_.failed);
  learning_.push_back(dictionary.learning);
  const FeatureTable table = make_features(ImageLoop{images_, images, "features"}, dictionary,
                                           feature_options(options), data_.failed);
  if (features_.width() != table.features.width())
    features_ = Image<float>(table.features.width(), static_cast<int>(usable_.size()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::copy_n(table.features.row(static_cast<int>(i)), features_.width(),
                features_.row(images[i]));
    if (table.usable[i]) continue;
    usable_[static_cast<std::size_t>(images[i])] = false;
    ++failed_;
  }
}

void Evaluator::learn_from_all(const Exec& exec) {
  std::vector<int> all;
  for (std::size_t i = 0; i < usable_.size(); ++i)
    if (usable_[i]) all.push_back(static_cast<int>(i));
  learn(all, all, exec);
  samples_ = {};
}

SplitReport Evaluator::run(const Split& split, const Exec& exec) {
  if (options_.dictionary_from == DictionaryFrom::kSplit) {
    const Part train = usable_part(split.train), test = usable_part(split.test);
    std::vector<int> both = train.images;
    both.insert(both.end(), test.images.begin(), test.images.end());
    learn(train.images, both, exec);
  }
  const Part train = usable_part(split.train), test = usable_part(split.test);
  if (test.images.empty()) throw InvalidArgument("evaluate: no test image can be read");
  if (exec.progress) exec.progress({"classifier", 0, 1});
  const Image<float> train_rows = features_of(train), test_rows = features_of(test);
  SplitReport result =
      run_split({train_rows, train.labels, data_.classes}, {test_rows, test.labels, data_.classes},
                with_exec(options_.train, exec).classifier);
  result.learning = {learning_.back()};
  number_predictions(result, test.images);
  if (exec.progress) exec.progress({"classifier", 1, 1});
  return result;
}

}  // namespace

std::vector<Split> random_splits(std::span<const std::int32_t> labels, int classes, int count,
                                 double train_share, std::uint64_t seed) {
  if (count < 1)
    throw InvalidArgument(fmt::format("random_splits: {} splits, expected 1 or more", count));
  if (!(train_share > 0 && train_share < 1))
    throw InvalidArgument(fmt::format(
        "random_splits: a share of {} to train on, expected one between 0 and 1", train_share));
  std::vector<std::vector<int>> members(static_cast<std::size_t>(std::max(classes, 0)));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= classes)
      throw InvalidArgument(fmt::format("random_splits: image {} has label {}, expected 0 to {}", i,
                                        labels[i], classes - 1));
    members[static_cast<std::size_t>(labels[i])].push_back(static_cast<int>(i));
  }
  std::vector<Split> splits(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < splits.size(); ++s) {
    for (std::size_t c = 0; c < members.size(); ++c) {
      std::vector<int> order = members[c];
      Random random(seed, s * members.size() + c);
      shuffle(order, random);
      // Each class has at least one image to train with and, if it has two or more, one to test
      // with.
      const auto size = static_cast<std::ptrdiff_t>(order.size());
      const auto share =
          static_cast<std::ptrdiff_t>(std::lround(train_share * static_cast<double>(size)));
      const auto most = std::max<std::ptrdiff_t>(size - 1, std::min<std::ptrdiff_t>(size, 1));
      const std::ptrdiff_t trained =
          std::clamp<std::ptrdiff_t>(share, std::min<std::ptrdiff_t>(size, 1), most);
      splits[s].train.insert(splits[s].train.end(), order.begin(), order.begin() + trained);
      splits[s].test.insert(splits[s].test.end(), order.begin() + trained, order.end());
    }
    std::ranges::sort(splits[s].train);
    std::ranges::sort(splits[s].test);
  }
  return splits;
}

void describe(OptionVisitor& visit, SplitOptions& options) {
  visit("splits", options.splits, "how many times the images are divided at random", 1, 1000);
  visit("share", options.share, "share of the images per class that the model is trained on", 0.01,
        0.99);
}

SplitCorpus split_corpus(const std::string& folder_or_list, const SplitOptions& options,
                         std::uint64_t seed) {
  check_options(options);
  return split_corpus(read_corpus(folder_or_list), options, seed);
}

SplitCorpus split_corpus(Corpus corpus, const SplitOptions& options, std::uint64_t seed) {
  check_options(options);
  SplitCorpus result{std::move(corpus), {}};
  result.splits =
      random_splits(result.corpus.labels, static_cast<int>(result.corpus.classes.size()),
                    options.splits, options.share, seed);
  return result;
}

SplitCorpus given_split(const std::string& folder, const std::string& train_list,
                        const std::string& test_list) {
  SplitCorpus result{read_corpus(train_list, {}, folder), {}};
  Corpus& corpus = result.corpus;
  const Corpus test = read_corpus(test_list, corpus.classes, folder);
  Split split;
  split.train.resize(corpus.paths.size());
  std::iota(split.train.begin(), split.train.end(), 0);
  split.test.resize(test.paths.size());
  std::iota(split.test.begin(), split.test.end(), static_cast<int>(split.train.size()));
  corpus.paths.insert(corpus.paths.end(), test.paths.begin(), test.paths.end());
  corpus.labels.insert(corpus.labels.end(), test.labels.begin(), test.labels.end());
  result.splits.push_back(std::move(split));
  return result;
}

std::span<const Choice> choices(DictionaryFrom) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"split", static_cast<int>(DictionaryFrom::kSplit)},
       {"all", static_cast<int>(DictionaryFrom::kAll)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, EvaluateOptions& options) {
  visit("dictionary-from", options.dictionary_from,
        "all learns words once from all images, without their labels, as the paper does; split "
        "learns them anew from the training images of each split, so that nothing of a test image "
        "is seen, and takes as many times as long as there are splits");
  describe(visit, options.train);
}

EvaluateReport evaluate(const io::ImageSet& images, std::span<const std::int32_t> labels,
                        int classes, std::span<const Split> splits, const EvaluateOptions& given,
                        const ImageFailure& failed, const SplitFinished& finished) {
  EvaluateOptions options = given;
  options.train = with_exec(given.train, given.exec);
  const Exec& exec = options.exec;
  check_options(options);
  check_coding(options.train.dictionary);
  check_classifier(options.train.dictionary.coding, options.train.classifier);
  check_evaluation(labels, images.count(), classes, splits);
  Evaluator evaluator({images, labels, classes, failed}, options);
  evaluator.draw_samples(splits);
  if (options.dictionary_from == DictionaryFrom::kAll) evaluator.learn_from_all(exec);
  std::vector<SplitReport> results;
  results.reserve(splits.size());
  for (std::size_t i = 0; i < splits.size(); ++i) {
    throw_if_stopped(exec);
    results.push_back(evaluator.run(splits[i], exec_of_split(exec, i, splits.size())));
    if (finished) finished(i, results.back());
  }
  EvaluateReport result = summarize_splits(results, options.dictionary_from);
  result.failed = evaluator.failed();
  return result;
}

EvaluateReport evaluate(Classifier& classifier, const io::ImageSet& images,
                        std::span<const std::int32_t> labels, const ImageFailure& failed) {
  const auto classes = static_cast<int>(classifier.classes().size());
  check_labels(labels, images.count(), classes);
  EvaluateReport result;
  result.total = Confusion(classes);
  classifier.classify(images, [&](const ClassifiedImage& image) {
    if (image.result) {
      ++result.total.at(labels[static_cast<std::size_t>(image.index)], image.result->label);
      result.predictions.push_back({image.index, image.result->label});
      return;
    }
    ++result.failed;
    if (failed) return failed(image.index, image.error);
    (void)images.read(image.index);  // throws what it threw before
    throw FormatError(image.error);
  });
  const WordLearning& learning = classifier.model().dictionary.learning;
  if (learning.iterations > 0) result.learning.push_back(learning);
  result.splits.push_back(result.total);
  result.accuracy_mean = result.total.accuracy();
  return result;
}

}  // namespace fovea::scenes
