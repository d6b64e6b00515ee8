#include <fovea/core/record.h>
#include <fovea/io/place.h>

namespace fovea::io {

void describe(FieldVisitor& visit, FrameTime& time) {
  visit("frame", time.frame, "number of the frame, from 0");
  visit("time_seconds", time.time_seconds, "time of the frame", {.unit = "seconds"});
}

void describe(FieldVisitor& visit, Place& place) {
  visit("input", place.input, "the file or the address of a stream");
  visit("moment", place.moment, "the frame of a video", {.prefixed = false});
}

}  // namespace fovea::io
