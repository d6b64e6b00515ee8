#pragma once
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fovea::io {

// A frame of a video.
struct FrameTime {
  std::int64_t frame = 0;   // from 0
  double time_seconds = 0;  // since the first frame
};
FOVEA_API void describe(FieldVisitor& visit, FrameTime& time);

// Where a result comes from.
struct Place {
  std::string input{};                // the file, or the address of a stream
  std::optional<FrameTime> moment{};  // of a video; an image has none
};
FOVEA_API void describe(FieldVisitor& visit, Place& place);

}  // namespace fovea::io
