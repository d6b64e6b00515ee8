// fovea bench emd --spectra: signatures of spectra and maps of whole cubes, as frames of a
// multispectral video.
#pragma once
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

struct EmdSpectraOptions {
  std::vector<std::string> cubes{"1920x1080x11", "512x512x100"};  // width x height x bands
  int spectra_bins = 16;
};
void describe(OptionVisitor& visit, EmdSpectraOptions& options);

// "emd_signature_KIND" makes the signatures of a cube that lies where the device works.
// "emd_spectra_KIND_cold" maps frames from host memory to host memory and keeps nothing;
// "emd_spectra_KIND_warm" maps the same frame again, so that all its signatures are known, and
// "emd_spectra_KIND_cold_16bit" has frames whose samples have 16 bits, which a GPU gets as they
// are. KIND is bands, contrast, or for cold and warm also fused, which is contrast with fused
// scores.
std::vector<BenchCase> emd_spectra_cases(const EmdSpectraOptions& options, const Context& context);

}  // namespace fovea::cli
