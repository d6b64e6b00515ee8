#pragma once
#include <fovea/scenes/dictionary.h>

#include <memory>
#include <span>
#include <vector>

namespace fovea::scenes {

// Of an image how often each word occurs in it: a histogram whose parts add up to 1. With a spatial
// pyramid (Lazebnik, Schmid and Ponce, CVPR 2006) also in its quarters (level 1) and sixteenths
// (level 2): cells line after line, level after level; the parts of level 0 add up to 1 / 2^levels,
// those of level l to 1 / 2^(levels - l + 1).
//
// Keeps the dictionary prepared and its memory, on the device of `exec`. One object serves one
// thread at a time.
class FOVEA_API FeatureMaker {
 public:
  // pyramid: levels beyond the whole image, 0 to 2.
  FeatureMaker(const Dictionary& dictionary, int pyramid, const Exec& exec = {});
  FeatureMaker(FeatureMaker&&) noexcept;
  FeatureMaker& operator=(FeatureMaker&&) noexcept;
  ~FeatureMaker();

  int length() const;  // words * (1, 5 or 21)

  // 1 or 3 channels of bytes. On the GPU filters, words and histograms are one kernel: descriptors
  // never go to memory, and many images of any sizes go in a few launches. Rows of `features` are
  // the images' results, in host memory; images lie in host or device memory. CPU and CUDA agree to
  // the bit.
  void make(std::span<const ImageView<const std::uint8_t>> images, ImageView<float> features);
  std::vector<float> make(ImageView<const std::uint8_t> image);

  // The nearest word of every place of the first grid (every pixel, unless a step was chosen).
  Image<std::uint16_t> words(ImageView<const std::uint8_t> image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::scenes
