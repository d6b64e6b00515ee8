#include "cli/emd/emd.h"

#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(EmdVerbs, GroundDistancesAreToldByFormAndUnit) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object();
  write_ground(json, emd::GroundDistance::thresholded(5, 2.5));
  json.end_object().finish();
  EXPECT_THAT(text, HasSubstr("\"rows\":5"));
  EXPECT_THAT(text, HasSubstr("\"form\":\"general\""));
  EXPECT_THAT(text, HasSubstr("\"unit\":0.5"));
}

TEST(EmdVerbs, AreListed) {
  const Ended ended = run_here({"emd", "--help"});
  EXPECT_EQ(ended.status, kDone);
  EXPECT_THAT(ended.out, HasSubstr("distance"));
}

}  // namespace
}  // namespace fovea::cli
