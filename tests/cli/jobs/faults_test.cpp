// A damaged image, a file that vanishes and a full disk: the input is named, the others are done,
// the manifest stays whole, and --resume finishes the job.
// Covers: units
#include <fovea/io/flow_io.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "cli/flow/scene.h"
#include "cli/jobs/job_folder.h"
#include "cli/jobs/units.h"
#include "cli/program/parser.h"
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
  // A verb whose inputs are a Batch, and one that takes its units in groups.
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

TEST_F(Faults, DamagedImagesOfUnits) { expect_damage_is_named(units(), places_[1]); }

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

// Units of an evaluation.
TEST_F(Faults, AnEvaluationOnAFullDisk) {
  for (int i = 0; i < 3; ++i) {
    const std::string pair = folder_ / ("set/s" + std::to_string(i));
    fs::create_directories(pair);
    const FlowScene scene = flow_scene(64, 48, {}, 5 * i);
    io::write_image(pair + "/frame10.png", scene.first);
    io::write_image(pair + "/frame11.png", scene.second);
    io::write_flow(pair + "/flow10.flo", {scene.u, scene.v});
  }
  const Words words{"flow", "eval", folder_ / "set"};
  clear();
  const Ended whole = run_whole(words);
  ASSERT_EQ(whole.status, kDone) << whole.err;
  const auto bytes = fs::file_size(folder_ / "whole.manifest");
  clear();
  Ended full;
  {
    const FullDisk disk(bytes - 10);
    full = run_whole(words);
  }
  EXPECT_EQ(full.status, kSomeFailed) << full.err;
  EXPECT_EQ(full.out, "");
  EXPECT_THAT(full.err, HasSubstr("set/s2/flow10.flo: "));
  EXPECT_THAT(full.err, HasSubstr("cannot be written"));
  EXPECT_EQ(cluster::Manifest(folder_ / "whole.manifest").done(), 2U);
  const Ended resumed = run_whole(words);
  EXPECT_EQ(resumed.status, kDone) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
}

// What a unit of an evaluation gives.
struct Measured {
  int number = 0;
};
void describe(FieldVisitor& visit, Measured& measured) {
  visit("number", measured.number, "of the unit");
}

// The work of a verb, between which an input changes.
class Meanwhile : public Faults {
 protected:
  Meanwhile()
      : words_{folder_ / "corpus", "-o", folder_ / "s.npy"},
        invocation_(parse(*find_command("scenes", "sample"), words_)),
        console_({.out = out_, .err = err_, .stop = {}}),
        context_(context_of(invocation_, console_)),
        journal_(recording_journal({.manifest = folder_ / "m.manifest"},
                                   {.words = {}, .options = "{\"seed\": 1}"})) {
    context_.journal = journal_.get();
    context_.exec.device = Device::cpu();
  }
  cluster::Manifest recorded() const { return cluster::Manifest(folder_ / "m.manifest"); }

  Words words_;
  Invocation invocation_;
  TextSink out_, err_;
  Console console_;
  Context context_;
  std::unique_ptr<Journal> journal_;
};

TEST_F(Meanwhile, AnImageThatChangesHasFailed) {
  Words messages;
  Units units(context_, {images_},
              [&](std::size_t, const UnitResult& given) { messages.push_back(given.message); });
  EXPECT_EQ(units.open().size(), images_.size());
  write_ramp(images_[2], 40);
  for (const std::size_t unit : units.open()) units.take(unit, UnitResult{.shared = "bytes"});
  units.finish();
  const std::string changed = "changed while it was worked on; run it again with --resume";
  EXPECT_EQ(messages, (Words{"", "", changed, "", "", ""}));
  EXPECT_EQ(recorded().status(2), cluster::UnitStatus::kFailed);
  EXPECT_EQ(recorded().done(), 5U);
}

TEST_F(Meanwhile, AFileOfAnEvaluationThatChangesFailsItsUnits) {
  const std::vector<Words> files{{images_[0]}, {images_[1], images_[2]}, {images_[3]}};
  std::vector<Measured> records(3);
  const UnitList list{Words{"one", "two", "three"},
                      [&](std::size_t unit) { return UnitFiles(files[unit]); }};
  Units units(context_, list, records);
  EXPECT_EQ(units.open().size(), 3U);
  write_ramp(images_[2], 40);
  for (const std::size_t unit : {2U, 0U, 1U})
    units.take(unit, Measured{10 + static_cast<int>(unit)});
  EXPECT_FALSE(units.finish_whole());
  EXPECT_TRUE(journal_->noted_failure());
  EXPECT_THAT(err_.text, HasSubstr("two: changed while it was worked on"));
  EXPECT_EQ(recorded().status(1), cluster::UnitStatus::kFailed);
  EXPECT_EQ(recorded().done(), 2U);
  EXPECT_EQ(records[0].number, 10);
  EXPECT_EQ(records[1].number, 0);
  EXPECT_EQ(records[2].number, 12);
  err_.text.clear();
  std::vector<cluster::Manifest> parts;
  parts.push_back(recorded());
  const std::unique_ptr<Journal> merging = merging_journal(std::move(parts));
  context_.journal = merging.get();
  Units merged(context_, list, records);
  EXPECT_TRUE(merged.open().empty());
  EXPECT_FALSE(merged.finish_whole());
  EXPECT_TRUE(merging->noted_failure());
  EXPECT_THAT(err_.text, HasSubstr("two: changed while it was worked on"));
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
