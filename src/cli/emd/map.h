// What the files of fovea emd map share: the request, the mapper of its frames, the files that maps
// go to and the report.
#pragma once
#include <fovea/emd/map_result.h>
#include <fovea/emd/scene.h>
#include <fovea/io/tiff_writer.h>
#include <fovea/io/video.h>
#include <fovea/report/color_map.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/emd/frames.h"
#include "cli/emd/map_regions.h"
#include "cli/jobs/frame_units.h"
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
    std::string picture_file{};  // of a run over ranges of frames
  };

  // Throws InvalidArgument where a file of the output's name cannot hold a map.
  MapFiles(const MapRequest& request, const FrameFacts& facts,
           FrameResults results = FrameResults::kTogether);

  // Prepares the files for maps like the first one, whose range of colors all pictures share.
  void begin(ImageView<const float> first);
  // Called after begin(), for several frames at a time.
  Encoded encode(ImageView<const float> map, std::int64_t frame);
  // Called in the order of the frames.
  void add(ImageView<const float> map, const Encoded& encoded);
  void finish();

 private:
  const MapRequest& request_;
  FrameResults results_;
  bool folder_;  // one file per frame
  bool single_;  // one frame
  std::int64_t expected_frames_;
  std::optional<io::VideoWriter> video_{};
  std::optional<PartPictures> part_pictures_{};
  std::optional<report::ColorMapOptions> colors_{};
  std::optional<io::TiffWriter> pages_{};
  PendingFiles written_{};  // files behind the last frame that counts are removed
  std::int64_t frames_ = 0;
};

// The map of a frame of a run over ranges of frames, where all maps become one file.
std::string map_part(const MapRequest& request, std::int64_t frame);
bool joins_maps(const MapRequest& request);
// Makes one TIFF of the maps of all frames with these numbers.
void join_maps(const Context& context, const MapRequest& request,
               const std::vector<std::int64_t>& frames, const FrameFacts& facts);

// Reads a mask whose pixels other than 0 are set: an image, the first band of a cube, or an array
// of a .mat file given as FILE.mat:NAME.
Image<std::uint8_t> read_mask(const std::string& path, const io::CubeReadOptions& options);

emd::Areas areas_of(ImageView<const float> map, const BandFrame& frame, const MapRequest& request,
                    const emd::SceneMapper& mapper, const Exec& exec);

using MapReport = emd::MapResult;
// Completes a report and prints it; `seconds` is the time of the whole run.
void print_report(MapReport& report, const MapRequest& request, Context& context,
                  double seconds = 0);

// What a range of frames has given, as manifests keep it.
struct MappedRange {
  Extent size{};
  double rate = 0;
  std::int64_t expected = 0;  // frames of all ranges
  emd::MapperFacts mapper{};
  std::vector<std::int64_t> frames{};   // their numbers
  std::vector<FoundRegions> regions{};  // of each of them, where they are wanted
};
void describe(FieldVisitor& visit, MappedRange& range);

// Ranges of frames that are mapped in one pass.
struct MapRange {
  FrameUnits& units;
  FrameRange frames{};
  FrameFacts facts{};  // of all frames
};
// Maps the frames of a run with a manifest, whose units are ranges of frames.
int map_in_ranges(const MapRequest& request, Context& context,
                  const std::function<std::unique_ptr<FramePass>(const MapRange&)>& begin);
// Opens the frames that the inputs name.
BandFrames map_frames(const MapRequest& request, const Context& context,
                      const io::VideoReadOptions& video);

}  // namespace fovea::cli
