// A damaged image, a file that vanishes and a full disk: the input is named, the others are done,
// the manifest stays whole, and --resume finishes the job.
// Covers: recorded_units
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "cli/jobs/job_folder.h"
#include "cli/jobs/recorded_units.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// No file can grow beyond so many bytes, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(std::size_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    handler_ = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

class Faults : public JobFolder {
 protected:
  // A list of images, so that a file is listed even when it is gone.
  void SetUp() override {
    fs::create_directory(folder_ / "in");
    std::ofstream list(folder_ / "list");
    for (int i = 0; i < 6; ++i) {
      images_.push_back(folder_ / ("in/" + std::to_string(i) + ".png"));
      write_ramp(images_.back(), 4 + i);
      list << images_.back() << "\n";
    }
    list.close();
    write_places(folder_ / "places", 3);
    for (const auto& entry : fs::directory_iterator(folder_ / "places/lying"))
      places_.push_back(entry.path().string());
    std::ofstream corpus(folder_ / "corpus");
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "places"))
      if (entry.is_regular_file())
        corpus << entry.path().string() << " " << entry.path().parent_path().filename().string()
               << "\n";
  }
  // A verb whose inputs are a Batch, and one whose inputs are RecordedUnits.
  Words batch() const { return {"ops", "blur", "@" + (folder_ / "list"), "-o", folder_ / "out"}; }
  Words units() const {
    return {"scenes", "sample", folder_ / "corpus", "--samples", "5", "-o", folder_ / "out/s.npy"};
  }

  // The job with a fault that names `input`, and afterwards without it.
  template <class Break, class Mend>
  void expect_named_and_mended(const Words& words, const std::string& input, const Break& damage,
                               const Mend& mend) {
    clear();
    const Ended whole = run_whole(words);
    ASSERT_EQ(whole.status, kDone) << whole.err;
    const Files files = results();
    for (const bool resumed : {false, true}) {
      if (!resumed) clear();
      damage();
      const Ended broken = run_whole(words);
      mend();
      EXPECT_EQ(broken.status, kSomeFailed) << broken.err;
      EXPECT_THAT(broken.err, HasSubstr(input));
      EXPECT_NO_THROW(cluster::Manifest(folder_ / "whole.manifest"));
      const Ended mended = run_whole(words);
      EXPECT_EQ(mended.status, kDone) << mended.err;
      EXPECT_EQ(mended.out, whole.out);
      EXPECT_EQ(results(), files);
    }
  }
  void expect_damage_is_named(const Words& words, const std::string& input) {
    const std::string good = test::load(input);
    expect_named_and_mended(
        words, input, [&] { test::save(input, "no image"); }, [&] { test::save(input, good); });
  }
  void expect_absence_is_named(const Words& words, const std::string& input) {
    const std::string good = test::load(input);
    expect_named_and_mended(
        words, input, [&] { fs::remove(input); }, [&] { test::save(input, good); });
  }

  Words images_{}, places_{};
};

TEST_F(Faults, DamagedAndVanishedImagesOfABatch) {
  expect_damage_is_named(batch(), images_[3]);
  expect_absence_is_named(batch(), images_[3]);
}

TEST_F(Faults, DamagedImagesOfRecordedUnits) { expect_damage_is_named(units(), places_[1]); }

// A list of labeled images is checked before any of them is worked on.
TEST_F(Faults, VanishedImagesOfALabeledList) {
  clear();
  const Ended whole = run_whole(units());
  const Files files = results();
  const std::string good = test::load(places_[1]);
  fs::remove(places_[1]);
  const Ended broken = run_whole(units());
  EXPECT_EQ(broken.status, kBadInput) << broken.err;
  EXPECT_THAT(broken.err, HasSubstr(places_[1] + " is no file"));
  test::save(places_[1], good);
  const Ended mended = run_whole(units());
  EXPECT_EQ(mended.status, kDone) << mended.err;
  EXPECT_EQ(mended.out, whole.out);
  EXPECT_EQ(results(), files);
}

// The last line of the manifest has no room.
TEST_F(Faults, AManifestOnAFullDisk) {
  for (const Words& words : {batch(), units()}) {
    clear();
    const Ended whole = run_whole(words);
    ASSERT_EQ(whole.status, kDone) << whole.err;
    const Files files = results();
    const auto bytes = fs::file_size(folder_ / "whole.manifest");
    clear();
    Ended full;
    {
      const FullDisk disk(bytes - 10);
      full = run_whole(words);
    }
    EXPECT_EQ(full.status, kSomeFailed) << full.err;
    EXPECT_THAT(full.err, HasSubstr("whole.manifest: cannot be written"));
    EXPECT_THAT(full.err, HasSubstr(".png: "));
    const cluster::Manifest left(folder_ / "whole.manifest");
    EXPECT_EQ(left.done(), left.job().units - 1);
    const Ended resumed = run_whole(words);
    EXPECT_EQ(resumed.status, kDone) << resumed.err;
    EXPECT_EQ(resumed.out, whole.out);
    EXPECT_EQ(results(), files);
  }
}

TEST_F(Faults, AResultOnAFullDisk) {
  Image<std::uint8_t> noise(300, 300);
  unsigned state = 1;
  for (int y = 0; y < noise.height(); ++y)
    for (int x = 0; x < noise.width(); ++x)
      noise.at(x, y) = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
  io::write_image(images_[2], noise.view());
  const Words words = with(batch(), {"--sigma", "0.3"});
  clear();
  const Ended whole = run_whole(words);
  const Files files = results();
  clear();
  Ended full;
  {
    const FullDisk disk(20'000);
    full = run_whole(words);
  }
  EXPECT_EQ(full.status, kSomeFailed) << full.err;
  EXPECT_THAT(full.err, HasSubstr("out/2.png"));
  EXPECT_EQ(results().size(), files.size() - 1);
  const Ended resumed = run_whole(words);
  EXPECT_EQ(resumed.status, kDone) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(results(), files);
}

// Fields of a range of frames.
TEST_F(Faults, ARangeOfFramesOnAFullDisk) {
  for (const std::string& image : images_) write_ramp(image, 12);
  const Words words{"flow",          "lk", folder_ / "in", "-o", folder_ / "out/fields",
                    "--unit-frames", "2"};
  clear();
  const Ended whole = run_whole(words);
  ASSERT_EQ(whole.status, kDone) << whole.err;
  const Files files = results();
  const auto bytes = fs::file_size(folder_ / "whole.manifest");
  clear();
  Ended full;
  {
    const FullDisk disk(bytes - 10);
    full = run_whole(words);
  }
  EXPECT_NE(full.status, kDone);
  EXPECT_THAT(full.err, HasSubstr(images_[4] + " to " + images_[5] + ": "));
  EXPECT_THAT(full.err, HasSubstr("cannot be written"));
  const Ended resumed = run_whole(words);
  EXPECT_EQ(resumed.status, kDone) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(results(), files);
}

}  // namespace
}  // namespace fovea::cli
