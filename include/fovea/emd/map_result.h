#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/scene.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::emd {

// Areas under ROC curves. Pixels of the target's box, where there is one, are not counted.
struct Areas {
  struct Under {
    double emd = 0;
    std::optional<double> angle{}, differences{}, matched{}, adaptive{};  // of rivals, for spectra
  };
  std::int64_t positives = 0, negatives = 0;
  Under under{};
};
FOVEA_API void describe(FieldVisitor& visit, Areas& areas);

// What a report tells of the mapper, which is the same for all ranges of frames.
struct MapperFacts {
  std::vector<int> target{};           // its histogram
  std::optional<float> low{}, high{};  // where levels begin and end
  GroundFacts ground{};
};
FOVEA_API void describe(FieldVisitor& visit, MapperFacts& facts);
FOVEA_API MapperFacts facts_of(const SceneMapper& mapper);

// What the program prints and the page saves. The report of ranges of frames is without times, and
// without what depends on which distances were known before.
struct MapResult {
  struct Frame {
    std::int64_t frame = 0;           // in the source
    std::optional<double> seconds{};  // in the mapper
    std::optional<MapReport> stats{};
    std::optional<std::vector<Region>> regions{};  // where they are wanted
  };
  std::string input{};
  std::optional<std::string> output{}, picture{};
  Extent size{};
  std::int64_t frames = 0;
  std::int64_t dropped = 0;  // frames of a live source
  bool interrupted = false;  // the run ended before the frames did
  MapperFacts mapper{};
  std::optional<Areas> areas{};
  std::optional<double> threshold{};  // of the first frame's regions
  std::optional<MapReport> stats{};
  std::optional<std::vector<Frame>> frame_stats{};

  // Adds the regions of the next frame.
  FOVEA_API void add_regions(std::int64_t number, RegionSet&& found);
};
FOVEA_API void describe(FieldVisitor& visit, MapResult& report);

}  // namespace fovea::emd
