#include <fovea/core/error.h>
#include <fovea/core/exec.h>

namespace fovea {
namespace {

TEST(Exec, ThrowsOnlyOnceStopped) {
  std::stop_source source;
  const Exec exec{.stop = source.get_token()};
  EXPECT_NO_THROW(throw_if_stopped(exec));
  source.request_stop();
  EXPECT_THROW(throw_if_stopped(exec), Cancelled);
  EXPECT_NO_THROW(throw_if_stopped(Exec{}));
}

}  // namespace
}  // namespace fovea
