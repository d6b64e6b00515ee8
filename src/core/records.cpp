// The fields of what a build and a machine offer.
#include <fovea/core/device.h>
#include <fovea/core/system.h>

#include "core/record_values.h"

namespace fovea {

void describe(FieldVisitor& visit, Feature& feature) {
  visit.record("Feature", "a part that a build or a machine may lack");
  visit("name", feature.name, "what it is called");
  visit("usable", feature.usable, "whether it can be used here");
  visit("detail", feature.detail, "its version; else why not and what to install");
}

void describe(FieldVisitor& visit, DeviceInfo& info) {
  std::string device = to_string(info.device);
  FieldValue capability = detail::unless_empty(info.capability);
  visit.record("DeviceInfo", "a device that work can run on");
  visit("device", device, "as options name it");
  visit("name", info.name, "of the processor");
  visit("units", info.units, "cores of a CPU, multiprocessors of a GPU");
  visit("memory_bytes", info.memory_bytes, "its memory", {.unit = "bytes"});
  visit("capability", capability, "CUDA compute capability; null for the CPU", {.null = true});
}

}  // namespace fovea
