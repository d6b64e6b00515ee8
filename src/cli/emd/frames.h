// Frames as the verbs of fovea emd take them: bands of floats from images, cubes and video.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::cli {

struct BandFrame {
  Stack<float> bands{};  // samples as stored
  std::string name{};    // of the file, or the number of a video's frame
  double white = 0;      // of samples of 8 bits 255; else 0, where the range is the data's own
};

// One file: an image, a cube, a folder of bands.
BandFrame read_bands(const std::string& path, const std::string& variable);

// The frames that inputs stand for: those of a video, or one a file. A single folder is a cube of
// bands where `folder_is_cube`, else its images are frames.
class BandFrames {
 public:
  BandFrames(const std::vector<std::string>& inputs, bool folder_is_cube, std::string variable);
  ~BandFrames();

  bool next(BandFrame& frame);
  bool single() const;                   // known to be one frame
  std::int64_t expected_frames() const;  // 0 where it is not known
  double frame_rate() const;

 private:
  struct Video;
  std::vector<std::string> files_{};
  std::string variable_;
  std::size_t next_ = 0;
  std::unique_ptr<Video> video_;
};

// One band of a frame, or where `band` is -1 the only one, or the brightness of three (BT.601).
// InvalidArgument that names the frame where there is none such.
Image<float> gray_band(const BandFrame& frame, int band);

// Where levels begin and end: as asked for, or 0 to 256 for samples of 8 bits, else the least and
// greatest value of the band, so that both have a level.
struct LevelRange {
  float low = 0;
  float high = 0;
};
LevelRange level_range(ImageView<const float> band, const BandFrame& frame,
                       const LevelRange& asked);

}  // namespace fovea::cli
