// What the verbs of fovea flow that are no operations share.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>

#include <optional>
#include <string>

#include "cli/program/command.h"
#include "operations/flow/images.h"
#include "operations/measure.h"

namespace fovea::cli {

using operations::estimate_pair;
using operations::flow_image;
using operations::FlowPicture;
using operations::ImagePair;
using operations::pair_source;
using operations::peak_memory_bytes;
using operations::picture_bytes;
using operations::read_pair;

// A file that was written, or nothing where the command line names none.
inline std::optional<std::string> written_file(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional(path);
}

// Makes a field from interleaved u and v of all pixels, the form in which rivals return it.
io::FlowField field_of(const float* vectors, Extent size);

}  // namespace fovea::cli
