// Converts an RGB image on the device to gray.
#pragma once
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {

class GrayImage {
 public:
  // Gray as io::to_gray() computes it. The result is valid until the next call.
  ImageView<const std::uint8_t> convert(Session& session, ImageView<const std::uint8_t> image);
  // Gray as the cascade computes it.
  ImageView<const std::uint8_t> convert_fast(Session& session, ImageView<const std::uint8_t> image);

 private:
  template <class Gray>
  ImageView<const std::uint8_t> convert_by(Session& session, ImageView<const std::uint8_t> image,
                                           Gray gray);

  KeptBuffer<std::uint8_t> pixels_;
};

}  // namespace fovea::people::cuda
