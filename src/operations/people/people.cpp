#include "operations/people/people.h"

#include "core/words.h"

namespace fovea::operations {

void describe_people_model(OptionVisitor& visit, std::string& model) {
  visit.path(
      "model", model, TextUse::kModel,
      "shipped model (channels, filtered, cascade or hog) or a model file; files of OpenCV and "
      "liblinear are imported");
}

std::string people_text(std::size_t count) { return detail::counted(count, "person", "people"); }

Image<std::uint8_t> in_color(Image<std::uint8_t> image) {
  if (image.channels() != 1) return image;
  Image<std::uint8_t> color(image.width(), image.height(), 3);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      for (int c = 0; c < 3; ++c) color.at(x, y, c) = image.at(x, y);
  return color;
}

}  // namespace fovea::operations
