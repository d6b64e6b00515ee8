#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/emd/track.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::emd {

// A target in a frame, as it is printed.
struct FramedTrack {
  std::int64_t frame = 0;
  Track track{};
};
FOVEA_API void describe(FieldVisitor& visit, FramedTrack& framed);

// What the program prints and the page saves.
struct TrackResult {
  struct Windows {
    MapReport stats{};
  };
  struct Means {
    double overlap = 0, precision = 0;
  };
  struct Measured {
    TrackReport errors{};
    std::optional<double> seconds{};  // which differ from run to run
  };
  struct Rival {
    std::string name{};
    bool bar = false;
    Measured measured{};
  };
  struct Contest {
    std::vector<Rival> rivals{};
    double overlap = 0, precision = 0;  // the best of those that are the bar
    bool passes = false;
  };
  struct Target {
    int id = 0;
    bool parts = false;
    std::optional<Measured> measured{};
    std::optional<Contest> contest{};
  };
  std::string input{};
  std::optional<std::string> output{}, video{}, map_video{};
  Extent size{};
  std::optional<int> bands{};
  std::int64_t frames = 0, dropped = 0;
  bool interrupted = false;
  std::optional<Means> means{};  // over all targets
  Windows map{};
  std::vector<Target> targets{};
  std::vector<FramedTrack> tracks{};
};
FOVEA_API void describe(FieldVisitor& visit, TrackResult& result);

}  // namespace fovea::emd
