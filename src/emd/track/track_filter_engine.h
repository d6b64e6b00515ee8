// The twins of the correlation filter: what is learned, and the views of frames, stay where frames
// are.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "emd/track/track_cells.h"
#include "emd/track/track_fourier.h"

namespace fovea::emd {

class FilterEngine {
 public:
  static constexpr std::size_t kMostSeen = 3;

  virtual ~FilterEngine() = default;
  // Starts to compare a square of a frame with the filter.
  virtual void push(ImageView<const std::uint8_t> frame, const CellSquare& square) = 0;
  // Returns the responses in the square that was pushed last, kFineSide x kFineSide samples in host
  // memory; they stay until the next push().
  virtual std::span<const float> finish() = 0;
  // Looks at up to kMostSeen squares, and keeps their spectra until the next call.
  virtual void see(ImageView<const std::uint8_t> frame, std::span<const CellSquare> squares) = 0;
  // The response in the middle of one of the squares that were seen.
  virtual double match(std::size_t seen) = 0;
  // Replaces a share of the filter by what was seen in a square.
  virtual void learn(std::size_t seen, double rate) = 0;
};

// `wanted` is the spectrum of the response to the target itself.
namespace cpu {
std::unique_ptr<FilterEngine> filter_engine(const ComplexPlane& wanted, const Exec& exec);
}
namespace cuda {
std::unique_ptr<FilterEngine> filter_engine(const ComplexPlane& wanted, const Exec& exec);
}

}  // namespace fovea::emd
