// Training of boosted trees over channels (Dollar, Appel, Belongie and Perona, PAMI 2014), for the
// kinds channels and filtered: rounds with more trees each time, each from scratch, between which
// the negatives are searched for windows that the detector so far takes for people. A checkpoint
// has the model of a round and the places of its negatives, whose channels are computed again.
#pragma once
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "people/model_parts.h"
#include "people/train/checkpoint.h"
#include "people/train/mine_images.h"
#include "people/train/train_channels_samples.h"
#include "people/train/train_trees_boost.h"

namespace fovea::people {

constexpr float kTreePersonHeight = 104.F / 128;
constexpr int kGrowingRounds = 3;  // rounds before those with the full number of trees

// `count` random ones of the places, in their order.
std::vector<WindowPlace> some_of(const std::vector<WindowPlace>& places, std::size_t count,
                                 Random random);
// The number of trees of a round: fewer than `trees` in the growing rounds.
int trees_of_round(int round, int trees);
// Copies samples, one row of features each, to the columns from `first` on.
void fill_samples(BoostSamples& samples, const std::vector<std::uint8_t>& rows, int first);

// The options that the kinds share, in two parts, between which a kind may have its own.
template <class Options>
void describe_samples(OptionVisitor& visit, Options& options) {
  visit("negatives-per-round", options.negatives_per_round,
        "the most new windows without a person in a round", 1, 1000000);
  visit("most-negatives", options.most_negatives,
        "the most windows without a person that a round learns from", 1, 1000000);
  visit("negatives-per-image", options.negatives_per_image,
        "the most new windows from one negative", 1, 100000);
  visit("feature-share", options.feature_share,
        "share of the features that each node may choose from", 1e-4, 1);
  visit("kept-weight", options.kept_weight,
        "share of all weight of the samples that a tree learns from, the greatest weights first; "
        "less is faster",
        0.5, 1);
  visit("rejection", options.rejection,
        "score below which a window is rejected before all trees are evaluated; the shrinkage "
        "multiplies it",
        -7, 0);
}
template <class Options>
void describe_search(OptionVisitor& visit, Options& options) {
  visit("enlarge", options.enlarge,
        "search the negatives from this many times their size downwards", 1, 8);
  visit("ratio", options.ratio,
        "size of a pyramid level divided by the size of the next, in the search of negatives", 1.01,
        4);
  visit(
      "exact-per-octave", options.exact_per_octave,
      "number of levels per octave whose channels are computed from pixels; 0 computes all levels",
      0, 64);
  visit("mirror", options.mirror, "also learn the mirror image of every positive",
        {.off_help = "learn from the positives as they are, without their mirror images"});
  visit("jitter", options.jitter,
        "also learn so many copies of every positive, moved and resized a little", 0, 100);
  visit("jitter-pixels", options.jitter_pixels,
        "with jitter: the most pixels by which a copy is moved in each direction", 0, 16);
  visit("jitter-ratio", options.jitter_ratio,
        "with jitter: the most by which a copy is resized, a factor", 1, 1.5);
  visit("jitter-resample", options.jitter_resample,
        "with jitter: resample the channels of copies from another size, as those of most levels "
        "of a search");
  visit("final-rounds", options.final_rounds, "how many rounds have the full number of trees", 1,
        8);
  visit("shrinkage", options.shrinkage,
        "factor of what every tree adds to the score, and of the rejection scores and threshold",
        0.01, 1);
}

// A threshold for models. Scores grow with the number of trees and with their shrinkage. It is not
// measured in training: on images of half a megapixel that were not learned from, one false
// positive of channels passes in twenty images, and of the people that a filtered model of 4096
// trees found in them, fewer than 0.5 % scored lower.
template <class Options>
float tree_threshold(const Options& options) {
  constexpr float kPerTree = 0.005F;
  return kPerTree * static_cast<float>(options.trees) * static_cast<float>(options.shrinkage);
}
// A score of trees without shrinkage, with it and in the units in which models of this kind store
// it.
template <class Model, class Options>
std::int32_t rejection_sum(double score, const Options& options) {
  return static_cast<std::int32_t>(std::lround(score * options.shrinkage * Model::kScoreUnit));
}

// What a kind adds, as a class `Traits`:
//   Model, Options             its model, and its training's options
//   kKind, depth(options)      the kind, and the depth of its trees
//   mining_rejection(options)  the score below which a search of negatives rejects a window
//   load(reader)               reads the model of a checkpoint
//   prepare(model, windows, options)   fills in what a model has besides trees
//   use(model, windows)        sets how windows are computed
//   set_trees(model, trees)    takes the trees of a round
template <class Traits>
class TreeTraining {
 public:
  using Model = typename Traits::Model;
  using Options = typename Traits::Options;

  TreeTraining(const TrainData& data, const Options& options)
      : data_(data),
        options_(options),
        search_{.ratio = options.ratio,
                .stride = channels::kCell,
                .enlarge = options.enlarge,
                .padding = kPadding},
        windows_({data, Model{}.window, search_, kTreePersonHeight}, options.exec) {}

  Model train() {
    state_.model.exact_per_octave = options_.exact_per_octave;
    survey_ = survey_images(data_, state_.model.window, options_.exec);
    settings_ = {Traits::kKind, state_.model.window, options_json(options_), options_.exec.seed,
                 options_.sample_bytes};
    checkpoint_.emplace(options_.checkpoint, settings_, survey_);
    if (!continues()) Traits::prepare(state_.model, windows_, options_);
    Traits::use(state_.model, windows_);
    limit_negatives();
    while (state_.next_round < rounds()) {
      choose_negatives();
      if (positives_.empty())
        positives_ = windows_.positives(options_.mirror, {.copies = options_.jitter,
                                                          .pixels = options_.jitter_pixels,
                                                          .ratio = options_.jitter_ratio,
                                                          .resample = options_.jitter_resample});
      learn();
      ++state_.next_round;
      keep();
    }
    return state_.model;
  }

  std::map<std::string, std::string> facts() const {
    return {{"training", settings_json(settings_)},
            {"data", data_text(survey_)},
            {"positives", std::to_string(positives())},
            {"negative images", std::to_string(data_.negatives.count())},
            {"negative windows", std::to_string(state_.negatives.size())}};
  }

 private:
  // These two are scores of trees without shrinkage.
  static constexpr double kCalibration = 0.005;  // added to every leaf
  static constexpr double kLeastScore = -1;      // of a window that is worth learning from
  static constexpr int kPadding = 24;
  static constexpr std::uint64_t kOldSequence = 1ULL << 61U, kNewSequence = 1ULL << 62U;

  // The result of a round.
  struct State {
    int next_round = 0;
    Model model;
    std::vector<WindowPlace> negatives;  // sorted by place
  };

  int rounds() const { return kGrowingRounds + options_.final_rounds; }
  std::uint64_t positives() const {
    return static_cast<std::uint64_t>(data_.positives.count()) * (options_.mirror ? 2U : 1U) *
           (1U + static_cast<std::uint64_t>(options_.jitter));
  }

  void keep() const {
    io::ModelFile file;
    save(file, state_.model);
    file.add("round", {1}, std::vector<std::int32_t>{state_.next_round});
    Checkpoint::add_places(file, state_.negatives);
    checkpoint_->write(std::move(file));
  }

  // Continues from a checkpoint; returns false where there is none.
  bool continues() {
    const std::optional<io::ModelFile> file = checkpoint_->read();
    if (!file) return false;
    state_.model = Traits::load(io::ModelReader(*file));
    state_.next_round = file->tensor<std::int32_t>("round", {1})[0];
    state_.negatives = checkpoint_->places(*file, [&](int image) {
      return windows_.plan(survey_.negatives.sizes[static_cast<std::size_t>(image)]);
    });
    if (state_.model.window != Model{}.window) checkpoint_->damaged("a window of another size");
    if (state_.next_round < 1 || state_.next_round > rounds())
      checkpoint_->damaged(fmt::format("round {} of {}", state_.next_round, rounds()));
    if (!std::is_sorted(state_.negatives.begin(), state_.negatives.end(), before))
      checkpoint_->damaged("windows out of order");
    return true;
  }

  // Samples are stored twice while trees grow: by window and by feature.
  void limit_negatives() {
    const auto bytes = 2 * static_cast<std::uint64_t>(windows_.features());
    const std::uint64_t most = options_.sample_bytes / bytes;
    if (most < positives() + 100)
      throw InvalidArgument(
          fmt::format("train: {} positives need {} MiB for samples, {} are allowed", positives(),
                      ((positives() + 100) * bytes >> 20U) + 1, options_.sample_bytes >> 20U));
    most_negatives_ = static_cast<std::size_t>(std::min<std::uint64_t>(
        static_cast<std::uint64_t>(options_.most_negatives), most - positives()));
  }

  // The windows that the model so far takes for people, sorted by place.
  std::vector<WindowPlace> mistakes() {
    SearchRequest request{
        .what = fmt::format("searching negatives, round {} of {}", state_.next_round + 1, rounds()),
        .scan = search_,
        .least_score = static_cast<float>(kLeastScore * options_.shrinkage),
        .choice = WindowChoice::kApart,
        .per_image = options_.negatives_per_image,
        .seed = options_.exec.seed,
        .images = all_images(data_.negatives.count()),
        .checksums = survey_.negatives.checksums};
    request.model.kind = Traits::kKind;
    request.model.person_height = kTreePersonHeight;
    request.model.classifier = state_.model;
    std::vector<WindowPlace> found;
    for (const MinedImage& image : search_negatives(
             request, {data_.negatives, survey_.negatives, options_.search, options_.exec}))
      for (const MinedWindow& window : image.found) found.push_back(window.place);
    return found;
  }

  void choose_negatives() {
    const auto round = static_cast<std::uint64_t>(state_.next_round);
    const auto wanted =
        std::min(static_cast<std::size_t>(options_.negatives_per_round), most_negatives_);
    std::vector<WindowPlace> fresh;
    if (round == 0) {
      fresh = windows_.choose(static_cast<int>(wanted));
    } else {
      const std::vector<WindowPlace> found = mistakes();
      std::set_difference(found.begin(), found.end(), state_.negatives.begin(),
                          state_.negatives.end(), std::back_inserter(fresh), before);
    }
    fresh = some_of(fresh, wanted, Random(options_.exec.seed, kNewSequence + round));
    std::vector<WindowPlace> kept = some_of(state_.negatives, most_negatives_ - fresh.size(),
                                            Random(options_.exec.seed, kOldSequence + round));
    state_.negatives.clear();
    std::merge(kept.begin(), kept.end(), fresh.begin(), fresh.end(),
               std::back_inserter(state_.negatives), before);
    if (state_.negatives.empty())
      throw InvalidArgument("train: no negative is large enough to hold a window");
  }

  void learn() {
    BoostSamples samples;
    samples.features = windows_.features();
    samples.positives = static_cast<int>(positives());
    samples.count = samples.positives + static_cast<int>(state_.negatives.size());
    samples.values.resize(static_cast<std::size_t>(samples.features) * samples.count);
    fill_samples(samples, positives_, 0);
    fill_samples(samples, windows_.negatives(state_.negatives), samples.positives);
    const int trees = trees_of_round(state_.next_round, options_.trees);
    const std::string stage = fmt::format("round {} of {}: trees", state_.next_round + 1, rounds());
    const int step = std::max(1, trees / 32);
    const auto report = [&](int done) {
      if (options_.exec.progress && (done % step == 0 || done == trees))
        options_.exec.progress({stage, double(done), double(trees)});
    };
    const BoostOptions boost{.trees = trees,
                             .feature_share = options_.feature_share,
                             .calibration = kCalibration * options_.shrinkage,
                             .sequence = static_cast<std::uint64_t>(state_.next_round) + 1,
                             .depth = Traits::depth(options_),
                             .kept_weight = options_.kept_weight,
                             .shrinkage = options_.shrinkage};
    Traits::set_trees(state_.model, boost_trees(samples, boost, options_.exec, report));
    state_.model.rejection.assign(
        static_cast<std::size_t>(trees),
        rejection_sum<Model>(Traits::mining_rejection(options_), options_));
  }

  const TrainData& data_;
  const Options& options_;
  const ScanOptions search_;
  State state_;
  ChannelWindows windows_;
  TrainSurvey survey_;
  TrainSettings settings_;
  std::optional<Checkpoint> checkpoint_;
  std::vector<std::uint8_t> positives_;
  std::size_t most_negatives_ = 0;
};

template <class Traits>
Model train_boosted(const TrainData& data, const typename Traits::Options& options) {
  check_options(options);
  resolve(options.exec.device);  // throws at once where the device does not exist
  TreeTraining<Traits> training(data, options);
  Model model;
  model.kind = Traits::kKind;
  model.person_height = kTreePersonHeight;
  model.stride = channels::kCell;
  model.threshold = tree_threshold(options);
  model.classifier = training.train();
  model.facts = training.facts();
  return model;
}

}  // namespace fovea::people
