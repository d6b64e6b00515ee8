// Learning the filters that decorrelate channels (Nam, Dollar and Han, NIPS 2014, section 3).
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/people/filtered.h>

#include <cstdint>
#include <span>

namespace fovea::people {

// The filters are the eigenvectors of the autocovariance of each channel with the greatest
// eigenvalues. `windows` are unfiltered channels: for each window [channel][row][column], a window
// having `cells` cells. Gains and offsets put the responses within three and a half standard
// deviations of their mean into a byte.
FilterBank learn_filters(std::span<const std::uint8_t> windows, Extent cells, int filters);

}  // namespace fovea::people
