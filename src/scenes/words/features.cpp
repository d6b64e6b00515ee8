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
  check_code(kName, dictionary);
  if (dictionary.beside.size() > 1)
    throw InvalidArgument(fmt::format("{}: {} dictionaries beside another, expected at most one",
                                      kName, dictionary.beside.size()));
  for (const Dictionary& other : dictionary.beside) {
    if (!other.beside.empty())
      throw InvalidArgument(
          fmt::format("{}: a dictionary beside another has one beside it", kName));
    check_dictionary(other, pyramid);
  }
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

std::unique_ptr<WordEngine> word_engine(const FeaturePlan& plan) {
  return detail::on_cuda(plan.exec) ? cuda::make_word_engine(plan) : cpu::make_word_engine(plan);
}

// The features of one dictionary, and where they begin in a row.
struct FeaturePart {
  std::unique_ptr<FeatureEngine> engine;
  int first = 0;
  int length = 0;
};

FeaturePart make_part(const Dictionary& dictionary, const FeatureOptions& options, int first) {
  const FeaturePlan plan = plan_of(dictionary, options);
  const int length = dictionary.code.length(dictionary.size()) * pyramid_cells(options.pyramid);
  if (dictionary.code.coding == Coding::kHard) return {word_engine(plan), first, length};
  const CodePlan code = code_plan(dictionary.code, dictionary.size());
  return {detail::on_cuda(options.exec) ? cuda::make_code_engine(plan, code)
                                        : cpu::make_code_engine(plan, code),
          first, length};
}

}  // namespace

std::unique_ptr<PlaceShares> make_place_shares(const Dictionary& dictionary, int pyramid,
                                               const Exec& exec) {
  check_dictionary(dictionary, pyramid);
  FeatureOptions options{.pyramid = pyramid, .exec = exec};
  options.exec.device = Device::cpu();
  FeaturePart part = make_part(dictionary, options, 0);
  if (dynamic_cast<PlaceShares*>(part.engine.get()) == nullptr)
    throw InvalidArgument("explain: these features cannot be divided");
  return std::unique_ptr<PlaceShares>(dynamic_cast<PlaceShares*>(part.engine.release()));
}

int feature_length(const Dictionary& dictionary, int pyramid) {
  int length = dictionary.code.length(dictionary.size()) * pyramid_cells(pyramid);
  for (const Dictionary& other : dictionary.beside) length += feature_length(other, pyramid);
  return length;
}

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
  std::vector<FeaturePart> parts{};
  // Finds words where they are asked for; made of a copy of the words where features are others.
  FeaturePlan words_plan{};
  Image<float> words{};
  std::unique_ptr<WordEngine> words_engine{};

  WordEngine& word_finder() {
    if (auto* counting = dynamic_cast<WordEngine*>(parts[0].engine.get())) return *counting;
    if (words_engine == nullptr) words_engine = word_engine(words_plan);
    return *words_engine;
  }
};

FeatureMaker::FeatureMaker(const Dictionary& dictionary, const FeatureOptions& options) {
  check_dictionary(dictionary, options.pyramid);
  FeatureOptions resolved = options;
  resolved.exec = detail::resolve_exec(kName, options.exec, {dictionary.words.view()});
  impl_ = std::make_unique<Impl>(Impl{
      dictionary.descriptor, feature_length(dictionary, options.pyramid), options, resolved.exec});
  impl_->parts.push_back(make_part(dictionary, resolved, 0));
  for (const Dictionary& other : dictionary.beside)
    impl_->parts.push_back(make_part(other, resolved, impl_->parts.back().length));
  if (dictionary.code.coding == Coding::kHard) return;
  impl_->words = clone(dictionary.words);
  impl_->words_plan = plan_of(dictionary, resolved);
  impl_->words_plan.words = impl_->words;
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
  if (images.empty()) return;
  for (const FeaturePart& part : impl_->parts)
    part.engine->make(images, features.crop(part.first, 0, part.length, features.height));
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
  impl_->word_finder().words(image, words);
  return words;
}

}  // namespace fovea::scenes
