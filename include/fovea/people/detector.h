#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/people/fuse.h>
#include <fovea/people/model.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fovea::people {

struct DetectOptions {
  ScanOptions scan{};
  FuseOptions fuse{};
  std::optional<double> threshold{};  // least score of a window; absent: the model's
  Exec exec{};
};

// A part of an image in which people are looked for.
struct Region {
  int x = 0;
  int y = 0;
  int width = 0;  // 0: the whole image
  int height = 0;
};

// What a scan looked at.
struct ScanCounts {
  std::int64_t windows = 0;
  std::int64_t evaluations = 0;  // blocks, or trees, looked at in them
};

struct DetectResult {
  std::vector<Detection> people;  // the surest first
  ScanCounts counts;
};

// Finds people in one image after another; keeps memory between them. One object serves one thread
// at a time; a model may serve any number of them. CPU and CUDA give the same people.
class FOVEA_API Detector {
 public:
  explicit Detector(Model model, DetectOptions options = {});
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;
  ~Detector();

  // An image of 1, 3 or 4 channels (gray, RGB, RGBA whose opacity does not count) in host or device
  // memory. Throws InvalidArgument that names both sizes where no window fits.
  DetectResult detect(ImageView<const std::uint8_t> image, const Region& region = {});
  // Only people whose middle lies on a pixel of the mask (the image's size, host memory) that is
  // not 0.
  DetectResult detect_within(ImageView<const std::uint8_t> mask,
                             ImageView<const std::uint8_t> image);

  // The score of the window in the middle of a crop that holds it and some of its surroundings.
  float score(ImageView<const std::uint8_t> crop);
  // Every window's score of a whole image, unfused, whatever the threshold: for curves.
  std::vector<float> scores(ImageView<const std::uint8_t> image, ScanCounts* counts = nullptr);

  const Model& model() const;
  const DetectOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::people
