// A frame of a video that several threads share, with its alpha as a mask where that is asked for.
#pragma once
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cli/flow/flow.h"
#include "cli/program/image_input.h"

namespace fovea::cli {

// The files of a sequence of images whose alpha is their mask.
struct AlphaFiles {
  std::vector<std::string> paths{};
  Extent size{};
  io::ImageReadOptions reading{};
};

// Whoever needs the pixels first decodes them.
class SharedFrame {
 public:
  explicit SharedFrame(const AlphaFiles* files = nullptr) : files_(files) {}
  bool fetch(io::VideoReader& reader) { return reader.fetch(stored_); }
  std::int64_t number() const { return stored_.frame(); }
  const Image<std::uint8_t>& image() {
    decode();
    return frame_.image;
  }
  // Empty unless the frame brings its own.
  const Image<std::uint8_t>& mask() {
    decode();
    return mask_;
  }

 private:
  void decode() {
    std::call_once(decoded_, [this] {
      if (files_ == nullptr) stored_.decode(frame_);
      else read_alpha();
    });
  }
  void read_alpha() {
    const std::string& path = files_->paths[static_cast<std::size_t>(number())];
    io::AnyImage image = io::read_image(path, files_->reading);
    if (image.width() != files_->size.width || image.height() != files_->size.height)
      throw FormatError(fmt::format("{}: is {}x{}, but the sequence began with {}x{}", path,
                                    image.width(), image.height(), files_->size.width,
                                    files_->size.height));
    try {
      mask_ = alpha_mask(image);
    } catch (const InvalidArgument& error) {
      throw FormatError(path + ": " + error.what());
    }
    frame_.image = io::to_bytes(io::drop_alpha(image));
  }

  const AlphaFiles* files_;
  io::StoredFrame stored_{};
  io::Frame frame_{};
  Image<std::uint8_t> mask_{};
  std::once_flag decoded_;
};

}  // namespace fovea::cli
