#include "core/resident.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fovea::detail {
namespace {

struct Counted {
  int number;
};

TEST(Resident, IsMadeOncePerDevice) {
  int made = 0;
  const auto make = [&] { return std::make_unique<Counted>(Counted{++made}); };
  Resident<Counted> engine;
  EXPECT_EQ(engine.get(), nullptr);
  EXPECT_EQ(engine.on(Device::cpu(), make).number, 1);
  EXPECT_EQ(engine.on(Device::cpu(), make).number, 1);
  EXPECT_EQ(engine.on(Device::cuda(0), make).number, 2);
  EXPECT_EQ(engine.on(Device::cuda(1), make).number, 3);
  EXPECT_EQ(engine.on(Device::cpu(), make).number, 4);
  engine.reset();
  EXPECT_EQ(engine.on(Device::cpu(), make).number, 5);
}

TEST(Resident, StaysEmptyWhereMakingFails) {
  Resident<Counted> engine;
  const auto fail = []() -> std::unique_ptr<Counted> { throw std::runtime_error("no device"); };
  EXPECT_THROW(engine.on(Device::cpu(), fail), std::runtime_error);
  EXPECT_EQ(engine.get(), nullptr);
  EXPECT_EQ(engine.on(Device::cpu(), [] { return std::make_unique<Counted>(Counted{7}); }).number,
            7);
}

}  // namespace
}  // namespace fovea::detail
