#include "bench/scenes/scenes_corpus.h"

#include <fovea/io/image_io.h>
#include <fovea/scenes/features.h>

#include <algorithm>

#include "bench/natural_scene.h"

namespace fovea::cli {
namespace {

constexpr int kWidth = 246, kHeight = 310;  // average size of a photo
constexpr int kPhotos = 1491;
constexpr int kPatterns = 40;  // number of different photos
constexpr int kWords = 500;
constexpr int kBankNumbers = 32;
constexpr double kFilterOperations = 2 * 832;  // per pixel, separable, sharing row passes

Image<std::uint8_t> make_photo(std::uint64_t number) {
  return io::to_gray(NaturalScene({kWidth, kHeight}, 100 + number).frame().view());
}

struct Photos {
  std::vector<Image<std::uint8_t>> images;
  std::vector<ImageView<const std::uint8_t>> views;
};
Photos make_photos(int count, Memory memory) {
  Photos photos;
  for (int i = 0; i < std::min(count, kPatterns); ++i) {
    Image<std::uint8_t> photo = make_photo(static_cast<std::uint64_t>(i));
    photos.images.push_back(memory == Memory::kHost ? std::move(photo) : clone(photo, memory));
  }
  for (int i = 0; i < count; ++i)
    photos.views.push_back(photos.images[static_cast<std::size_t>(i) % photos.images.size()]);
  return photos;
}

scenes::Dictionary make_dictionary() {
  constexpr int kSamples = 200, kIterations = 5;
  const Exec exec{.device = Device::cpu()};
  Image<float> samples(kBankNumbers, kPatterns * kSamples);
  for (int i = 0; i < kPatterns; ++i)
    copy(scenes::sample_descriptors(make_photo(static_cast<std::uint64_t>(i)), i, kSamples,
                                    {.exec = exec})
             .view(),
         samples.view().crop(0, i * kSamples, kBankNumbers, kSamples));
  scenes::DictionaryOptions options;
  options.words = kWords;
  options.kmeans.start = KmeansStart::kSpread;
  options.kmeans.max_iterations = kIterations;
  options.exec = exec;
  return scenes::learn_dictionary(samples, {}, options);
}

// The data that is made once per device.
struct Making {
  Photos photos;
  scenes::FeatureMaker maker;
  Image<float> features;
};

}  // namespace

BenchCase scenes_corpus_case() {
  constexpr double kPixels = static_cast<double>(kWidth) * kHeight * kPhotos;
  return {.name = "scenes_corpus",
          .shape = {.width = kWidth, .height = kHeight * kPhotos},
          .bytes = kPixels,
          .operations = kPixels * (2.0 * kWords * kBankNumbers + kFilterOperations),
          .prepare = [](Memory memory) -> BenchWork {
            const auto making = std::make_shared<std::unique_ptr<Making>>();
            return [=](const Exec& exec) {
              if (!*making) {
                scenes::FeatureOptions own;
                own.exec = exec;
                own.exec.stream = nullptr;  // the clock's stream ends with the first measurement
                *making = std::make_unique<Making>(Making{
                    make_photos(kPhotos, memory), scenes::FeatureMaker(make_dictionary(), own),
                    Image<float>(kWords, kPhotos)});
              }
              (*making)->maker.make((*making)->photos.views, (*making)->features);
            };
          }};
}

}  // namespace fovea::cli
