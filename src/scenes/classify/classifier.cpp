// The face of the system: computes features of images with the model's words and scores them with
// its classifier.
#include <fovea/core/error.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/dispatch.h"
#include "core/placed.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/scorer.h"
#include "scenes/train/train_images.h"
#include "scenes/words/code_plan.h"

namespace fovea::scenes {
namespace {

constexpr int kChunk = 512;  // images whose features are in memory at a time

std::shared_ptr<const Model> require_model(std::shared_ptr<const Model> model) {
  if (model == nullptr) throw InvalidArgument("Classifier: the model is null");
  if (model->classes.size() != static_cast<std::size_t>(model->classifier.classes))
    throw InvalidArgument(fmt::format("Classifier: the model has {} classes and {} names",
                                      model->classifier.classes, model->classes.size()));
  if (makes_negative(model->dictionary) && !takes_negative(model->classifier))
    throw InvalidArgument(
        "Classifier: the words of the model make negative numbers, but its classifier compares "
        "histograms");
  return model;
}

// One image is too little work to report progress on.
FeatureOptions feature_options(const Model& model, const ClassifyOptions& options) {
  FeatureOptions features;
  features.pyramid = model.pyramid;
  features.exec = options.exec;
  features.exec.progress = {};
  return features;
}

}  // namespace

struct Classifier::Impl {
  Impl(std::shared_ptr<const Model> given, const ClassifyOptions& chosen)
      : model(require_model(std::move(given))),
        options(chosen),
        features(feature_options(*model, chosen)),
        maker(model->dictionary, features),
        exec(detail::resolve_exec("Classifier", features.exec, {})),
        scorer(model->classifier, exec) {}

  Image<float> scores_of(std::span<const ImageView<const std::uint8_t>> images) {
    const auto count = static_cast<int>(images.size());
    if (rows.height() < count) {
      const ScopedDevice here(exec.device);
      rows = {};  // frees its memory before more is allocated
      rows = Image<float>(maker.length(), count, 1, detail::memory_of(exec.device));
    }
    const ImageView<float> some = rows.view().crop(0, 0, rows.width(), count);
    maker.make(images, some);
    return scorer.scores(some);
  }

  ClassifyResult result_of(ImageView<const float> scores, int row) const {
    const std::int32_t best = best_classes(scores.crop(0, row, scores.width, 1))[0];
    return {.name = model->classes[static_cast<std::size_t>(best)],
            .label = best,
            .score = scores.at(best, row),
            .scores = {scores.row(row), scores.row(row) + scores.width}};
  }

  void report(const ImageBatch& batch, const ClassifiedFn& each) const;

  std::shared_ptr<const Model> model;
  ClassifyOptions options;
  FeatureOptions features;
  FeatureMaker maker;
  Exec exec;  // on the resolved device
  Scorer scorer;
  Image<float> rows{};  // features, which stay on the device on which they are scored
};

// Reports images that could be read and those that could not, merged in the order of the set.
void Classifier::Impl::report(const ImageBatch& batch, const ClassifiedFn& each) const {
  auto failure = batch.failures.begin();
  const auto report_failures_before = [&](int place) {
    for (; failure != batch.failures.end() && failure->place < place; ++failure)
      each({.index = failure->place, .error = failure->why});
  };
  for (std::size_t i = 0; i < batch.places.size(); ++i) {
    report_failures_before(batch.places[i]);
    each({.index = batch.places[i], .result = result_of(batch.scores.view(), static_cast<int>(i))});
  }
  report_failures_before(std::numeric_limits<int>::max());
}

void describe(OptionVisitor&, ClassifyOptions&) {}

Classifier::Classifier(std::string_view model, const ClassifyOptions& options)
    : Classifier(load_model(model), options) {}
Classifier::Classifier(std::shared_ptr<const Model> model, const ClassifyOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

const Model& Classifier::model() const { return *impl_->model; }
const ClassifyOptions& Classifier::options() const { return impl_->options; }
const std::vector<std::string>& Classifier::classes() const { return impl_->model->classes; }

ClassifyResult Classifier::classify(ImageView<const std::uint8_t> image) {
  return std::move(classify({&image, 1})[0]);
}

std::vector<ClassifyResult> Classifier::classify(
    std::span<const ImageView<const std::uint8_t>> images) {
  std::vector<ClassifyResult> results;
  results.reserve(images.size());
  for (std::size_t first = 0; first < images.size(); first += kChunk) {
    throw_if_stopped(impl_->options.exec);
    const auto chunk = images.subspan(first, std::min<std::size_t>(kChunk, images.size() - first));
    const Image<float> scores = impl_->scores_of(chunk);
    for (int row = 0; row < scores.height(); ++row)
      results.push_back(impl_->result_of(scores.view(), row));
  }
  return results;
}

void Classifier::classify(const io::ImageSet& images, const ClassifiedFn& each) {
  std::vector<int> all(static_cast<std::size_t>(images.count()));
  std::iota(all.begin(), all.end(), 0);
  // The first batch is small, so that whoever waits for the first results, or stops early, gets
  // some.
  constexpr int kFirstBatch = 4;
  for_each_batch(ImageLoop{images, all, "classify", kFirstBatch}, impl_->options.exec,
                 {.work =
                      [&](ImageBatch& batch) {
                        std::vector<ImageView<const std::uint8_t>> views;
                        for (const Image<std::uint8_t>& image : batch.images)
                          views.push_back(image.view());
                        batch.scores = impl_->scores_of(views);
                      },
                  .write = [&](ImageBatch& batch) { impl_->report(batch, each); }});
}

ClassifyResult classify(ImageView<const std::uint8_t> image, std::string_view model,
                        const ClassifyOptions& options) {
  return Classifier(model, options).classify(image);
}

}  // namespace fovea::scenes
