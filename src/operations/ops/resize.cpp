// ops resize: makes images larger or smaller.
#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/ops/resize.h>

#include <fmt/format.h>

#include <algorithm>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_resize {
namespace {

struct ResizeRequest {
  io::Orientation orientation = io::Orientation::kIgnore;
  ResizeTarget target{};
  ResizeOptions resize{};
};

void describe(OptionVisitor& visit, ResizeRequest& request) {
  describe_orientation(visit, request.orientation);
  describe(visit, request.target);
  describe(visit, request.resize);
}

template <class T>
Image<T> resized(ImageView<const T> image, const ResizeRequest& request) {
  const Extent size = target_size({image.width, image.height}, request.target);
  Image<T> result(size.width, size.height, image.channels);
  resize(image, result, request.resize);
  return result;
}

io::AnyPixels resized(const io::AnyImage& image, const ResizeRequest& request) {
  return std::visit(
      [&]<class T>(const ImageView<const T>& view) -> io::AnyPixels {
        if constexpr (requires { resize(view, ImageView<T>{}); }) return resized(view, request);
        else return io::samples_from<T>(resized<float>(io::samples_as<float>(view), request));
      },
      image.view());
}

void check(const ResizeRequest& request) {
  const bool sides = request.target.width > 0 || request.target.height > 0;
  if (sides == (request.target.scale > 0))
    throw InvalidArgument("ops resize needs --width, --height or both, or else --scale");
}

// The image and the result, and both as floats.
std::uint64_t memory(const ResizeRequest& request, const io::ImageInfo& image) {
  const Extent size = target_size({image.width, image.height}, request.target);
  const std::uint64_t each = io::decoded_bytes(image) + sizeof(float) * io::sample_count(image);
  const double growth = static_cast<double>(size.width) * size.height /
                        (static_cast<double>(image.width) * image.height);
  constexpr double kMost = 1e18;
  return static_cast<std::uint64_t>(std::min(static_cast<double>(each) * (1 + growth), kMost));
}

void run(const ResizeRequest& request, NoWorker&, Filtered& item) {
  make(item, {resized(item.input, request), item.input.facts});
  item.numbers.output_width = item.made[0].width();
  item.numbers.output_height = item.made[0].height();
}

}  // namespace
}  // namespace of_ops_resize

Operation ops_resize() {
  using namespace of_ops_resize;
  auto parts = image_parts<ResizeRequest>(
      {.system = "ops",
       .verb = "resize",
       .summary = "make images larger or smaller",
       .text =
           "Resizes bilinearly to a width and a height, to one of them (the other keeps the "
           "proportions), or by a factor. With --antialias every pixel of a shrunk image is the "
           "mean of the pixels that it covers. Without it pixels are sampled, which is faster "
           "but shows false patterns in fine texture. The sample type, alpha and the "
           "orientation tag stay as they are.",
       .examples = {{"fovea ops resize photo.jpg -o small.jpg --width 640 --antialias",
                     "make one image 640 pixels wide and keep its proportions"},
                    {"fovea ops resize photos -o half --scale 0.5 --antialias",
                     "halve the size of every image of a folder"}}},
      "", run);
  parts.check = check;
  parts.begin = [](ResizeRequest& request, const Exec& exec, const Plan&) {
    request.resize.exec = exec;
  };
  parts.image_memory = memory;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
