// Frames in the form that the verbs of fovea emd take: bands of floats from images, cubes and
// video.
#pragma once
#include <fovea/emd/scene.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "operations/emd/frame_files.h"

namespace fovea::cli {

using emd::BandFrame;
using operations::holds_cubes;

// A frame that is not decoded yet: one of a video, or a file.
struct StoredBands {
  io::StoredFrame video{};
  std::string file{};
  std::int64_t number = 0;  // of the file
};

// What is known of all frames before they are read.
struct FrameFacts {
  bool single = false;        // known to be one frame
  std::int64_t expected = 0;  // how many there are; 0 where it is not known
  double rate = 25;           // frames per second
};

// The frames of the inputs: those of a video, or one per file, and of both only as many as the
// options of videos ask for. The cubes (.hdr, .mat) of a folder
// are frames. A single folder of images is a cube of bands where `folder_is_cube` is set; otherwise
// its images are frames.
class BandFrames {
 public:
  BandFrames(const std::vector<std::string>& inputs, bool folder_is_cube,
             const io::CubeReadOptions& options, const io::VideoReadOptions& video = {});
  ~BandFrames();

  // Reads the next frame as it is stored, in order; false at the end.
  bool fetch(StoredBands& stored);
  // Makes bands of it; several threads may decode different frames at the same time.
  void decode(const StoredBands& stored, BandFrame& frame) const;
  // Both in one.
  bool next(BandFrame& frame);
  // The number of a frame in its source.
  std::int64_t number_of(const StoredBands& stored) const;
  // How many workers suit them, of which one maps.
  io::FrameWorkers plan(const Exec& exec) const;
  bool single() const;                   // known to be one frame
  std::int64_t expected_frames() const;  // 0 where it is not known
  double frame_rate() const;
  FrameFacts facts() const { return {single(), expected_frames(), frame_rate()}; }
  // The files that are read; none for a video.
  const std::vector<std::string>& files() const { return files_; }
  io::VideoReader* video() { return video_.get(); }
  const io::VideoReader* video() const { return video_.get(); }  // null for files
  // An estimate of the memory of a frame and its map.
  std::uint64_t frame_bytes(const StoredBands& stored) const;

 private:
  std::vector<std::string> files_{};
  io::CubeReadOptions options_;
  std::size_t first_ = 0, next_ = 0;  // of all files that are frames, and of those that are read
  std::unique_ptr<io::VideoReader> video_;
};

}  // namespace fovea::cli
