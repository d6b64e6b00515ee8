// Which windows of a frame differ from those of the frame before.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea::emd {

// Sets a pixel of `mask` to 1 where some label within `reach` rows and columns differs between the
// two frames, and to 0 elsewhere. Returns the number of ones. All images have one size, and `reach`
// is at most 127.
std::int64_t mark_changes(ImageView<const std::uint8_t> labels,
                          ImageView<const std::uint8_t> before, int reach,
                          ImageView<std::uint8_t> mask, const Exec& exec);

}  // namespace fovea::emd
