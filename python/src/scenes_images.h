// Images of Python as the scenes system takes them, and what its bindings share.
#pragma once
#include <fovea/core/error.h>
#include <fovea/flow/flow.h>
#include <fovea/io/image_set.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "define.h"
#include "records.h"

namespace fovea::python {

using Bytes = ImageView<const std::uint8_t>;
using Labels = std::vector<std::int32_t>;

// Training and evaluation, whose duration is not known beforehand.
inline constexpr Work kLong{1e12};

// Reads an image as the program does: RGB, turned upright, every number finite.
inline Image<std::uint8_t> read_rgb(const std::string& path) {
  const io::AnyImage image = io::read_image(path, {.orientation = io::Orientation::kApply});
  try {
    if (image.type() == io::SampleType::kFloat32 || image.type() == io::SampleType::kFloat64)
      flow::require_finite(path, io::to_float(image));
  } catch (const InvalidArgument& error) {
    throw FormatError(error.what());
  }
  return io::to_rgb_bytes(image, path);
}

// An image of Python. Opacity is left out, which takes a copy.
class SceneImage {
 public:
  // `stream` is that of ImageNeed.
  explicit SceneImage(nb::handle image, const char* name = "image", const Stream* stream = nullptr)
      : input_(byte_image(image, name, stream)), view_(input_.of<std::uint8_t>()) {
    if (view_.channels != 4) return;
    if (view_.memory == Memory::kCuda)
      throw InvalidArgument(
          fmt::format("{} lies on a GPU and has 4 channels; expected 1 or 3 there", name));
    opaque_ = Image<std::uint8_t>(view_.width, view_.height, 3);
    for (int y = 0; y < view_.height; ++y)
      for (int x = 0; x < view_.width; ++x)
        std::copy_n(view_.row(y) + 4 * x, 3, opaque_.row(y) + 3 * x);
    view_ = opaque_.view();
  }
  Bytes view() const { return view_; }

 private:
  ImageInput input_;
  Image<std::uint8_t> opaque_;
  Bytes view_;
};

// Images in a list of Python's: texts are paths, everything else is an array.
class SceneImages final : public io::ImageSet {
 public:
  explicit SceneImages(const nb::list& images) {
    for (std::size_t i = 0; i < nb::len(images); ++i) {
      const nb::object image = images[i];
      if (PyUnicode_Check(image.ptr()))
        entries_.push_back({nb::cast<std::string>(image), std::nullopt});
      else entries_.push_back({{}, SceneImage(image, fmt::format("images[{}]", i).c_str())});
    }
    if (entries_.empty()) throw InvalidArgument("images is empty; expected one image or more");
  }
  int count() const override { return static_cast<int>(entries_.size()); }
  Image<std::uint8_t> read(int index) const override {
    const Entry& entry = entries_[static_cast<std::size_t>(index)];
    return entry.image ? clone(entry.image->view()) : read_rgb(entry.path);
  }

 private:
  struct Entry {
    std::string path;
    std::optional<SceneImage> image;
  };
  std::vector<Entry> entries_;
};

// Images that could not be read, by their numbers, and why.
using FailedImages = std::vector<std::pair<int, std::string>>;

// What adds such images to a list. Where they are not to be skipped, the first one is thrown.
inline scenes::ImageFailure failed_into(FailedImages& failed, bool skip) {
  if (!skip) return {};
  return [&failed](int index, const std::string& why) { failed.emplace_back(index, why); };
}

// Runs function(images, failure, exec) over a list of images. Returns its result and the images
// that could not be read.
template <class Function>
auto run_over_images(const nb::list& images, bool skip, const Exec& exec, nb::handle progress,
                     Function function) {
  const SceneImages set(images);
  FailedImages failed;
  auto result = run_once(kLong, exec, progress, [&](const Exec& watched) {
    return function(set, failed_into(failed, skip), watched);
  });
  return std::pair(std::move(result), std::move(failed));
}

}  // namespace fovea::python
