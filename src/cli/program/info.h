// What this build is and what this machine can do with it, in words.
#pragma once
#include <fovea/core/device.h>
#include <fovea/core/system.h>

#include <string>
#include <vector>

namespace fovea::cli {

// "AMD EPYC, 16 cores, 64.0 GiB".
std::string device_text(const DeviceInfo& info);
// Image formats and video.
std::vector<Feature> file_features();

}  // namespace fovea::cli
