// fovea ops pyramid: writes an image at smaller and smaller sizes, one file per level.
#include <fovea/io/samples.h>
#include <fovea/ops/pyramid.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

struct PyramidRequest {
  ImageFiles files{};
  PyramidOptions pyramid{};
};

void describe(OptionVisitor& visit, PyramidRequest& request) {
  describe(visit, request.files);
  describe(visit, request.pyramid);
}

// Turns "out/photo.png" and 2 into "out/photo-2.png".
std::string level_path(const std::string& path, int level) {
  const fs::path base(path);
  return (base.parent_path() /
          fmt::format("{}-{}{}", base.stem().string(), level, base.extension().string()))
      .string();
}

template <class Stored, class T>
ImageResult made_levels(ImageView<const T> image, const io::ImageFacts& facts,
                        const PyramidOptions& options, const std::string& output) {
  Pyramid<T> pyramid(options);
  pyramid.build(image);
  ImageResult result;
  result.files.reserve(static_cast<std::size_t>(pyramid.levels()));
  for (int i = 0; i < pyramid.levels(); ++i) {
    const std::string path = level_path(output, i);
    if constexpr (std::is_same_v<Stored, T>)
      result.files.push_back({path, {clone(pyramid.level(i)), facts}});
    else result.files.push_back({path, {io::samples_from<Stored>(pyramid.level(i)), facts}});
  }
  result.numbers.levels = pyramid.levels();
  return result;
}

int run_pyramid(PyramidRequest& request, Context& context) {
  return run_on_images(context, request.files, "", {&request.pyramid.exec},
                       [&](io::AnyImage& input, const std::string& path) {
                         return std::visit(
                             [&]<class T>(const ImageView<const T>& view) -> ImageResult {
                               if constexpr (std::is_same_v<T, std::uint8_t>)
                                 return made_levels<T>(view, input.facts, request.pyramid, path);
                               else
                                 return made_levels<T, float>(io::samples_as<float>(view).view(),
                                                              input.facts, request.pyramid, path);
                             },
                             input.view());
                       });
}

}  // namespace

Command ops_pyramid_command() {
  return {.system = "ops",
          .verb = "pyramid",
          .summary = "write images at smaller and smaller sizes, one file per level",
          .text =
              "Writes every level of the pyramid of each input, from the image itself (level 0) "
              "down to the smallest: NAME-0.png, NAME-1.png and so on in the folder given with -o. "
              "If -o names a file, the number of the level goes before its ending.",
          .arguments = {image_inputs()},
          .examples = {{"fovea ops pyramid photo.png -o levels --filter gaussian",
                        "halve the image again and again as Burt and Adelson do"},
                       {"fovea ops pyramid photo.png -o levels --ratio 1.2 --levels 8",
                        "write eight levels, each a sixth smaller than the one before"}},
          .request = make_request<PyramidRequest, run_pyramid>,
          .result = {sample_record<ImageNumbers>, true},
          .reads_images = true,
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
