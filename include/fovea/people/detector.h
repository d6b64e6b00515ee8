#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/people/fuse.h>
#include <fovea/people/model.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace fovea::people {

struct DetectOptions {
  std::optional<double> threshold{};  // least score of a window; absent: the model's own
  // Instead of a threshold: the least confidence of a window, by the model's calibration.
  std::optional<double> confidence{};
  std::optional<Rect<int>> region{};  // the part of each image that is searched; absent: all of it
  ScanOptions scan{};
  FuseOptions fuse{};
  Exec exec{};
};
// Lists every field but exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, DetectOptions& options);

// The least score of a window that counts, by the options or else the model. Throws InvalidArgument
// for a confidence beside a threshold, or for a model without a calibration.
FOVEA_API double least_score(const Model& model, const DetectOptions& options);

// How much work a search was.
struct ScanCounts {
  std::int64_t windows = 0;
  std::int64_t evaluations = 0;  // blocks or trees that were evaluated in all windows together
  std::int64_t zero_weight_windows = 0;  // windows with a sufficient score that mean shift left
                                         // out, because their weight is 0: see FuseWeights
};
FOVEA_API void describe(FieldVisitor& visit, ScanCounts& counts);

struct DetectResult {
  Extent size{};  // of the image
  ScanCounts counts{};
  std::vector<Detection> people{};  // the highest score first
};
FOVEA_API void describe(FieldVisitor& visit, DetectResult& result);

// Finds people in one image after another and keeps its memory between them. One detector serves
// one thread at a time; any number of detectors may share a model. The CPU and a GPU find the same
// people.
class FOVEA_API Detector {
 public:
  // The name of a shipped model, such as "people/channels", or a file: see load_model().
  explicit Detector(std::string_view model, const DetectOptions& options = {});
  // A model that the detector shares and keeps alive.
  explicit Detector(std::shared_ptr<const Model> model, const DetectOptions& options = {});
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;
  ~Detector();

  // `image` has 1, 3 or 4 channels (gray, RGB, or RGBA, whose opacity is ignored) in host or device
  // memory. Throws InvalidArgument where no window fits into it, with the sizes of both, and where
  // options.region is not part of it.
  DetectResult detect(ImageView<const std::uint8_t> image);
  // Keeps only people whose center lies on a pixel of `mask` that is not 0. The mask has one
  // channel and the size of the image, and lies in host memory.
  DetectResult detect(ImageView<const std::uint8_t> image, ImageView<const std::uint8_t> mask);

  // The score of the window in the middle of a crop, which may show some surroundings as well.
  float score(ImageView<const std::uint8_t> crop);
  // The scores of all windows of an image, whatever the threshold, without fusing. Curves of miss
  // rate over false positives per window are made from them.
  std::vector<float> scores(ImageView<const std::uint8_t> image, ScanCounts* counts = nullptr);

  const Model& model() const;
  const DetectOptions& options() const;

 private:
  friend struct TimedDetector;  // for benchmarks
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One image alone. To search several, make a Detector, which reads the model once.
FOVEA_API DetectResult detect(ImageView<const std::uint8_t> image, std::string_view model,
                              const DetectOptions& options = {});

}  // namespace fovea::people
