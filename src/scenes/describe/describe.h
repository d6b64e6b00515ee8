// Descriptors as both twins make them, and what their options stand for.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "scenes/describe/gradient_words_math.h"

namespace fovea::scenes {

inline int channels_of(Color color) { return color == Color::kGray ? 1 : 3; }
int step_of(const DescriptorOptions& options);  // with 0 replaced by what it stands for
// Pixels across a cell at a scale: 1.5 times that of the scale before, rounded.
int cell_of(const DescriptorOptions& options, int scale);
// The weights of a scale for planes of this unit (1/255 of gray, 1/8192 of Lab).
GradientScale gradient_scale(int cell, Color color);

// An InvalidArgument that begins with the name where an image is empty or of other than 1 or 3
// channels.
void check_image(const char* name, ImageView<const std::uint8_t> image);

// Descriptors of the places that `choose` returns when it is given their count; of all places where
// it returns none.
using ChosenPlaces = FunctionRef<std::vector<std::int64_t>(std::int64_t)>;
Image<float> describe_places(const char* name, ImageView<const std::uint8_t> image,
                             const DescriptorOptions& options, const ChosenPlaces& choose);

// Descriptors of the places named by their numbers (grid after grid, line after line), in any order
// and more than once; none named: of all. Rows of `out`, in the memory of the twin or on the host,
// are theirs. Checked by the caller.
namespace cpu {
void descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options,
                 std::span<const std::int64_t> places, ImageView<float> out, const Exec& exec);
}
namespace cuda {
void descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options,
                 std::span<const std::int64_t> places, ImageView<float> out, const Exec& exec);
}

}  // namespace fovea::scenes
