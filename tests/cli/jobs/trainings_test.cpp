// Trainings whose long parts are divided into shards give the model of one run.
#include <gmock/gmock.h>

#include "cli/jobs/divided.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class Trainings : public Divided {
 protected:
  void SetUp() override {
    FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  }
  static Words small(Words words) {
    return joined(std::move(words), {"--nodes", "6", "--step", "6"});
  }

  // The model of one command, and that of shards of distances.
  void expect_same_model(const std::string& clips, const Words& options, int status = kDone) const {
    const std::string distances = out() + "/d.safetensors";
    const std::string model = folder_ / "m.safetensors";
    const Ended whole =
        run_here(joined(small({"actions", "train", clips, "-o", model, "--json"}), options));
    ASSERT_EQ(whole.status, status) << whole.err;
    const std::string bytes = test::load(model);
    expect_equal(joined(small({"actions", "distances", clips, "-o", distances}), options), status);
    for (const char* threads : {"1", "2"}) {
      std::filesystem::remove(model);
      const Ended trained = run_here(joined(small({"actions", "train", clips, "-o", model,
                                                   "--distances", distances, "--threads", threads}),
                                            options));
      ASSERT_EQ(trained.status, status) << trained.err;
      EXPECT_EQ(test::load(model), bytes);
    }
  }
};

TEST_F(Trainings, Actions) {
  const std::string clips = write_clips(2, 3, 14);
  expect_same_model(clips, {});
  expect_same_model(clips, {"--no-late-fusion", "--reject-points", "0"});
  test::save(folder_ / "clip4.txt", "no points");
  expect_same_model(clips, {}, kSomeFailed);
}

TEST_F(Trainings, ActionsWithSelectionAndSymmetricDistances) {
  const std::string clips = write_clips(2, 3, 14);
  expect_same_model(clips, {"--selection", "floating", "--prototypes", "3"});
  expect_same_model(clips, {"--symmetric"});
}

TEST_F(Trainings, OfOneSubjectCompareNoSingles) { expect_same_model(write_clips(2, 1, 14), {}); }

TEST_F(Trainings, DistancesOfOtherOptionsOrClipsAreRefused) {
  const std::string clips = write_clips(2, 2, 14), distances = folder_ / "d.safetensors";
  const Words measure = small({"actions", "distances", clips, "-o", distances, "--quiet"});
  ASSERT_EQ(run_here(measure).status, kDone);
  const Words train = small({"actions", "train", clips, "-o", folder_ / "m.safetensors", "--quiet",
                             "--distances", distances});
  EXPECT_EQ(run_here(joined(train, {"--reject-share", "0.2"})).status, kDone);
  const Ended options = run_here(joined(train, {"--seed", "7"}));
  EXPECT_EQ(options.status, kUsage);
  EXPECT_THAT(options.err, HasSubstr("with \"seed\": 1234, but training has \"seed\": 7"));
  std::filesystem::copy(folder_ / "clip0.txt", folder_ / "clip1.txt",
                        std::filesystem::copy_options::overwrite_existing);
  const Ended other = run_here(train);
  EXPECT_EQ(other.status, kUsage);
  EXPECT_THAT(other.err, HasSubstr("the distances are those of 4 other clips, points or labels"));
  test::save(distances, "no file");
  EXPECT_EQ(run_here(train).status, kBadInput);
  EXPECT_THAT(run_here(small({"actions", "distances", clips})).err,
              HasSubstr("needs -o FILE.safetensors"));
  EXPECT_THAT(run_here(small({"actions", "distances", clips, "-o", "d.npy"})).err,
              HasSubstr("written as .safetensors"));
}

}  // namespace
}  // namespace fovea::cli
