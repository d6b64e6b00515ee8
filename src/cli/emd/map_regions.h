// Regions of fovea emd map --detect: finding them in each frame's map, and the files they go to.
#pragma once
#include <fovea/emd/regions.h>
#include <fovea/emd/scene.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/emd/frames.h"
#include "cli/jobs/frame_units.h"
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

// Whether the results of all frames are written together, or those of each frame for itself,
// because other ranges of frames are worked on elsewhere.
enum class FrameResults : unsigned char { kTogether, kApart };

// The regions of a frame, with what is drawn of them.
struct FoundRegions {
  std::string input{};
  std::int64_t frame = 0;
  emd::RegionSet found{};
  Extent size{};                        // of the frame
  std::vector<std::string> outlines{};  // run lengths, where a file needs them
  Image<std::uint8_t> overlay{};
  std::string mask_file{};     // the frame's own mask in a folder, which is there already
  std::string overlay_file{};  // of a run over ranges of frames
};
// What manifests keep: all but what was drawn.
void describe(FieldVisitor& visit, FoundRegions& regions);

// The frame to look at: its colors, its gray, or the first, middle and last band of a cube. Samples
// other than bytes are scaled to the range of their band.
Image<std::uint8_t> scene_picture(const BandFrame& frame);

class RegionFiles {
 public:
  // Throws InvalidArgument where a file of an output's name cannot hold what goes to it.
  RegionFiles(const RegionRequest& request, const FrameFacts& facts,
              FrameResults results = FrameResults::kTogether);

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
  FrameResults results_;
  std::optional<PartPictures> part_pictures_{};
  emd::RegionOptions options_;
  emd::RegionTarget target_{};
  std::optional<io::FileSink> coco_file_{}, csv_file_{};
  std::optional<io::JsonWriter> coco_{};
  std::optional<io::RecordTable> csv_{};
  std::optional<io::VideoWriter> video_{};
  PendingFiles masks_{};
  std::vector<std::string> images_{};  // entries of COCO's list
  std::int64_t annotations_ = 0, frames_ = 0;
};

}  // namespace fovea::cli
