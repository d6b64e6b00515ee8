// The interface between the face of features and its twins: one engine per device, which keeps the
// dictionary and its memory.
#pragma once
#include <fovea/scenes/dictionary.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scenes/words/code_plan.h"
#include "scenes/words/word_squares.h"

namespace fovea::scenes {

// What an engine is made for. The options are checked, and the device is resolved.
struct FeaturePlan {
  DescriptorOptions descriptor{};
  // One per number of a descriptor; empty if numbers are not standardized (standardized(),
  // bank_math.h).
  std::vector<float> scale;
  std::vector<float> offset;
  ImageView<const float> words{};  // in host memory; valid only while the engine is made
  int pyramid = 0;
  Exec exec{};
};

// Makes the features of images.
class FeatureEngine {
 public:
  FeatureEngine() = default;
  FeatureEngine(const FeatureEngine&) = delete;
  FeatureEngine& operator=(const FeatureEngine&) = delete;
  virtual ~FeatureEngine() = default;

  // Images have 1 or 3 channels and are not empty. Writes one row of features per image, in host
  // memory or where the engine computes.
  virtual void make(std::span<const ImageView<const std::uint8_t>> images,
                    ImageView<float> features) = 0;
};

// Counts words (hard coding), and can show them too.
class WordEngine : public FeatureEngine {
 public:
  // Finds the words of the first grid's places; `words` has the grid's size and lies in host
  // memory.
  virtual void words(ImageView<const std::uint8_t> image, ImageView<std::uint16_t> words) = 0;
};

// Divides what the features of an image add to a sum among the places that they were made of.
// Engines of the CPU can do so.
class PlaceShares {
 public:
  PlaceShares() = default;
  PlaceShares(const PlaceShares&) = delete;
  PlaceShares& operator=(const PlaceShares&) = delete;
  virtual ~PlaceShares() = default;

  // Returns the features of an image, as FeatureEngine::make() does, and keeps what the functions
  // below need to know of it.
  virtual std::vector<float> look(ImageView<const std::uint8_t> image) = 0;
  // Which share of the places of that image has each word.
  virtual std::vector<double> word_places() const = 0;
  // Adds to `heat`, which has the size of that same image, what each of its places has of `values`,
  // one per feature, and to `squares` where its words are. See SceneExplanation.
  virtual void share_out(ImageView<const std::uint8_t> image, std::span<const double> values,
                         ImageView<double> heat, WordSquares& squares) = 0;
};
// Throws as FeatureMaker does. The device of `exec` is not used.
std::unique_ptr<PlaceShares> make_place_shares(const Dictionary& dictionary, int pyramid,
                                               const Exec& exec);

// A code engine sums up places by another coding; it does not read the words of the plan.
namespace cpu {
std::unique_ptr<WordEngine> make_word_engine(const FeaturePlan& plan);
std::unique_ptr<FeatureEngine> make_code_engine(const FeaturePlan& plan, const CodePlan& code);
}  // namespace cpu
namespace cuda {
std::unique_ptr<WordEngine> make_word_engine(const FeaturePlan& plan);
std::unique_ptr<FeatureEngine> make_code_engine(const FeaturePlan& plan, const CodePlan& code);
}  // namespace cuda

}  // namespace fovea::scenes
