// Gathers the windows of a training, chooses the settings of two support vector machines on them,
// and measures both on the windows of a test.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/ops/linear_svm.h>
#include <fovea/people/kernels.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "core/timing/seconds.h"
#include "people/hog/hog_layout.h"
#include "people/model_parts.h"
#include "people/train/mine_images.h"
#include "people/train/train_linear_windows.h"

namespace fovea::people {
namespace {

constexpr int kHeldOutParts = 3;  // every third image is held out when settings are chosen
constexpr int kTestRows = 16384;  // windows of the test that are described at a time
constexpr double kHeldOutRates[] = {0.005, 0.01, 0.02, 0.05,
                                    0.1};  // of held-out negatives that pass

// Gives every row of a matrix a score.
using Scorer = std::function<void(ImageView<const float>, std::span<float>)>;

struct Machine {
  Scorer score;
  int support_vectors = 0;
  bool converged = false;
};

// The windows of the training as descriptors: positives, then windows of the negatives.
struct KernelSamples {
  SampleRows rows;
  std::vector<std::int8_t> labels;
  std::vector<int> sources;  // number of the crop or image that a sample comes from
};

class KernelStudy {
 public:
  KernelStudy(const TrainData& training, const TrainData& test,
              const CompareKernelsOptions& options);
  KernelComparison run();

 private:
  void gather(KernelComparison& result);
  Machine linear(const KernelTrial& trial, std::span<const float> costs) const;
  Machine rbf(const KernelTrial& trial, std::span<const float> costs) const;
  Machine machine(const KernelTrial& trial, std::span<const float> costs) const {
    return trial.gamma > 0 ? rbf(trial, costs) : linear(trial, costs);
  }
  void choose(KernelMeasurement& measured);
  std::vector<int> tuning_samples() const;
  double held_out_miss_rate(const Machine& machine, std::span<const int> samples) const;
  void measure(std::span<KernelMeasurement* const> measured, std::span<const Machine> machines);
  bool held_out(int sample) const {
    return samples_.sources[at(sample)] % kHeldOutParts == kHeldOutParts - 1;
  }
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  Exec quiet() const {
    Exec exec = exec_;
    exec.device = Device::cpu();
    exec.progress = nullptr;
    return exec;
  }

  const TrainData& training_;
  const TrainData& test_;
  const CompareKernelsOptions& options_;
  Exec exec_;
  HogOptions hog_;
  KernelSamples samples_;
};

KernelStudy::KernelStudy(const TrainData& training, const TrainData& test,
                         const CompareKernelsOptions& options)
    : training_(training), test_(test), options_(options), exec_(options.exec) {
  check_options(options);
  exec_.device = resolve(options.exec.device);
  check_geometry(options.hog);
  hog_ = hog_of_kind(Kind::kHog, options.hog);
  if (options.linear_costs.empty() || options.costs.empty() || options.gammas.empty())
    throw InvalidArgument(
        "compare_kernels: a list of costs or gammas is empty; give at least one of each");
}

// As the training of linear kinds does it, with one round of hard windows.
void KernelStudy::gather(KernelComparison& result) {
  const LinearTrainOptions usual;
  const ScanOptions search{
      .ratio = usual.ratio, .stride = usual.stride, .enlarge = usual.enlarge, .padding = 0};
  const TrainSurvey survey = survey_images(training_, hog_.window, exec_);
  TrainWindows windows({Kind::kHog, hog_, training_, search, survey.negatives.sizes}, exec_);
  std::vector<WindowPlace> places =
      random_places(windows, training_.negatives.count(), options_.random_windows, exec_.seed);
  if (places.empty())
    throw InvalidArgument(
        fmt::format("compare_kernels: no negative holds a window of {}x{}; give larger images",
                    hog_.window.width, hog_.window.height));
  result.positives = 2 * training_.positives.count();
  result.random_windows = static_cast<int>(places.size());
  const int most = result.positives + result.random_windows + options_.hard_windows;
  samples_.rows.rows = Image<float>(descriptor_size(hog_), most);
  windows.describe_positives(true, samples_.rows);
  windows.describe_places(places, samples_.rows);
  samples_.labels.assign(at(samples_.rows.used), -1);
  std::fill_n(samples_.labels.begin(), result.positives, std::int8_t{1});

  LinearModel first{.hog = hog_, .weights = {}, .bias = 0};
  const LinearSvm svm = train_linear_svm(
      samples_.rows.rows.view().crop(0, 0, samples_.rows.rows.width(), samples_.rows.used),
      samples_.labels, {}, {.cost = usual.cost, .exec = quiet()});
  first.weights = svm.weights;
  first.bias = svm.bias;
  std::vector<WindowPlace> known = places;
  std::sort(known.begin(), known.end(), before);
  const std::vector<WindowPlace> found =
      hard_places({Kind::kHog, first, search, std::move(known), options_.hard_windows, -1},
                  training_.negatives, exec_);
  windows.describe_places(found, samples_.rows);
  result.hard_windows = static_cast<int>(found.size());
  places.insert(places.end(), found.begin(), found.end());
  samples_.labels.resize(at(samples_.rows.used), -1);
  samples_.sources.reserve(samples_.labels.size());
  for (int i = 0; i < result.positives; ++i) samples_.sources.push_back(i / 2);
  for (const WindowPlace& place : places) samples_.sources.push_back(place.image);
}

Machine KernelStudy::linear(const KernelTrial& trial, std::span<const float> costs) const {
  const auto svm = std::make_shared<LinearSvm>(train_linear_svm(
      samples_.rows.rows.view().crop(0, 0, samples_.rows.rows.width(), samples_.rows.used),
      samples_.labels, costs, {.cost = trial.cost, .exec = quiet()}));
  const Exec exec = quiet();
  return {.score =
              [svm, exec](ImageView<const float> rows, std::span<float> scores) {
                parallel_for(exec, rows.height, 256, [&](std::int64_t first, std::int64_t last) {
                  for (auto y = static_cast<int>(first); y < last; ++y)
                    scores[at(y)] = std::inner_product(rows.row(y), rows.row(y) + rows.width,
                                                       svm->weights.begin(), svm->bias);
                });
              },
          .support_vectors = 0,
          .converged = svm->converged};
}

Machine KernelStudy::rbf(const KernelTrial& trial, std::span<const float> costs) const {
  const auto svm = std::make_shared<KernelSvm>(train_kernel_svm(
      samples_.rows.rows.view().crop(0, 0, samples_.rows.rows.width(), samples_.rows.used),
      samples_.labels, costs,
      {.gamma = trial.gamma,
       .cost = trial.cost,
       .kernel_bytes = options_.kernel_bytes,
       .exec = quiet()}));
  const Exec exec = quiet();
  return {.score = [svm, exec](
                       ImageView<const float> rows,
                       std::span<float> scores) { kernel_svm_scores(*svm, rows, scores, exec); },
          .support_vectors = svm->vectors.height(),
          .converged = svm->converged};
}

// Samples to choose settings with, drawn at random: every n-th one would miss some kinds, because
// the two images of a crop follow each other and every third crop is held out.
std::vector<int> KernelStudy::tuning_samples() const {
  std::vector<std::pair<std::uint32_t, int>> drawn;
  drawn.reserve(at(samples_.rows.used));
  for (int i = 0; i < samples_.rows.used; ++i)
    drawn.emplace_back(Random(exec_.seed, static_cast<std::uint64_t>(i)).bits(), i);
  std::sort(drawn.begin(), drawn.end());
  drawn.resize(std::min(drawn.size(), at(options_.tuning_windows)));
  std::vector<int> samples;
  samples.reserve(drawn.size());
  for (const auto& [key, sample] : drawn) samples.push_back(sample);
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Those of the samples that are held out, scored and measured.
double KernelStudy::held_out_miss_rate(const Machine& machine, std::span<const int> samples) const {
  std::vector<int> chosen;
  for (const int i : samples)
    if (held_out(i)) chosen.push_back(i);
  Image<float> rows(samples_.rows.rows.width(), static_cast<int>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    std::copy_n(samples_.rows.rows.row(chosen[i]), rows.width(), rows.row(static_cast<int>(i)));
  std::vector<float> scores(chosen.size());
  machine.score(rows, scores);
  std::vector<float> people, others;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    (samples_.labels[at(chosen[i])] > 0 ? people : others).push_back(scores[i]);
  const WindowReport report = evaluate_windows(people, others);
  double sum = 0;
  for (const double rate : kHeldOutRates) sum += report.miss_rate_at(rate);
  return sum / static_cast<double>(std::size(kHeldOutRates));
}

// Fills in the miss rates of all trials and chooses the best.
void KernelStudy::choose(KernelMeasurement& measured) {
  const int count = samples_.rows.used;
  const std::vector<int> samples = tuning_samples();
  std::vector<float> costs(at(count), 0.F);
  int kinds[2][2] = {};  // by label and by whether a sample is held out
  for (const int i : samples) {
    costs[at(i)] = held_out(i) ? 0.F : 1.F;
    ++kinds[samples_.labels[at(i)] > 0][held_out(i)];
  }
  if (kinds[0][0] == 0 || kinds[0][1] == 0 || kinds[1][0] == 0 || kinds[1][1] == 0)
    throw InvalidArgument(fmt::format(
        "compare_kernels: {} crops and {} negatives are too few to hold out a third; "
        "give at least 3 of each and raise tuning-windows, which is {}",
        training_.positives.count(), training_.negatives.count(), options_.tuning_windows));
  for (KernelTrial& trial : measured.trials) {
    trial.miss_rate = held_out_miss_rate(machine(trial, costs), samples);
    if (trial.miss_rate < measured.chosen.miss_rate || &trial == measured.trials.data())
      measured.chosen = trial;
    if (exec_.progress)
      exec_.progress({trial.gamma > 0 ? "choosing cost and gamma" : "choosing the linear cost",
                      static_cast<double>(&trial - measured.trials.data() + 1),
                      static_cast<double>(measured.trials.size())});
  }
}

// All windows of the test's negatives, some images at a time, scored by every machine.
void KernelStudy::measure(std::span<KernelMeasurement* const> measured,
                          std::span<const Machine> machines) {
  const TrainSurvey survey = survey_images(test_, hog_.window, exec_);
  Exec inner = exec_;
  inner.progress = nullptr;
  TrainWindows windows({Kind::kHog, hog_, test_, options_.scan, survey.negatives.sizes}, inner);
  std::vector<std::vector<float>> people(machines.size()), others(machines.size());
  const auto score = [&](SampleRows& rows, std::vector<std::vector<float>>& to) {
    for (std::size_t m = 0; m < machines.size(); ++m) {
      const double start = fovea::detail::seconds_now();
      const std::size_t old = to[m].size();
      to[m].resize(old + at(rows.used));
      machines[m].score(rows.rows.view().crop(0, 0, rows.rows.width(), rows.used),
                        std::span(to[m]).subspan(old));
      measured[m]->score_seconds += fovea::detail::seconds_now() - start;
    }
  };
  SampleRows crops{Image<float>(descriptor_size(hog_), test_.positives.count())};
  windows.describe_positives(false, crops);
  score(crops, people);
  std::vector<WindowPlace> places;
  const int images = test_.negatives.count();
  for (int image = 0; image < images; ++image) {
    const ScanPlan plan = windows.plan(image);
    for (int level = 0; level < static_cast<int>(plan.levels.size()); ++level)
      for (int row = 0; row < plan.levels[at(level)].rows; ++row)
        for (int column = 0; column < plan.levels[at(level)].columns; ++column)
          places.push_back({image, level, column, row});
    if (exec_.progress)
      exec_.progress({"measuring on test windows", image + 1.0, static_cast<double>(images)});
    if (places.size() < kTestRows && image + 1 < images) continue;
    if (places.empty()) break;
    throw_if_stopped(exec_);
    SampleRows rows{Image<float>(descriptor_size(hog_), static_cast<int>(places.size()))};
    windows.describe_places(places, rows);
    score(rows, others);
    places.clear();
  }
  if (others[0].empty())
    throw InvalidArgument(fmt::format(
        "compare_kernels: no image of the test without people holds a window of {}x{}; give "
        "larger images",
        hog_.window.width, hog_.window.height));
  for (std::size_t m = 0; m < machines.size(); ++m)
    measured[m]->report = evaluate_windows(people[m], others[m]);
}

KernelComparison KernelStudy::run() {
  KernelComparison result;
  gather(result);
  for (const double cost : options_.linear_costs) result.linear.trials.push_back({cost, 0, 1});
  for (const double gamma : options_.gammas)
    for (const double cost : options_.costs) result.rbf.trials.push_back({cost, gamma, 1});
  KernelMeasurement* const both[] = {&result.linear, &result.rbf};
  std::vector<Machine> machines;
  machines.reserve(std::size(both));
  for (KernelMeasurement* measured : both) {
    choose(*measured);
    if (exec_.progress) exec_.progress({"learning", static_cast<double>(machines.size()), 2});
    const double start = fovea::detail::seconds_now();
    machines.push_back(machine(measured->chosen, {}));
    measured->train_seconds = fovea::detail::seconds_now() - start;
    measured->support_vectors = machines.back().support_vectors;
    measured->converged = machines.back().converged;
  }
  if (exec_.progress) exec_.progress({"learning", 2, 2});
  measure(both, machines);
  return result;
}

}  // namespace

void describe(OptionVisitor& visit, CompareKernelsOptions& options) {
  visit("random-windows", options.random_windows,
        "number of random windows per negative of the training", 1, 10000);
  visit("hard-windows", options.hard_windows,
        "the most further windows, those that a linear machine finds hardest", 0, 1e6);
  visit("tuning-windows", options.tuning_windows,
        "the most windows of the training with which cost and gamma are chosen", 10, 1e6);
  visit("linear-costs", options.linear_costs, "values of C to choose the linear machine's from",
        1e-9, 1e6);
  visit("costs", options.costs, "values of C to choose the RBF kernel's from", 1e-9, 1e6);
  visit("gammas", options.gammas,
        "values of gamma to choose from; the kernel is exp(-gamma |a - b|^2)", 1e-9, 1e6);
  visit.bytes("kernel-memory", options.kernel_bytes,
              "the most memory for the matrix of the kernel, four bytes per pair of windows");
  describe(visit, options.scan);
  visit.group("hog", options.hog);
}

KernelComparison compare_kernels(const TrainData& training, const TrainData& test,
                                 const CompareKernelsOptions& options) {
  return KernelStudy(training, test, options).run();
}

}  // namespace fovea::people
