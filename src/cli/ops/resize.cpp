// fovea ops resize: makes images larger or smaller.
#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/ops/resize.h>

#include <fmt/format.h>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

struct ResizeRequest {
  ImageFiles files{};
  ResizeTarget target{};
  ResizeOptions resize{};
};

void describe(OptionVisitor& visit, ResizeRequest& request) {
  describe(visit, request.files);
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

int run_resize(ResizeRequest& request, Context& context) {
  const bool sides = request.target.width > 0 || request.target.height > 0;
  if (sides == (request.target.scale > 0))
    throw InvalidArgument("ops resize needs --width, --height or both, or else --scale");
  return run_on_images(context, request.files, "", {&request.resize.exec},
                       [&](io::AnyImage& input, const std::string& output) -> ImageResult {
                         io::AnyImage result{resized(input, request), input.facts};
                         const ImageNumbers size{.output_width = result.width(),
                                                 .output_height = result.height()};
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
          .result = {sample_record<ImageNumbers>, true},
          .reads_images = true,
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
