// fovea ops resize: makes images larger or smaller.
#include <fovea/core/error.h>
#include <fovea/ops/resize.h>

#include <fmt/format.h>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

constexpr int kMostSide = 1 << 20;

struct ResizeRequest {
  ImageFiles files{};
  int width = 0;     // width of the result; 0: from the height or the scale
  int height = 0;    // height of the result; 0: from the width or the scale
  double scale = 0;  // factor for both sides; 0 for none
  ResizeOptions resize{};
};

void describe(OptionVisitor& visit, ResizeRequest& request) {
  describe(visit, request.files);
  visit("width", request.width, "width of the result in pixels; 0 computes it from the height", 0,
        kMostSide);
  visit("height", request.height, "height of the result in pixels; 0 computes it from the width", 0,
        kMostSide);
  visit("scale", request.scale, "factor on both sides, instead of --width and --height", 0, 1000);
  describe(visit, request.resize);
}

// A side of `length` pixels times a factor, at least one pixel.
int scaled(int length, double factor) {
  const double wanted = std::max(1.0, std::round(length * factor));
  if (wanted > kMostSide)
    throw InvalidArgument(fmt::format("a side of {} pixels times {} is {:.0f}; expected at most {}",
                                      length, factor, wanted, kMostSide));
  return static_cast<int>(wanted);
}

template <class T>
Image<T> resized(ImageView<const T> image, const ResizeRequest& request) {
  int width = request.width, height = request.height;
  if (request.scale > 0) {
    width = scaled(image.width, request.scale);
    height = scaled(image.height, request.scale);
  } else if (height == 0) {
    height = scaled(image.height, static_cast<double>(width) / image.width);
  } else if (width == 0) {
    width = scaled(image.width, static_cast<double>(height) / image.height);
  }
  Image<T> result(width, height, image.channels);
  resize(image, result, request.resize);
  return result;
}

io::AnyPixels resized(const io::AnyImage& image, const ResizeRequest& request) {
  return std::visit(
      [&]<class T>(const ImageView<const T>& view) -> io::AnyPixels {
        if constexpr (requires { resize(view, ImageView<T>{}); }) return resized(view, request);
        else return samples_from<T>(resized<float>(samples_as<float>(image), request));
      },
      image.view());
}

int run_resize(ResizeRequest& request, Context& context) {
  const bool sides = request.width > 0 || request.height > 0;
  if (sides == (request.scale > 0))
    throw InvalidArgument("ops resize needs --width, --height or both, or else --scale");
  return run_on_images(context, request.files, "", {&request.resize.exec},
                       [&](io::AnyImage& input, const std::string& output) -> ImageResult {
                         io::AnyImage result{resized(input, request), input.facts};
                         const std::string size =
                             fmt::format("\"output_width\": {}, \"output_height\": {}",
                                         result.width(), result.height());
                         return one_file(output, std::move(result), size);
                       });
}

}  // namespace

Command ops_resize_command() {
  return {.system = "ops",
          .verb = "resize",
          .summary = "make images larger or smaller",
          .text =
              "Resizes bilinearly to a width and a height, to one of them (the other keeps the "
              "proportions), or by a factor. With --antialias every pixel of a shrunk image is the "
              "mean of the pixels that it covers. Without it pixels are sampled, which is faster "
              "but shows false patterns in fine texture. The sample type, alpha and the "
              "orientation tag stay as they are.",
          .arguments = {image_inputs()},
          .examples = {{"fovea ops resize photo.jpg -o small.jpg --width 640 --antialias",
                        "make one image 640 pixels wide and keep its proportions"},
                       {"fovea ops resize photos -o half --scale 0.5 --antialias",
                        "halve the size of every image of a folder"}},
          .request = make_request<ResizeRequest, run_resize>,
          .reads_images = true,
          .batches = true};
}

}  // namespace fovea::cli
