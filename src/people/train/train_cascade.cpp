// Trains a cascade (Viola and Jones, 2001; Zhu et al., 2006), stage after stage. Each stage learns
// from the positives and from windows of the negatives that all earlier stages let pass. At last a
// linear score over many blocks is learned for the windows that pass all stages, from those that it
// finds hardest.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "core/parallel.h"
#include "people/model_parts.h"
#include "people/train/checkpoint.h"
#include "people/train/preset.h"
#include "people/train/train_cascade_stage.h"

namespace fovea::people {
namespace {

constexpr Extent kWindow{64, 128};
constexpr float kAnyScore = -std::numeric_limits<float>::infinity();
constexpr std::uint64_t kRankingSequence = 1000;  // after those of all stages
constexpr double kRankingRate =
    2e-3;  // share of windows among which the negatives of the ranking are chosen
constexpr std::size_t kMostForThreshold = 100000;
constexpr double kThresholdRate =
    1e-5;  // share of windows that the model's own threshold lets pass
constexpr std::uint64_t kMostCopied = 64U << 20U;  // bytes of samples that a solver copies
constexpr double kFewNegatives =
    0.125;  // share of the wanted negatives; with fewer a stage learns nothing

// The blocks of the ranking: the grid of Dalal and Triggs, and coarser ones over it.
std::vector<Block> ranking_blocks() {
  std::vector<Block> blocks;
  const auto add = [&](int width, int height, int step) {
    for (int x = 0; x + width <= kWindow.width; x += step)
      for (int y = 0; y + height <= kWindow.height; y += step)
        blocks.push_back({x, y, width, height});
  };
  add(16, 16, 8);
  add(32, 32, 16);
  add(32, 64, 16);
  return blocks;
}

struct Training {
  CascadeModel model;
  std::vector<double> pass_rates, false_rates;
  double false_rate = 1;  // of all stages together
  float threshold = 0;
  double evaluations = 0;  // blocks per window of the negatives
  std::string note;
};

// What a checkpoint must agree with to be continued. How far the training goes, and what follows
// the last stage, may change.
std::string stage_options(CascadeTrainOptions options) {
  const CascadeTrainOptions any;
  options.stages = any.stages;
  options.target_rate = any.target_rate;
  options.ranking_windows = any.ranking_windows;
  options.ranking_cost = any.ranking_cost;
  std::string json;
  for_each_option(options, [&](const OptionField& field) {
    if (field.name == "measured-rate") return;  // checkpoints of version 0.1.0 do not have it
    json += fmt::format("{}\"{}\": {}", json.empty() ? "" : ", ", field.name, option_json(field));
  });
  return "{" + json + "}";
}

TrainSettings settings_of(std::string options, const Exec& exec) {
  return {Kind::kCascade, kWindow, std::move(options), exec.seed};
}

// All memory that grows with the number of samples, where it is greatest: in boosting, every thread
// has the numbers of a block of all samples twice, once in the order of its solver; in ranking, the
// positives are stored as numbers too.
std::uint64_t needed_bytes(const TrainData& data, const CascadeTrainOptions& options,
                           const Exec& exec) {
  constexpr std::uint64_t kSolver = 64;  // bytes per sample
  const std::uint64_t positives =
      static_cast<std::uint64_t>(data.positives.count()) * (options.mirror ? 2 : 1);
  const std::uint64_t samples = positives + static_cast<std::uint64_t>(options.negatives);
  const std::uint64_t sums = SampleSums(kWindow).bytes_each();
  const std::uint64_t stage =
      samples * sums + static_cast<std::uint64_t>(thread_count(exec)) * samples *
                           (2 * cascade::kNumbers * sizeof(float) + kSolver);
  if (options.ranking_windows == 0) return stage;
  const std::uint64_t ranked = positives + static_cast<std::uint64_t>(options.ranking_windows) + 1;
  const std::uint64_t numbers =
      ranked * RankingSamples(ranking_blocks(), 0).width() * sizeof(float);
  const std::uint64_t ranking =
      numbers + std::max(positives * sums, ranked * kSolver + std::min(numbers, kMostCopied));
  return std::max(stage, ranking);
}

void report(const Exec& exec, const std::string& text, double done, double total) {
  if (exec.progress) exec.progress({text, done, total});
}

class CascadeTrainer {
 public:
  CascadeTrainer(const TrainData& data, const CascadeTrainOptions& options)
      : data_(data),
        options_(options),
        survey_(survey_images(data, kWindow, options.exec)),
        checkpoint_(options.checkpoint, settings_of(stage_options(options), options.exec), survey_),
        mining_{kWindow,
                options.color,
                {.ratio = options.ratio,
                 .stride = options.stride,
                 .enlarge = options.enlarge,
                 .padding = 0},
                options.exec,
                &survey_.negatives,
                options.search ? &options.search : nullptr},
        coarse_(mining_),
        positives_(positive_sums(data.positives, options.mirror, mining_)),
        pool_(block_pool(kWindow)) {
    coarse_.scan.stride *= 2;
    // Twice the number that is wanted in all, where there are few images.
    const auto images = static_cast<std::size_t>(std::max(1, data.negatives.count()));
    mining_.random_windows = std::clamp<std::size_t>(
        2 * static_cast<std::size_t>(options.negatives) / images + 1, mining_.random_windows, 4000);
    training_.model.window.width = kWindow.width;
    training_.model.window.height = kWindow.height;
    training_.model.color = options.color;
    training_.model.graded = options.graded;
    training_.model.chained = options.chained;
  }

  Training train() {
    continue_stages();
    while (static_cast<int>(training_.model.stages.size()) < options_.stages && !reached_target()) {
      if (!add_stage()) break;
      keep();
    }
    if (training_.note.empty() && reached_target())
      training_.note = fmt::format(
          "ended after {} stages: the target rate of {:g} is reached{}",
          training_.model.stages.size(), options_.target_rate,
          options_.measured_rate ? "" : " where every stage counts as its greatest rate");
    if (options_.ranking_windows > 0) add_ranking();
    return std::move(training_);
  }

  std::map<std::string, std::string> facts() const {
    return {{"training", settings_json(settings_of(options_json(options_), options_.exec))},
            {"data", data_text(survey_)}};
  }

 private:
  bool reached_target() const {
    const auto stages = static_cast<double>(training_.model.stages.size());
    const double rate =
        options_.measured_rate ? training_.false_rate : std::pow(options_.false_rate, stages);
    return rate <= options_.target_rate;
  }

  void keep() const {
    io::ModelFile file;
    save(file, training_.model);
    const auto stages = static_cast<std::int64_t>(training_.pass_rates.size());
    file.add("pass_rates", {stages}, training_.pass_rates);
    file.add("false_rates", {stages}, training_.false_rates);
    file.add("false_rate", {1}, std::vector<double>{training_.false_rate});
    checkpoint_.write(std::move(file));
  }

  // Continues from a checkpoint, where there is one.
  void continue_stages() {
    const std::optional<io::ModelFile> file = checkpoint_.read();
    if (!file) return;
    training_.model = load_cascade(io::ModelReader(*file));
    if (Extent{training_.model.window.width, training_.model.window.height} != kWindow)
      checkpoint_.damaged("the cascade has another window");
    const auto stages = static_cast<std::int64_t>(training_.model.stages.size());
    const auto passed = file->tensor<double>("pass_rates", {stages});
    const auto fell = file->tensor<double>("false_rates", {stages});
    training_.pass_rates.assign(passed.begin(), passed.end());
    training_.false_rates.assign(fell.begin(), fell.end());
    training_.false_rate = file->tensor<double>("false_rate", {1})[0];
  }

  // Returns false where the negatives give no more windows.
  bool add_stage() {
    const std::size_t stage = training_.model.stages.size();
    const std::string what = fmt::format("stage {} of {}", stage + 1, options_.stages);
    const MineResult mined =
        mine_cascade(data_.negatives,
                     {training_.model, stage, static_cast<std::size_t>(options_.negatives),
                      kAnyScore, false, what.c_str()},
                     mining_);
    if (stage > 0 && mined.windows > 0)
      training_.false_rate = static_cast<double>(mined.passed) / static_cast<double>(mined.windows);
    if (static_cast<double>(mined.places.size()) < kFewNegatives * options_.negatives) {
      if (stage == 0)
        throw InvalidArgument(fmt::format(
            "train: the negatives hold {} windows, expected at least {:.0f}; give more images",
            mined.places.size(), kFewNegatives * options_.negatives));
      training_.note = fmt::format(
          "ended after {} stages: {} of {} windows of the negatives still "
          "passed",
          stage, mined.passed, mined.windows);
      return false;
    }
    if (reached_target()) return false;
    SampleSums negatives(kWindow);
    add_sums(data_.negatives, mined.places, mining_, negatives);
    StageResult result =
        train_stage({positives_, negatives, training_.model}, pool_, options_, options_.exec);
    training_.false_rate *= result.false_rate;
    training_.pass_rates.push_back(result.pass_rate);
    training_.false_rates.push_back(result.false_rate);
    report(options_.exec,
           fmt::format("{}: {} blocks, {:.4f} pass, {:.4f} of {} negatives, {:.2e} in all", what,
                       result.stage.classifiers.size(), result.pass_rate, result.false_rate,
                       mined.places.size(), training_.false_rate),
           static_cast<double>(stage + 1), options_.stages);
    training_.model.stages.push_back(std::move(result.stage));
    return true;
  }

  // Learns from random windows that pass, and then also from those that it finds hardest. Too few
  // windows pass all stages of a long cascade, so that only the first stages choose here.
  void add_ranking() {
    const std::size_t positives = positives_.count();
    RankingSamples samples(ranking_blocks(),
                           positives + static_cast<std::size_t>(options_.ranking_windows) + 1);
    samples.add(positives_, options_.exec);
    positives_ = SampleSums(kWindow);  // not needed any more
    CascadeModel chooser = training_.model;
    double rate = 1;
    for (std::size_t i = 0; i < chooser.stages.size(); ++i) {
      rate *= training_.false_rates[i];
      if (rate <= kRankingRate) chooser.stages.resize(i + 1);
    }
    const auto half = static_cast<std::size_t>((options_.ranking_windows + 1) / 2);
    for (int round = 0; round < 2; ++round) {
      const bool hardest = round > 0;
      const MineResult mined =
          mine_cascade(data_.negatives,
                       {chooser, kRankingSequence + static_cast<std::uint64_t>(round), half,
                        hardest ? -1.0F : kAnyScore, hardest, "ranking"},
                       coarse_);
      if (mined.places.empty() && !hardest) return;
      const std::size_t first = samples.grow(mined.places.size());
      for_each_window(
          data_.negatives, mined.places, coarse_,
          [&](std::size_t i, const SampleSums& sums) { samples.set(first + i, sums, 0); });
      chooser.ranking = train_ranking(samples, positives, options_.ranking_cost, options_.exec);
      report(options_.exec,
             fmt::format("ranking: {} of {} windows passed, {} learned", mined.passed,
                         mined.windows, samples.count() - positives),
             round + 1, 2);
    }
    training_.model.ranking = std::move(chooser.ranking);
    calibrate();
  }

  // The score that kThresholdRate of the negatives' windows reach.
  void calibrate() {
    const MineResult hardest = mine_cascade(
        data_.negatives,
        {training_.model, kRankingSequence, kMostForThreshold, kAnyScore, true, "threshold"},
        coarse_);
    if (hardest.scores.empty()) return;
    const auto windows = static_cast<double>(hardest.windows);
    const auto wanted = static_cast<std::size_t>(kThresholdRate * windows);
    training_.threshold = hardest.scores[std::min(wanted, hardest.scores.size() - 1)];
    training_.evaluations = static_cast<double>(hardest.evaluations) / windows;
  }

  TrainData data_;
  const CascadeTrainOptions& options_;
  TrainSurvey survey_;
  Checkpoint checkpoint_;
  MineOptions mining_;
  MineOptions coarse_;  // for the ranking, which searches all images more than once
  SampleSums positives_;
  std::vector<Block> pool_;
  Training training_;
};

}  // namespace

void describe(OptionVisitor& visit, CascadeTrainOptions& options) {
  visit("stages", options.stages, "the most stages", 1, 1000);
  visit("pass-rate", options.pass_rate, "least share of the positives that a stage lets pass", 0.5,
        1);
  visit("false-rate", options.false_rate, "greatest share of the negatives that a stage lets pass",
        0.01, 0.99);
  visit("target-rate", options.target_rate,
        "training ends when no more than this share of windows without a person passes all stages",
        0, 1);
  visit("measured-rate", options.measured_rate, "measure that share in the negatives",
        {.off_help = "count every stage as its greatest share instead of measuring that share, as "
                     "the thesis does to get 23 stages"});
  visit("blocks-per-round", options.blocks_per_round,
        "number of random blocks that compete for each place in a stage", 1, 100000);
  visit("negatives", options.negatives,
        "number of windows without a person that a stage learns from", 8, 1000000);
  visit("cost", options.cost, "C of the blocks' support vector machines", 1e-6, 1e6);
  visit(
      "color", options.color, "take each pixel's gradient from its strongest color channel",
      {.off_help = "compute gradients from the gray image instead of the strongest color channel"});
  visit("graded", options.graded, "let classifiers vote by their margins",
        {.off_help = "let classifiers vote by their signs only, as in the original cascade"});
  visit("chained", options.chained, "add the votes of a stage to those of the stages before it",
        {.off_help = "count the votes of each stage from 0, as in the original cascade"});
  visit("enlarge", options.enlarge,
        "search the negatives from this many times their size downwards", 1, 8);
  visit("ratio", options.ratio,
        "size of a pyramid level divided by the size of the next, in the search of negatives", 1.01,
        4);
  visit(
      "stride", options.stride,
      "step between windows in the search of negatives, in pixels; the ranking's is twice as wide",
      1, 128);
  visit("ranking-windows", options.ranking_windows,
        "the most negatives that the score of windows which pass all stages is learned from; 0 "
        "takes the last stage's votes as score",
        0, 1000000);
  visit("ranking-cost", options.ranking_cost, "C of the support vector machine of that score", 1e-6,
        1e6);
  visit("mirror", options.mirror, "also learn the mirror image of every positive",
        {.off_help = "learn from the positives as they are, without their mirror images"});
}

Model train_cascade(const TrainData& data, const CascadeTrainOptions& options) {
  check_options(options);
  resolve(options.exec.device);  // throws at once where the device does not exist
  const std::uint64_t needed = needed_bytes(data, options, options.exec);
  if (needed > options.sample_bytes)
    throw InvalidArgument(fmt::format(
        "train: the samples need {} MB, more than the {} MB allowed; allow more or ask for fewer "
        "negatives or ranking windows",
        (needed >> 20U) + 1, options.sample_bytes >> 20U));
  CascadeTrainer trainer(data, options);
  Training training = trainer.train();
  Model model;
  model.kind = Kind::kCascade;
  std::size_t blocks = 0;
  for (const CascadeStage& stage : training.model.stages) blocks += stage.classifiers.size();
  model.facts = trainer.facts();
  for (const CascadePreset preset : {CascadePreset::kThesis, CascadePreset::kZhu})
    if (options_json(options) == options_json(cascade_options(preset)))
      model.facts["preset"] = preset_text(preset, options);
  model.facts["stages"] = std::to_string(training.model.stages.size());
  model.facts["blocks"] = std::to_string(blocks);
  model.facts["false_rate"] = fmt::format("{:.3g}", training.false_rate);
  if (training.evaluations > 0)
    model.facts["blocks_a_window"] = fmt::format("{:.2f}", training.evaluations);
  if (!training.note.empty()) model.facts["note"] = training.note;
  model.threshold = training.threshold;
  model.classifier = std::move(training.model);
  return model;
}

}  // namespace fovea::people
