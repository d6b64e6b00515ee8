// Videos of drawn people, as the gallery needs them: in gray, as views, in files, side by side.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::cli {

using ActVideo = std::vector<Image<std::uint8_t>>;

ActVideo gray_video(const ActVideo& video);
std::vector<ImageView<const std::uint8_t>> frame_views(const ActVideo& frames);
// Makes the folder where there is none.
void write_act_video(const std::string& path, const ActVideo& video);
// Joins the frames of two videos of one height and length, the second to the right of the first.
ActVideo side_by_side(const ActVideo& left, const ActVideo& right);

}  // namespace fovea::cli
