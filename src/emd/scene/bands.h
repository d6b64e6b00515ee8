// Bands of frames inside of the library.
#pragma once
#include <fovea/emd/scene.h>

#include <optional>

namespace fovea::emd {

// The band that gray_band() returns, where the frame lies: a view of the frame itself, or of
// `kept`, which is then filled in the order of exec.stream.
ImageView<const float> gray_view(const BandFrame& frame, std::optional<int> band,
                                 Image<float>& kept, const Exec& exec);

}  // namespace fovea::emd
