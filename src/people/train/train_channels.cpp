// Trains boosted trees over channels (Dollar, Appel, Belongie and Perona, PAMI 2014): rounds with
// more trees each time, each from scratch, between which the negatives are searched for windows
// that the detector so far takes for people. A checkpoint has the model of a round and the places
// of its negatives, whose channels are computed again.
#include <fovea/core/error.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "people/model_parts.h"
#include "people/train/checkpoint.h"
#include "people/train/train_channels_boost.h"
#include "people/train/train_channels_samples.h"

namespace fovea::people {
namespace {

constexpr int kRounds = 4;
constexpr int kGrowth = 4;  // growth of the number of trees from round to round
constexpr double kCalibration = 0.005;
constexpr int kPadding = 24;
constexpr float kPersonHeight = 104.F / 128;
// Scores grow with the number of trees. On images of half a megapixel that were not learned from,
// this threshold lets one false positive pass in twenty images.
constexpr float kThresholdPerTree = 0.005F;
constexpr std::uint64_t kOldSequence = 1ULL << 61U, kNewSequence = 1ULL << 62U;

int trees_of(int round, int trees) {
  for (int r = round; r + 1 < kRounds; ++r) trees /= kGrowth;
  return std::max(1, trees);
}

// The result of a round.
struct State {
  int next_round = 0;
  ChannelsModel model;
  std::vector<WindowPlace> negatives;  // sorted by place
};

// `count` random ones of them, in their order.
std::vector<WindowPlace> some_of(const std::vector<WindowPlace>& places, std::size_t count,
                                 Random random) {
  if (places.size() <= count) return places;
  std::vector<WindowPlace> chosen = places;
  shuffle(chosen, random);
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end(), before);
  return chosen;
}

class ChannelTraining {
 public:
  ChannelTraining(const TrainData& data, const ChannelsTrainOptions& options)
      : data_(data),
        options_(options),
        search_{.ratio = options.ratio,
                .stride = channels::kCell,
                .enlarge = options.enlarge,
                .padding = kPadding},
        windows_({data, state_.model, search_, kPersonHeight, Model{}.person_aspect},
                 options.exec) {}

  ChannelsModel train() {
    state_.model.exact_per_octave = options_.exact_per_octave;
    const Extent window{state_.model.window.width, state_.model.window.height};
    survey_ = survey_images(data_, window, options_.exec);
    settings_ = {Kind::kChannels, window, options_json(options_), options_.exec.seed,
                 options_.sample_bytes};
    checkpoint_.emplace(options_.checkpoint, settings_, survey_);
    if (!continues()) state_.model.decay = windows_.decay();
    positives_ = windows_.positives(options_.mirror);
    limit_negatives();
    while (state_.next_round < kRounds) {
      choose_negatives();
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
  std::size_t positives() const {
    return positives_.size() / static_cast<std::size_t>(windows_.features());
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
    state_.model = load_channels(io::ModelReader(*file));
    state_.next_round = file->tensor<std::int32_t>("round", {1})[0];
    state_.negatives = checkpoint_->places(*file, [&](int image) {
      return windows_.plan(survey_.negatives.sizes[static_cast<std::size_t>(image)]);
    });
    if (state_.next_round < 1 || state_.next_round > kRounds)
      checkpoint_->damaged(fmt::format("round {} of {}", state_.next_round, kRounds));
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

  void choose_negatives() {
    const auto round = static_cast<std::uint64_t>(state_.next_round);
    const auto wanted =
        std::min(static_cast<std::size_t>(options_.negatives_per_round), most_negatives_);
    std::vector<WindowPlace> fresh;
    if (round == 0) {
      fresh = windows_.choose(static_cast<int>(wanted));
    } else {
      const std::vector<WindowPlace> found =
          windows_.mine(state_.model, options_.negatives_per_image, "searching negatives");
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
    fill(samples, positives_, 0);
    fill(samples, windows_.negatives(state_.negatives), samples.positives);
    const int trees = trees_of(state_.next_round, options_.trees);
    const std::string stage = fmt::format("round {} of {}: trees", state_.next_round + 1, kRounds);
    const int step = std::max(1, trees / 32);
    const auto report = [&](int done) {
      if (options_.exec.progress && (done % step == 0 || done == trees))
        options_.exec.progress({stage, double(done), double(trees)});
    };
    state_.model.trees = boost_trees(samples,
                                     {trees, options_.feature_share, kCalibration,
                                      static_cast<std::uint64_t>(state_.next_round) + 1},
                                     options_.exec, report);
    state_.model.rejection.assign(
        state_.model.trees.size(),
        static_cast<std::int32_t>(std::lround(options_.rejection * ChannelsModel::kScoreUnit)));
  }

  static void fill(BoostSamples& samples, const std::vector<std::uint8_t>& rows, int first) {
    const auto features = static_cast<std::size_t>(samples.features);
    const std::size_t count = rows.size() / features;
    for (std::size_t f = 0; f < features; ++f) {
      std::uint8_t* column = samples.values.data() + f * samples.count + first;
      for (std::size_t i = 0; i < count; ++i) column[i] = rows[i * features + f];
    }
  }

  const TrainData& data_;
  const ChannelsTrainOptions& options_;
  const ScanOptions search_;
  State state_;
  ChannelWindows windows_;
  TrainSurvey survey_;
  TrainSettings settings_;
  std::optional<Checkpoint> checkpoint_;
  std::vector<std::uint8_t> positives_;
  std::size_t most_negatives_ = 0;
};

}  // namespace

void describe(OptionVisitor& visit, ChannelsTrainOptions& options) {
  visit("trees", options.trees, "number of trees of the last of four rounds", 64, 65536);
  visit("negatives-per-round", options.negatives_per_round,
        "the most new windows without a person in a round", 1, 1000000);
  visit("most-negatives", options.most_negatives,
        "the most windows without a person that a round learns from", 1, 1000000);
  visit("negatives-per-image", options.negatives_per_image,
        "the most new windows from one negative", 1, 100000);
  visit("feature-share", options.feature_share,
        "share of the features that each node may choose from", 1e-4, 1);
  visit("rejection", options.rejection,
        "score below which a window is rejected before all trees are evaluated", -7, 0);
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
}

Model train_channels(const TrainData& data, const ChannelsTrainOptions& options) {
  check_options(options);
  resolve(options.exec.device);  // throws at once where the device does not exist
  ChannelTraining training(data, options);
  Model model;
  model.kind = Kind::kChannels;
  model.person_height = kPersonHeight;
  model.stride = channels::kCell;
  model.threshold = kThresholdPerTree * static_cast<float>(options.trees);
  model.classifier = training.train();
  model.facts = training.facts();
  return model;
}

}  // namespace fovea::people
