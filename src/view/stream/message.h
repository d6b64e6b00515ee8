// Messages of a stream to the page: JSON, and then the bytes of the pictures that it announces.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/result.h"
#include "view/stream/frames.h"

namespace fovea::view {

// {"state": word} and, where there is one, "error".
std::string state_message(std::string_view word, std::string_view error = {});
// {"state": "ended", "events": [...]}.
std::string end_message(const std::vector<RecognizedEvent>& events);

// What the page is told with a frame besides what was found in it.
struct FrameFacts {
  std::string system{};  // that has worked on it; empty where none has
  std::int64_t dropped = 0;
  std::optional<double> latency{};  // seconds from capture to screen, of the frame before
  std::string kept{};  // id of the result, for a frame that stays; empty for one that passes
};
// A frame with its result. The picture and the layers of a frame that passes are JPEG; one that
// stays is PNG, and its layers are loaded as those of any result.
std::string frame_message(const StreamFrame& frame, const Result& result, const FrameFacts& facts);

// Length of the JSON in four bytes, the highest first, the JSON, and the pictures.
std::string packed(std::string_view json, const std::vector<std::string>& pictures = {});

}  // namespace fovea::view
