// Divides the difference of two classes' values among features, and features among words, cells and
// places. The parts of features come from the classifier (contributions(), knn_votes()), and those
// of places from the engines that made the features (PlaceShares).
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "core/dispatch.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/scorer.h"
#include "scenes/describe/describe.h"
#include "scenes/words/feature_engine.h"
#include "scenes/words/features_math.h"

namespace fovea::scenes {
namespace {

// What each feature adds to the first class's value minus the second's.
struct FeatureShares {
  Evidence evidence = Evidence::kLogOdds;
  double total = 0;
  double bias = 0;
  std::vector<double> values{};
};

struct ClassPair {
  int first = 0, second = 0;
};

// How a margin without its bias becomes the value of a class: factor * margin + constant.
struct LinearValue {
  double factor = 1, constant = 0;
};
LinearValue linear_value(const TrainedClassifier& classifier, int label) {
  const auto at = static_cast<std::size_t>(label);
  if (classifier.kind == ClassifierKind::kLogistic)
    return {1, static_cast<double>(classifier.logistic.bias[at])};
  const SvmClasses& svm = classifier.svm;
  const auto bias = static_cast<double>(svm.bias[at]);
  if (svm.slope.empty()) return {1, bias};
  // p = 1 / (1 + exp(x)) has the log odds -x.
  const auto slope = static_cast<double>(svm.slope[at]);
  return {-slope, -(slope * bias + static_cast<double>(svm.offset[at]))};
}

FeatureShares linear_shares(const TrainedClassifier& classifier, std::span<const float> features,
                            const ClassPair& pair, const Exec& exec) {
  FeatureShares result;
  result.evidence = classifier.kind == ClassifierKind::kLogistic ? Evidence::kLogits
                    : classifier.svm.slope.empty()               ? Evidence::kMargin
                                                                 : Evidence::kLogOdds;
  const LinearValue first = linear_value(classifier, pair.first);
  const LinearValue second = linear_value(classifier, pair.second);
  result.bias = first.constant - second.constant;
  Image<double> margins(classifier.classes, 1);
  cpu::make_margin_engine({linear_functions(classifier), exec})
      ->find(packed_view(features.data(), static_cast<int>(features.size()), 1), margins);
  result.total = first.factor * margins.at(pair.first, 0) -
                 second.factor * margins.at(pair.second, 0) + result.bias;
  const Image<float> parts = classifier.contributions(features, exec);
  result.values.reserve(features.size());
  for (int i = 0; i < parts.width(); ++i)
    result.values.push_back(first.factor * static_cast<double>(parts.at(i, pair.first)) -
                            second.factor * static_cast<double>(parts.at(i, pair.second)));
  return result;
}

FeatureShares vote_shares(const TrainedClassifier& classifier, std::span<const float> features,
                          const ClassPair& pair, const ClassifyResult& found, const Exec& exec) {
  FeatureShares result{.evidence = Evidence::kVotes};
  Image<double> votes(static_cast<int>(features.size()), classifier.classes);
  for (int y = 0; y < votes.height(); ++y) std::fill_n(votes.row(y), votes.width(), 0.0);
  std::vector<double> rest(static_cast<std::size_t>(classifier.classes), 0.0);
  knn_votes(classifier.knn, features, votes, rest, exec);
  const auto first = static_cast<std::size_t>(pair.first);
  const auto second = static_cast<std::size_t>(pair.second);
  result.bias = rest[first] - rest[second];
  result.total =
      static_cast<double>(found.scores[first]) - static_cast<double>(found.scores[second]);
  result.values.reserve(features.size());
  for (int i = 0; i < votes.width(); ++i)
    result.values.push_back(votes.at(i, pair.first) - votes.at(i, pair.second));
  return result;
}

void check_class(const char* name, int label, int classes) {
  if (label < -1 || label >= classes)
    throw InvalidArgument(
        fmt::format("explain: {} is class {}, expected 0 to {}, or -1", name, label, classes - 1));
}

ClassPair chosen_classes(const ExplainOptions& options, std::span<const float> scores) {
  const auto classes = static_cast<int>(scores.size());
  check_class("first", options.first, classes);
  check_class("second", options.second, classes);
  if (classes < 2)
    throw InvalidArgument("explain: the model has one class; there is nothing to compare it with");
  if (options.first >= 0 && options.first == options.second)
    throw InvalidArgument(
        fmt::format("explain: class {} cannot be compared with itself", options.first));
  const auto best_but = [&](int other) {
    int best = -1;
    for (int i = 0; i < classes; ++i)
      if (i != other && (best < 0 || scores[static_cast<std::size_t>(i)] >
                                         scores[static_cast<std::size_t>(best)]))
        best = i;
    return best;
  };
  ClassPair pair{options.first, options.second};
  if (pair.first < 0) pair.first = best_but(pair.second);
  if (pair.second < 0) pair.second = best_but(pair.first);
  return pair;
}

void check_explained(const Model& model, ImageView<const std::uint8_t> image) {
  detail::require_host("explain", "the image", image.memory);
  check_image("explain", image);
  if (model.classes.size() != static_cast<std::size_t>(model.classifier.classes))
    throw InvalidArgument(fmt::format("explain: the model has {} classes and {} names",
                                      model.classifier.classes, model.classes.size()));
}

ClassifyResult result_of(const Model& model, std::span<const float> features, const Exec& exec) {
  const Image<float> scores = model.classifier.scores(
      packed_view(features.data(), static_cast<int>(features.size()), 1), exec);
  const std::int32_t best = best_classes(scores.view())[0];
  return {.name = model.classes[static_cast<std::size_t>(best)],
          .label = best,
          .score = scores.at(best, 0),
          .scores = {scores.row(0), scores.row(0) + scores.width()}};
}

// The cells of the pyramid in the pixels of an image. pyramid_cell() gives pixel x to the column
// (x << level) / width, so that column c begins at the first x with x << level >= c * width.
std::vector<CellShare> empty_cells(int pyramid, Extent image) {
  std::vector<CellShare> cells;
  cells.reserve(static_cast<std::size_t>(pyramid_cells(pyramid)));
  for (int level = 0; level <= pyramid; ++level) {
    const int across = 1 << level;
    const auto begin = [&](int cell, int size) {
      return static_cast<int>((static_cast<std::int64_t>(cell) * size + across - 1) >> level);
    };
    for (int row = 0; row < across; ++row)
      for (int column = 0; column < across; ++column) {
        const double left = begin(column, image.width), top = begin(row, image.height);
        cells.push_back({.level = level,
                         .column = column,
                         .row = row,
                         .place = {left, top, begin(column + 1, image.width) - left,
                                   begin(row + 1, image.height) - top}});
      }
  }
  return cells;
}

// The features of one dictionary: cell after cell, and in a cell word by word, with vlad and fisher
// some numbers per word, for the means and then for the variances.
void add_words_and_cells(const Dictionary& dictionary, int number, std::span<const double> values,
                         std::span<const double> places, SceneExplanation& result) {
  const auto words = static_cast<std::size_t>(dictionary.size());
  const auto length = static_cast<std::size_t>(dictionary.code.length(dictionary.size()));
  const std::size_t components =
      length == words ? 1 : static_cast<std::size_t>(dictionary.code.components());
  const std::size_t first = result.words.size();
  for (std::size_t k = 0; k < words; ++k)
    result.words.push_back(
        {.dictionary = number, .word = static_cast<int>(k), .places = places[k]});
  for (std::size_t cell = 0; cell < result.cells.size(); ++cell)
    for (std::size_t i = 0; i < length; ++i) {
      const double value = values[cell * length + i];
      result.cells[cell].value += value;
      result.words[first + i % (words * components) / components].value += value;
    }
}

// The words of a dictionary, whose shares are given, that a square is looked for.
std::vector<int> shown_words(std::span<const WordShare> words) {
  std::vector<int> order(words.size());
  std::iota(order.begin(), order.end(), 0);
  const auto size = [&](int word) { return std::abs(words[static_cast<std::size_t>(word)].value); };
  std::ranges::stable_sort(order, std::ranges::greater(), size);
  order.resize(std::min<std::size_t>(order.size(), kShownWords));
  return order;
}

}  // namespace

std::span<const Choice> choices(Evidence) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"log-odds", static_cast<int>(Evidence::kLogOdds)},
       {"margin", static_cast<int>(Evidence::kMargin)},
       {"logits", static_cast<int>(Evidence::kLogits)},
       {"votes", static_cast<int>(Evidence::kVotes)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ExplainOptions& options) {
  visit("first", options.first, "label of the class that is explained; -1 is the best one", -1,
        1e9);
  visit("second", options.second,
        "label of the class that it is compared with; -1 is the next best", -1, 1e9);
}

SceneExplanation explain(const Model& model, ImageView<const std::uint8_t> image,
                         const ExplainOptions& options) {
  check_explained(model, image);
  Exec exec = options.exec;
  exec.device = Device::cpu();
  exec.progress = {};
  std::vector<const Dictionary*> dictionaries{&model.dictionary};
  for (const Dictionary& other : model.dictionary.beside) dictionaries.push_back(&other);
  std::vector<std::unique_ptr<PlaceShares>> makers;
  std::vector<std::size_t> lengths;
  std::vector<float> features;
  for (const Dictionary* dictionary : dictionaries) {
    makers.push_back(make_place_shares(*dictionary, model.pyramid, exec));
    const std::vector<float> part = makers.back()->look(image);
    lengths.push_back(part.size());
    features.insert(features.end(), part.begin(), part.end());
  }
  SceneExplanation result;
  result.result = result_of(model, features, exec);
  const ClassPair pair = chosen_classes(options, result.result.scores);
  result.names = model.classes;
  result.first = pair.first;
  result.second = pair.second;
  result.first_name = model.classes[static_cast<std::size_t>(pair.first)];
  result.second_name = model.classes[static_cast<std::size_t>(pair.second)];
  const FeatureShares shares =
      model.classifier.kind == ClassifierKind::kKnn
          ? vote_shares(model.classifier, features, pair, result.result, exec)
          : linear_shares(model.classifier, features, pair, exec);
  result.evidence = shares.evidence;
  result.total = shares.total;
  result.bias = shares.bias;
  result.cells = empty_cells(model.pyramid, {image.width, image.height});
  Image<double> heat(image.width, image.height);
  for (int y = 0; y < heat.height(); ++y) std::fill_n(heat.row(y), heat.width(), 0.0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < makers.size(); ++i) {
    throw_if_stopped(options.exec);
    const std::span<const double> values = std::span(shares.values).subspan(first, lengths[i]);
    add_words_and_cells(*dictionaries[i], static_cast<int>(i), values, makers[i]->word_places(),
                        result);
    const std::span<WordShare> words =
        std::span(result.words).last(static_cast<std::size_t>(dictionaries[i]->size()));
    const std::vector<int> chosen = shown_words(words);
    WordSquares squares({image.width, image.height}, chosen, dictionaries[i]->size());
    makers[i]->share_out(image, values, heat, squares);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      words[static_cast<std::size_t>(chosen[k])].place = squares.square(k);
    first += lengths[i];
  }
  result.heat = Image<float>(image.width, image.height);
  for (int y = 0; y < heat.height(); ++y)
    std::transform(heat.row(y), heat.row(y) + heat.width(), result.heat.row(y),
                   [](double value) { return static_cast<float>(value); });
  return result;
}

}  // namespace fovea::scenes
