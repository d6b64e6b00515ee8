// What the trainings of all kinds share: where a window of the training images lies, and the
// images.
#pragma once
#include <fovea/people/train.h>

#include <vector>

namespace fovea::people {

// A window of a set of images, by the plan under which its image is searched.
struct WindowPlace {
  int image = 0;
  int level = 0;
  int column = 0;
  int row = 0;
  bool operator==(const WindowPlace&) const = default;
};

// The image with left and right exchanged.
Image<std::uint8_t> mirrored(ImageView<const std::uint8_t> image);

// Throws InvalidArgument where there are no images of either sort, or a crop is smaller than the
// window.
void check_train_data(const TrainData& data, Extent window);

}  // namespace fovea::people
