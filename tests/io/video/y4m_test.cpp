#include "io/video/y4m.h"

#include <fcntl.h>
#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::images_equal;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

// Frames of a file are read where they are decoded, and those of every other stream in order.
enum class Kind : unsigned char { kMemory, kFile };
constexpr Kind kKinds[] = {Kind::kMemory, Kind::kFile};

class Stream {
 public:
  explicit Stream(std::string bytes, Kind kind = Kind::kMemory)
      : bytes_(std::move(bytes)),
        file_(kind == Kind::kFile ? std::tmpfile() : fmemopen(bytes_.data(), bytes_.size(), "rb")) {
    if (kind == Kind::kMemory) return;
    std::fwrite(bytes_.data(), 1, bytes_.size(), file_);
    std::rewind(file_);
  }
  ~Stream() { std::fclose(file_); }
  std::FILE* get() { return file_; }

 private:
  std::string bytes_;
  std::FILE* file_;
};

// All frames of a stream.
std::vector<Frame> frames_of(const std::string& bytes, const VideoReadOptions& options = {},
                             Kind kind = Kind::kMemory) {
  Stream stream(bytes, kind);
  VideoReader reader(stream.get(), "s.y4m", options);
  std::vector<Frame> frames;
  for (Frame frame; reader.next(frame);) frames.push_back(std::move(frame));
  return frames;
}

std::string header_refusal(const std::string& line) {
  return message_of<FormatError>([&] { parse_y4m_header(line, "s.y4m"); });
}

std::vector<int> pixel(const Image<std::uint8_t>& image, int x, int y) {
  std::vector<int> values;
  for (int c = 0; c < image.channels(); ++c) values.push_back(image.at(x, y, c));
  return values;
}

TEST(Y4mHeader, FieldsInAnyOrder) {
  const Y4mHeader header = parse_y4m_header(
      "YUV4MPEG2 C422p10 Ip  H480 F30000:1001 A1:1 XYSCSS=422 W640 XCOLORRANGE=FULL", "s");
  EXPECT_EQ(header.format.width, 640);
  EXPECT_EQ(header.format.height, 480);
  EXPECT_EQ(header.format.bits, 10);
  EXPECT_EQ(header.format.shift_x, 1);
  EXPECT_EQ(header.format.shift_y, 0);
  EXPECT_TRUE(header.format.full_range);
  EXPECT_EQ(header.rate.numerator, 30000);
  EXPECT_EQ(header.rate.denominator, 1001);
  EXPECT_EQ(header.frame_bytes(), 640U * 480 * 2 * 2);
}

TEST(Y4mHeader, EveryTagHasItsPlanes) {
  const auto bytes = [](const std::string& tag) {
    return parse_y4m_header("YUV4MPEG2 W5 H3" + tag, "s").frame_bytes();
  };
  EXPECT_EQ(bytes(""), 15U + 2 * 6);  // 4:2:0 of odd size rounds up
  EXPECT_EQ(bytes(" C420jpeg"), 15U + 2 * 6);
  EXPECT_EQ(bytes(" C420mpeg2"), 15U + 2 * 6);
  EXPECT_EQ(bytes(" C420paldv"), 15U + 2 * 6);
  EXPECT_EQ(bytes(" C420p10"), 2 * (15U + 2 * 6));
  EXPECT_EQ(bytes(" C422"), 15U + 2 * 9);
  EXPECT_EQ(bytes(" C411"), 15U + 2 * 6);
  EXPECT_EQ(bytes(" C444"), 3 * 15U);
  EXPECT_EQ(bytes(" C444p16"), 6 * 15U);
  EXPECT_EQ(bytes(" C444alpha"), 4 * 15U);
  EXPECT_EQ(bytes(" Cmono"), 15U);
  EXPECT_EQ(bytes(" Cmono12"), 30U);
}

TEST(Y4mHeader, HostileOnesAreRefusedWithOneLine) {
  EXPECT_THAT(header_refusal("RIFF1234"), AllOf(HasSubstr("s.y4m: not a y4m"), HasSubstr("RIFF")));
  EXPECT_THAT(header_refusal("YUV4MPEG22 W1 H1"), HasSubstr("not a y4m"));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W4"), HasSubstr("missing"));
  EXPECT_THAT(header_refusal("YUV4MPEG2"), HasSubstr("missing"));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W0 H4"), HasSubstr("width is \"0\""));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W4 H-4"), HasSubstr("height is \"-4\""));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W4 H4x"), HasSubstr("4x"));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W H4"), HasSubstr("width"));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W99999999999999999999 H4"), HasSubstr("expected 1 to"));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W4 H4 F25"), HasSubstr("frame rate"));
  EXPECT_THAT(header_refusal("YUV4MPEG2 W4 H4 F25:-1"), HasSubstr("frame rate"));
  for (const char* tag :
       {"420p17", "420p8", "420px", "420jpegp10x", "999", "", "monop10", "444alphap10"})
    EXPECT_THAT(header_refusal(std::string("YUV4MPEG2 W4 H4 C") + tag), HasSubstr("color space"))
        << tag;
  EXPECT_THROW(frames_of("YUV4MPEG2 W4 H4 X" + std::string(5000, 'x')), FormatError);
}

TEST(Y4m, LimitedRangeColorsAreThoseOfBt601) {
  // Rounded from the matrix: black, white, red, green, blue.
  const auto colored = [](int y, int u, int v, const std::string& tags = "") {
    std::string bytes = "YUV4MPEG2 W1 H1 C444" + tags + "\nFRAME\n";
    for (const int sample : {y, u, v}) bytes += static_cast<char>(sample);
    return pixel(frames_of(bytes).at(0).image, 0, 0);
  };
  EXPECT_THAT(colored(16, 128, 128), testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(colored(235, 128, 128), testing::ElementsAre(255, 255, 255));
  EXPECT_THAT(colored(81, 90, 240), testing::ElementsAre(254, 0, 0));
  EXPECT_THAT(colored(145, 54, 34), testing::ElementsAre(0, 255, 1));
  EXPECT_THAT(colored(41, 240, 110), testing::ElementsAre(0, 0, 255));
  EXPECT_THAT(colored(0, 0, 255), testing::ElementsAre(184, 0, 0)) << "clamped";
  EXPECT_THAT(colored(200, 128, 128, " XCOLORRANGE=FULL"), testing::ElementsAre(200, 200, 200));
}

TEST(Y4m, OptionsOverrideRangeAndMatrix) {
  const std::string bytes = "YUV4MPEG2 W1 H1 C444\nFRAME\n\x96\x64\xC8";
  const auto read = [&](VideoReadOptions options) {
    return pixel(frames_of(bytes, options).at(0).image, 0, 0);
  };
  // y + 1.402 v', y - 0.344 u' - 0.714 v', y + 1.772 u' with u' = -28, v' = 72.
  EXPECT_THAT(read({.range = YuvRange::kFull}), testing::ElementsAre(251, 108, 100));
  EXPECT_THAT(read({.matrix = YuvMatrix::kBt709, .range = YuvRange::kFull}),
              testing::ElementsAre(255, 122, 98));
}

TEST(Y4m, GrayIsThatOfTheRgbAndMonoIsFullRange) {
  const std::string mono = std::string("YUV4MPEG2 W3 H1 Cmono\nFRAME\n\0\x7f\xff", 31);
  const auto gray = frames_of(mono, {.color = VideoColor::kGray}).at(0).image.row(0)[1];
  EXPECT_EQ(gray, 0x7f);
  const auto rgb = frames_of(mono);
  EXPECT_THAT(pixel(rgb[0].image, 2, 0), testing::ElementsAre(255, 255, 255));
  const std::string limited = "YUV4MPEG2 W1 H1 Cmono XCOLORRANGE=LIMITED\nFRAME\n\x10";
  EXPECT_EQ(frames_of(limited, {.color = VideoColor::kGray}).at(0).image.at(0, 0), 0);
  const std::string color = "YUV4MPEG2 W1 H1 C444\nFRAME\n\xEB\x10\x10";
  EXPECT_THAT(pixel(frames_of(color).at(0).image, 0, 0), testing::ElementsAre(76, 255, 29));
  EXPECT_EQ(frames_of(color, {.color = VideoColor::kGray}).at(0).image.at(0, 0), 176);
}

TEST(Y4m, DeepSamplesKeepTheirBits) {
  // 10 bits: 64 is black, 940 white; 502 lies in the middle.
  std::string bytes = "YUV4MPEG2 W3 H1 C444p10\nFRAME\n";
  for (const int sample : {64, 940, 502, 512, 512, 512, 512, 512, 512}) {
    bytes += static_cast<char>(sample & 255);
    bytes += static_cast<char>(sample >> 8);
  }
  const auto deep = frames_of(bytes, {.deep = true});
  EXPECT_TRUE(deep.at(0).image.empty());
  EXPECT_EQ(deep[0].deep_image.at(0, 0, 0), 0);
  EXPECT_EQ(deep[0].deep_image.at(1, 0, 1), 65535);
  EXPECT_EQ(deep[0].deep_image.at(2, 0, 2), 32768);
  EXPECT_EQ(frames_of(bytes).at(0).image.at(2, 0, 0), 128);
}

// The textbook: where a chroma sample lies, and the weight of each by its distance.
double chroma_reference(const std::vector<double>& samples, double position) {
  double sum = 0;
  for (int i = -1; i <= static_cast<int>(samples.size()); ++i) {
    const double weight = std::max(0.0, 1 - std::abs(position - i));
    const int inside = std::clamp(i, 0, static_cast<int>(samples.size()) - 1);
    sum += weight * samples[static_cast<std::size_t>(inside)];
  }
  return sum;
}

TEST(Y4m, ChromaIsInterpolatedFromItsSites) {
  const std::vector<double> samples = {100, 140, 90};
  const auto blue = [&](const std::string& tag, int x) {
    std::string bytes = "YUV4MPEG2 W6 H2 XCOLORRANGE=FULL C" + tag + "\nFRAME\n";
    bytes += std::string(12, '\x80');
    bytes += "\x64\x8C\x5A";
    bytes += std::string(3, '\x80');
    return static_cast<int>(frames_of(bytes).at(0).image.at(x, 0, 2));
  };
  for (int x = 0; x < 6; ++x) {
    const auto expected = [&](double position) {
      return std::round(128 + 1.772 * (chroma_reference(samples, position) - 128));
    };
    EXPECT_EQ(blue("420jpeg", x), expected((x + 0.5) / 2 - 0.5)) << x;
    EXPECT_EQ(blue("420mpeg2", x), expected(x / 2.0)) << x;
    EXPECT_EQ(blue("420paldv", x), expected(x / 2.0)) << x;
  }
}

TEST(Y4m, SizesAndPlanesOfAnyParityRoundTrip) {
  Random random(7);
  const test::TempFolder folder;
  for (int round = 0; round < 12; ++round) {
    const auto [width, height] = test::random_size(random, 20);
    const std::string path = folder / "v.y4m";
    const auto gray = test::random_image<std::uint8_t>(random, width, height, 1);
    {
      VideoWriter writer(path);
      writer.write(gray);
      writer.finish();
    }
    VideoReader reader(path, {.color = VideoColor::kGray});
    Frame frame;
    ASSERT_TRUE(reader.next(frame));
    EXPECT_TRUE(images_equal(frame.image, gray));
  }
}

TEST(Y4m, ColorsSurviveWithinRounding) {
  Random random(8);
  const test::TempFolder folder;
  const auto image = test::random_image<std::uint8_t>(random, 33, 17, 3);
  for (const YuvRange range : {YuvRange::kLimited, YuvRange::kFull}) {
    VideoWriter writer(folder / "v.y4m", {.chroma = ChromaSampling::k444, .range = range});
    writer.write(image);
    writer.finish();
    VideoReader reader(folder / "v.y4m");
    Frame frame;
    ASSERT_TRUE(reader.next(frame));
    EXPECT_TRUE(images_equal(frame.image, image, range == YuvRange::kFull ? 2 : 3));
  }
}

TEST(Y4m, SubsampledPlainColorsSurvive) {
  const test::TempFolder folder;
  Image<std::uint8_t> image(7, 5, 3);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x)
      image.at(x, y, 0) = 200, image.at(x, y, 1) = 40, image.at(x, y, 2) = 90;
  VideoWriter writer(folder / "v.y4m");
  writer.write(image);
  writer.finish();
  Frame frame;
  ASSERT_TRUE(VideoReader(folder / "v.y4m").next(frame));
  EXPECT_TRUE(images_equal(frame.image, image, 2));
}

std::string small_stream() {
  std::string bytes = "YUV4MPEG2 W3 H3 F25:1 C420jpeg\n";
  for (int frame = 0; frame < 3; ++frame) {
    bytes += frame == 1 ? "FRAME Ip\n" : "FRAME\n";
    for (int i = 0; i < 17; ++i) bytes += static_cast<char>('A' + frame + i);
  }
  return bytes;
}

TEST(Y4m, EveryTruncationGivesTheWholeFramesThenAnError) {
  const std::string whole = small_stream();
  const std::size_t header = whole.find('\n') + 1;
  const std::vector<std::size_t> ends = {header, header + 23, header + 23 + 26, whole.size()};
  for (std::size_t k = 2; k < 2 * whole.size(); ++k) {
    const std::size_t length = k / 2;
    Stream stream(whole.substr(0, length), kKinds[k % 2]);
    std::size_t frames = 0;
    std::string error;
    try {
      VideoReader reader(stream.get(), "s.y4m");
      for (Frame frame; reader.next(frame);) ++frames;
    } catch (const FormatError& e) {
      error = e.what();
    }
    const auto complete = static_cast<std::size_t>(std::count_if(
        ends.begin() + 1, ends.end(), [&](std::size_t end) { return end <= length; }));
    EXPECT_EQ(frames, complete) << length;
    const bool at_border = std::find(ends.begin(), ends.end(), length) != ends.end();
    EXPECT_EQ(error.empty(), at_border) << length << ' ' << error;
    if (length >= header && !at_border) {
      EXPECT_THAT(error, HasSubstr("s.y4m: frame " + std::to_string(complete) + ":"));
    }
  }
}

TEST(Y4m, EveryChangedByteIsHarmlessOrAnError) {
  const std::string whole = small_stream();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int value = 0; value < 256; value += 5) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      try {
        EXPECT_LE(frames_of(changed, {}, kKinds[value % 2]).size(), 20U);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("s.y4m: "));
      }
    }
  }
}

TEST(Y4m, AHugeClaimTakesNoMemory) {
  // 256 million pixels are announced, and nothing follows.
  for (const Kind kind : kKinds) {
    EXPECT_THAT(message_of<FormatError>(
                    [&] { frames_of("YUV4MPEG2 W16384 H16384 C444p16\nFRAME\nabc", {}, kind); }),
                HasSubstr("3 of its 1610612736 bytes"));
  }
}

TEST(Y4m, AfterAFaultThereIsNoFurtherFrame) {
  for (const Kind kind : kKinds) {
    Stream stream("YUV4MPEG2 W1 H1 Cmono\nFRAME\nxBROKEN\nFRAME\nx", kind);
    VideoReader reader(stream.get(), "s.y4m");
    Frame frame;
    EXPECT_TRUE(reader.next(frame));
    EXPECT_THROW(reader.next(frame), FormatError);
    EXPECT_FALSE(reader.next(frame));
  }
}

TEST(Y4m, AFileThatShrinksOrGrowsMeanwhileIsReadAsItIs) {
  const test::TempFolder folder;
  const std::string path = folder / "s.y4m", whole = small_stream();
  test::save(path, whole.substr(0, whole.size() - 1));
  VideoReader reader(path);
  StoredFrame stored;
  Frame frame;
  EXPECT_TRUE(reader.fetch(stored));
  EXPECT_TRUE(reader.fetch(stored));
  test::save(path + ".longer", whole);
  std::filesystem::resize_file(path, whole.find("FRAME") + 10);
  EXPECT_THAT(message_of<FormatError>([&] { stored.decode(frame); }),
              HasSubstr("s.y4m: frame 1: truncated: 0 of its 17 bytes"));
  VideoReader growing(path + ".longer");
  EXPECT_TRUE(growing.next(frame));
  std::ofstream(path + ".longer", std::ios::app) << "FRAME\n" << std::string(17, 'x');
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(growing.next(frame)) << i;
  EXPECT_FALSE(growing.next(frame));
}

// What `use` gives in a process of its own whose standard input or output is a file; 255 where it
// throws.
template <class Use>
int status_with_stream(int stream, const std::string& path, Use use) {
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    dup2(file, stream);
    int result = 255;
    try {
      result = use();
    } catch (...) {
      result = 255;
    }
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Y4m, ADashIsStandardInputAndOutput) {
  const test::TempFolder folder;
  const std::string path = folder / "stream";
  EXPECT_EQ(status_with_stream(STDOUT_FILENO, path,
                               [] {
                                 VideoWriter writer("-");
                                 for (int i = 0; i < 3; ++i)
                                   writer.write(Image<std::uint8_t>(6, 4, 3));
                                 writer.finish();
                                 return 0;
                               }),
            0);
  EXPECT_EQ(frames_of(test::load(path)).size(), 3U);
  EXPECT_EQ(status_with_stream(STDIN_FILENO, path,
                               [] {
                                 VideoReader reader("-");
                                 int count = 0;
                                 for (Frame frame; reader.next(frame);) ++count;
                                 return count;
                               }),
            3);
}

TEST(Y4m, ComesThroughAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    std::string bytes = "YUV4MPEG2 W300 H200 Cmono\n";
    for (int i = 0; i < 5; ++i) bytes += "FRAME\n" + std::string(60000, static_cast<char>(10 * i));
    for (std::size_t at = 0; at < bytes.size();) {
      const auto wrote =
          ::write(ends[1], bytes.data() + at, std::min<std::size_t>(777, bytes.size() - at));
      if (wrote < 0) break;
      at += static_cast<std::size_t>(wrote);
    }
    close(ends[1]);
  });
  // As a shell names a pipe: bash's <(command).
  VideoReader reader("/dev/fd/" + std::to_string(ends[0]), {.color = VideoColor::kGray});
  EXPECT_EQ(reader.info().frame_count, -1);
  int count = 0;
  for (Frame frame; reader.next(frame); ++count) {
    EXPECT_EQ(frame.image.at(299, 199), 10 * count);
    EXPECT_EQ(frame.frame, count);
  }
  EXPECT_EQ(count, 5);
  writer.join();
  close(ends[0]);
}

}  // namespace
}  // namespace fovea::io
