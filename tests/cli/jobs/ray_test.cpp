// fovea ray submit: what it hands over, and what it says where there is nobody to hand over to.
// Covers: ray
#include <gtest/gtest.h>

#include <stdlib.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

class RaySubmit : public testing::Test {
 protected:
  void SetUp() override { setenv("RAY_ADDRESS", "auto", 1); }
  void TearDown() override {
    unsetenv("RAY_ADDRESS");
    unsetenv("FOVEA_PROGRAM");
  }
  // Something that stands in for Python, prints its words after the script, and ends with a status.
  std::string python() const {
    const std::string path = folder_ / "python";
    test::save(path,
               "#!/bin/sh\nshift 2\nfor word in \"$@\"; do echo \"[$word]\"; done\n"
               "echo \"$FOVEA_PROGRAM\"\nexit 5\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  test::TempFolder folder_;
};

TEST_F(RaySubmit, HandsTheWordsOver) {
  const Ended ended = run_program({"ray", "submit", "--python", python(), "--shards", "4",
                                   "--no-resume", "--gpus-per-worker", "0.5", "people", "detect",
                                   "a b", "--shards", "-q", "--", "-x"});
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(
      ended.out,
      "[submit]\n[--folder=.]\n[--cpus-per-worker=1]\n[--gpus-per-worker=0.5]\n[--shards=4]\n"
      "[--no-resume]\n[--]\n[people]\n[detect]\n[a b]\n[--shards]\n[-q]\n[--]\n[-x]\n" FOVEA_PROGRAM
      "\n");
}

TEST_F(RaySubmit, KeepsTheProgramThatIsNamed) {
  setenv("FOVEA_PROGRAM", "/opt/fovea", 1);
  const Ended ended =
      run_program({"ray", "submit", "--python", python(), "--workers", "2", "mesh", "info"});
  EXPECT_NE(ended.out.find("[--workers=2]\n"), std::string::npos) << ended.out;
  EXPECT_TRUE(ended.out.ends_with("\n/opt/fovea\n")) << ended.out;
}

TEST_F(RaySubmit, SaysWhatIsMissing) {
  const Ended nobody = run_program({"ray", "submit", "--python", folder_ / "none", "mesh", "info"});
  EXPECT_EQ(nobody.status, kFailed);
  EXPECT_EQ(nobody.err, "fovea: " + folder_ / "none" +
                            ": No such file or directory; install Python 3 with the package "
                            "fovea-vision[ray], or name it by --python\n");
  const Ended few = run_here({"ray", "submit", "mesh"});
  EXPECT_EQ(few.status, kUsage);
  EXPECT_EQ(few.err, "fovea: ray submit needs a WORD; write fovea ray submit WORD... [options]\n");
  EXPECT_EQ(run_here({"ray", "submit", "--shards", "-1", "mesh", "info"}).status, kUsage);
  unsetenv("RAY_ADDRESS");
  const Ended nowhere = run_here({"ray", "submit", "mesh", "info", "a.off"});
  EXPECT_EQ(nowhere.status, kUsage);
  EXPECT_EQ(nowhere.err,
            "fovea: RAY_ADDRESS is not set; give the address of a cluster, such as "
            "RAY_ADDRESS=auto for the one of this machine\n");
}

// Whatever Python this machine has: without the package, it says so in one line.
TEST_F(RaySubmit, NamesAPythonWithoutThePackage) {
  const std::string path = folder_ / "python";
  test::save(path, "#!/bin/sh\nexec python3 -S -I \"$@\"\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const Ended ended = run_program({"ray", "submit", "--python", path, "mesh", "info", "a.off"});
  if (ended.status == 127) GTEST_SKIP() << "python3 is not installed";
  EXPECT_EQ(ended.status, kFailed);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_NE(ended.err.find("cannot import fovea.ray (No module named 'fovea"), std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace fovea::cli
