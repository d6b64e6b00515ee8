// Explanations of clips, drawn over a frame of the video.
#pragma once
#include <fovea/actions/train.h>
#include <fovea/io/video.h>
#include <fovea/report/explanation.h>

#include <cstdint>

namespace fovea::operations {

// The frame over which a match is drawn: the one in the middle of its matched points, counted from
// the first of the clip; -1 where nothing was matched.
std::int64_t drawn_frame(const report::Explanation& explanation);
// The shapes of that frame then count as those of the picture.
void show_frame(report::Explanation& explanation, std::int64_t frame);

// That frame of a clip: gray, or of a file of points a dark picture of them.
Image<std::uint8_t> frame_of_clip(const actions::Clip& clip, std::int64_t frame,
                                  const io::VideoReadOptions& reading);

}  // namespace fovea::operations
