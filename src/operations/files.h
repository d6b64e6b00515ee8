// Folders and small text files.
#pragma once
#include <string>
#include <string_view>

namespace fovea::operations {

// Makes a folder and its missing parents. Throws a WriteError that names it.
void make_folder(const std::string& folder);
// Writes a whole file, which appears complete or not at all. Throws a WriteError that names it.
void write_text(const std::string& path, std::string_view text);

// A name for files that are made from a camera or stream: "camera_0", "rtsp_host_554_door".
std::string live_stem(const std::string& input);

}  // namespace fovea::operations
