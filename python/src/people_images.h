// Images that detectors learn from and are measured on.
#pragma once
#include <fovea/io/image_set.h>
#include <fovea/people/measure.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "run.h"

namespace fovea::python {

// Training and evaluation, whose duration is not known beforehand.
inline constexpr Work kLong{1e12};

// How images are read: as training reads them (RGB, turned upright), or as they are stored.
enum class PeopleForm : unsigned char { kColor, kStored };

// Images in a list of Python's: texts are paths, everything else is an array.
class PeopleImages final : public io::ImageSet {
 public:
  PeopleImages(const nb::list& images, std::string name, PeopleForm form)
      : name_(std::move(name)), form_(form), arrays_(nb::len(images)) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const nb::object image = images[i];
      paths_.emplace_back();
      if (PyUnicode_Check(image.ptr())) paths_.back() = nb::cast<std::string>(image);
      else arrays_[i] = byte_image(image, fmt::format("{}[{}]", name_, i).c_str());
    }
    if (form == PeopleForm::kColor) files_ = std::make_unique<io::ImageFileSet>(paths_);
    else files_ = std::make_unique<people::StoredImages>(paths_);
  }

  int count() const override { return static_cast<int>(arrays_.size()); }
  Image<std::uint8_t> read(int index) const override {
    const std::optional<ImageInput>& array = arrays_[static_cast<std::size_t>(index)];
    if (!array) return files_->read(index);
    io::AnyImage image{clone(array->of<std::uint8_t>())};
    if (image.channels() == 4) image.facts.alpha = io::Alpha::kStraight;
    return form_ == PeopleForm::kColor ? io::to_rgb_bytes(image, name(index))
                                       : people::detector_pixels(std::move(image));
  }
  std::string name(int index) const override {
    return is_file(index) ? files_->name(index) : fmt::format("{}[{}]", name_, index);
  }
  bool is_file(int index) const { return !arrays_[static_cast<std::size_t>(index)]; }
  const std::vector<std::string>& paths() const { return paths_; }  // empty ones for arrays

 private:
  std::string name_;
  PeopleForm form_;
  std::vector<std::optional<ImageInput>> arrays_;
  std::vector<std::string> paths_;
  std::unique_ptr<io::ImageSet> files_;
};

}  // namespace fovea::python
