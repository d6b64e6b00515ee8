// Descriptors as both twins compute them, and the values that options stand for.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "scenes/describe/gradient_words_math.h"

namespace fovea::scenes {

inline int channels_of(Color color) { return color == Color::kGray ? 1 : 3; }
int step_of(const DescriptorOptions& options);  // 0 is replaced by the default
// Returns the width of a cell in pixels. Each scale has cells 1.5 times as wide as the scale
// before, rounded.
int cell_of(const DescriptorOptions& options, int scale);
// Returns the weights of a scale for planes in this unit (1/255 for gray, 1/8192 for Lab).
GradientScale gradient_scale(int cell, Color color);

// check_options(), and whether the sizes and deviations of the filters go together.
void check_descriptor(const DescriptorOptions& options);

// Throws an InvalidArgument that begins with the name if an image is empty or does not have 1 or 3
// channels.
void check_image(const char* name, ImageView<const std::uint8_t> image);

// Returns descriptors of the places that `choose` returns when it is called with the number of
// places; if it returns none, of all places.
using ChosenPlaces = FunctionRef<std::vector<std::int64_t>(std::int64_t)>;
Image<float> describe_places(const char* name, ImageView<const std::uint8_t> image,
                             const DescriptorOptions& options, const ChosenPlaces& choose);

// Computes descriptors of the places with these indices (grid by grid, line by line), which may be
// in any order and repeated; if there are none, of all places. They are written to the rows of
// `out`, in the memory of the twin or on the host. The caller checks the arguments.
namespace cpu {
void descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options,
                 std::span<const std::int64_t> places, ImageView<float> out, const Exec& exec);
}
namespace cuda {
void descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options,
                 std::span<const std::int64_t> places, ImageView<float> out, const Exec& exec);
}

}  // namespace fovea::scenes
