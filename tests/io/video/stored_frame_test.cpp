// The two halves of reading: what is fetched in order may be decoded in any order and thread.
// Covers: ffmpeg_frame, ffmpeg_hardware, video
#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::images_equal;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

Image<std::uint8_t> waves(int width, int height, int frame) {
  Image<std::uint8_t> image(width, height, 3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>(
            127.5 + 100 * std::sin(0.1 * (x + 3 * frame + 5 * c) + 0.2 * y));
  return image;
}

void write_waves(const std::string& path, int frames) {
  VideoWriter writer(path);
  for (int i = 0; i < frames; ++i) writer.write(waves(50, 38, i));
  writer.finish();
}

std::vector<Frame> read_by_next(VideoReader& reader) {
  std::vector<Frame> frames;
  for (Frame frame; reader.next(frame);) frames.push_back(std::move(frame));
  return frames;
}

// All fetched first, then decoded from the last to the first in two threads.
std::vector<Frame> read_by_halves(const std::string& path, const VideoReadOptions& options) {
  std::vector<StoredFrame> stored;
  {
    VideoReader reader(path, options);
    for (StoredFrame frame; reader.fetch(frame);) stored.push_back(std::move(frame));
  }
  std::vector<Frame> frames(stored.size());
  const auto decode_every_second = [&](std::size_t last) {
    for (std::size_t i = last; i < stored.size(); i -= 2) stored[i].decode(frames[i]);
  };
  std::jthread odd(decode_every_second, stored.size() - 1);
  std::jthread even(decode_every_second, stored.size() - 2);
  odd.join();
  even.join();
  return frames;
}

TEST(StoredFrame, HalvesGiveWhatNextGives) {
  const test::TempFolder folder;
  std::vector<std::string> names = {"v.y4m", "shots/"};
  if (video_feature().usable) names.insert(names.end(), {"v.mkv", "v.mp4", "v.avi"});
  for (const std::string& name : names) {
    const std::string path = folder / name;
    write_waves(path, 9);
    for (const VideoReadOptions& options :
         {VideoReadOptions{}, VideoReadOptions{.color = VideoColor::kGray},
          VideoReadOptions{.deep = true}, VideoReadOptions{.start = 1, .count = 3, .step = 2}}) {
      VideoReader reader(path, options);
      const std::vector<Frame> expected = read_by_next(reader);
      const std::vector<Frame> got = read_by_halves(path, options);
      ASSERT_EQ(got.size(), expected.size()) << name;
      ASSERT_GE(got.size(), 3U) << name;
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].frame, expected[i].frame) << name;
        EXPECT_EQ(got[i].seconds, expected[i].seconds) << name;
        EXPECT_TRUE(images_equal(got[i].image, expected[i].image)) << name << i;
        EXPECT_TRUE(images_equal(got[i].deep_image, expected[i].deep_image)) << name << i;
      }
    }
  }
}

TEST(StoredFrame, ServesReadersOfEveryKindInTurn) {
  const test::TempFolder folder;
  write_waves(folder / "long.y4m", 4);
  write_waves(folder / "shots/", 2);
  VideoWriter small(folder / "small.y4m");
  for (int i = 0; i < 3; ++i) small.write(waves(9, 7, i));
  small.finish();
  StoredFrame stored;
  Frame frame;
  for (const char* name : {"long.y4m", "small.y4m", "shots", "long.y4m"}) {
    VideoReader reader(folder / name), again(folder / name);
    const std::vector<Frame> expected = read_by_next(again);
    for (std::size_t i = 0; reader.fetch(stored); ++i) {
      stored.decode(frame);
      EXPECT_TRUE(images_equal(frame.image, expected.at(i).image)) << name << i;
    }
  }
}

TEST(StoredFrame, NothingFetchedIsNothingToDecode) {
  const test::TempFolder folder;
  write_waves(folder / "v.y4m", 1);
  StoredFrame stored;
  Frame frame;
  EXPECT_THROW(stored.decode(frame), InvalidArgument);
  VideoReader reader(folder / "v.y4m");
  ASSERT_TRUE(reader.fetch(stored));
  StoredFrame taken = std::move(stored);
  taken.decode(frame);
  EXPECT_EQ(frame.frame, 0);
  EXPECT_THAT(message_of<InvalidArgument>([&] { stored.decode(frame); }), HasSubstr("fetch"));
  EXPECT_FALSE(reader.fetch(stored));
  EXPECT_THROW(stored.decode(frame), InvalidArgument);
}

// A damaged picture and one of another size are found when they are decoded; the others are whole.
TEST(StoredFrame, ABrokenImageHarmsNoOther) {
  const test::TempFolder folder;
  write_waves(folder / "shots/", 5);
  test::save(folder / "shots/000002.png", "not a picture");
  {
    VideoWriter other(folder / "other%d.png");
    other.write(waves(8, 8, 0));
    other.finish();
  }
  test::save(folder / "shots/000003.png", test::load(folder / "other0.png"));
  VideoReader reader(folder / "shots");
  Frame frame;
  for (int i = 0; i < 5; ++i) {
    StoredFrame stored;
    ASSERT_TRUE(reader.fetch(stored));
    if (i == 2) {
      EXPECT_THAT(message_of<Error>([&] { stored.decode(frame); }), HasSubstr("000002.png: "));
    } else if (i == 3) {
      EXPECT_THAT(message_of<FormatError>([&] { stored.decode(frame); }),
                  AllOf(HasSubstr("000003.png: frame 3: is 8x8"), HasSubstr("50x38")));
    } else {
      stored.decode(frame);
      EXPECT_TRUE(images_equal(frame.image, waves(50, 38, i)));
    }
  }
  VideoReader in_order(folder / "shots");
  EXPECT_TRUE(in_order.next(frame));
  EXPECT_TRUE(in_order.next(frame));
  EXPECT_THROW(in_order.next(frame), Error);
  EXPECT_FALSE(in_order.next(frame));
}

TEST(StoredFrame, ATruncatedStreamGivesTheFramesBeforeTheFault) {
  const test::TempFolder folder;
  write_waves(folder / "v.y4m", 4);
  const std::string whole = test::load(folder / "v.y4m");
  test::save(folder / "v.y4m", whole.substr(0, whole.size() - 100));
  VideoReader reader(folder / "v.y4m");
  std::vector<StoredFrame> stored(4);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(reader.fetch(stored[i]));
  EXPECT_THAT(message_of<FormatError>([&] { reader.fetch(stored[3]); }),
              HasSubstr("v.y4m: frame 3: truncated"));
  EXPECT_FALSE(reader.fetch(stored[3]));
  Frame frame;
  for (std::size_t i = 0; i < 3; ++i) {
    stored[i].decode(frame);
    EXPECT_EQ(frame.frame, static_cast<std::int64_t>(i));
  }
}

TEST(VideoReader, TellsTheMemoryOfAFrame) {
  const test::TempFolder folder;
  write_waves(folder / "v.y4m", 1);
  const std::uint64_t pixels = 50 * 38;
  EXPECT_EQ(VideoReader(folder / "v.y4m").frame_bytes(), pixels * 3 / 2 + pixels * 3);
  EXPECT_EQ(VideoReader(folder / "v.y4m", {.color = VideoColor::kGray, .deep = true}).frame_bytes(),
            pixels * 3 / 2 + pixels * 2);
  if (!video_feature().usable) return;
  write_waves(folder / "v.avi", 1);
  EXPECT_EQ(VideoReader(folder / "v.avi").frame_bytes(), pixels * 3 / 2 + pixels * 3);
}

std::string little(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
std::string chunk(const std::string& name, const std::string& body) {
  return name + little(static_cast<std::uint32_t>(body.size())) + body;
}

// One uncompressed frame of 12 bits per pixel in an AVI file.
std::string raw_avi(const std::string& layout, std::uint32_t width, std::uint32_t height,
                    const std::string& data) {
  const auto bytes = static_cast<std::uint32_t>(data.size());
  std::string main = little(40000) + little(0) + little(0) + little(0) + little(1) + little(0);
  main += little(1) + little(bytes) + little(width) + little(height) + std::string(16, '\0');
  std::string header = "vids" + layout + std::string(12, '\0') + little(1) + little(25);
  header += little(0) + little(1) + little(bytes) + little(0) + little(0) + std::string(8, '\0');
  std::string format = little(40) + little(width) + little(height) + little(1, 2) + little(12, 2);
  format += layout + little(bytes) + std::string(16, '\0');
  const std::string stream = "strl" + chunk("strh", header) + chunk("strf", format);
  return chunk("RIFF", "AVI " +
                           chunk("LIST", "hdrl" + chunk("avih", main) + chunk("LIST", stream)) +
                           chunk("LIST", "movi" + chunk("00db", data)));
}

// As hardware decoders give it: chroma samples in pairs. The pixels are those of separate planes.
TEST(VideoReader, PairedChromaIsThatOfPlanes) {
  if (!video_feature().usable) GTEST_SKIP() << video_feature().detail;
  const test::TempFolder folder;
  Random random(5);
  std::string luma(8 * 4, '\0'), u(4 * 2, '\0'), v(4 * 2, '\0'), pairs;
  for (std::string* plane : {&luma, &u, &v})
    for (char& sample : *plane) sample = static_cast<char>(random.bits());
  for (std::size_t i = 0; i < u.size(); ++i) pairs += {u[i], v[i]};
  test::save(folder / "planes.y4m", "YUV4MPEG2 W8 H4 F25:1 C420mpeg2\nFRAME\n" + luma + u + v);
  test::save(folder / "pairs.avi", raw_avi("NV12", 8, 4, luma + pairs));
  for (const VideoColor color : {VideoColor::kRgb, VideoColor::kGray}) {
    Frame planes, paired;
    ASSERT_TRUE(VideoReader(folder / "planes.y4m", {.color = color}).next(planes));
    ASSERT_TRUE(VideoReader(folder / "pairs.avi", {.color = color}).next(paired));
    EXPECT_TRUE(images_equal(planes.image, paired.image));
  }
}

// Where there is no such hardware the frames come all the same, and a note says so.
TEST(VideoReader, HardwareThatIsAbsentLeavesANote) {
  const test::TempFolder folder;
  write_waves(folder / "v.y4m", 2);
  EXPECT_TRUE(VideoReader(folder / "v.y4m", {.hardware = HardwareDecoding::kAuto}).notes().empty());
  if (!video_feature().usable) GTEST_SKIP() << video_feature().detail;
  write_waves(folder / "v.mp4", 5);
  write_waves(folder / "v.mkv", 2);
  VideoReader plain(folder / "v.mp4");
  const std::vector<Frame> expected = read_by_next(plain);
  EXPECT_TRUE(plain.notes().empty());
  for (const auto hardware :
       {HardwareDecoding::kAuto, HardwareDecoding::kCuda, HardwareDecoding::kVaapi}) {
    VideoReader reader(folder / "v.mp4", {.hardware = hardware});
    const std::vector<Frame> got = read_by_next(reader);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(images_equal(got[i].image, expected[i].image, 2)) << i;
    for (const std::string& note : reader.notes()) EXPECT_THAT(note, HasSubstr("the processor"));
    // No hardware decodes FFV1 through CUDA or VAAPI.
    VideoReader lossless(folder / "v.mkv", {.hardware = hardware});
    EXPECT_THAT(lossless.notes(), testing::Contains(HasSubstr("does not decode ffv1")));
    EXPECT_EQ(read_by_next(lossless).size(), 2U);
  }
}

}  // namespace
}  // namespace fovea::io
