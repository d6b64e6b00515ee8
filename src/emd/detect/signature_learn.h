// What a signature learns from a scene.
#pragma once
#include <fovea/emd/signature.h>

#include <vector>

#include "emd/detect/signature_math.h"

namespace fovea::emd {

// The parameters of signatures with their tables in host memory.
struct SignaturePlan {
  detail::SignatureParams params{};
  std::vector<double> dark{}, mean{}, white{};

  // Parameters that refer to the tables as they are now.
  detail::SignatureParams view() const {
    detail::SignatureParams all = params;
    all.dark = dark.data();
    all.mean = mean.data();
    all.white = white.data();
    return all;
  }
};

// Learns from a scene in host memory. Throws InvalidArgument where no pixel has finite values
// alone.
SignaturePlan learn_signature(StackView<const float> scene, const SignatureOptions& options);

}  // namespace fovea::emd
