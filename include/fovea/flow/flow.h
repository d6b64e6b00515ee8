#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/flow/block_matching.h>
#include <fovea/flow/lucas_kanade.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace fovea::flow {

// What moved where: pixel (x, y) of the first image is found at (x + u, y + v) of the second.
struct Flow {
  Image<float> u;           // pixels, to the right
  Image<float> v;           // pixels, downwards
  Image<float> confidence;  // 0 (a guess, or left out by the mask) to 1
};

enum class Method : unsigned char { kLucasKanade, kBlockMatching };
FOVEA_API std::span<const Choice> choices(Method);

struct FlowOptions {
  Method method = Method::kLucasKanade;
  LucasKanadeOptions lk{};
  BlockMatchingOptions bm{};
  std::uint64_t memory_bytes = 0;  // of the device's memory, at most; larger images are worked on
                                   // in tiles. 0: what a GPU has free; no limit on the CPU
  Exec exec{};
};

// Flow of one pair after another, or along a video; keeps memory between them. One object serves
// one thread at a time. Images have 1, 3 or 4 channels (opacity does not count) in host or device
// memory, of 8 or 16 bits or float; gray values are compared, whatever their scale.
class FOVEA_API Estimator {
 public:
  explicit Estimator(const FlowOptions& options = {});
  Estimator(Estimator&&) noexcept;
  Estimator& operator=(Estimator&&) noexcept;
  ~Estimator();

  // From the first image to the second, which has its size. Pixels whose mask (host memory, the
  // images' size, or empty) is 0 are left out, of their neighbors' windows too: flow and
  // confidence 0. The result lies where the first image does.
  template <class T>
  Flow estimate(ImageView<const T> first, ImageView<const T> second,
                ImageView<const std::uint8_t> mask = {}) {
    Flow flow;
    estimate(first, second, flow, mask);
    return flow;
  }
  template <class T>
  Flow estimate(const Image<T>& first, const Image<T>& second,
                ImageView<const std::uint8_t> mask = {}) {
    return estimate(first.view(), second.view(), mask);
  }
  // Into a field that was used before: its memory serves again where it fits. Taking memory of a
  // GPU costs as much time as a small pair.
  template <class T>
  void estimate(ImageView<const T> first, ImageView<const T> second, Flow& flow,
                ImageView<const std::uint8_t> mask = {});

  // From the frame before to this one; none for the first. What is computed of one frame alone is
  // computed once.
  template <class T>
  std::optional<Flow> next(ImageView<const T> frame, ImageView<const std::uint8_t> mask = {}) {
    Flow flow;
    if (!next(frame, flow, mask)) return {};
    return flow;
  }
  template <class T>
  std::optional<Flow> next(const Image<T>& frame, ImageView<const std::uint8_t> mask = {}) {
    return next(frame.view(), mask);
  }
  // Likewise; false, and the field as it was, for the first.
  template <class T>
  bool next(ImageView<const T> frame, Flow& flow, ImageView<const std::uint8_t> mask = {});
  // The next frame is a first one again.
  void restart();

  const FlowOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::flow
