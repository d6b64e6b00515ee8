// An RGB image on the device as gray.
#pragma once
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {

class GrayImage {
 public:
  // As io::to_gray() has it. Valid until the next call.
  ImageView<const std::uint8_t> convert(Session& session, ImageView<const std::uint8_t> image);
  // As a cascade has it.
  ImageView<const std::uint8_t> convert_fast(Session& session, ImageView<const std::uint8_t> image);

 private:
  template <class Gray>
  ImageView<const std::uint8_t> convert_by(Session& session, ImageView<const std::uint8_t> image,
                                           Gray gray);

  KeptBuffer<std::uint8_t> pixels_;
};

}  // namespace fovea::people::cuda
