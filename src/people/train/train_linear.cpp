// Trains the linear kinds (Dalal and Triggs, CVPR 2005): first positives against random windows,
// then rounds in which all negatives are searched for windows within the margin and the classifier
// learns again.
#include <fovea/core/error.h>
#include <fovea/ops/linear_svm.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "core/parallel.h"
#include "people/hog/hog_layout.h"
#include "people/model_parts.h"
#include "people/train/checkpoint.h"
#include "people/train/mine_images.h"
#include "people/train/train_linear_windows.h"

namespace fovea::people {
namespace {

constexpr float kMargin = -1;        // windows above it change the classifier
constexpr double kFalseRate = 1e-4;  // false positives per window at the model's threshold
constexpr std::size_t kLeastToPart =
    12;  // least number of negatives of which a part can be left out

class LinearTraining {
 public:
  LinearTraining(Kind kind, const HogOptions& hog, const TrainData& data,
                 const LinearTrainOptions& options);
  Model train();

 private:
  ScanOptions search_options() const {
    return {.ratio = options_.ratio,
            .stride = options_.stride,
            .enlarge = options_.enlarge,
            .padding = 0};
  }
  void make_room();
  std::vector<WindowPlace> random_places();
  void learn();
  std::vector<MinedWindow> highest(std::string what, int most, float above, bool known);
  bool add_hard_windows(int round);
  LinearSvm solve(std::span<const float> costs) const;
  std::vector<int> sample_images() const;
  std::vector<float> unseen_scores();
  float calibrate();
  std::vector<WindowPlace> sorted_places() const;
  Model result();
  void keep() const;
  bool continues();

  Kind kind_;
  const TrainData& data_;
  const LinearTrainOptions& options_;
  Exec exec_;
  TrainSurvey survey_;
  ScanOptions search_;
  LinearModel model_;
  TrainSettings settings_;
  std::optional<Checkpoint> checkpoint_;
  int round_ = 0;  // the last round that was finished
  SampleRows samples_;
  std::vector<WindowPlace> places_;  // places of the samples that follow the positives
  int positive_rows_ = 0;
  int random_rows_ = 0;
  bool short_of_room_ = false;
  LinearSvm svm_;  // result of the last round, without its weights
  std::optional<TrainWindows> windows_;
};

LinearTraining::LinearTraining(Kind kind, const HogOptions& hog, const TrainData& data,
                               const LinearTrainOptions& options)
    : kind_(kind), data_(data), options_(options), exec_(options.exec) {
  if (kind != Kind::kHog && kind != Kind::kHogCells && kind != Kind::kHogIntegral)
    throw InvalidArgument(
        fmt::format("train: {} is no kind with one linear classifier", to_string(kind)));
  exec_.device = resolve(options.exec.device);
  check_options(options);
  check_options(hog);
  check_geometry(hog);
  model_.hog = hog_of_kind(kind, hog);
  search_ = search_options();
  survey_ = survey_images(data, hog.window, exec_);
  windows_.emplace(TrainWindows::Setup{kind, model_.hog, data_, search_, survey_.negatives.sizes},
                   exec_);
  if (windows_->count() == 0)
    throw InvalidArgument(
        fmt::format("train: no negative holds a window of {}x{} when enlarged {:g} times; give "
                    "larger images",
                    hog.window.width, hog.window.height, options.enlarge));
  settings_ = {kind, hog.window,
               fmt::format("{{\"hog\": {}, \"train\": {}}}", stored_options_json(hog),
                           options_json(options)),
               options.exec.seed, options.sample_bytes};
  checkpoint_.emplace(options.checkpoint, settings_, survey_);
}

// Rows for all samples that may come, or as many as the memory limit allows.
void LinearTraining::make_room() {
  const int size = descriptor_size(model_.hog);
  const auto positives =
      static_cast<std::int64_t>(data_.positives.count()) * (options_.mirror ? 2 : 1);
  const auto random = static_cast<std::int64_t>(data_.negatives.count()) * options_.random_windows;
  const auto hard = static_cast<std::int64_t>(options_.hard_windows) * options_.rounds;
  const auto row_bytes =
      static_cast<std::uint64_t>(detail::padded_stride(size, 1, sizeof(float))) * sizeof(float);
  const std::uint64_t most = options_.sample_bytes / row_bytes;
  const auto least = static_cast<std::uint64_t>(positives + data_.negatives.count());
  if (most < least || least > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw InvalidArgument(fmt::format(
        "train: {} bytes for samples hold {} of {} numbers; {} positives and a window of each "
        "negative need {}",
        options_.sample_bytes, most, size, positives, least * row_bytes));
  const auto wanted = static_cast<std::uint64_t>(positives + random + hard);
  const auto rows = std::min<std::uint64_t>({wanted, most, std::numeric_limits<int>::max()});
  samples_.rows = Image<float>(size, static_cast<int>(rows));
  positive_rows_ = static_cast<int>(positives);
  windows_->describe_positives(options_.mirror, samples_);
}

// Some windows of random levels from each negative, at most half of the rows that positives leave.
std::vector<WindowPlace> LinearTraining::random_places() {
  const int images = data_.negatives.count();
  const int room = options_.rounds > 0 ? std::max(samples_.room() / 2, images) : samples_.room();
  const int each = std::min(options_.random_windows, std::max(1, room / images));
  short_of_room_ = each < options_.random_windows;
  return people::random_places(*windows_, images, each, options_.exec.seed);
}

LinearSvm LinearTraining::solve(std::span<const float> costs) const {
  std::vector<std::int8_t> labels(static_cast<std::size_t>(samples_.used), -1);
  std::fill_n(labels.begin(), positive_rows_, std::int8_t{1});
  Exec quiet = exec_;
  quiet.device = Device::cpu();
  quiet.progress = nullptr;
  return train_linear_svm(samples_.rows.view().crop(0, 0, samples_.rows.width(), samples_.used),
                          labels, costs, {.cost = options_.cost, .exec = quiet});
}

void LinearTraining::learn() {
  if (exec_.progress) exec_.progress({"learning", 0, 1});
  svm_ = solve({});
  model_.weights = std::move(svm_.weights);
  model_.bias = svm_.bias;
  if (exec_.progress) exec_.progress({"learning", 1, 1});
}

std::vector<WindowPlace> LinearTraining::sorted_places() const {
  std::vector<WindowPlace> sorted = places_;
  std::sort(sorted.begin(), sorted.end(), before);
  return sorted;
}

// The windows of all negatives with the highest scores above a limit, in the order of their places.
// Those that are learned from already may be among them or not.
std::vector<MinedWindow> LinearTraining::highest(std::string what, int most, float above,
                                                 bool known) {
  SearchRequest request = request_of(
      {kind_, model_, search_, known ? std::vector<WindowPlace>() : sorted_places(), most, above},
      data_.negatives, std::move(what));
  request.seed = options_.exec.seed;
  request.checksums = survey_.negatives.checksums;
  std::vector<MinedWindow> found;
  for (const MinedImage& image :
       search_negatives(request, {data_.negatives, survey_.negatives, options_.search, exec_}))
    found.insert(found.end(), image.found.begin(), image.found.end());
  return found;
}

// Returns whether there were new windows to learn from.
bool LinearTraining::add_hard_windows(int round) {
  const int most = std::min(options_.hard_windows, samples_.room());
  std::vector<WindowPlace> found;
  if (most > 0)
    for (const MinedWindow& window :
         highest(fmt::format("searching negatives, round {}", round), most, kMargin, false))
      found.push_back(window.place);
  const bool full = static_cast<int>(found.size()) == most;
  short_of_room_ = short_of_room_ || (most < options_.hard_windows && full);
  windows_->describe_places(found, samples_);
  places_.insert(places_.end(), found.begin(), found.end());
  return !found.empty();
}

// The negatives that samples come from, in order.
std::vector<int> LinearTraining::sample_images() const {
  std::vector<int> images;
  for (const WindowPlace& place : places_) images.push_back(place.image);
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  return images;
}

// For every third of the negatives, the scores that a classifier gives to its samples without
// having learned from them. Windows that were learned from score lower than new ones of the same
// kind, so that the threshold must not come from them.
std::vector<float> LinearTraining::unseen_scores() {
  constexpr int kParts = 3;
  std::vector<float> scores(places_.size());
  std::vector<float> costs(static_cast<std::size_t>(samples_.used));
  const std::vector<int> images = sample_images();
  const auto part_of = [&](const WindowPlace& place) {
    const auto rank = std::lower_bound(images.begin(), images.end(), place.image) - images.begin();
    return static_cast<int>(rank * kParts / static_cast<std::ptrdiff_t>(images.size()));
  };
  for (int part = 0; part < kParts; ++part) {
    std::fill(costs.begin(), costs.end(), 1.F);
    for (std::size_t k = 0; k < places_.size(); ++k)
      if (part_of(places_[k]) == part) costs[static_cast<std::size_t>(positive_rows_) + k] = 0;
    const LinearSvm svm = solve(costs);
    parallel_for(exec_, static_cast<std::int64_t>(places_.size()), 256, [&](auto first, auto last) {
      for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
        if (part_of(places_[k]) != part) continue;
        const auto row = samples_.row(positive_rows_ + static_cast<int>(k));
        scores[k] = std::inner_product(row.begin(), row.end(), svm.weights.begin(), svm.bias);
      }
    });
    if (exec_.progress) exec_.progress({"finding the threshold", part + 1.0, kParts});
  }
  return scores;
}

// The score that only so few windows of the negatives exceed.
float LinearTraining::calibrate() {
  const auto most = static_cast<std::size_t>(
      std::max<std::int64_t>(1, std::llround(kFalseRate * static_cast<double>(windows_->count()))));
  const bool mined = places_.size() > static_cast<std::size_t>(random_rows_);
  if (mined && places_.size() >= most && sample_images().size() >= kLeastToPart) {
    // The highest scores of all windows are among those of the hard windows.
    std::vector<float> scores = unseen_scores();
    const auto at = scores.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(scores.begin(), at, scores.end(), std::greater<>());
    return *at;
  }
  float lowest = std::numeric_limits<float>::max();
  for (const MinedWindow& window : highest("finding the threshold", static_cast<int>(most),
                                           -std::numeric_limits<float>::max(), true))
    lowest = std::min(lowest, window.score);
  return lowest;
}

Model LinearTraining::result() {
  Model model;
  model.kind = kind_;
  model.threshold = calibrate();
  model.facts = {{"training", settings_json(settings_)},
                 {"data", data_text(survey_)},
                 {"windows", fmt::format("{}", windows_->count())},
                 {"samples", fmt::format("{} positives, {} random and {} hard windows",
                                         positive_rows_, random_rows_,
                                         places_.size() - static_cast<std::size_t>(random_rows_))},
                 {"cost", fmt::format("{:g}", options_.cost)},
                 {"passes", fmt::format("{}", svm_.passes)},
                 {"objective", fmt::format("{:.6g}", svm_.objective)}};
  if (!svm_.converged) model.facts["warning"] = "the last round did not converge";
  if (short_of_room_)
    model.facts["memory"] = fmt::format("{} bytes for samples held fewer windows than asked for",
                                        options_.sample_bytes);
  model.classifier = std::move(model_);
  return model;
}

Model LinearTraining::train() {
  make_room();
  if (!continues()) {
    places_ = random_places();
    random_rows_ = static_cast<int>(places_.size());
    windows_->describe_places(places_, samples_);
    learn();
    keep();
  }
  while (round_ < options_.rounds) {
    ++round_;
    if (!add_hard_windows(round_)) break;
    learn();
    keep();
  }
  return result();
}

void LinearTraining::keep() const {
  io::ModelFile file;
  Checkpoint::add_places(file, places_);
  file.add("weights", {static_cast<std::int64_t>(model_.weights.size())}, model_.weights);
  file.add("bias", {1}, std::vector<float>{model_.bias});
  file.add("counts", {5},
           std::vector<std::int32_t>{round_, random_rows_, svm_.passes, svm_.converged ? 1 : 0,
                                     short_of_room_ ? 1 : 0});
  file.add("objective", {1}, std::vector<double>{svm_.objective});
  checkpoint_->write(std::move(file));
}

// Continues from a checkpoint; returns false where there is none.
bool LinearTraining::continues() {
  const std::optional<io::ModelFile> file = checkpoint_->read();
  if (!file) return false;
  const auto size = static_cast<std::int64_t>(descriptor_size(model_.hog));
  const auto weights = file->tensor<float>("weights", {size});
  const auto counts = file->tensor<std::int32_t>("counts", {5});
  places_ = checkpoint_->places(*file, [&](int image) { return windows_->plan(image); });
  const auto count = static_cast<std::int64_t>(places_.size());
  const bool possible = count >= 1 && count <= samples_.room() && counts[0] >= 0 &&
                        counts[0] <= options_.rounds && counts[1] >= 0 && counts[1] <= count;
  if (!possible)
    checkpoint_->damaged(fmt::format("{} samples after round {} are impossible", count, counts[0]));
  model_.weights.assign(weights.begin(), weights.end());
  model_.bias = file->tensor<float>("bias", {1})[0];
  round_ = counts[0];
  random_rows_ = counts[1];
  svm_.passes = counts[2];
  svm_.converged = counts[3] != 0;
  short_of_room_ = counts[4] != 0;
  svm_.objective = file->tensor<double>("objective", {1})[0];
  windows_->describe_places(places_, samples_);
  return true;
}

}  // namespace

void describe(OptionVisitor& visit, LinearTrainOptions& options) {
  visit("cost", options.cost, "C of the support vector machine", 1e-9, 1e6);
  visit("enlarge", options.enlarge,
        "search the negatives from this many times their size downwards", 1, 8);
  visit("ratio", options.ratio,
        "size of a pyramid level divided by the size of the next, in the search of negatives", 1.01,
        4);
  visit("stride", options.stride, "step between windows in the search of negatives, in pixels", 1,
        256);
  visit("random-windows", options.random_windows,
        "number of random windows per negative that the first classifier learns from", 1, 10000);
  visit("rounds", options.rounds,
        "number of times that the negatives are searched for windows with a score above -1", 0,
        100);
  visit("hard-windows", options.hard_windows,
        "the most windows that a round adds, the highest scores first", 1, 1e8);
  visit("mirror", options.mirror, "also learn the mirror image of every positive",
        {.off_help = "learn from the positives as they are, without their mirror images"});
}

Model train_linear(Kind kind, const HogOptions& hog, const TrainData& data,
                   const LinearTrainOptions& options) {
  return LinearTraining(kind, hog, data, options).train();
}

}  // namespace fovea::people
