// Ranges of the frames of one video or sequence as units of work.
#include "cli/jobs/frame_units.h"

#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include "cli/jobs/job_folder.h"
#include "emd/track_scene.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FrameRanges : public JobFolder {
 protected:
  static Image<std::uint8_t> frame(int number) {
    const emd::Square square{{8. + number, 10, 16, 14}, {200, 40, 40}, {40, 60, 200}};
    return emd::track_scene(48, 36, 3, {square});
  }
  // Images in a folder, which has their names.
  Words write_frames(int count) const {
    fs::create_directory(folder_ / "in");
    Words names;
    for (int i = 0; i < count; ++i) {
      names.push_back(folder_ / ("in/" + std::to_string(i) + ".png"));
      io::write_image(names.back(), frame(i).view());
    }
    return names;
  }
  std::string write_video(const std::string& name, int count) const {
    io::VideoWriter writer(folder_ / name, {.frame_rate = 12.5});
    for (int i = 0; i < count; ++i) writer.write(frame(i).view());
    writer.finish();
    return folder_ / name;
  }
  std::string out(const char* name) const { return folder_ / "out/" + name; }
};

TEST_F(FrameRanges, FlowOfAFolder) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  for (const int count : {8, 9}) {  // 9 are whole units
    fs::remove_all(folder_ / "in");
    write_frames(count);
    expect_equal_shards({"flow", "lk", folder_ / "in", "-o", out("fields"), "--picture", "wheel",
                         out("wheel.y4m"), "--picture", "arrows", out("arrows/"), "--unit-frames",
                         "3"});
  }
}

TEST_F(FrameRanges, FlowOfAVideo) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  const std::string video = write_video("v.y4m", 7);
  expect_equal_shards({"flow", "bm", video, "-o", out("fields"), "--unit-frames", "2", "--format",
                       "png", "--json"});
  expect_equal_shards({"flow", "lk", video, "--picture", "confidence", out("%03d.png"),
                       "--unit-frames", "3", "--frames", "5", "--json"});
  expect_equal_shards(
      {"flow", "lk", video, "-o", out("fields"), "--unit-frames", "2", "--seconds", "0.4"});
}

TEST_F(FrameRanges, FlowOfImages) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  expect_equal_shards(with(with({"flow", "lk"}, write_frames(5)),
                           {"-o", out("fields"), "--unit-frames", "1", "--json"}));
}

TEST_F(FrameRanges, AVideoThatDoesNotStateItsLength) {
  if (!io::video_feature().usable) GTEST_SKIP() << "no FFmpeg";
  const std::string video = write_video("v.mkv", 5);
  expect_equal_shards({"flow", "lk", video, "-o", out("fields"), "--unit-frames", "2"});
}

TEST_F(FrameRanges, MapsInAFolder) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  write_frames(7);
  expect_equal_shards({"emd", "map", folder_ / "in", "--target", "8,10,8,8", "-o", out("maps/"),
                       "--picture", out("pictures/"), "--window", "5", "--unit-frames", "2"});
}

TEST_F(FrameRanges, MapsInOneFile) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  const std::string video = write_video("v.y4m", 5);
  expect_equal_shards({"emd",
                       "map",
                       video,
                       "--target",
                       "8,10,8,8",
                       "-o",
                       out("maps.tif"),
                       "--picture",
                       out("p.y4m"),
                       "--coco",
                       out("r.json"),
                       "--csv",
                       out("r.csv"),
                       "--found-mask",
                       out("masks"),
                       "--overlay",
                       out("o.y4m"),
                       "--window",
                       "5",
                       "--unit-frames",
                       "2",
                       "--json"});
}

TEST_F(FrameRanges, MapsOfImagesWithRegions) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  expect_equal_shards(with(with({"emd", "map"}, write_frames(4)),
                           {"--target", "8,10,8,8", "--csv", out("r.csv"), "--signature", "colors",
                            "--window", "5", "--unit-frames", "3"}));
}

TEST_F(FrameRanges, EveryRangeDependsOnTheFirstImage) {
  const Words names = write_frames(5);
  const Words words{"emd",           "map", folder_ / "in", "--target", "8,10,8,8",    "-o",
                    out("maps/"),    "-q",  "--window",     "5",        "--signature", "colors",
                    "--unit-frames", "2"};
  clear();
  ASSERT_EQ(run_whole(words).status, kDone);
  const Files before = results();
  io::write_image(names[0], frame(9).view());
  const Ended resumed = run_whole(words);
  EXPECT_EQ(resumed.status, kDone) << resumed.err;
  const Files files = results();
  EXPECT_NE(files, before);
  clear();
  const Ended whole = run_whole(words);
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(files, results());
}

TEST_F(FrameRanges, AMergeWritesTablesElsewhere) {
  write_frames(4);
  clear();
  const Ended ended = run_in_shards({"emd", "map", folder_ / "in", "--target", "8,10,8,8", "--csv",
                                     out("r.csv"), "--window", "5", "--unit-frames", "2"},
                                    2, 1);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const std::string table = test::load(out("r.csv"));
  fs::remove(out("r.csv"));
  const Ended again =
      run_here({"merge", "--trust", manifest(0), manifest(1), "-o", out("other.csv")});
  EXPECT_EQ(again.status, kDone) << again.err;
  EXPECT_EQ(test::load(out("other.csv")), table);
  EXPECT_FALSE(fs::exists(out("r.csv")));
}

TEST_F(FrameRanges, FramesOfTwoSizesLeaveNoFileOfAllWhereAVideoCannotHoldThem) {
  const Words names = write_frames(4);
  io::write_image(names[3], emd::track_scene(50, 40, 3, {}).view());
  clear();
  const Ended ended = run_in_shards(
      {"emd", "map", folder_ / "in", "--target", "8,10,8,8", "--csv", out("r.csv"), "--picture",
       out("p.y4m"), "-o", out("maps.tif"), "--window", "5", "--unit-frames", "2"},
      2, 1);
  EXPECT_NE(ended.status, kDone);
  for (const char* file : {"r.csv", "p.y4m", "maps.tif"}) EXPECT_FALSE(fs::exists(out(file)));
}

TEST_F(FrameRanges, AResumedRunWorksOnWhatIsMissingAlone) {
  write_frames(8);
  const Words words{"flow",          "lk",        folder_ / "in", "-o",
                    out("fields"),   "--picture", "wheel",        out("wheel.y4m"),
                    "--unit-frames", "2"};
  clear();
  const Ended whole = run_whole(words);
  const Files files = results();
  const std::string text = test::load(folder_ / "whole.manifest");
  std::size_t cut = 0;  // behind the second unit, in the middle of the third line of a unit
  for (int line = 0; line < 3; ++line) cut = text.find('\n', cut) + 1;
  test::save(folder_ / "whole.manifest", text.substr(0, cut + 9));
  fs::remove(out("fields/000001.flo"));
  fs::remove(out("wheel.y4m"));
  const auto second = fs::last_write_time(out("fields/000002.flo"));
  const Ended ended = run_whole(words);
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, whole.out);
  EXPECT_EQ(results(), files);
  EXPECT_EQ(fs::last_write_time(out("fields/000002.flo")), second);
}

TEST_F(FrameRanges, ADamagedImageIsNamedAndOtherRangesAreDone) {
  const Words names = write_frames(9);
  const Words words{"flow", "lk", folder_ / "in", "-o", out("fields"), "--unit-frames", "3"};
  clear();
  const Ended good = run_whole(words);
  const Files files = results();
  fs::rename(names[4], folder_ / "aside");
  test::save(names[4], "no image");
  expect_equal_shards(words, kSomeFailed);
  clear();
  const Ended ended = run_whole(words);
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("in/3.png to " + names[5] + ": "));
  EXPECT_THAT(ended.err, HasSubstr(names[4]));
  EXPECT_TRUE(fs::exists(out("fields/000006.flo")));
  EXPECT_FALSE(fs::exists(out("fields/000004.flo")));
  fs::rename(folder_ / "aside", names[4]);
  const Ended mended = run_whole(words);
  EXPECT_EQ(mended.status, kDone) << mended.err;
  EXPECT_EQ(mended.out, good.out);
  EXPECT_EQ(results(), files);
}

TEST_F(FrameRanges, AVideoThatBreaksOffKeepsTheRangesBefore) {
  const std::string video = write_video("v.y4m", 8);
  fs::resize_file(video, fs::file_size(video) * 5 / 8);
  const Words words{"flow", "lk", video, "-o", out("fields"), "--unit-frames", "2"};
  expect_equal_shards(words, kSomeFailed);
  EXPECT_TRUE(fs::exists(out("fields/000002.flo")));
}

TEST_F(FrameRanges, WhatCannotBeCutIsRefused) {
  const Words names = write_frames(3);
  const Ended pair =
      run_here({"flow", "lk", names[0], names[1], "-o", out("a.flo"), "--shard", "0/2"});
  EXPECT_EQ(pair.status, kUsage);
  EXPECT_THAT(pair.err, HasSubstr("two images are one pair"));
  const Ended pipe = run_here({"flow", "lk", "-", "-o", out("fields"), "--shard", "0/2"});
  EXPECT_EQ(pipe.status, kUsage);
  EXPECT_THAT(pipe.err, HasSubstr("cannot be read a second time"));
  test::save(folder_ / "list", names[0] + "\n" + names[1] + "\n" + names[2] + "\n");
  const Ended list =
      run_here({"flow", "lk", "@" + (folder_ / "list"), "-o", out("fields"), "--shard", "0/2"});
  EXPECT_EQ(list.status, kUsage);
  EXPECT_THAT(list.err, HasSubstr("the inputs in the list " + (folder_ / "list")));
  EXPECT_THAT(list.err, HasSubstr("or name the images or their folder instead of the list"));
  const Ended none = run_here(
      {"flow", "lk", folder_ / "in", "-o", out("fields"), "--shard", "0/2", "--unit-frames", "0"});
  EXPECT_EQ(none.status, kUsage);
  EXPECT_THAT(none.err, HasSubstr("--unit-frames"));
}

TEST_F(FrameRanges, UnitsOfOneJobHaveOneSize) {
  write_frames(4);
  const Words words{"flow", "lk", folder_ / "in", "-o", out("fields"), "--unit-frames"};
  clear();
  ASSERT_EQ(run_whole(with(words, {"2"})).status, kDone);
  const Ended other = run_whole(with(words, {"3"}));
  EXPECT_EQ(other.status, kUsage);
  EXPECT_THAT(other.err, HasSubstr("its options have \"unit-frames\": 2, not \"unit-frames\": 3"));
}

}  // namespace
}  // namespace fovea::cli
