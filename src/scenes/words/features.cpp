// The face of features: checks its arguments and passes images to the engine of the device.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/features.h>

#include <fmt/format.h>

#include <cmath>

#include "core/dispatch.h"
#include "scenes/describe/describe.h"
#include "scenes/words/feature_engine.h"
#include "scenes/words/features_math.h"

namespace fovea::scenes {
namespace {

constexpr const char* kName = "FeatureMaker";

void check_dictionary(const Dictionary& dictionary, int pyramid) {
  check_descriptor(dictionary.descriptor);
  const int numbers = dimensions(dictionary.descriptor);
  if (dictionary.size() < kLeastWords || dictionary.size() > kMostWords)
    throw InvalidArgument(fmt::format("{}: a dictionary of {} words, expected {} to {}", kName,
                                      dictionary.size(), kLeastWords, kMostWords));
  if (dictionary.words.width() != numbers || dictionary.words.channels() != 1)
    throw InvalidArgument(fmt::format("{}: words of {} numbers, expected {} of these descriptors",
                                      kName, dictionary.words.width(), numbers));
  for (const auto* part : {&dictionary.mean, &dictionary.scale})
    if (part->size() != dictionary.mean.size() ||
        (!part->empty() && part->size() != static_cast<std::size_t>(numbers)))
      throw InvalidArgument(fmt::format("{}: {} means and {} scales, expected {} or none", kName,
                                        dictionary.mean.size(), dictionary.scale.size(), numbers));
  if (pyramid < 0 || pyramid > kMostPyramid)
    throw InvalidArgument(
        fmt::format("{}: pyramid is {}, expected 0 to {} levels", kName, pyramid, kMostPyramid));
}

FeaturePlan plan_of(const Dictionary& dictionary, const FeatureOptions& options) {
  FeaturePlan plan;
  plan.descriptor = dictionary.descriptor;
  plan.scale = dictionary.scale;
  for (std::size_t i = 0; i < dictionary.mean.size(); ++i)
    plan.offset.push_back(-(dictionary.mean[i] * dictionary.scale[i]));
  plan.words = dictionary.words;
  plan.pyramid = options.pyramid;
  plan.exec = options.exec;
  return plan;
}

}  // namespace

void describe(OptionVisitor& visit, FeatureOptions& options) {
  visit("pyramid", options.pyramid,
        "levels of the spatial pyramid: 1 counts words in the quarters of the image as well, 2 in "
        "its sixteenths too",
        0, kMostPyramid);
}

struct FeatureMaker::Impl {
  DescriptorOptions descriptor;
  int length;
  FeatureOptions options;
  Exec exec;  // on the resolved device
  std::unique_ptr<FeatureEngine> engine;
};

FeatureMaker::FeatureMaker(const Dictionary& dictionary, const FeatureOptions& options) {
  check_dictionary(dictionary, options.pyramid);
  FeatureOptions resolved = options;
  resolved.exec = detail::resolve_exec(kName, options.exec, {dictionary.words.view()});
  const FeaturePlan plan = plan_of(dictionary, resolved);
  impl_ = std::make_unique<Impl>(
      Impl{dictionary.descriptor, dictionary.size() * pyramid_cells(options.pyramid), options,
           resolved.exec,
           detail::on_cuda(resolved.exec) ? cuda::make_feature_engine(plan)
                                          : cpu::make_feature_engine(plan)});
}
FeatureMaker::FeatureMaker(FeatureMaker&&) noexcept = default;
FeatureMaker& FeatureMaker::operator=(FeatureMaker&&) noexcept = default;
FeatureMaker::~FeatureMaker() = default;

const FeatureOptions& FeatureMaker::options() const { return impl_->options; }

int FeatureMaker::length() const { return impl_->length; }

void FeatureMaker::make(std::span<const ImageView<const std::uint8_t>> images,
                        ImageView<float> features) {
  constexpr const char* kMake = "FeatureMaker::make";
  for (const auto& image : images) {
    check_image(kMake, image);
    detail::require_chosen(kMake, impl_->exec, impl_->options.exec.device, {image});
  }
  detail::require_shape(kMake, "features", features, impl_->length, static_cast<int>(images.size()),
                        1);
  detail::require_chosen(kMake, impl_->exec, impl_->options.exec.device, {features});
  if (!images.empty()) impl_->engine->make(images, features);
}

std::vector<float> FeatureMaker::make(ImageView<const std::uint8_t> image) {
  std::vector<float> features(static_cast<std::size_t>(impl_->length));
  make({&image, 1}, packed_view(features.data(), impl_->length, 1));
  return features;
}

Image<std::uint16_t> FeatureMaker::words(ImageView<const std::uint8_t> image) {
  constexpr const char* kWords = "FeatureMaker::words";
  check_image(kWords, image);
  detail::require_chosen(kWords, impl_->exec, impl_->options.exec.device, {image});
  const PlaceGrid grid = place_grids(impl_->descriptor, image.width, image.height).front();
  Image<std::uint16_t> words(grid.columns, grid.rows);
  impl_->engine->words(image, words);
  return words;
}

}  // namespace fovea::scenes
