// ops pyramid: writes an image at smaller and smaller sizes, one file per level.
#include <fovea/io/samples.h>
#include <fovea/ops/pyramid.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_pyramid {
namespace {

namespace fs = std::filesystem;

struct PyramidRequest {
  io::Orientation orientation = io::Orientation::kIgnore;
  PyramidOptions pyramid{};
};

void describe(OptionVisitor& visit, PyramidRequest& request) {
  describe_orientation(visit, request.orientation);
  describe(visit, request.pyramid);
}

// Turns "out/photo.png" and 2 into "out/photo-2.png".
std::string level_path(const std::string& path, std::size_t level) {
  const fs::path base(path);
  return (base.parent_path() /
          fmt::format("{}-{}{}", base.stem().string(), level, base.extension().string()))
      .string();
}

template <class Stored, class T>
void make_levels(ImageView<const T> image, const PyramidOptions& options, Filtered& item) {
  Pyramid<T> pyramid(options);
  pyramid.build(image);
  item.made.clear();
  item.made.reserve(static_cast<std::size_t>(pyramid.levels()));
  for (int i = 0; i < pyramid.levels(); ++i) {
    if constexpr (std::is_same_v<Stored, T>)
      item.made.push_back({clone(pyramid.level(i)), item.input.facts});
    else item.made.push_back({io::samples_from<Stored>(pyramid.level(i)), item.input.facts});
  }
  item.numbers.levels = pyramid.levels();
}

void run(const PyramidRequest& request, NoWorker&, Filtered& item) {
  std::visit(
      [&]<class T>(const ImageView<const T>& view) {
        if constexpr (std::is_same_v<T, std::uint8_t>) make_levels<T>(view, request.pyramid, item);
        else make_levels<T, float>(io::samples_as<float>(view).view(), request.pyramid, item);
      },
      item.input.view());
}

// The image, its floats, and all levels twice.
std::uint64_t memory(const PyramidRequest& request, const io::ImageInfo& image) {
  const double ratio = request.pyramid.ratio * request.pyramid.ratio;
  const double levels = 1 / (1 - 1 / std::max(ratio, 1.01));
  const std::uint64_t samples = io::sample_count(image), bytes = io::decoded_bytes(image);
  const bool as_float = image.type != io::SampleType::kUint8;
  const std::uint64_t own = as_float ? sizeof(float) * samples : 0;
  return bytes + own +
         static_cast<std::uint64_t>(levels * static_cast<double>(bytes + (as_float ? own : bytes)));
}

std::vector<std::string> write(const PyramidRequest&, const Filtered& item,
                               const std::string& path) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < item.made.size(); ++i) {
    files.push_back(level_path(path, i));
    io::write_image(files.back(), item.made[i]);
  }
  return files;
}

}  // namespace
}  // namespace of_ops_pyramid

Operation ops_pyramid() {
  using namespace of_ops_pyramid;
  auto parts = image_parts<PyramidRequest>(
      {.system = "ops",
       .verb = "pyramid",
       .summary = "write images at smaller and smaller sizes, one file per level",
       .text =
           "Writes every level of the pyramid of each input, from the image itself (level 0) "
           "down to the smallest: NAME-0.png, NAME-1.png and so on in the folder given with -o. "
           "If -o names a file, the number of the level goes before its ending.",
       .examples = {{"fovea ops pyramid photo.png -o levels --filter gaussian",
                     "halve the image again and again as Burt and Adelson do"},
                    {"fovea ops pyramid photo.png -o levels --ratio 1.2 --levels 8",
                     "write eight levels, each a sixth smaller than the one before"}}},
      "", run);
  parts.begin = [](PyramidRequest& request, const Exec& exec, const Plan&) {
    request.pyramid.exec = exec;
  };
  parts.image_memory = memory;
  parts.outputs[0].write_several = write;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
