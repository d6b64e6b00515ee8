#include "cli/program/image_input.h"

#include <fovea/core/error.h>
#include <fovea/flow/flow.h>

namespace fovea::cli {

io::AnyImage read_input(const Context& context, const std::string& path,
                        io::Orientation orientation) {
  const io::ImageReadOptions options{.orientation = orientation, .max_pixels = context.max_pixels};
  return io::read_image(path, options, context.exec.stop);
}

io::AnyImage read_finite_input(const Context& context, const std::string& path,
                               io::Orientation orientation) {
  io::AnyImage image = read_input(context, path, orientation);
  require_finite_file(path == "-" ? "standard input" : path, image);
  return image;
}

void require_finite_file(const std::string& path, const io::AnyImage& image,
                         ImageView<const std::uint8_t> mask) {
  try {
    if (const auto view = image.view(); std::holds_alternative<ImageView<const float>>(view))
      flow::require_finite(path, std::get<ImageView<const float>>(view), mask);
    else if (image.type() == io::SampleType::kFloat64)
      flow::require_finite(path, io::to_float(image), mask);
  } catch (const InvalidArgument& error) {
    throw FormatError(error.what());
  }
}

}  // namespace fovea::cli
