#include <fovea/core/device.h>
#include <fovea/core/system.h>
#include <fovea/io/record_io.h>
#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(SystemRecords, ACpuHasNoCapability) {
  const DeviceInfo cpu{Device::cpu(), "a processor", 1024, 4, ""};
  EXPECT_EQ(io::record_json(record_ref(cpu)),
            R"({"device": "cpu", "name": "a processor", "units": 4, "memory_bytes": 1024, )"
            R"("capability": null})");
  EXPECT_EQ(io::record_json(record_ref(DeviceInfo{Device::cuda(1), "gpu", 1, 2, "9.0"})),
            R"({"device": "cuda:1", "name": "gpu", "units": 2, "memory_bytes": 1, )"
            R"("capability": "9.0"})");
}

TEST(SystemRecords, FeaturesReadBack) {
  const std::string text = io::record_json(record_ref(Feature{"video", false, "no FFmpeg"}));
  EXPECT_EQ(text, R"({"name": "video", "usable": false, "detail": "no FFmpeg"})");
  EXPECT_EQ(io::parse_record<Feature>(text, "a").detail, "no FFmpeg");
}

}  // namespace
}  // namespace fovea
