// Trains and measures one linear classifier per variant of the descriptor, all from the same
// windows.
#include <fovea/core/error.h>
#include <fovea/ops/linear_svm.h>
#include <fovea/people/measure.h>
#include <fovea/people/study.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/timing/seconds.h"
#include "core/words.h"
#include "people/hog/hog_layout.h"
#include "people/model_parts.h"
#include "people/study/study_windows.h"
#include "people/train/mine_images.h"
#include "people/train/train_linear_windows.h"

namespace fovea::people {
namespace {

constexpr float kStudyMargin = -1;  // windows above it change the classifier

std::vector<StudyParameter> chosen_parameters(const StudyOptions& options) {
  std::vector<StudyParameter> all = study_parameters(options.hog);
  if (options.vary.empty()) return all;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const StudyParameter& each : all) names.push_back(each.name);
  std::vector<StudyParameter> chosen;
  chosen.reserve(options.vary.size());
  for (const std::string& name : options.vary) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InvalidArgument(fmt::format("study: there is no parameter '{}'; expected one of {}",
                                        name, fmt::join(names, ", ")));
    const bool twice = std::any_of(chosen.begin(), chosen.end(),
                                   [&](const StudyParameter& each) { return each.name == name; });
    if (twice) throw InvalidArgument(fmt::format("study: parameter '{}' is given twice", name));
    chosen.push_back(all[static_cast<std::size_t>(found - names.begin())]);
  }
  return chosen;
}

void require_images(const StudyData& data) {
  const std::pair<const ImageSet&, const char*> sets[] = {{data.positives, "positives"},
                                                          {data.negatives, "negatives"},
                                                          {data.test_positives, "test positives"},
                                                          {data.test_negatives, "test negatives"}};
  for (const auto& [images, name] : sets)
    if (images.count() < 1) throw InvalidArgument(fmt::format("study: there are no {}", name));
}

// The pixels around the default's window that some variant needs.
int widest_margin(const StudyOptions& options, const std::vector<StudyParameter>& parameters) {
  int margin = surrounding_pixels(options.hog);
  for (const StudyParameter& parameter : parameters)
    for (const StudyValue& value : parameter.values)
      margin = std::max(margin, surrounding_pixels(value.hog));
  return margin;
}

class Study {
 public:
  Study(const StudyData& data, const StudyOptions& options);
  StudyReport run();

 private:
  StudyVariant measure(const HogOptions& hog);
  LinearModel learn(const HogOptions& hog, int& hard_windows);
  SampleRows make_room(const HogOptions& hog) const;
  void solve(SampleRows& samples, LinearModel& model) const;
  void finish(StudyVariant& variant);

  const StudyOptions& options_;
  Exec quiet_;  // the CPU, without progress
  StudyReport report_;
  std::atomic<std::int64_t> bytes_left_;
  KeptImages negatives_, test_positives_, test_negatives_;
  CutWindows people_, others_;
  std::vector<Extent> sizes_;  // of the negatives
  std::size_t done_ = 0, total_ = 1;
};

Exec study_exec(const Exec& exec) {
  Exec quiet = exec;
  quiet.device = Device::cpu();
  return quiet;
}

Study::Study(const StudyData& data, const StudyOptions& options)
    : options_(options),
      quiet_(study_exec(options.exec)),
      bytes_left_(static_cast<std::int64_t>(options.image_bytes)),
      negatives_(data.negatives, bytes_left_),
      test_positives_(data.test_positives, bytes_left_),
      test_negatives_(data.test_negatives, bytes_left_),
      people_({}),
      others_({}) {
  require_images(data);
  report_.parameters = chosen_parameters(options);
  for (const StudyParameter& parameter : report_.parameters) total_ += parameter.values.size();
  const CutPlan cut{options.hog.window, widest_margin(options, report_.parameters), options.train,
                    quiet_};
  people_ = cut_middles(data.positives, cut);
  others_ = cut_random_windows(negatives_, cut);
  if (options.train.rounds > 0) {
    sizes_.resize(static_cast<std::size_t>(negatives_.count()));
    for_each_image({"looking through images", negatives_.count()}, quiet_, [&](int i) {
      const Image<std::uint8_t> image = negatives_.read(i);
      sizes_[static_cast<std::size_t>(i)] = {image.width(), image.height()};
    });
  }
  quiet_.progress = {};
  report_.positives = static_cast<std::int64_t>(people_.count()) * (options.train.mirror ? 2 : 1);
  report_.random_windows = others_.count();
}

SampleRows Study::make_room(const HogOptions& hog) const {
  const int size = descriptor_size(hog);
  const std::int64_t least = report_.positives + report_.random_windows;
  const std::int64_t wanted =
      least + static_cast<std::int64_t>(options_.train.hard_windows) * options_.train.rounds;
  const auto row_bytes = static_cast<std::int64_t>(
      static_cast<std::size_t>(detail::padded_stride(size, 1, sizeof(float))) * sizeof(float));
  const auto most =
      std::min<std::int64_t>(static_cast<std::int64_t>(options_.train.sample_bytes) / row_bytes,
                             std::numeric_limits<int>::max());
  if (most < least)
    throw InvalidArgument(fmt::format(
        "study: {} bytes for samples hold {} of {} numbers, but there are {}; raise the memory to "
        "{} or take fewer random windows",
        options_.train.sample_bytes, most, size, least, least * row_bytes));
  return {Image<float>(size, static_cast<int>(std::min(wanted, most))), 0};
}

void Study::solve(SampleRows& samples, LinearModel& model) const {
  std::vector<std::int8_t> labels(static_cast<std::size_t>(samples.used), -1);
  std::fill_n(labels.begin(), report_.positives, std::int8_t{1});
  LinearSvm svm =
      train_linear_svm(samples.rows.view().crop(0, 0, samples.rows.width(), samples.used), labels,
                       {}, {.cost = options_.train.cost, .exec = quiet_});
  model.weights = std::move(svm.weights);
  model.bias = svm.bias;
}

LinearModel Study::learn(const HogOptions& hog, int& hard_windows) {
  const LinearTrainOptions& train = options_.train;
  const ScanOptions search{
      .ratio = train.ratio, .stride = train.stride, .enlarge = train.enlarge, .padding = 0};
  SampleRows samples = make_room(hog);
  const TrainData with_people{people_, negatives_}, without{others_, negatives_};
  TrainWindows people({Kind::kHog, hog, with_people, search, sizes_}, quiet_);
  TrainWindows others({Kind::kHog, hog, without, search, sizes_}, quiet_);
  people.describe_positives(train.mirror, samples);
  others.describe_positives(false, samples);
  LinearModel model{hog, {}, 0};
  solve(samples, model);
  std::vector<WindowPlace> known;
  for (int round = 0; round < train.rounds; ++round) {
    const std::vector<WindowPlace> found =
        hard_places({Kind::kHog, model, search, known, std::min(train.hard_windows, samples.room()),
                     kStudyMargin},
                    negatives_, quiet_);
    if (found.empty()) break;
    people.describe_places(found, samples);
    known.insert(known.end(), found.begin(), found.end());
    std::sort(known.begin(), known.end(), before);
    solve(samples, model);
  }
  hard_windows = static_cast<int>(known.size());
  return model;
}

StudyVariant Study::measure(const HogOptions& hog) {
  const double start = fovea::detail::seconds_now();
  StudyVariant variant{.hog = hog};
  auto model = std::make_shared<Model>();
  model->kind = Kind::kHog;
  model->stride = options_.train.stride;
  model->classifier = learn(hog, variant.hard_windows);
  MeasureOptions options;
  options.scan = {.ratio = options_.train.ratio, .stride = options_.train.stride, .padding = 0};
  options.exec = quiet_;
  variant.numbers = descriptor_size(hog);
  variant.report = measure_on_windows(model, test_positives_, test_negatives_, options).report;
  variant.seconds = fovea::detail::seconds_now() - start;
  return variant;
}

// The rate at which variants are compared is known once the windows have been counted.
void Study::finish(StudyVariant& variant) {
  if (report_.false_rate == 0)
    report_.false_rate =
        std::max(options_.false_rate, 1 / static_cast<double>(variant.report.negatives));
  variant.miss_rate = variant.report.miss_rate_at(report_.false_rate);
  variant.deviation = variant.report.deviation(variant.miss_rate);
}

StudyReport Study::run() {
  const auto advance = [&] {
    if (options_.exec.progress)
      options_.exec.progress(
          {"variants", static_cast<double>(++done_), static_cast<double>(total_)});
    if (options_.finished) options_.finished(report_);
  };
  report_.base = measure(options_.hog);
  report_.base.label = "default";
  finish(report_.base);
  advance();
  report_.variants.reserve(total_ - 1);
  for (const StudyParameter& parameter : report_.parameters)
    for (const StudyValue& value : parameter.values) {
      throw_if_stopped(options_.exec);
      StudyVariant variant = measure(value.hog);
      variant.parameter = parameter.name;
      variant.label = value.label;
      finish(variant);
      report_.variants.push_back(std::move(variant));
      advance();
    }
  return std::move(report_);
}

}  // namespace

void describe(OptionVisitor& visit, StudyOptions& options) {
  visit("vary", options.vary,
        "parameters to vary, with commas between them: gamma, color, smooth, mask, vote, bins, "
        "signed, interpolate, cell, block, aspect, overlap, sigma, shape, norm, epsilon, border; "
        "without it, all",
        {.words = {"gamma", "color", "smooth", "mask", "vote", "bins", "signed", "interpolate",
                   "cell", "block", "aspect", "overlap", "sigma", "shape", "norm", "epsilon",
                   "border"}});
  visit("false-rate", options.false_rate,
        "false positives per window at which miss rates are compared", 1e-9, 1);
  visit.bytes("memory", options.train.sample_bytes,
              "the most memory for samples of one variant, at least 64M", 64 << 20);
  visit.bytes(
      "image-memory", options.image_bytes,
      "the most memory for images that are kept, so that they are not read for each variant");
  visit.group("hog", options.hog);
  visit.group("linear", options.train);
}

StudyReport study(const StudyData& data, const StudyOptions& options) {
  check_options(options);
  check_geometry(options.hog);
  return Study(data, options).run();
}

}  // namespace fovea::people
