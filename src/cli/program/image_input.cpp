#include "cli/program/image_input.h"

#include <fovea/core/error.h>
#include <fovea/flow/flow.h>
#include <fovea/io/inputs.h>
#include <fovea/io/samples.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/words.h"
#include "operations/measure.h"

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
          .start = context.videos.first,
          .count = context.videos.frames,
          .seconds = context.videos.seconds,
          .hardware = context.hardware,
          .max_pixels = context.max_pixels,
          .live = context.videos.live,
          .timeout_seconds = context.videos.timeout_seconds,
          .stop = context.exec.stop};
}

io::VideoReader open_video(const Context& context, const std::string& input,
                           const io::VideoReadOptions& options) {
  return io::VideoReader(context.address_of(input), options);
}

void require_end(const Context& context, const std::string& input) {
  if (!io::is_live_source(input) || context.videos.frames > 0 || context.videos.seconds > 0) return;
  throw InvalidArgument(fmt::format(
      "{}: is live and may never end, but {} keeps all its frames; give --frames or --seconds",
      detail::shown(input), context.command.name()));
}

std::string dropped_text(const io::VideoReader& reader) {
  return operations::dropped_text(reader.dropped());
}

void Context::redact_credentials() {
  for (std::string& input : inputs) {
    std::string name = io::source_name(input);
    if (name == input) continue;
    const auto same =
        static_cast<int>(std::count_if(addresses.begin(), addresses.end(), [&](const auto& other) {
          return io::source_name(other.second) == name;
        }));
    if (same > 0) name += fmt::format(" ({})", same + 1);
    addresses.emplace_back(name, std::exchange(input, name));
  }
}

const std::string& Context::address_of(const std::string& input) const {
  for (const auto& [name, address] : addresses)
    if (name == input) return address;
  return input;
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

FrameFiles::FrameFiles(const std::string& input) : input_(input) {
  std::error_code ignored;
  if (input == "-" || io::is_live_source(input)) return;
  if (std::filesystem::is_regular_file(input, ignored)) return;
  images_ = io::expand_inputs(std::span(&input, 1), io::image_files());
}

std::pair<std::string, std::int64_t> FrameFiles::at(std::int64_t frame) const {
  if (frame < 0 || static_cast<std::size_t>(frame) >= images_.size()) return {input_, frame};
  return {images_[static_cast<std::size_t>(frame)], 0};
}

}  // namespace fovea::cli
