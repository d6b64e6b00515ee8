#include "bench/scenes/scenes_codes.h"

#include <fovea/io/image_io.h>
#include <fovea/scenes/features.h>

#include <memory>
#include <string>

#include "bench/natural_scene.h"

namespace fovea::cli {
namespace {

constexpr int kCodedWidth = 310, kCodedHeight = 246;
constexpr int kNumbers = 128;  // of a descriptor of gradients
constexpr int kCodedComponents = 64;
constexpr int kLearnedPhotos = 8, kLearnedSamples = 1000;
constexpr int kLevels = 1;  // of the pyramid

struct CodeRow {
  const char* name;
  scenes::Coding coding;
  int words;
};
// Hard and soft coding with as many words as the paper has, the others with fewer.
constexpr CodeRow kRows[] = {{"scenes_code_hard", scenes::Coding::kHard, 500},
                             {"scenes_code_soft", scenes::Coding::kSoft, 500},
                             {"scenes_code_vlad", scenes::Coding::kVlad, 64},
                             {"scenes_code_fisher", scenes::Coding::kFisher, 64}};

Image<std::uint8_t> coded_photo(std::uint64_t seed) {
  return io::to_gray(NaturalScene({kCodedWidth, kCodedHeight}, seed).frame().view());
}

scenes::Dictionary learn_row(const CodeRow& row) {
  const scenes::DescriptorOptions descriptor{.words = scenes::WordSource::kGradients,
                                             .exec = {.device = Device::cpu()}};
  Image<float> samples(kNumbers, kLearnedPhotos * kLearnedSamples);
  for (int i = 0; i < kLearnedPhotos; ++i)
    copy(scenes::sample_descriptors(coded_photo(200 + static_cast<std::uint64_t>(i)), i,
                                    kLearnedSamples, descriptor)
             .view(),
         samples.view().crop(0, i * kLearnedSamples, kNumbers, kLearnedSamples));
  scenes::DictionaryOptions options{
      .words = row.words, .coding = row.coding, .components = kCodedComponents};
  options.kmeans.start = KmeansStart::kSpread;
  options.kmeans.max_iterations = 5;
  options.exec = descriptor.exec;
  return scenes::learn_dictionary(samples, descriptor, options);
}

double operations_of(const CodeRow& row) {
  double places = 0;
  for (const scenes::PlaceGrid& grid :
       scenes::place_grids({.words = scenes::WordSource::kGradients}, kCodedWidth, kCodedHeight))
    places += static_cast<double>(grid.count());
  if (row.coding == scenes::Coding::kHard) return 2 * places * kNumbers * row.words;
  const double scores = row.coding == scenes::Coding::kVlad ? 1 : 2;  // squares too
  return 2 * places * kCodedComponents * (kNumbers + scores * row.words);
}

BenchCase code_case(const CodeRow& row) {
  return {.name = row.name,
          .shape = {.width = kCodedWidth, .height = kCodedHeight},
          .bytes = static_cast<double>(kCodedWidth) * kCodedHeight,
          .operations = operations_of(row),
          .prepare = [row](Memory memory) -> BenchWork {
            const auto photo =
                std::make_shared<Image<std::uint8_t>>(clone(coded_photo(13), memory));
            const auto maker = std::make_shared<std::unique_ptr<scenes::FeatureMaker>>();
            return [=](const Exec& exec) {
              if (!*maker) {
                scenes::FeatureOptions options;
                options.pyramid = kLevels;
                options.exec = exec;
                options.exec.stream = nullptr;  // the clock's stream ends with a measurement
                *maker = std::make_unique<scenes::FeatureMaker>(learn_row(row), options);
              }
              (*maker)->make(photo->view());
            };
          }};
}

}  // namespace

std::vector<BenchCase> scenes_code_cases() {
  std::vector<BenchCase> cases;
  cases.reserve(std::size(kRows));
  for (const CodeRow& row : kRows) cases.push_back(code_case(row));
  return cases;
}

}  // namespace fovea::cli
