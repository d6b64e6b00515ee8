// What the files of fovea emd map share: the request, the mapper of its frames, the files that maps
// go to and the report.
#pragma once
#include <fovea/emd/scene.h>
#include <fovea/io/tiff_writer.h>
#include <fovea/io/video.h>
#include <fovea/report/color_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/emd/frames.h"
#include "cli/emd/map_regions.h"
#include "cli/program/command.h"
#include "cli/program/explain.h"
#include "cli/program/files.h"

namespace fovea::cli {

struct MapRequest {
  std::string target{};
  std::string output{};
  std::string picture{};
  std::string truth{};
  std::string mask{};
  RegionRequest regions{};
  io::CubeReadOptions read{};
  emd::SceneMapOptions map{};
  ExplainNumbers explain{};
  std::string explain_picture{};
};

// Explains the distance of a pixel of the first frame.
int explain_map(const MapRequest& request, Context& context);

// A mapper for the target and the options of a request.
emd::SceneMapper frame_mapper(const MapRequest& request, const BandFrame& first, const Exec& exec);

// Writes maps and pictures of them. Nothing is held back: a page is written when it is added.
class MapFiles {
 public:
  // What is made of a map before it is written: compressing and drawing take most of the time.
  struct Encoded {
    std::optional<io::TiffPage> page{};
    std::string file{};  // the frame's own file in a folder, which is there already
    Image<std::uint8_t> picture{};
  };

  // Throws InvalidArgument where a file of the output's name cannot hold a map.
  MapFiles(const MapRequest& request, const BandFrames& frames);

  // Prepares the files for maps like the first one, whose range of colors all pictures share.
  void begin(ImageView<const float> first);
  // Called after begin(), for several frames at a time.
  Encoded encode(ImageView<const float> map, std::int64_t frame);
  // Called in the order of the frames.
  void add(ImageView<const float> map, const Encoded& encoded);
  void finish();

 private:
  const MapRequest& request_;
  bool folder_;  // one file per frame
  bool single_;  // one frame
  std::int64_t expected_frames_;
  std::optional<io::VideoWriter> video_{};
  std::optional<report::ColorMapOptions> colors_{};
  std::optional<io::TiffWriter> pages_{};
  PendingFiles written_{};  // files behind the last frame that counts are removed
  std::int64_t frames_ = 0;
};

// Areas under ROC curves. Pixels of the target's box, where there is one, are not counted.
struct Areas {
  double emd = 0;
  std::optional<double> angle{}, differences{}, matched{}, adaptive{};  // of rivals, for spectra
  std::int64_t positives = 0, negatives = 0;
};
// Reads a mask whose pixels other than 0 are set: an image, the first band of a cube, or an array
// of a .mat file given as FILE.mat:NAME.
Image<std::uint8_t> read_mask(const std::string& path, const io::CubeReadOptions& options);

Areas areas_of(ImageView<const float> map, const BandFrame& frame, const MapRequest& request,
               const emd::SceneMapper& mapper, const Exec& exec);

struct MapReport {
  int width = 0, height = 0;
  double seconds = 0;  // time of the whole run, including reading and writing
  std::vector<std::int64_t> frame_numbers{};  // in the source, one per frame
  std::int64_t dropped = 0;                   // frames of a live source
  std::vector<double> frame_seconds{};        // in the mapper, one per frame
  std::vector<emd::MapReport> stats{};        // one per frame
  std::optional<Areas> areas{};
  std::vector<emd::RegionSet> regions{};  // one per frame, without labels, where they are wanted
  bool interrupted = false;               // the run ended before the frames did
};
void print_report(const MapReport& report, const MapRequest& request,
                  const emd::SceneMapper& mapper, Context& context);

}  // namespace fovea::cli
