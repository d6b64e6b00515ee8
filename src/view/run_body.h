// The bodies of POST /run and of POST /results/ID/explain, which the page sends as JSON.
#pragma once
#include <fovea/report/draw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "view/inputs.h"
#include "view/system.h"

namespace fovea::view {

struct RunBody {
  std::string client;  // a number that the page has chosen for itself
  std::string system;
  Run run;
};

// Throws FormatError or InvalidArgument for a body that is not as it should be. Nothing in it is a
// path: inputs are ids.
RunBody parse_run_body(std::string_view body, const Inputs& inputs);

// What the page asks about a result: a place of the picture, or a face of a mesh (-1: all seams).
struct Question {
  std::string client{};
  Place place{};
  std::optional<std::int64_t> face{};
};

// Throws FormatError.
Question parse_question(std::string_view body);

}  // namespace fovea::view
