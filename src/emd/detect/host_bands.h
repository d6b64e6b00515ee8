// Bands where the host can read them: as they are, or a copy of those in device memory.
#pragma once
#include <fovea/core/image.h>

namespace fovea::emd {

class HostBands {
 public:
  explicit HostBands(StackView<const float> bands) : view_(bands) {
    if (bands.memory != Memory::kCuda) return;
    copy_ = Stack<float>(bands.width, bands.height, bands.count, bands.channels);
    copy(bands, copy_.view());
    view_ = copy_;
  }

  StackView<const float> view() const { return view_; }

 private:
  Stack<float> copy_;
  StackView<const float> view_;
};

// InvalidArgument where there is nothing in the cube or bands have several channels.
void check_bands(const char* who, StackView<const float> bands);

}  // namespace fovea::emd
