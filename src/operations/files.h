// Folders and small text files.
#pragma once
#include <fovea/io/image_io.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fovea::operations {

// Makes a folder and its missing parents. Throws a WriteError that names it.
void make_folder(const std::string& folder);
// Writes a whole file, which appears complete or not at all. Throws a WriteError that names it.
void write_text(const std::string& path, std::string_view text);

// The length of a file; 0 where that cannot be found out.
std::uint64_t file_bytes(const std::string& path);
// What the header of an image file says; nothing where that cannot be found out without reading on.
std::optional<io::ImageInfo> known_image(const std::string& path);
// How much memory the decoded image takes, from its header; 0 where that cannot be found out.
std::uint64_t image_bytes(const std::string& path);

// A name for files that are made from a camera or stream: "camera_0", "rtsp_host_554_door".
std::string live_stem(const std::string& input);

}  // namespace fovea::operations
