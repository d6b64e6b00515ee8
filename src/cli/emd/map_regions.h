// Regions of fovea emd map --detect: finding them in each frame's map, and the files they go to.
#pragma once
#include <fovea/emd/regions.h>
#include <fovea/emd/scene.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/emd/frames.h"
#include "cli/program/command.h"
#include "cli/program/files.h"

namespace fovea::cli {

struct RegionRequest {
  bool detect = false;
  emd::RegionOptions options{};
  std::string coco{}, csv{}, found_mask{}, overlay{};

  bool wanted() const {
    return detect || !coco.empty() || !csv.empty() || !found_mask.empty() || !overlay.empty();
  }
};
void describe(OptionVisitor& visit, RegionRequest& request);

// The regions of a frame, with what is drawn of them.
struct FoundRegions {
  std::string input{};
  std::int64_t frame = 0;
  emd::RegionSet found{};
  std::vector<std::string> outlines{};  // run lengths, where a file needs them
  Image<std::uint8_t> overlay{};
  std::string mask_file{};  // the frame's own mask in a folder, which is there already
};

// The frame to look at: its colors, its gray, or the first, middle and last band of a cube. Samples
// other than bytes are scaled to the range of their band.
Image<std::uint8_t> scene_picture(const BandFrame& frame);

class RegionFiles {
 public:
  // Throws InvalidArgument where a file of an output's name cannot hold what goes to it.
  RegionFiles(const RegionRequest& request, const BandFrames& frames);

  // Chooses the threshold for all frames by the first map, unless it is given: a --threshold up to
  // which distances are exact counts as given.
  void begin(ImageView<const float> first, const emd::SceneMapper& mapper,
             const emd::SceneMapOptions& map);
  // Called after begin(), for several frames at a time.
  FoundRegions find(ImageView<const float> map, const BandFrame& frame, std::int64_t number);
  // Called in the order of the frames.
  void add(const FoundRegions& regions);
  void finish(const std::string& info);

 private:
  void add_coco(const FoundRegions& regions);
  void add_csv(const FoundRegions& regions);

  const RegionRequest& request_;
  bool single_;
  emd::RegionOptions options_;
  emd::RegionTarget target_{};
  std::optional<io::FileSink> coco_file_{}, csv_file_{};
  std::optional<io::JsonWriter> coco_{};
  std::optional<io::CsvWriter> csv_{};
  std::optional<io::VideoWriter> video_{};
  PendingFiles masks_{};
  std::vector<std::string> images_{};  // entries of COCO's list
  std::int64_t annotations_ = 0, frames_ = 0;
};

// A member "regions" with the regions of a frame.
void write_regions(io::JsonWriter& json, const emd::RegionSet& found);

}  // namespace fovea::cli
