// An RGB image on the device as grey.
#pragma once
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {

class GreyImage {
 public:
  // As io::to_grey() has it. Valid until the next call.
  ImageView<const std::uint8_t> convert(Session& session, ImageView<const std::uint8_t> image);
  // As a cascade has it.
  ImageView<const std::uint8_t> convert_fast(Session& session, ImageView<const std::uint8_t> image);

 private:
  template <class Grey>
  ImageView<const std::uint8_t> convert_by(Session& session, ImageView<const std::uint8_t> image,
                                           Grey grey);

  KeptBuffer<std::uint8_t> pixels_;
};

}  // namespace fovea::people::cuda
