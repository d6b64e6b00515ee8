// An RGB image on the device as grey, as io::to_grey() has it.
#pragma once
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {

class GreyImage {
 public:
  // Valid until the next call.
  ImageView<const std::uint8_t> convert(Session& session, ImageView<const std::uint8_t> image);

 private:
  KeptBuffer<std::uint8_t> pixels_;
};

}  // namespace fovea::people::cuda
