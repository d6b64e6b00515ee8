#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/record_fwd.h>
#include <fovea/io/flow_io.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::flow {

// Numbers that sum a field up, over the pixels that are known.
struct MotionSummary {
  double known_share = 0;                      // of all pixels
  double mean_motion = 0, longest_motion = 0;  // pixels
  std::optional<double> mean_confidence{};     // of a field that has one
};
FOVEA_API void describe(FieldVisitor& visit, MotionSummary& summary);

FOVEA_API MotionSummary summarize(const io::FlowFieldView& field);

// What the program prints and the page saves: of a pair its motion, of a video how many fields it
// gave.
struct FlowResult {
  struct Video {
    std::int64_t frames = 0, dropped = 0, fields = 0;
    bool interrupted = false;
  };
  std::optional<std::string> first{}, second{}, input{}, output{};
  std::optional<std::int64_t> first_frame{};  // of two frames of a video
  std::vector<std::string> pictures{};
  Extent size{};
  std::optional<MotionSummary> motion{};
  std::optional<Video> video{};
  std::optional<std::uint64_t> working_memory_bytes{};
  std::optional<double> estimate_seconds{};
  std::optional<std::uint64_t> peak_memory_bytes{};
};
FOVEA_API void describe(FieldVisitor& visit, FlowResult& report);

}  // namespace fovea::flow
