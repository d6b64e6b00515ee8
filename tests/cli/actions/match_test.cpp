#include <fovea/io/image_io.h>

#include "cli/actions/verbs.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

class ActionsMatch : public ActionsVerbs {};

TEST_F(ActionsMatch, MatchDrawsAPicture) {
  const Ended ended = run_here({"actions", "match", *folder_ / "clips/up/s0_swing.y4m",
                                *folder_ / "clips/up/s1_swing.y4m", "-o", *folder_ / "match.png",
                                "--json", "--nodes", "12", "--harris-levels", "1"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["nodes"].size(), 12);
  EXPECT_GT(io::image_info(*folder_ / "match.png").width, 500);
}

}  // namespace
}  // namespace fovea::cli
