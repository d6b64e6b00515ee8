#include <fovea/core/device.h>
#include <fovea/core/error.h>

namespace fovea {
namespace {

TEST(Device, ParsesWhatItPrints) {
  for (const char* text : {"auto", "cpu", "cuda:0", "cuda:3"})
    EXPECT_EQ(to_string(parse_device(text)), text);
  EXPECT_EQ(parse_device("cuda"), Device::cuda(0));
}

TEST(Device, RefusesOtherWordsAndNamesThem) {
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", "CPU"}) {
    try {
      parse_device(text);
      FAIL() << text << " was accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("'" + std::string(text) + "'"));
    }
  }
}

TEST(Device, CpuComesFirstAndHasMemory) {
  const auto all = devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].device, Device::cpu());
  EXPECT_GT(all[0].memory_bytes, 1U << 20);
  EXPECT_GE(all[0].units, 1);
}

TEST(Device, AutoResolvesToSomethingUsable) {
  const Device device = resolve({});
  EXPECT_EQ(device.kind, cuda_absence().empty() ? DeviceKind::kCuda : DeviceKind::kCpu);
}

TEST(Device, AbsentGpuIsAnErrorAndNotTheCpu) {
  const std::size_t gpus = devices().size() - 1;
  try {
    resolve(Device::cuda(static_cast<int>(gpus)));
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("device cuda:" + std::to_string(gpus)));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("--")));
  }
  EXPECT_THROW(resolve(Device::cuda(-1)), DeviceError);
}

}  // namespace
}  // namespace fovea
