// Covers: ffmpeg_library, video_ffmpeg, video_images
#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "io/video/video_source.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::images_equal;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

#define FOVEA_SKIP_WITHOUT_FFMPEG() \
  if (!video_feature().usable) GTEST_SKIP() << video_feature().detail

// A smooth picture that moves with the frame, so that lossy codecs keep it well.
Image<std::uint8_t> moving_picture(int width, int height, int channels, int frame) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>(
            127.5 + 100 * std::sin(0.1 * (x + 2 * frame) + c) * std::cos(0.07 * y));
  return image;
}

void write_video(const std::string& path, int width, int height, int channels, int frames,
                 const VideoWriteOptions& options = {}) {
  VideoWriter writer(path, options);
  for (int i = 0; i < frames; ++i) writer.write(moving_picture(width, height, channels, i));
  writer.finish();
}

struct Outcome {
  std::vector<std::int64_t> indices;
  std::string error;
};

Outcome read_all(const std::string& path, const VideoReadOptions& options = {}) {
  Outcome outcome;
  try {
    VideoReader reader(path, options);
    for (Frame frame; reader.next(frame);) outcome.indices.push_back(frame.frame);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

// As a shell's >(program) is: a pipe whose name says nothing.
TEST(VideoWriter, APipeIsWrittenAsY4mWhateverItsName) {
  const test::TempFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  {
    const std::jthread reader([&] { got = test::load(pipe); });
    write_video(pipe, 32, 24, 3, 3);
  }
  test::save(folder / "got.y4m", got);
  EXPECT_EQ(read_all(folder / "got.y4m").indices.size(), 3U);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

// As the program has it: what is not there and has no extension is a folder.
TEST(VideoWriter, ANameWithoutExtensionIsAFolderOfImages) {
  const test::TempFolder folder;
  for (const char* name : {"new", "there/", "new"}) write_video(folder / name, 32, 24, 3, 3);
  EXPECT_EQ(read_all(folder / "new").indices.size(), 3U);
  EXPECT_EQ(read_all(folder / "there").indices.size(), 3U);
  test::save(folder / "file", "kept");
  EXPECT_THAT(message_of<InvalidArgument>([&] { VideoWriter(folder / "file"); }),
              HasSubstr("the name ends in ''; expected .mp4"));
  EXPECT_EQ(test::load(folder / "file"), "kept");
}

double mean_difference(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int i = 0; i < a.width() * a.channels(); ++i) sum += std::abs(a.row(y)[i] - b.row(y)[i]);
  return sum / (a.width() * a.height() * a.channels());
}

TEST(Video, LosslessIsBitExact) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  Random random(1);
  for (const int channels : {1, 3}) {
    std::vector<Image<std::uint8_t>> frames;
    VideoWriter writer(folder / "v.mkv", {.frame_rate = 30000.0 / 1001});
    for (int i = 0; i < 5; ++i) {
      frames.push_back(test::random_image<std::uint8_t>(random, 61, 35, channels));
      writer.write(frames.back());
    }
    writer.finish();
    VideoReader reader(folder / "v.mkv",
                       {.color = channels == 1 ? VideoColor::kGray : VideoColor::kRgb});
    EXPECT_EQ(reader.info().codec, "ffv1");
    EXPECT_NEAR(reader.info().rate.value(), 29.97, 0.01);
    EXPECT_EQ(reader.info().frame_count, -1);  // Matroska states the length alone
    EXPECT_NEAR(reader.info().seconds, 5 * 1001 / 30000.0, 0.005);
    Frame frame;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      ASSERT_TRUE(reader.next(frame));
      EXPECT_TRUE(images_equal(frame.image, frames[i])) << channels << " channels, frame " << i;
      EXPECT_EQ(frame.frame, static_cast<std::int64_t>(i));
      EXPECT_NEAR(frame.seconds, static_cast<double>(i) * 1001 / 30000, 0.002);
    }
    EXPECT_FALSE(reader.next(frame));
  }
}

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}
// An element of Matroska.
std::string element(std::uint32_t id, int id_bytes, const std::string& content) {
  return big_endian(id, id_bytes) + '\x01' + big_endian(content.size(), 7) + content;
}
std::string element(std::uint32_t id, int id_bytes, std::uint32_t value) {
  return element(id, id_bytes, big_endian(value, 4));
}

// Gray frames of 16x8 pixels, 25 per second, beside silence.
std::string matroska_with_sound(unsigned frames) {
  const auto length = static_cast<float>(40 * frames);
  const std::string video =
      element(0xd7, 1, 1) + element(0x73c5, 2, 1) + element(0x83, 1, 1) +
      element(0x86, 1, std::string("V_UNCOMPRESSED")) + element(0x23e383, 3, 40000000) +
      element(
          0xe0, 1,
          element(0xb0, 1, 16) + element(0xba, 1, 8) + element(0x2eb524, 3, std::string("Y800")));
  const std::string sound =
      element(0xd7, 1, 2) + element(0x73c5, 2, 2) + element(0x83, 1, 2) +
      element(0x86, 1, std::string("A_PCM/INT/LIT")) +
      element(0xe1, 1,
              element(0xb5, 1, big_endian(std::bit_cast<std::uint32_t>(8000.F), 4)) +
                  element(0x9f, 1, 1) + element(0x6264, 2, 16));
  std::string body =
      element(0x1549a966, 4,
              element(0x2ad7b1, 3, 1000000) +
                  element(0x4489, 2, big_endian(std::bit_cast<std::uint32_t>(length), 4))) +
      element(0x1654ae6b, 4, element(0xae, 1, video) + element(0xae, 1, sound));
  for (unsigned i = 0; i < frames; ++i) {
    const auto block = [](char track, std::size_t bytes, char value) {
      return std::string{track, 0, 0, '\x80'} + std::string(bytes, value);
    };
    body += element(0x1f43b675, 4,
                    element(0xe7, 1, 40 * i) +
                        element(0xa3, 1, block('\x81', 16 * 8, static_cast<char>(i))) +
                        element(0xa3, 1, block('\x82', 640, 0)));
  }
  return element(0x1a45dfa3, 4,
                 element(0x4282, 2, std::string("matroska")) + element(0x4287, 2, 4) +
                     element(0x4285, 2, 2)) +
         element(0x18538067, 4, body);
}

TEST(Video, MatroskaWithSoundStatesItsLength) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  test::save(folder / "v.mkv", matroska_with_sound(50));
  VideoReader reader(folder / "v.mkv", {.color = VideoColor::kGray});
  EXPECT_NEAR(reader.info().seconds, 2, 0.001);
  EXPECT_NEAR(reader.info().rate.value(), 25, 0.01);
  int frames = 0;
  for (Frame frame; reader.next(frame); ++frames) EXPECT_EQ(frame.image.at(3, 3), frames);
  EXPECT_EQ(frames, 50);
}

TEST(Video, SixteenBitsLosslessAreBitExact) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  Random random(2);
  for (const int channels : {1, 3}) {
    const auto image = test::random_image<std::uint16_t>(random, 32, 18, channels);
    VideoWriter writer(folder / "v.mkv");
    writer.write(image);
    writer.finish();
    VideoReader reader(
        folder / "v.mkv",
        {.color = channels == 1 ? VideoColor::kGray : VideoColor::kRgb, .deep = true});
    EXPECT_EQ(reader.info().bits, 16);
    Frame frame;
    ASSERT_TRUE(reader.next(frame));
    EXPECT_TRUE(images_equal(frame.deep_image, image)) << channels;
  }
}

TEST(Video, GrayFramesAreTheGrayOfColorFrames) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  for (const char* name : {"v.mp4", "v.avi", "v.mkv", "v.y4m"}) {
    const std::string path = folder / name;
    write_video(path, 95, 64, 3, 5);
    VideoReader rgb(path), gray(path, {.color = VideoColor::kGray});
    Frame expected, frame;
    while (rgb.next(expected)) {
      ASSERT_TRUE(gray.next(frame));
      EXPECT_TRUE(images_equal(frame.image, to_gray(ImageView<const std::uint8_t>(expected.image))))
          << name << " frame " << frame.frame;
    }
  }
}

TEST(Video, LossyFormatsComeClose) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  for (const char* name : {"v.mp4", "v.mov", "v.avi", "v.M4V"}) {
    for (const int channels : {1, 3}) {
      const std::string path = folder / name;
      write_video(path, 96, 64, channels, 12);
      VideoReader reader(path, {.color = channels == 1 ? VideoColor::kGray : VideoColor::kRgb});
      EXPECT_EQ(reader.info().frame_count, 12) << name;
      EXPECT_EQ(reader.expected_frames(), 12);
      EXPECT_EQ(reader.info().rate.value(), 25);
      int count = 0;
      for (Frame frame; reader.next(frame); ++count) {
        EXPECT_EQ(frame.frame, count);
        EXPECT_NEAR(frame.seconds, count / 25.0, 1e-6);
        EXPECT_LT(mean_difference(frame.image, moving_picture(96, 64, channels, count)), 4)
            << name << ' ' << channels << ' ' << count;
      }
      EXPECT_EQ(count, 12) << name;
    }
  }
}

TEST(Video, OddSizesAreKept) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  for (const char* name : {"v.mp4", "v.avi", "v.mkv", "v.y4m"}) {
    write_video(folder / name, 51, 33, 3, 3);
    VideoReader reader(folder / name);
    EXPECT_EQ(reader.info().size, (Extent{51, 33})) << name;
    Frame frame;
    ASSERT_TRUE(reader.next(frame)) << name;
    EXPECT_LT(mean_difference(frame.image, moving_picture(51, 33, 3, 0)), 5) << name;
  }
}

TEST(Video, LargePicturesAreTaggedAndReadBackAlike) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  Image<std::uint8_t> red(64, 720, 3);
  for (int y = 0; y < 720; ++y)
    for (int x = 0; x < 64; ++x) red.at(x, y, 0) = 220, red.at(x, y, 1) = 20, red.at(x, y, 2) = 30;
  VideoWriter writer(folder / "v.mp4");
  writer.write(red);
  writer.finish();
  Frame frame;
  ASSERT_TRUE(VideoReader(folder / "v.mp4").next(frame));
  EXPECT_TRUE(images_equal(frame.image, red, 4));
}

TEST(Video, SameFramesGiveTheSameBytes) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  for (const char* extension : {".mp4", ".avi", ".mkv", ".y4m"}) {
    write_video(folder / (std::string("a") + extension), 64, 48, 3, 6);
    write_video(folder / (std::string("b") + extension), 64, 48, 3, 6);
    EXPECT_EQ(test::load(folder / (std::string("a") + extension)),
              test::load(folder / (std::string("b") + extension)))
        << extension;
  }
}

TEST(Video, StartCountAndStepChooseExactFrames) {
  const test::TempFolder folder;
  std::vector<const char*> names = {"v.y4m"};
  if (video_feature().usable) names = {"v.y4m", "v.mkv", "v.mp4"};
  for (const char* name : names) {
    const std::string path = folder / name;
    write_video(path, 32, 16, 1, 10);
    EXPECT_THAT(read_all(path, {.start = 3}).indices, testing::ElementsAre(3, 4, 5, 6, 7, 8, 9));
    EXPECT_THAT(read_all(path, {.start = 1, .step = 4}).indices, testing::ElementsAre(1, 5, 9));
    EXPECT_THAT(read_all(path, {.start = 1, .count = 2, .step = 3}).indices,
                testing::ElementsAre(1, 4));
    EXPECT_THAT(read_all(path, {.start = 10}).indices, testing::IsEmpty());
    VideoReader reader(path, {.color = VideoColor::kGray, .start = 7});
    Frame frame;
    ASSERT_TRUE(reader.next(frame));
    EXPECT_LT(mean_difference(frame.image, moving_picture(32, 16, 1, 7)), 4);
    EXPECT_NEAR(frame.seconds, 7 / 25.0, 0.002) << name;
  }
  EXPECT_EQ(VideoReader(folder / "v.y4m", {.start = 1, .step = 4}).expected_frames(), 3);
  EXPECT_EQ(VideoReader(folder / "v.y4m", {.start = 1, .count = 2, .step = 4}).expected_frames(),
            2);
  EXPECT_EQ(VideoReader(folder / "v.y4m", {.start = 99}).expected_frames(), 0);
}

TEST(Video, TruncatedFilesGiveTheirFramesThenAnError) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  for (const char* name : {"v.avi", "v.mkv"}) {
    write_video(folder / name, 96, 64, 3, 20);
    const std::string whole = test::load(folder / name);
    for (const double part : {0.3, 0.6, 0.9}) {
      test::save(
          folder / name,
          whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * part)));
      const Outcome outcome = read_all(folder / name);
      EXPECT_GT(outcome.indices.size(), static_cast<std::size_t>(20 * part) - 5) << name << part;
      EXPECT_LT(outcome.indices.size(), 20U) << name << part;
      EXPECT_THAT(
          outcome.error,
          AllOf(HasSubstr(name), HasSubstr("frame " + std::to_string(outcome.indices.size()))))
          << part;
    }
  }
}

// Its index comes last: without it there is nothing to decode by.
TEST(Video, TruncatedMp4IsRefused) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  write_video(folder / "v.mp4", 64, 48, 3, 10);
  const std::string whole = test::load(folder / "v.mp4");
  for (const std::size_t length : {std::size_t{8}, whole.size() / 4, whole.size() / 2}) {
    test::save(folder / "v.mp4", whole.substr(0, length));
    const Outcome outcome = read_all(folder / "v.mp4");
    EXPECT_THAT(outcome.indices, testing::IsEmpty()) << length;
    EXPECT_THAT(outcome.error, HasSubstr("v.mp4: ")) << length;
  }
}

TEST(Video, ADamagedLosslessFileIsNoticed) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  write_video(folder / "v.mkv", 96, 64, 3, 10);
  std::string bytes = test::load(folder / "v.mkv");
  for (std::size_t i = 0; i < 8; ++i) bytes[bytes.size() / 2 + i] ^= 0x55;
  test::save(folder / "v.mkv", bytes);
  const Outcome outcome = read_all(folder / "v.mkv");
  EXPECT_LT(outcome.indices.size(), 10U);
  EXPECT_THAT(outcome.error, HasSubstr("frame " + std::to_string(outcome.indices.size())));
}

TEST(Video, NoiseAndEmptyFilesAreRefusedWithTheirName) {
  const test::TempFolder folder;
  Random random(3);
  std::string noise(5000, '\0');
  for (char& c : noise) c = static_cast<char>(random.bits());
  test::save(folder / "noise.mp4", noise);
  test::save(folder / "empty.mp4", "");
  test::save(folder / "http:x.mp4", "");
  for (const char* name : {"noise.mp4", "empty.mp4", "http:x.mp4"})
    EXPECT_THAT(read_all(folder / name).error, HasSubstr(std::string(name) + ": ")) << name;
  EXPECT_THAT(message_of<IoError>([&] { VideoReader(folder / "absent.mp4"); }),
              AllOf(HasSubstr("absent.mp4: "), HasSubstr("No such file")));
}

TEST(Video, FaultsDoNotReachStandardError) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  write_video(folder / "v.mkv", 96, 64, 3, 10);
  const std::string whole = test::load(folder / "v.mkv");
  test::save(folder / "v.mkv", whole.substr(0, whole.size() / 2));
  testing::internal::CaptureStderr();
  read_all(folder / "v.mkv");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Video, RotationIsReportedAndAppliedOnRequest) {
  FOVEA_SKIP_WITHOUT_FFMPEG();
  const test::TempFolder folder;
  write_video(folder / "v.mp4", 64, 32, 3, 2);
  // The track header holds the display matrix: 1 0 0, 0 1 0 becomes a quarter turn clockwise.
  std::string bytes = test::load(folder / "v.mp4");
  const std::size_t matrix = bytes.find("tkhd") + 4 + 40;
  const auto put = [&](std::size_t index, std::uint32_t value) {
    for (std::size_t k = 0; k < 4; ++k)
      bytes[matrix + 4 * index + k] = static_cast<char>(value >> (24 - 8 * k));
  };
  put(0, 0), put(1, 0x10000), put(3, 0xFFFF0000), put(4, 0);
  test::save(folder / "v.mp4", bytes);

  VideoReader as_stored(folder / "v.mp4");
  EXPECT_EQ(as_stored.info().rotation_degrees, 90);
  EXPECT_EQ(as_stored.info().size, (Extent{64, 32}));
  VideoReader upright(folder / "v.mp4", {.orientation = Orientation::kApply});
  EXPECT_EQ(upright.info().size, (Extent{32, 64}));
  Frame stored, turned;
  ASSERT_TRUE(as_stored.next(stored));
  ASSERT_TRUE(upright.next(turned));
  ASSERT_EQ(turned.image.width(), 32);
  // Clockwise: the left column becomes the top row, from right to left.
  EXPECT_EQ(turned.image.at(31, 0, 0), stored.image.at(0, 0, 0));
  EXPECT_EQ(turned.image.at(0, 0, 1), stored.image.at(0, 31, 1));
  EXPECT_EQ(turned.image.at(31, 63, 2), stored.image.at(63, 0, 2));
}

TEST(VideoWriter, LeavesNothingWithoutFinish) {
  const test::TempFolder folder;
  std::vector<const char*> names = {"v.y4m"};
  if (video_feature().usable) names = {"v.y4m", "v.mkv", "v.mp4", "v.avi"};
  for (const char* name : names) {
    {
      VideoWriter writer(folder / name);
      writer.write(moving_picture(32, 32, 3, 0));
    }
    { VideoWriter unused(folder / name); }
    EXPECT_EQ(folder.files(), 0U) << name;
  }
}

// A refused frame counts for nothing, and the next one may be of another kind.
TEST(VideoWriter, ARefusedFirstFrameLeavesItAsItWas) {
  const test::TempFolder folder;
  std::vector<const char*> names = {"v.y4m"};
  if (video_feature().usable) names = {"v.y4m", "v.mp4", "v.avi"};
  for (const char* name : names) {
    {
      VideoWriter writer(folder / name);
      EXPECT_THAT(message_of<InvalidArgument>([&] { writer.write(Image<std::uint16_t>(8, 6, 3)); }),
                  AllOf(HasSubstr(std::string(name) + ": "), HasSubstr("8 bits")));
      EXPECT_THROW(writer.finish(), InvalidArgument) << "no frame";
    }
    EXPECT_EQ(folder.files(), 0U) << name;
    VideoWriter writer(folder / name);
    EXPECT_THROW(writer.write(Image<std::uint16_t>(8, 6, 3)), InvalidArgument);
    writer.write(moving_picture(16, 16, 1, 0));
    writer.finish();
    EXPECT_EQ(read_all(folder / name).indices.size(), 1U) << name;
    std::filesystem::remove(folder / name);
  }
}

TEST(VideoWriter, NumbersCountWrittenImagesOnly) {
  const test::TempFolder folder;
  VideoWriter writer(folder / "f%d.jpg");
  EXPECT_THROW(writer.write(Image<std::uint16_t>(8, 6, 3)), InvalidArgument);
  writer.write(moving_picture(8, 6, 3, 0));
  writer.finish();
  EXPECT_TRUE(std::filesystem::exists(folder / "f0.jpg"));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(VideoWriter, AfterAFailureItCannotGoOn) {
  const test::TempFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "v.y4m");
  VideoWriter writer(folder / "v.y4m");
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i) writer.write(moving_picture(200, 100, 3, i));
        writer.finish();
      },
      WriteError);
  EXPECT_THAT(message_of<WriteError>([&] { writer.write(moving_picture(200, 100, 3, 0)); }),
              HasSubstr("v.y4m: cannot go on"));
  EXPECT_THROW(writer.finish(), WriteError);
}

TEST(VideoWriter, TwoAtOnceLeaveOneWholeFile) {
  const test::TempFolder folder;
  const std::string path = folder / (video_feature().usable ? "v.mkv" : "v.y4m");
  std::thread a([&] { write_video(path, 48, 32, 1, 20); });
  std::thread b([&] { write_video(path, 48, 32, 1, 20); });
  a.join();
  b.join();
  EXPECT_EQ(read_all(path).indices.size(), 20U);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(VideoWriter, RefusesWhatItCannotWrite) {
  const test::TempFolder folder;
  EXPECT_THAT(message_of<InvalidArgument>([&] { VideoWriter(folder / "v.gif"); }),
              AllOf(HasSubstr("'.gif'"), HasSubstr(".mp4")));
  EXPECT_THROW(VideoWriter(folder / "v.y4m", {.frame_rate = 0}), InvalidArgument);
  EXPECT_THROW(VideoWriter(folder / "no/such/v.y4m"), WriteError);
  VideoWriter writer(folder / "v.y4m");
  EXPECT_THROW(writer.finish(), InvalidArgument) << "no frame";
  writer.write(moving_picture(8, 6, 3, 0));
  EXPECT_THAT(message_of<InvalidArgument>([&] { writer.write(moving_picture(8, 7, 3, 0)); }),
              AllOf(HasSubstr("8x7x3"), HasSubstr("8x6x3")));
  EXPECT_THROW(writer.write(moving_picture(8, 6, 1, 0)), InvalidArgument);
  EXPECT_THROW(writer.write(Image<std::uint16_t>(8, 6, 3)), InvalidArgument);
  EXPECT_THROW(VideoWriter(folder / "w.y4m").write(moving_picture(8, 6, 2, 0)), InvalidArgument);
  EXPECT_THROW(VideoWriter(folder / "w.y4m").write(Image<std::uint16_t>(8, 6, 3)), InvalidArgument);
  writer.finish();
  EXPECT_THROW(writer.write(moving_picture(8, 6, 3, 0)), InvalidArgument);
}

TEST(VideoWriter, FrameRatesAreFractions) {
  const auto rate = [](double value) {
    const Rational r = frame_rate(value);
    return std::to_string(r.numerator) + "/" + std::to_string(r.denominator);
  };
  EXPECT_EQ(rate(25), "25/1");
  EXPECT_EQ(rate(29.97), "30000/1001");
  EXPECT_EQ(rate(30000.0 / 1001), "30000/1001");
  EXPECT_EQ(rate(23.976), "24000/1001");
  EXPECT_EQ(rate(59.94), "60000/1001");
  EXPECT_EQ(rate(12.5), "25/2");
  EXPECT_EQ(rate(0.001), "1/1000");
}

// Images that exist only in memory, by path.
class ImageSequence : public testing::Test {
 protected:
  FrameDecoder decoder() {
    return {[this](const std::string& path) { return clone(images_.at(path)); },
            [](const std::string&) { return Image<std::uint16_t>(4, 2, 4); }};
  }
  std::map<std::string, Image<std::uint8_t>> images_;
};

// The frame that a source stands at, and its time.
double take(VideoSource& source, Frame& frame, bool deep) {
  std::unique_ptr<StoredPicture> picture;
  source.store(picture);
  picture->decode(frame, deep);
  return picture->time_seconds();
}

TEST_F(ImageSequence, GivesChannelsAsAsked) {
  images_["a"] = moving_picture(4, 2, 3, 0);
  images_["b"] = moving_picture(4, 2, 1, 1);
  images_["c"] = moving_picture(4, 2, 4, 2);
  const auto rgb = open_images({"a", "b", "c"}, {.frame_rate = 10}, decoder());
  EXPECT_EQ(rgb->info().frame_count, 3);
  Frame frame;
  ASSERT_TRUE(rgb->advance());
  take(*rgb, frame, false);
  EXPECT_TRUE(images_equal(frame.image, images_["a"]));
  ASSERT_TRUE(rgb->advance());
  EXPECT_EQ(take(*rgb, frame, false), 0.1);
  EXPECT_EQ(frame.image.at(3, 1, 2), images_["b"].at(3, 1));
  ASSERT_TRUE(rgb->advance());
  take(*rgb, frame, false);
  EXPECT_EQ(frame.image.at(3, 1, 2), images_["c"].at(3, 1, 2));
  take(*rgb, frame, true);
  EXPECT_EQ(frame.deep_image.channels(), 3);
  EXPECT_FALSE(rgb->advance());

  const auto gray = open_images({"a"}, {.color = VideoColor::kGray}, decoder());
  ASSERT_TRUE(gray->advance());
  take(*gray, frame, false);
  const auto& a = images_["a"];
  EXPECT_NEAR(frame.image.at(1, 1),
              0.299 * a.at(1, 1, 0) + 0.587 * a.at(1, 1, 1) + 0.114 * a.at(1, 1, 2), 0.501);
  EXPECT_TRUE(images_equal(frame.image, to_gray(ImageView<const std::uint8_t>(a))));
}

TEST_F(ImageSequence, AFrameOfAnotherSizeIsNamed) {
  images_["a"] = Image<std::uint8_t>(4, 2);
  images_["b"] = Image<std::uint8_t>(4, 3);
  const auto source = open_images({"a", "b"}, {}, decoder());
  Frame frame;
  source->advance();
  take(*source, frame, false);
  ASSERT_TRUE(source->advance());
  EXPECT_THAT(message_of<FormatError>([&] { take(*source, frame, false); }),
              AllOf(HasSubstr("b: frame 1: is 4x3"), HasSubstr("4x2")));
}

TEST_F(ImageSequence, IsWrittenUnderNumbers) {
  std::vector<std::string> paths;
  const FrameEncoder encoder{
      [&](const std::string& path, ImageView<const std::uint8_t>) { paths.push_back(path); }, {}};
  const auto target = create_images("out/f%04d.png", encoder);
  const auto image = moving_picture(4, 4, 1, 0);
  target->write(image.view());
  target->write(image.view());
  target->finish();
  create_images("f%d.png", encoder)->write(image.view());
  EXPECT_THAT(paths, testing::ElementsAre("out/f0000.png", "out/f0001.png", "f0.png"));
  for (const char* wrong : {"f%s.png", "f%04d%d.png", "f%.png", "f%-3d.png", "f%9999d.png"})
    EXPECT_THROW(create_images(wrong, encoder), InvalidArgument) << wrong;
}

}  // namespace
}  // namespace fovea::io
