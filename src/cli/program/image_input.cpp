#include "cli/program/image_input.h"

#include <fovea/core/error.h>
#include <fovea/flow/flow.h>

#include <array>
#include <filesystem>

#include "core/words.h"

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

io::VideoReadOptions video_options(const Context& context, io::VideoColor color) {
  return {.color = color,
          .hardware = context.hardware,
          .max_pixels = context.max_pixels,
          .stop = context.exec.stop};
}

void note_reading(const Context& context, const std::string& input, const io::VideoReader& reader) {
  for (const std::string& note : reader.notes())
    context.console.note(detail::shown(input) + ": " + note);
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

std::uint64_t image_bytes(const std::string& path) {
  constexpr std::array<std::uint64_t, 8> kSampleBytes{1, 2, 4, 1, 2, 4, 4, 8};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;  // a pipe is read only once
  try {
    const io::ImageInfo info = io::image_info(path);
    return static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height) *
           static_cast<std::uint64_t>(info.channels) *
           kSampleBytes[static_cast<std::size_t>(info.type)];
  } catch (const Error&) {
    return 0;  // whoever reads it says why
  }
}

}  // namespace fovea::cli
