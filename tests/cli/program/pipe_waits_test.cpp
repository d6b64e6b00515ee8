#include "cli/program/pipe_waits.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>

#include "cli/program/program.h"
#include "support/waiting.h"

namespace fovea::cli {
namespace {

using Words = std::vector<std::string>;

// Nobody ever writes to the pipe: the first signal ends the wait, whoever waits.
TEST(PipeWaits, AnyVerbHeedsTheFirstSignal) {
  const test::TempFolder folder;
  const std::string pipe = folder / "pipe", image = folder / "a.png";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  write_ramp(image, 64);
  for (const Words& words :
       {Words{"mesh", "info", pipe}, Words{"flow", "show", pipe, "-o", folder / "o.png"},
        Words{"flow", "lk", image, pipe, "-o", folder / "o.flo"},
        Words{"emd", "map", pipe, "--target", "1,1,3,3", "-o", folder / "o.npy"},
        Words{"people", "detect", "@" + pipe, "--csv", folder / "o.csv"},
        Words{"people", "detect", image, "--config=" + pipe, "--csv", folder / "o.csv"}}) {
    std::stop_source stop;
    TextSink out, err;
    int status = -1;
    {
      const std::jthread stopper = test::stop_once_asleep(stop);
      status = run(words, {.out = out, .err = err, .stop = stop.get_token()});
    }
    EXPECT_EQ(status, kInterrupted) << words[0] << " " << words[1] << ": " << err.text;
  }
}

}  // namespace
}  // namespace fovea::cli
