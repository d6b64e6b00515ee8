// The frames of fovea emd track: colors of a video or of images of 8 bits, or bands of cubes.
#pragma once
#include <fovea/emd/scene.h>
#include <fovea/io/cube_stream.h>
#include <fovea/io/frames.h>
#include <fovea/io/video.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/emd/band_choice.h"
#include "cli/program/command.h"

namespace fovea::cli {

struct TrackRequest;

// A frame that is not decoded yet: one of a video, a file, or the bytes of a raw cube.
struct StoredTrackFrame {
  io::StoredFrame video{};
  std::string file{};
  std::vector<std::byte> raw{};
  std::int64_t number = 0;  // in the source
};

class TrackFrames {
 public:
  // Frames are bands where they are raw cubes, where --bands is given, and where the first file is
  // a cube or an image with other samples than gray or RGB of 8 bits, beside opacity.
  TrackFrames(const TrackRequest& request, const Context& context);

  bool has_bands() const { return !video_ || choice_; }
  // Reads the next frame as it is stored, in order; false at the end.
  bool fetch(StoredTrackFrame& stored);
  // Makes colors or bands of it; several threads may decode different frames at the same time.
  void decode_colors(const StoredTrackFrame& stored, io::Frame& frame) const;
  void decode_bands(const StoredTrackFrame& stored, emd::BandFrame& frame) const;

  io::FrameWorkers plan(const Exec& exec) const;
  std::int64_t expected_frames() const;  // 0 where it is not known
  std::uint64_t frame_bytes(const StoredTrackFrame& stored) const;
  double frame_rate() const;
  const io::VideoReader* video() const { return video_ ? &*video_ : nullptr; }

 private:
  void open_files(const std::string& input);
  void check_colors(std::int64_t number) const;

  io::CubeReadOptions read_{};
  std::optional<BandChoice> choice_{};
  std::optional<io::VideoReader> video_{};
  std::optional<io::CubeStream> raw_{};
  std::vector<std::string> files_{};  // frames, or the images of video_
  std::int64_t next_ = 0, end_ = 0;   // of files_ or raw_; end_ 0: as many as there are
};

// A picture of bands to draw on: three of them from the first to the last, or gray where there are
// fewer. The range of the first frame becomes black to white.
class BandPicture {
 public:
  void draw(const emd::BandFrame& frame, Image<std::uint8_t>& picture);

 private:
  std::vector<emd::LevelRange> ranges_{};
};

}  // namespace fovea::cli
