#include "operations/people/people_files.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/files.h"

namespace fovea::operations {
namespace {

using nlohmann::json;

struct Names {
  std::string coco{}, coco_results{}, csv{}, parquet{}, yolo{}, labelme{};
};

// Several files of the same people.
class PeopleFiles {
 public:
  explicit PeopleFiles(const Names& names) {
    const auto open = [&](PeopleFormat format, const std::string& name) {
      if (!name.empty()) files_.push_back(people_file(format, name));
    };
    open(PeopleFormat::kCoco, names.coco);
    open(PeopleFormat::kCocoResults, names.coco_results);
    open(PeopleFormat::kCsv, names.csv);
    open(PeopleFormat::kParquet, names.parquet);
    open(PeopleFormat::kYolo, names.yolo);
    open(PeopleFormat::kLabelme, names.labelme);
  }
  void add(const PeopleFrame& frame) {
    for (const auto& file : files_) file->add(frame);
  }
  void commit(const std::string& info) {
    for (const auto& file : files_) file->commit(info);
  }

 private:
  std::vector<std::unique_ptr<PeopleFile>> files_{};
};

const people::Detection kSomeone{
    .box = {-2.5F, 4, 20, 50}, .window = {}, .score = 1.5F, .scale = 1.25F};

TEST(PeopleReport, FilesAppearWholeOnCommit) {
  const test::TempFolder folder;
  PeopleFiles files({.coco = folder / "a.json", .csv = folder / "a.csv"});
  files.add({{"x/one, \"two\".png"}, {64, 128}, {kSomeone, kSomeone}});
  files.add({{"walk.y4m", io::FrameTime{7, 0.5}}, {32, 48}, {kSomeone}});
  files.add({{"walk.y4m", io::FrameTime{8, 0.75}}, {32, 48}, {}});
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.csv"));
  files.commit(R"({"made": "by a test"})");

  const json coco = json::parse(test::load(folder / "a.json"));
  EXPECT_EQ(coco["info"]["made"], "by a test");
  EXPECT_EQ(coco["categories"], json::parse(R"([{"id": 1, "name": "person"}])"));
  ASSERT_EQ(coco["images"].size(), 3U);
  EXPECT_EQ(coco["images"][0]["file_name"], "x/one, \"two\".png");
  EXPECT_EQ(coco["images"][0]["width"], 64);
  EXPECT_FALSE(coco["images"][0].contains("frame"));
  EXPECT_EQ(coco["images"][2]["frame"], 8);
  EXPECT_EQ(coco["images"][2]["time_seconds"], 0.75);
  ASSERT_EQ(coco["annotations"].size(), 3U);
  EXPECT_EQ(coco["annotations"][2]["id"], 3);
  EXPECT_EQ(coco["annotations"][2]["image_id"], coco["images"][1]["id"]);
  EXPECT_EQ(coco["annotations"][0]["bbox"], json::parse("[-2.5, 4, 20, 50]"));
  EXPECT_EQ(coco["annotations"][0]["area"], 1000);
  EXPECT_EQ(coco["annotations"][0]["segmentation"],
            json::parse("[[-2.5, 4, 17.5, 4, 17.5, 54, -2.5, 54]]"));
  EXPECT_EQ(coco["annotations"][0]["score"], 1.5);
  EXPECT_EQ(coco["annotations"][0]["category_id"], 1);

  EXPECT_EQ(test::load(folder / "a.csv"),
            "input,frame,time_seconds,x,y,width,height,score,confidence,scale\r\n"
            "\"x/one, \"\"two\"\".png\",,,-2.5,4,20,50,1.5,,1.25\r\n"
            "\"x/one, \"\"two\"\".png\",,,-2.5,4,20,50,1.5,,1.25\r\n"
            "walk.y4m,7,0.5,-2.5,4,20,50,1.5,,1.25\r\n");
}

TEST(PeopleReport, WhatIsAddedGoesToDiskAtOnce) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "out");
  PeopleFiles files({.coco = folder / "out/a.json", .csv = folder / "out/a.csv"});
  constexpr int kFrames = 4000;
  for (int i = 0; i < kFrames; ++i)
    files.add({{"-", io::FrameTime{i, 0.5 * i}}, {64, 128}, {kSomeone, kSomeone}});
  int unfinished = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    ++unfinished;
    EXPECT_GT(entry.file_size(), 40U * kFrames) << entry.path();
  }
  EXPECT_EQ(unfinished, 2);
  files.commit("{}");
  const json coco = json::parse(test::load(folder / "out/a.json"));
  ASSERT_EQ(coco["images"].size(), std::size_t{kFrames});
  ASSERT_EQ(coco["annotations"].size(), std::size_t{2 * kFrames});
  EXPECT_EQ(coco["annotations"].back()["id"], 2 * kFrames);
  EXPECT_EQ(coco["annotations"].back()["image_id"], kFrames);
}

TEST(PeopleReport, ParquetHasRowsAndSaysHowItWasMade) {
  const test::TempFolder folder;
  PeopleFiles files({.parquet = folder / "a.parquet"});
  files.add({{"one.png"}, {64, 128}, {kSomeone, kSomeone}});
  files.add({{"walk.y4m", io::FrameTime{7, 0.5}}, {32, 48}, {kSomeone}});
  EXPECT_EQ(folder.files(), 1U);
  files.commit(R"({"made": "by a test"})");
  const std::string table = test::load(folder / "a.parquet");
  EXPECT_TRUE(table.starts_with("PAR1") && table.ends_with("PAR1"));
  for (const char* text : {"input", "frame", "time_seconds", "x", "y", "width", "height", "score",
                           "confidence", "scale", "label", R"({"made": "by a test"})"})
    EXPECT_NE(table.find(text), table.npos) << text;
  EXPECT_THROW(PeopleFiles({.parquet = folder / "none/a.parquet"}), IoError);
}

TEST(PeopleReport, ConfidenceIsAColumnBesideTheScore) {
  const test::TempFolder folder;
  PeopleFiles files({.csv = folder / "a.csv"});
  people::Detection sure = kSomeone;
  sure.confidence = 0.75F;
  files.add({{"one.png"}, {64, 128}, {sure, kSomeone}});
  files.commit("{}");
  EXPECT_EQ(test::load(folder / "a.csv"),
            "input,frame,time_seconds,x,y,width,height,score,confidence,scale\r\n"
            "one.png,,,-2.5,4,20,50,1.5,0.75,1.25\r\n"
            "one.png,,,-2.5,4,20,50,1.5,,1.25\r\n");
}

TEST(PeopleReport, NobodyIsAnEmptyList) {
  const test::TempFolder folder;
  PeopleFiles files({.coco = folder / "a.json", .csv = folder / "a.csv"});
  files.commit("{}");
  const json coco = json::parse(test::load(folder / "a.json"));
  EXPECT_TRUE(coco["images"].empty());
  EXPECT_TRUE(coco["annotations"].empty());
  EXPECT_EQ(test::load(folder / "a.csv"),
            "input,frame,time_seconds,x,y,width,height,score,confidence,scale\r\n");
}

TEST(PeopleReport, WithoutCommitNothingIsLeft) {
  const test::TempFolder folder;
  { PeopleFiles({.coco = folder / "a.json"}).add({{"a"}, {1, 1}, {kSomeone}}); }
  EXPECT_EQ(folder.files(), 0U);
}

TEST(PeopleReport, APlaceThatCannotBeWrittenIsSaidAtOnce) {
  const test::TempFolder folder;
  EXPECT_THROW(PeopleFiles({.coco = folder / "none/a.json"}), IoError);
  EXPECT_THROW(PeopleFiles({.csv = folder / "none/a.csv"}), IoError);
}

TEST(PeopleReport, CocoResultsAreABareArray) {
  const test::TempFolder folder;
  PeopleFiles files({.coco_results = folder / "r.json"});
  files.add({{"a.png"}, {64, 128}, {kSomeone}});
  files.add({{"b.png"}, {64, 128}, {kSomeone, kSomeone}});
  files.commit("{}");
  const json results = json::parse(test::load(folder / "r.json"));
  ASSERT_TRUE(results.is_array());
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0], json::parse(R"({"image_id": 1, "category_id": 1, "bbox": [-2.5, 4, 20, 50],
                            "score": 1.5})"));
  EXPECT_EQ(results[2]["image_id"], 2);
  PeopleFiles none({.coco_results = folder / "none.json"});
  none.commit("{}");
  EXPECT_EQ(json::parse(test::load(folder / "none.json")), json::array());
}

TEST(PeopleReport, YoloAndLabelmeHaveOneFilePerImage) {
  const test::TempFolder folder;
  const people::Detection person{.box = {8, 32, 16, 64}, .window = {}, .score = 1.5F, .scale = 1};
  PeopleFiles files({.yolo = folder / "yolo", .labelme = folder / "labelme"});
  files.add({{folder / "one.png"}, {64, 128}, {person}});
  files.add({{"walk.y4m", io::FrameTime{7, 0.5}}, {64, 128}, {}});
  EXPECT_EQ(test::load(folder / "yolo/one.txt"), "0 0.250000 0.500000 0.250000 0.500000\n");
  EXPECT_EQ(test::load(folder / "yolo/walk_000007.txt"), "");
  const json one = json::parse(test::load(folder / "labelme/one.json"));
  EXPECT_EQ(one["imagePath"], "../one.png");
  EXPECT_EQ(one["imageHeight"], 128);
  EXPECT_TRUE(one["imageData"].is_null());
  ASSERT_EQ(one["shapes"].size(), 1U);
  EXPECT_EQ(one["shapes"][0]["label"], "person");
  EXPECT_EQ(one["shapes"][0]["shape_type"], "rectangle");
  EXPECT_EQ(one["shapes"][0]["points"], json::parse("[[8, 32], [24, 96]]"));
  EXPECT_EQ(json::parse(test::load(folder / "labelme/walk_000007.json"))["imagePath"],
            "walk_000007.png");
  EXPECT_THROW(files.add({{"elsewhere/one.jpg"}, {64, 128}, {person}}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::operations
