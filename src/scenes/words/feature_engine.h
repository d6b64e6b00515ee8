// Between the face of features and its twins: one engine per device, which keeps the dictionary and
// its memory.
#pragma once
#include <fovea/scenes/dictionary.h>

#include <memory>
#include <span>
#include <vector>

namespace fovea::scenes {

// What an engine is made for. Checked; the device is resolved.
struct FeaturePlan {
  DescriptorOptions descriptor{};
  // One per number of a descriptor; empty where numbers are taken as they are (standardized(),
  // bank_math.h).
  std::vector<float> scale;
  std::vector<float> offset;
  ImageView<const float> words{};  // in host memory, as long as the engine is being made
  int pyramid = 0;
  Exec exec{};
};

class FeatureEngine {
 public:
  FeatureEngine() = default;
  FeatureEngine(const FeatureEngine&) = delete;
  FeatureEngine& operator=(const FeatureEngine&) = delete;
  virtual ~FeatureEngine() = default;

  // Images of 1 or 3 channels, none of them empty; one row of features per image, in host memory.
  virtual void make(std::span<const ImageView<const std::uint8_t>> images,
                    ImageView<float> features) = 0;
  // The words of the first grid's places; `words` has the grid's size and lies in host memory.
  virtual void words(ImageView<const std::uint8_t> image, ImageView<std::uint16_t> words) = 0;
};

namespace cpu {
std::unique_ptr<FeatureEngine> make_feature_engine(const FeaturePlan& plan);
}
namespace cuda {
std::unique_ptr<FeatureEngine> make_feature_engine(const FeaturePlan& plan);
}

}  // namespace fovea::scenes
