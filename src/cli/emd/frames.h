// Frames in the form that the verbs of fovea emd take: bands of floats from images, cubes and
// video.
#pragma once
#include <fovea/core/image.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/video.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fovea::cli {

struct BandFrame {
  Stack<float> bands{};  // samples with the values that they have in the file
  std::string name{};    // name of the file, or number of a video's frame
  double white = 0;      // 255 for samples of 8 bits, else 0: the data has the range
};

// Reads one image, cube or folder of bands.
BandFrame read_bands(const std::string& path, const io::CubeReadOptions& options);

// A frame that is not decoded yet: one of a video, or a file.
struct StoredBands {
  io::StoredFrame video{};
  std::string file{};
};

// The frames of the inputs: those of a video, or one per file. A single folder is a cube of bands
// where `folder_is_cube` is set; otherwise its images are frames.
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
  bool single() const;                   // known to be one frame
  std::int64_t expected_frames() const;  // 0 where it is not known
  double frame_rate() const;
  const io::VideoReader* video() const { return video_.get(); }  // null for files
  // An estimate of the memory of a frame and its map.
  std::uint64_t frame_bytes(const StoredBands& stored) const;

 private:
  std::vector<std::string> files_{};
  io::CubeReadOptions options_;
  std::size_t next_ = 0;
  std::unique_ptr<io::VideoReader> video_;
};

// One band of a frame. Without `band` it is the only band, or the brightness of three (BT.601).
// Throws an InvalidArgument that names the frame where there is no such band.
Image<float> gray_band(const BandFrame& frame, std::optional<int> band);

// Where levels begin and end: the user's range where its ends differ, or else 0 to 256 for samples
// of 8 bits, or else the least and the greatest finite value of the band.
struct LevelRange {
  float low = 0;
  float high = 0;
};
LevelRange level_range(ImageView<const float> band, const BandFrame& frame,
                       const std::array<double, 2>& asked);

}  // namespace fovea::cli
