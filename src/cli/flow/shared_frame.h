// A frame of a video that several threads share.
#pragma once
#include <fovea/io/video.h>

#include <cstdint>
#include <mutex>

namespace fovea::cli {

// Whoever needs the pixels first decodes them.
class SharedFrame {
 public:
  bool fetch(io::VideoReader& reader) { return reader.fetch(stored_); }
  std::int64_t number() const { return stored_.frame(); }
  const Image<std::uint8_t>& image() {
    std::call_once(decoded_, [this] { stored_.decode(frame_); });
    return frame_.image;
  }

 private:
  io::StoredFrame stored_{};
  io::Frame frame_{};
  std::once_flag decoded_;
};

}  // namespace fovea::cli
