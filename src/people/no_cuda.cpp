// Stands in for this folder's CUDA twins in a build without CUDA.
#include "core/no_cuda.h"
#include "people/scanner.h"

namespace fovea::people::cuda {

std::unique_ptr<Scanner> make_linear_scanner(Kind, const LinearModel&) { fovea::cuda::absent(); }
std::unique_ptr<Scanner> make_cascade_scanner(const CascadeModel&) { fovea::cuda::absent(); }
std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel&) { fovea::cuda::absent(); }
std::unique_ptr<Scanner> make_filtered_scanner(const FilteredModel&) { fovea::cuda::absent(); }

}  // namespace fovea::people::cuda
