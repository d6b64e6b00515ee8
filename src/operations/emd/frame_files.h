// Files that are frames of the verbs of fovea emd: images, and cubes of bands.
#pragma once
#include <fovea/io/inputs.h>

#include <cstdint>
#include <string>

namespace fovea::operations {

// Whether an input is a video, a pipe or a live source.
bool is_video_input(const std::string& path);
// Files whose names say that they are cubes, and those that are frames, also images.
io::InputKind cube_files();
io::InputKind frame_files();
// Whether a folder has cubes in it. Images beside them are then no frames.
bool holds_cubes(const std::string& folder);
// How much memory the samples of a file take as they are stored, about: the header of a cube is
// small, and its samples lie beside it.
std::uint64_t sample_bytes(const std::string& file);

}  // namespace fovea::operations
