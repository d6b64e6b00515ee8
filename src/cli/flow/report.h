// The errors of flow as JSON members.
#pragma once
#include <fovea/flow/evaluate.h>
#include <fovea/io/json_writer.h>

namespace fovea::cli {

// The members of an open object: pixels, endpoint_error, angular_error, r0.5, r1, r2, fl.
inline void write_errors(io::JsonWriter& json, const flow::FlowErrors& errors) {
  json.member("pixels", errors.pixels).member("endpoint_error", errors.endpoint);
  json.member("angular_error", errors.angular).member("r0.5", errors.r05);
  json.member("r1", errors.r1).member("r2", errors.r2).member("fl", errors.fl);
}

}  // namespace fovea::cli
