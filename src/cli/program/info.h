// Describes this build and what it can use on this machine.
#pragma once
#include <fovea/core/device.h>
#include <fovea/core/system.h>

#include <string>
#include <vector>

namespace fovea::cli {

// Returns a text such as "AMD EPYC, 16 cores, 64.0 GiB".
std::string device_text(const DeviceInfo& info);
// The image formats and video support of this build.
std::vector<Feature> file_features();

}  // namespace fovea::cli
