// Covers: map_files, map_frame, map_ranges, map_regions, map_report
#include "cli/emd/map.h"

#include <fmt/format.h>
#include <fovea/emd/map.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int kWidth = 90, kHeight = 60;

// A bright checked square on dark noise; `shift` moves it to the right.
Image<std::uint8_t> scene(int shift) {
  Random random(1);
  Image<std::uint8_t> image(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool square = x >= 30 + shift && x < 50 + shift && y >= 20 && y < 40;
      image.at(x, y) = static_cast<std::uint8_t>(square ? 180 + (x / 2 + y / 2) % 2 * 50
                                                        : 60 + random.below(40));
    }
  return image;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint8_t* cube_row(io::Cube& cube, int band, int y) {
  return std::get<Stack<std::uint8_t>>(cube.bands).plane(band).row(y);
}

class EmdMapCommand : public testing::Test {
 protected:
  EmdMapCommand() {
    for (int i = 0; i < 3; ++i) io::write_image(folder_ / fmt::format("f{}.png", i), scene(4 * i));
    Image<std::uint8_t> truth(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        truth.at(x, y) = x >= 30 && x < 50 && y >= 20 && y < 40 ? 255 : 0;
    io::write_image(folder_ / "truth.png", truth);
  }
  static Ended map(std::vector<std::string> more) {
    more.insert(more.begin(), {"emd", "map", "--quiet", "--device", "cpu"});
    return run_here(more);
  }
  static json found(std::vector<std::string> more) {
    more.emplace_back("--json");
    const Ended ended = map(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return json::parse(ended.out);
  }
  std::string fails(std::vector<std::string> more, int status) const {
    more.insert(more.end(), {"-o", folder_ / "none.tif"});
    const Ended ended = map(more);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none.tif"));
    return ended.err;
  }

  test::TempFolder folder_;
};

TEST_F(EmdMapCommand, WritesWhatTheLibraryMaps) {
  const json report =
      found({folder_ / "f0.png", "--target", "32,22,16,16", "-o", folder_ / "map.tif", "--picture",
             folder_ / "map.png", "--truth", folder_ / "truth.png"});
  EXPECT_EQ(report["command"], "emd map");
  EXPECT_EQ(report["width"], kWidth);
  EXPECT_EQ(report["frames"], 1);
  EXPECT_EQ(report["target"].size(), 11U);
  EXPECT_EQ(report["ground"]["form"], "general");
  const json& stats = report["stats"];
  EXPECT_EQ(stats["pixels"], kWidth * kHeight);
  EXPECT_EQ(stats["cached"].get<int>() + stats["duplicate"].get<int>() + stats["solved"].get<int>(),
            kWidth * kHeight);
  EXPECT_EQ(stats["solved_by"]["greedy_start"].get<int>() +
                stats["solved_by"]["greedy_simplex"].get<int>(),
            stats["solved"].get<int>());
  EXPECT_EQ(report["frame_stats"][0]["stats"]["solved_by"], stats["solved_by"]);
  EXPECT_GT(report["roc_auc"]["emd"], 0.9);
  EXPECT_TRUE(report["roc_auc"].contains("spectral_angle"));
  EXPECT_GT(report["roc_auc"]["sad"], 0.9);

  const auto image = scene(0);
  Image<std::uint8_t> labels(kWidth, kHeight);
  quantize(image, labels, {.levels = 11});
  emd::Mapper mapper(emd::label_histogram(labels.view().crop(32, 22, 16, 16), 11),
                     {.exec = {.device = Device::cpu()}});
  const io::AnyImage written = io::read_image(folder_ / "map.tif");
  EXPECT_TRUE(test::images_equal(std::get<Image<float>>(written.pixels), mapper.map(labels)));
  const io::AnyImage picture = io::read_image(folder_ / "map.png");
  EXPECT_EQ(picture.channels(), 3);
  EXPECT_EQ(picture.width(), kWidth);
}

TEST_F(EmdMapCommand, KeepsWhatIsKnownFromFrameToFrame) {
  const std::vector<std::string> frames{folder_ / "f0.png", folder_ / "f0.png", folder_ / "f1.png"};
  auto with = frames, without = frames;
  with.insert(with.end(), {"--target", "32,22,16,16", "-o", folder_ / "pages.tif"});
  without.insert(without.end(),
                 {"--target", "32,22,16,16", "-o", folder_ / "folder", "--cache-bytes", "0"});
  const json report = found(with);
  EXPECT_EQ(report["frames"], 3);
  EXPECT_EQ(report["frame_stats"][1]["stats"]["cached"], kWidth * kHeight);
  EXPECT_EQ(found(without)["frame_stats"][1]["stats"]["cached"], 0);
  const auto pages = io::read_pages(folder_ / "pages.tif");
  ASSERT_EQ(pages.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const io::AnyImage other = io::read_image(folder_ / fmt::format("folder/{:06}.tif", i));
    EXPECT_TRUE(test::images_equal(std::get<Image<float>>(pages[i].pixels),
                                   std::get<Image<float>>(other.pixels)));
  }
}

TEST_F(EmdMapCommand, MapsVideo) {
  io::VideoWriter writer(folder_ / "a.y4m", {.frame_rate = 10});
  for (int i = 0; i < 4; ++i) writer.write(scene(3 * i));
  writer.finish();
  const json report = found({folder_ / "a.y4m", "--target", "32,22,16,16", "-o", folder_ / "maps",
                             "--picture", folder_ / "maps.y4m", "--threshold", "0.8"});
  EXPECT_EQ(report["frames"], 4);
  EXPECT_GT(report["stats"]["skipped"], 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "maps/000003.tif"));
  io::VideoReader reader(folder_ / "maps.y4m");
  io::Frame frame;
  int frames = 0;
  while (reader.next(frame)) ++frames;
  EXPECT_EQ(frames, 4);
}

// What is written is the CPU's to the bit, in the same order.
TEST_F(EmdMapCommand, MapsVideoOnAGpuAlike) {
  io::VideoWriter writer(folder_ / "a.y4m", {.frame_rate = 10});
  for (int i = 0; i < 7; ++i) writer.write(scene(3 * i));
  writer.finish();
  const auto words = [&](const char* device) {
    return std::vector<std::string>{"emd",           "map",         "--quiet", folder_ / "a.y4m",
                                    "--target",      "32,22,16,16", "--json",  "-o",
                                    folder_ / device};
  };
  const Ended on_gpu = run_on_gpu(words("cuda")), on_cpu = run_here(words("cpu"));
  if (on_gpu.status == kNoDevice) GTEST_SKIP() << on_gpu.err;
  ASSERT_EQ(on_gpu.status, kDone) << on_gpu.err;
  ASSERT_EQ(on_cpu.status, kDone) << on_cpu.err;
  const json cpu = json::parse(on_cpu.out), cuda = json::parse(on_gpu.out);
  EXPECT_EQ(cuda["frames"], 7);
  for (std::size_t i = 0; i < 7; ++i) {
    for (const char* key : {"pixels", "cached", "duplicate", "solved"})
      EXPECT_EQ(cuda["frame_stats"][i]["stats"][key], cpu["frame_stats"][i]["stats"][key]);
    const auto read = [&](const char* device) {
      return io::read_image(folder_ / fmt::format("{}/{:06}.tif", device, i));
    };
    EXPECT_TRUE(test::images_equal(std::get<Image<float>>(read("cuda").pixels),
                                   std::get<Image<float>>(read("cpu").pixels)));
  }
}

// A video that breaks off keeps the maps before, as pages, pictures and in the report.
TEST_F(EmdMapCommand, KeepsTheMapsBeforeABreak) {
  io::VideoWriter writer(folder_ / "a.y4m", {.frame_rate = 10});
  for (int i = 0; i < 4; ++i) writer.write(scene(3 * i));
  writer.finish();
  const std::string video = test::load(folder_ / "a.y4m");
  test::save(folder_ / "cut.y4m", video.substr(0, video.size() - 100));
  const Ended ended = map({folder_ / "cut.y4m", "--target", "32,22,16,16", "-o",
                           folder_ / "maps.tif", "--picture", folder_ / "maps.y4m", "--json"});
  EXPECT_EQ(ended.status, kBadInput) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("cut.y4m"));
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["frames"], 3);
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_EQ(io::read_pages(folder_ / "maps.tif").size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "maps.y4m"));
}

TEST_F(EmdMapCommand, StopsAtOnceAndLeavesNoFileWithoutAMap) {
  const Ended ended = run_here({"emd", "map", folder_ / "f0.png", folder_ / "f1.png", "--target",
                                "32,22,16,16", "-o", folder_ / "maps.tif", "--device", "cpu"},
                               fired());
  EXPECT_EQ(ended.status, kInterrupted) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "maps.tif"));
}

// The time is that of the whole run, not of the mapper alone.
TEST_F(EmdMapCommand, ReportsTheWholeTime) {
  const json report = found({folder_ / "f0.png", folder_ / "f1.png", "--target", "32,22,16,16",
                             "-o", folder_ / "maps.tif"});
  double mapping = 0;
  for (const json& frame : report["frame_stats"]) mapping += frame["seconds"].get<double>();
  EXPECT_GT(report["seconds"].get<double>(), mapping);
}

TEST_F(EmdMapCommand, SaysHowMuchMemoryACubeNeeds) {
  io::Cube cube{Stack<std::uint8_t>(64, 48, 40), {}};
  for (int b = 0; b < 40; ++b)
    for (int y = 0; y < 48; ++y) std::fill_n(cube_row(cube, b, y), 64, std::uint8_t{9});
  io::write_cube(folder_ / "c.hdr", cube);
  const std::vector<std::string> words{
      folder_ / "c.hdr", "--signature", "bands", "--target", "3,3,4,4", "-o", folder_ / "m.npy"};
  std::vector<std::string> small = words;
  small.insert(small.end(), {"--memory", "400K"});
  const Ended refused = map(small);
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err,
              test::says("614400 bytes with its floats", "409600 bytes allowed", "--memory"));
  EXPECT_EQ(map(words).status, kDone);
}

TEST_F(EmdMapCommand, SaysWhichEndingsHoldMaps) {
  const auto message = [&](std::vector<std::string> more, const std::string& output) {
    more.insert(more.end(), {"--target", "32,22,16,16", "-o", folder_ / output});
    const Ended ended = map(more);
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_FALSE(std::filesystem::exists(folder_ / output));
    return ended.err;
  };
  EXPECT_THAT(
      message({folder_ / "f0.png"}, "m.jpg"),
      HasSubstr("ends in .tif, .tiff, .npy or .pfm. For an image to look at use --picture"));
  EXPECT_THAT(message({folder_ / "f0.png", folder_ / "f1.png"}, "m.png"),
              HasSubstr(".tif or .tiff, with one page per frame, or to a folder"));
  for (const char* output : {"a.npy", "a.pfm", "A.TIF", "new/"})
    found({folder_ / "f0.png", "--target", "32,22,16,16", "-o", folder_ / output});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "new/000000.tif"));
}

// A missing value is not counted; a window or spectrum without any is as far as can be.
TEST_F(EmdMapCommand, TakesNanForMissing) {
  Image<float> image(40, 20);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x)
      image.at(x, y) = x < 20 ? static_cast<float>(x % 3) : std::nanf("");
  io::write_image(folder_ / "holes.tif", image);
  found({folder_ / "holes.tif", "--target", "5,5,9,9", "--window", "3", "-o", folder_ / "m.tif"});
  const io::AnyImage map = io::read_image(folder_ / "m.tif");
  const auto& distances = std::get<Image<float>>(map.pixels);
  EXPECT_EQ(distances.at(30, 10), 3);  // the greatest cost
  EXPECT_LT(distances.at(10, 10), 1);
}

class EmdFrameMapper : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(EmdFrameMapper);

// Of different sizes, so that the memory of a map is taken anew.
TEST_P(EmdFrameMapper, EveryDeviceMapsFramesAlike) {
  MapRequest request;
  request.target = "32,22,16,16";
  const auto frame_of = [](int i) {
    BandFrame frame{Stack<float>(kWidth - 5 * (i % 3), kHeight - 4 * (i % 2), 1), "it", 255};
    const auto image = scene(2 * i);
    for (int y = 0; y < frame.bands.height(); ++y)
      for (int x = 0; x < frame.bands.width(); ++x)
        frame.bands.plane(0).at(x, y) = static_cast<float>(image.at(x, y));
    return frame;
  };
  emd::SceneMapper mapper = frame_mapper(request, frame_of(0), {.device = device()});
  emd::SceneMapper expected =
      frame_mapper(request, frame_of(0), {.device = Device::cpu(), .threads = 1});
  Image<float> map, expected_map;
  emd::PreparedFrame prepared, expected_frame;
  for (int i = 0; i < 8; ++i) {
    const BandFrame frame = frame_of(i);
    mapper.prepare(frame, prepared, 2);
    expected.prepare(frame, expected_frame, 1);
    EXPECT_TRUE(test::images_equal(prepared.labels, expected_frame.labels)) << i;
    mapper.map(prepared, map);
    expected.map(expected_frame, expected_map);
    EXPECT_TRUE(test::images_equal(map, expected_map)) << i;
    EXPECT_EQ(mapper.mapper().report().solved, expected.mapper().report().solved) << i;
  }
}

// Frames that are cubes, of which several are in flight, have the maps that each has alone.
TEST_F(EmdMapCommand, MapsAFolderOfCubesAsFrames) {
  std::filesystem::create_directories(folder_ / "video");
  std::vector<std::string> files;
  for (int k = 0; k < 5; ++k) {
    io::Cube cube{Stack<std::uint16_t>(20, 12, 7)};
    Random random(static_cast<std::uint64_t>(k + 1));
    for (int b = 0; b < 7; ++b)
      for (int y = 0; y < 12; ++y)
        for (int x = 0; x < 20; ++x)
          std::get<Stack<std::uint16_t>>(cube.bands).plane(b).at(x, y) =
              static_cast<std::uint16_t>(400 + random.below(500) + (x > 5 + k && b > 2 ? 700 : 0));
    files.push_back(folder_ / fmt::format("video/f{}.hdr", k));
    io::write_cube(files.back(), cube);
  }
  for (const char* signature : {"bands", "contrast"}) {
    for (const char* threads : {"1", "3"}) {
      const json report =
          found({folder_ / "video", "--signature", signature, "--window", "3", "--threads", threads,
                 "--target", "12,4,3,3", "-o", folder_ / "maps"});
      ASSERT_EQ(report["frames"], 5);
      EXPECT_EQ(report["stats"]["pixels"], 5 * 20 * 12);
      const emd::BandFrame first = emd::read_bands(files[0]);
      emd::SceneMapper mapper(
          first, Rect<int>{12, 4, 3, 3},
          {.signature = std::string(signature) == "bands" ? emd::SceneSignature::kBands
                                                          : emd::SceneSignature::kContrast,
           .window = 3,
           .exec = {.device = Device::cpu(), .threads = 1}});
      for (int k = 0; k < 5; ++k) {
        const io::AnyImage written = io::read_image(folder_ / fmt::format("maps/{:06}.tif", k));
        EXPECT_TRUE(
            test::images_equal(std::get<Image<float>>(written.pixels),
                               mapper.map(emd::read_bands(files[static_cast<std::size_t>(k)]))))
            << k;
      }
    }
  }
}

TEST_F(EmdMapCommand, MapsSpectraOfCubes) {
  io::Cube cube{Stack<std::uint16_t>(30, 20, 6)};
  Random random(2);
  for (int b = 0; b < 6; ++b)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x)
        std::get<Stack<std::uint16_t>>(cube.bands).plane(b).at(x, y) = static_cast<std::uint16_t>(
            500 + random.below(60) + (x >= 10 && x < 20 && y >= 5 && y < 15 && b > 3 ? 900 : 0));
  io::write_cube(folder_ / "cube.hdr", cube);
  Image<std::uint8_t> truth(30, 20);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 30; ++x) truth.at(x, y) = x >= 10 && x < 20 && y >= 5 && y < 15 ? 1 : 0;
  io::write_image(folder_ / "where.png", truth);
  for (const char* signature : {"bands", "contrast"}) {
    const json report = found({folder_ / "cube.hdr", "--signature", signature, "--bins", "6",
                               "--target", "11,6,3,3", "--truth", folder_ / "where.png"});
    EXPECT_EQ(report["roc_auc"]["emd"], 1) << signature;
    EXPECT_EQ(report["roc_auc"]["spectral_angle"], 1) << signature;
    EXPECT_EQ(report["roc_auc"]["matched_filter"], 1) << signature;
    EXPECT_EQ(report["roc_auc"]["ace"], 1) << signature;
    EXPECT_EQ(report["positives"], 91);
    const json fused =
        found({folder_ / "cube.hdr", "--signature", signature, "--bins", "6", "--target",
               "11,6,3,3", "--score", "fused", "--truth", folder_ / "where.png"});
    EXPECT_EQ(fused["roc_auc"]["emd"], 1) << signature;
    EXPECT_EQ(fused["options"]["score"], "fused");
  }
  EXPECT_THAT(
      fails({folder_ / "cube.hdr", "--target", "11,6,3,3", "--band", "1", "--score", "fused"},
            kUsage),
      HasSubstr("take the signature contrast or bands"));
  const json levels = found({folder_ / "cube.hdr", "--band", "5", "--bins", "4", "--window", "3",
                             "--target", "11,6,3,3", "-o", folder_ / "b.tif"});
  EXPECT_GE(levels["low"], 500);
  EXPECT_THAT(fails({folder_ / "cube.hdr", "--target", "11,6,3,3"}, kUsage), HasSubstr("6 bands"));
  EXPECT_THAT(fails({folder_ / "cube.hdr", "--target", "11,6,3,3", "--band", "6"}, kUsage),
              HasSubstr("bands 0 to 5"));
}

TEST_F(EmdMapCommand, TakesATargetFromAFile) {
  io::write_image(folder_ / "target.png", clone(scene(0).view().crop(32, 22, 16, 16)));
  const json from_file =
      found({folder_ / "f0.png", "--target", folder_ / "target.png", "-o", folder_ / "a.tif"});
  const json from_box =
      found({folder_ / "f0.png", "--target", "32,22,16,16", "-o", folder_ / "b.tif"});
  EXPECT_EQ(from_file["target"], from_box["target"]);
}

TEST_F(EmdMapCommand, NamesWhatIsWrong) {
  const std::string image = folder_ / "f0.png";
  EXPECT_THAT(fails({image}, kUsage), HasSubstr("--target"));
  EXPECT_THAT(fails({image, "--target", "80,20,20,20"}, kUsage), HasSubstr("outside"));
  EXPECT_THAT(fails({image, "--target", "-1,20,20,20"}, kUsage), HasSubstr("outside"));
  EXPECT_THAT(fails({image, "--target", "999999999,0,9,9"}, kUsage), HasSubstr("outside"));
  EXPECT_THAT(fails({image, "--target", "8,20,0,20"}, kUsage), HasSubstr("at least 1"));
  EXPECT_THAT(fails({image, "--target", "1,1,5,5", "--window", "4"}, kUsage), HasSubstr("odd"));
  EXPECT_THAT(fails({image, "--target", "1,1,5,5", "--bins", "65"}, kUsage), HasSubstr("65"));
  EXPECT_THAT(fails({image, "--target", "1,1,5,5", "--ground", "silly"}, kUsage),
              HasSubstr("silly"));
  EXPECT_THAT(fails({image, "--target", "1,1,5,5", "--range", "9,3"}, kUsage), HasSubstr("9,3"));
  EXPECT_THAT(fails({image, "--target", "none.png"}, kBadInput), HasSubstr("none.png"));
  EXPECT_THAT(fails({folder_ / "none.png", "--target", "1,1,5,5"}, kBadInput),
              HasSubstr("none.png"));
  EXPECT_THAT(
      fails({image, image, "--target", "1,1,5,5", "--truth", folder_ / "truth.png"}, kUsage),
      HasSubstr("one frame"));
  EXPECT_EQ(map({image, "--target", "1,1,5,5"}).status, kUsage);
}

TEST_F(EmdMapCommand, DetectsRegions) {
  const json report = found({folder_ / "f0.png", "--target", "32,22,16,16", "--coco",
                             folder_ / "found.json", "--csv", folder_ / "found.csv", "--found-mask",
                             folder_ / "mask.png", "--overlay", folder_ / "overlay.png"});
  EXPECT_GT(report["detect_threshold"], 0);
  const json& regions = report["frame_stats"][0]["regions"];
  ASSERT_EQ(regions.size(), 1U);
  const json& best = regions[0];
  const std::vector<int> peak = best["peak"];
  EXPECT_TRUE(peak[0] >= 30 && peak[0] < 50 && peak[1] >= 20 && peak[1] < 40);
  EXPECT_GT(best["score"], 0);

  const io::AnyImage mask = io::read_image(folder_ / "mask.png");
  std::int64_t area = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      area += std::get<Image<std::uint8_t>>(mask.pixels).at(x, y) == 255 ? 1 : 0;
  EXPECT_EQ(area, best["area"].get<std::int64_t>());
  EXPECT_EQ(io::read_image(folder_ / "overlay.png").channels(), 3);

  const json coco = json::parse(text_of(folder_ / "found.json"));
  EXPECT_EQ(coco["images"][0]["width"], kWidth);
  EXPECT_EQ(coco["categories"][0]["name"], "target");
  ASSERT_EQ(coco["annotations"].size(), 1U);
  EXPECT_EQ(coco["annotations"][0]["bbox"], best["box"]);
  EXPECT_EQ(coco["annotations"][0]["segmentation"]["size"], json({kHeight, kWidth}));
  const std::string csv = text_of(folder_ / "found.csv");
  EXPECT_THAT(csv, HasSubstr("input,frame,region,x,y,width,height,area,score,peak_x,peak_y"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

TEST_F(EmdMapCommand, DetectsInEveryFrameByTheFirstThreshold) {
  const json report = found({folder_ / "f0.png", folder_ / "f1.png", folder_ / "f2.png", "--target",
                             "32,22,16,16", "--detect", "--detect-kind", "boxes", "--found-mask",
                             folder_ / "masks", "--coco", folder_ / "found.json"});
  int last = 0;
  for (int i = 0; i < 3; ++i) {
    const json& regions = report["frame_stats"][i]["regions"];
    ASSERT_GE(regions.size(), 1U);
    EXPECT_EQ(regions[0]["box"][2], 16);
    EXPECT_GT(regions[0]["box"][0], last) << "the square moves to the right";
    last = regions[0]["box"][0];
    EXPECT_TRUE(std::filesystem::exists(folder_ / fmt::format("masks/{:06}.png", i)));
  }
  const json coco = json::parse(text_of(folder_ / "found.json"));
  EXPECT_EQ(coco["images"].size(), 3U);
  EXPECT_EQ(coco["images"][2]["frame"], 2);
  const json none = found({folder_ / "f0.png", "--target", "32,22,16,16", "--detect-threshold", "0",
                           "--detect", "--coco", folder_ / "none.json"});
  EXPECT_TRUE(none["frame_stats"][0]["regions"].empty());
  EXPECT_TRUE(json::parse(text_of(folder_ / "none.json"))["annotations"].empty());
}

TEST_F(EmdMapCommand, MapsOnlyWhatIsAskedFor) {
  const std::vector<std::string> what{folder_ / "f0.png", "--target", "32,22,16,16", "-o",
                                      folder_ / "map.npy"};
  auto by_roi = what, by_mask = what;
  by_roi.insert(by_roi.end(), {"--roi", "30,20,20,20"});
  by_mask.insert(by_mask.end(), {"--mask", folder_ / "truth.png"});
  EXPECT_EQ(found(by_roi)["stats"]["pixels"], 400);
  const std::string map = text_of(folder_ / "map.npy");
  EXPECT_EQ(found(by_mask)["stats"]["pixels"], 400);
  EXPECT_EQ(text_of(folder_ / "map.npy"), map);
  const json changes = found({folder_ / "f0.png", folder_ / "f0.png", folder_ / "f1.png",
                              "--target", "32,22,16,16", "--detect", "--changed-only"});
  EXPECT_EQ(changes["frame_stats"][1]["stats"]["pixels"], 0);
  EXPECT_EQ(changes["frame_stats"][1]["regions"], changes["frame_stats"][0]["regions"]);
}

TEST_F(EmdMapCommand, RefusesMasksAndThresholdsThatDoNotFit) {
  const std::string image = folder_ / "f0.png";
  const std::vector<std::string> base{image, "--target", "32,22,16,16"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return fails(more, kUsage);
  };
  io::write_image(folder_ / "small.png", Image<std::uint8_t>(8, 8));
  EXPECT_THAT(with({"--mask", folder_ / "small.png"}), HasSubstr("has 8x8 pixels"));
  EXPECT_THAT(with({"--roi", "80,0,20,20"}), HasSubstr("does not lie in"));
  EXPECT_THAT(with({"--detect-threshold", "-1"}), HasSubstr("detect-threshold"));
  EXPECT_THAT(with({"--threshold", "0.5", "--detect-threshold", "0.7"}),
              HasSubstr("lies above --threshold"));
  EXPECT_THAT(with({"--signature", "bands", "--changed-only"}), HasSubstr("changed-only"));
}

}  // namespace
}  // namespace fovea::cli
