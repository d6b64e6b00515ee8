#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/io/image_set.h>
#include <fovea/scenes/model.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::scenes {

struct ClassifyOptions {
  Exec exec{};
};
// A classifier has no options besides `exec`, which programs describe themselves.
FOVEA_API void describe(OptionVisitor& visit, ClassifyOptions& options);

// Which kind of place an image shows.
struct ClassifyResult {
  std::string name;           // name of the class with the greatest score
  int label = -1;             // its number in the model, from 0
  float score = 0;            // its score
  std::vector<float> scores;  // one per class, in the model's order; from 0 to 1, with a sum of 1
                              // (unless the model was trained without calibration)
};
FOVEA_API void describe(FieldVisitor& visit, ClassifyResult& result);

// What stands beside the results of several images.
struct ClassNames {
  std::vector<std::string> classes;  // by label
};
FOVEA_API void describe(FieldVisitor& visit, ClassNames& names);

// What became of one image of a set.
struct ClassifiedImage {
  int index = 0;                           // the image's number in the set
  std::optional<ClassifyResult> result{};  // empty where the image cannot be read
  std::string error{};                     // why it cannot be read
};
using ClassifiedFn = std::function<void(const ClassifiedImage&)>;

// Classifies which kind of place an image shows, by the visual words in it and a trained model:
//   scenes::Classifier classifier("scenes/sun8");
//   const auto place = classifier.classify(image);
// Keeps the model's words prepared on the device of `exec`. One object serves one thread at a time.
class FOVEA_API Classifier {
 public:
  // The name of a shipped model, such as "scenes/sun8", or a file: see load_model().
  explicit Classifier(std::string_view model, const ClassifyOptions& options = {});
  // A model that the classifier shares and keeps alive.
  explicit Classifier(std::shared_ptr<const Model> model, const ClassifyOptions& options = {});
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  const Model& model() const;
  const ClassifyOptions& options() const;
  const std::vector<std::string>& classes() const;  // the names, by label

  // The image has 1 or 3 channels of bytes (gray, RGB), in host or device memory.
  ClassifyResult classify(ImageView<const std::uint8_t> image);
  // Many images of any sizes, which a GPU takes in a few launches. One result per image.
  std::vector<ClassifyResult> classify(std::span<const ImageView<const std::uint8_t>> images);
  // The images of a set, some of which are decoded on all threads while earlier ones are
  // classified. `each` is called by the calling thread, once per image and in their order. Where
  // a stop is requested, this function throws Cancelled after `each` has had all finished images.
  void classify(const io::ImageSet& images, const ClassifiedFn& each);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The classifier used once.
FOVEA_API ClassifyResult classify(ImageView<const std::uint8_t> image, std::string_view model,
                                  const ClassifyOptions& options = {});

}  // namespace fovea::scenes
