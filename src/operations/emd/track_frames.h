// The frames of emd track: colors of a video or of images of 8 bits, or bands of cubes.
#pragma once
#include <fovea/emd/scene.h>
#include <fovea/io/cube_stream.h>
#include <fovea/io/video.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operations/emd/band_choice.h"
#include "operations/operation.h"

namespace fovea::operations::of_emd_track {

struct TrackRequest;
class TrackFrames;

// One of a video, a file, or the bytes of a raw cube, which is decoded when it is needed.
class TrackFrame final : public Frame {
 public:
  explicit TrackFrame(const TrackFrames& frames) : frames_(frames) {}
  std::int64_t number() const override { return number_; }
  double seconds() const override { return stored_.seconds(); }
  const Image<std::uint8_t>& pixels() override;  // empty where it has bands
  const emd::BandFrame* bands();                 // null where it has colors
  // The file that it stands in, and its number there.
  const std::pair<std::string, std::int64_t>& place() const { return place_; }

 private:
  friend class TrackFrames;
  void decode();

  const TrackFrames& frames_;
  io::StoredFrame stored_{};
  std::pair<std::string, std::int64_t> place_{};
  std::vector<std::byte> raw_{};
  std::int64_t number_ = 0;  // in the source
  std::once_flag decoded_;
  io::Frame colors_{};
  emd::BandFrame bands_{};
};

class TrackFrames final : public Frames {
 public:
  // Frames are bands where they are raw cubes, where --bands is given, and where the first file is
  // a cube or an image with other samples than gray or RGB of 8 bits, beside opacity.
  TrackFrames(const TrackRequest& request, const Plan& plan);

  std::shared_ptr<Frame> next() override;
  std::uint64_t bytes(const Frame& frame) const override;
  std::int64_t expected() const override;
  double rate() const override;
  io::VideoReader* video() override { return video_ ? &*video_ : nullptr; }

 private:
  friend class TrackFrame;
  bool has_bands() const { return !video_ || choice_; }
  void open_files();
  bool fetch(TrackFrame& frame);
  emd::BandFrame decode_bands(const TrackFrame& frame) const;

  std::string input_;
  io::CubeReadOptions read_{};
  std::optional<BandChoice> choice_{};
  std::optional<io::VideoReader> video_{};
  std::optional<io::CubeStream> raw_{};
  std::vector<std::string> files_{};             // frames, or the images of video_
  std::int64_t first_ = 0, next_ = 0, end_ = 0;  // end_ 0: as many as there are
};

// A picture of bands to draw on: three of them from the first to the last, or gray where there are
// fewer. The range of the first frame becomes black to white.
class BandPicture {
 public:
  void draw(const emd::BandFrame& frame, Image<std::uint8_t>& picture);

 private:
  std::vector<emd::LevelRange> ranges_{};
};

}  // namespace fovea::operations::of_emd_track
