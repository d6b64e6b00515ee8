// A verb is one Operation, and an output is one entry of it: this program has its own list of
// operations with two verbs of a few lines, and nothing else of it is changed.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "operations/make_operation.h"
#include "operations/systems.h"
#include "places/frames.h"
#include "support/images.h"

namespace fovea::operations {
namespace {

struct BrightOptions {
  int above = 127;
};
void describe(OptionVisitor& visit, BrightOptions& options) {
  visit("above", options.above, "pixels above this are bright", 0, 255);
}

struct Spot {
  Rect<int> box{};
};
void describe(FieldVisitor& visit, Spot& spot) { visit("box", spot.box, "around bright pixels"); }

struct BrightPixels {
  int width = 0;
  std::int64_t bright = 0;
  std::vector<Spot> spots{};
};
void describe(FieldVisitor& visit, BrightPixels& found) {
  visit.record("BrightPixels", "the bright pixels of an image");
  visit("width", found.width, "of the image", {.unit = "pixels"});
  visit("bright", found.bright, "how many pixels are bright");
  visit("spots", found.spots, "one per row with bright pixels, from the first to the last of them");
}

struct Item {
  Image<std::uint8_t> pixels{};
  BrightPixels found{};
};

// The numbers of all images.
class Numbers final : public SharedFileOf<BrightPixels> {
 public:
  explicit Numbers(std::string path) : path_(std::move(path)) {}
  void commit(const std::string&) override { test::save(path_, text_); }

 private:
  void write(const io::Place& place, const BrightPixels& found) override {
    text_ += std::filesystem::path(place.input).filename().string() + " " +
             std::to_string(found.bright) + "\n";
  }

  std::string path_, text_{};
};

Operation bright() {
  using Made = OutputOf<BrightOptions, Item>;
  return make_operation<BrightOptions, Item>(
      {.words = {.system = "ops",
                 .verb = "bright",
                 .summary = "count bright pixels",
                 .text = "Counts the bright pixels of images.",
                 .arguments = {{"INPUT", "images", 1, kAnyNumber}},
                 .examples = {{"fovea ops bright a.png --numbers all.txt", "count them"}}},
       .on_page = {.title = "Bright pixels"},
       .input = InputKind::kImage,
       .outputs = {Made{.about = {.name = "mask",
                                  .help = "picture of the bright pixels",
                                  .result = "the picture of the bright pixels",
                                  .ending = ".png",
                                  .endings = {".png"},
                                  .what = "a mask"},
                        .write =
                            [](const BrightOptions& options, const Item& item,
                               const std::string& path) {
                              Image<std::uint8_t> mask = clone(item.pixels.view());
                              for (int y = 0; y < mask.height(); ++y)
                                for (int x = 0; x < mask.width(); ++x)
                                  mask.at(x, y) = mask.at(x, y) > options.above ? 255 : 0;
                              io::write_image(path, mask.view());
                            }},
                   Made{.about = {.name = "numbers",
                                  .help = "file for the numbers of all images",
                                  .share = Share::kOneFile,
                                  .ending = ".txt"},
                        .open = [](const std::string& path) -> std::unique_ptr<SharedFile> {
                          return std::make_unique<Numbers>(path);
                        }}},
       .read =
           [](const BrightOptions&, const Source& source, Item& item) {
             item.pixels = io::to_bytes(source.image(io::Orientation::kIgnore));
           },
       .run =
           [](const BrightOptions& options, NoWorker&, Item& item) {
             item.found = {.width = item.pixels.width()};
             for (int y = 0; y < item.pixels.height(); ++y) {
               Rect<int> box{0, y, 0, 1};
               for (int x = 0; x < item.pixels.width(); ++x) {
                 if (item.pixels.at(x, y) <= options.above) continue;
                 ++item.found.bright;
                 if (box.width == 0) box.x = x;
                 box.width = x + 1 - box.x;
               }
               if (box.width > 0) item.found.spots.push_back({box});
             }
           },
       .result = [](const Item& item) { return record_ref(item.found); },
       .line =
           [](const BrightOptions&, const Item& item) {
             return std::to_string(item.found.bright) + " bright pixels";
           }},
      [] {
        static const BrightPixels sample;
        return record_ref(sample);
      });
}

struct LevelOptions {
  int share = 50;
  bool strict = false;
};
void describe(OptionVisitor& visit, LevelOptions& options) {
  visit("share", options.share, "percent of the pixels that stay below the level", 0, 100);
  visit("strict", options.strict, "the file must not be there");
}

struct Level {
  std::string input{};
  int level = 0;
  std::string written{};
};
void describe(FieldVisitor& visit, Level& found) {
  visit.record("Level", "a level of gray");
  visit("input", found.input, "the image");
  visit("level", found.level, "so many percent are below");
  visit("note", found.written, "the note that was written");
}

struct LevelItem {
  Image<std::uint8_t> pixels{};
  Level found{};
};

// A verb of one input, whose result is all that is printed.
Operation level() {
  return make_operation<LevelOptions, LevelItem>(
      {.words = {.system = "ops",
                 .verb = "level",
                 .summary = "find a level of gray",
                 .text = "Finds the level that a share of the pixels stays below.",
                 .arguments = {{"INPUT", "an image", 0, 1}},
                 .examples = {{"fovea ops level a.png", "the median"}}},
       .input = InputKind::kImage,
       .alone = true,
       .outputs = {{.about = {.name = "note",
                              .help = "file for the level",
                              .endings = {".txt"},
                              .what = "the note",
                              .after = "share"},
                    .write =
                        [](const LevelOptions&, const LevelItem& item, const std::string& path) {
                          test::save(path, std::to_string(item.found.level));
                        }}},
       .read =
           [](const LevelOptions&, const Source& source, LevelItem& item) {
             item.found = {.input = source.name, .written = source.file("note")};
             if (!source.name.empty())
               item.pixels = io::to_bytes(source.image(io::Orientation::kIgnore));
           },
       .run =
           [](const LevelOptions& options, NoWorker&, LevelItem& item) {
             if (item.pixels.empty()) return;
             std::vector<std::uint8_t> all;
             for (int y = 0; y < item.pixels.height(); ++y)
               all.insert(all.end(), item.pixels.row(y), item.pixels.row(y) + item.pixels.width());
             std::ranges::sort(all);
             item.found.level =
                 all[(all.size() - 1) * static_cast<std::size_t>(options.share) / 100];
           },
       .result = [](const LevelItem& item) { return record_ref(item.found); },
       .line = [](const LevelOptions&,
                  const LevelItem& item) { return "level " + std::to_string(item.found.level); },
       .faults =
           [](const LevelItem& item) {
             Faults faults;
             if (item.pixels.empty()) faults = {.messages = {"there is no image"}, .all = true};
             else if (item.found.level == 200) faults.messages = {"that is no darkness"};
             return faults;
           }},
      [] {
        static const Level sample;
        return record_ref(sample);
      });
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{ops_blur(), bright(), level(), changes()};
  return all;
}

}  // namespace fovea::operations

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ANewVerb : public testing::Test {
 protected:
  ANewVerb() {
    Image<std::uint8_t> image(4, 2);
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 4; ++x) image.at(x, y) = x < 2 ? 200 : 20;
    for (const char* name : {"a.png", "b.png", "c.png"})
      io::write_image(folder_ / name, image.view());
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  test::TempFolder folder_;
};

TEST_F(ANewVerb, HasHelpCompletionManualPageAndSchema) {
  const std::string help = run_here({"help", "ops", "bright"}).out;
  EXPECT_THAT(help, HasSubstr("--mask FILE"));
  EXPECT_THAT(help, HasSubstr("file for the numbers of all images"));
  EXPECT_THAT(help, HasSubstr("pixels above this are bright"));
  EXPECT_THAT(run_here({"help", "ops"}).out, HasSubstr("count bright pixels"));
  EXPECT_THAT(run_here({"completion", "bash"}).out, HasSubstr("--numbers"));
  EXPECT_THAT(run_here({"man", "ops", "bright"}).out, HasSubstr("picture of the bright pixels"));
  const json schema = json::parse(run_here({"schema", "ops", "bright"}).out);
  const json& result = schema["properties"]["results"]["items"];
  EXPECT_EQ(result["properties"]["mask"]["description"], "the picture of the bright pixels");
  EXPECT_FALSE(result["properties"].contains("numbers"));  // it belongs to no single input
  EXPECT_THAT(result.dump(), HasSubstr("how many pixels are bright"));
  EXPECT_THAT(run_here({"schema", "ops", "bright", "--format", "markdown"}).out,
              HasSubstr("the picture of the bright pixels"));
}

TEST_F(ANewVerb, WritesItsOutputsAndNamesThem) {
  const Ended ended = run_here({"ops", "bright", at("a.png"), at("b.png"), "--mask", at("masks/"),
                                "--numbers", at("all.txt"), "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json all = json::parse(ended.out);
  EXPECT_EQ(all["options"]["above"], 127);
  EXPECT_EQ(all["results"][1]["bright"], 4);
  EXPECT_EQ(all["results"][1]["mask"], at("masks/b.png"));
  EXPECT_TRUE(std::filesystem::exists(at("masks/b.png")));
  EXPECT_EQ(test::load(at("all.txt")), "a.png 4\nb.png 4\n");
  const std::string line = run_here({"ops", "bright", at("a.png"), "--mask", at("m.png")}).out;
  EXPECT_EQ(line, at("a.png") + ": 4 bright pixels, " + at("m.png") + "\n");
}

TEST_F(ANewVerb, RefusesNamesThatCollideOrEndWrongly) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"ops", "bright", at("a.png"), at("b.png")});
    const Ended ended = run_here(more);
    EXPECT_EQ(ended.status, kUsage);
    return ended.err;
  };
  EXPECT_THAT(refused({"--mask", at("one.png")}),
              HasSubstr("--mask " + at("one.png") + " names one"));
  EXPECT_THAT(refused({"--mask", at("{}.tif")}), HasSubstr("a mask is written as .png"));
  EXPECT_THAT(refused({"--mask", at("{}.png")}), HasSubstr("would be replaced"));
  EXPECT_THAT(refused({"--numbers", at("a.png")}), HasSubstr("would be replaced"));
  EXPECT_THAT(refused({"--mask", "-"}), HasSubstr("not to standard output"));
  EXPECT_EQ(io::read_image(at("a.png")).width(), 4);
}

TEST_F(ANewVerb, RunsInShardsThatAreMergedAndResumed) {
  const std::vector<std::string> whole{"ops",       "bright",          at("a.png"),   at("b.png"),
                                       at("c.png"), "--numbers",       at("all.txt"), "--json",
                                       "--mask",    at("masks/{}.png")};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = whole;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run_here(with({"--manifest", at("whole.manifest")})).status, kDone);
  const std::string expected = test::load(at("all.txt"));
  std::filesystem::remove(at("all.txt"));
  ASSERT_EQ(run_here(with({"--shard", "0/2", "--manifest", at("0.manifest")})).status, kDone);
  ASSERT_EQ(run_here(with({"--shard", "1/2", "--manifest", at("1.manifest")})).status, kDone);
  EXPECT_FALSE(std::filesystem::exists(at("all.txt")));  // which merge writes
  const Ended merged = run_here({"merge", "--trust", at("0.manifest"), at("1.manifest")});
  ASSERT_EQ(merged.status, kDone) << merged.err;
  EXPECT_EQ(test::load(at("all.txt")), expected);
  const Ended resumed = run_here(with({"--manifest", at("whole.manifest"), "--resume"}));
  ASSERT_EQ(resumed.status, kDone) << resumed.err;
  EXPECT_EQ(resumed.out, merged.out);
  std::filesystem::remove(at("masks/b.png"));  // a file that manifests name is made again
  ASSERT_EQ(run_here(with({"--manifest", at("whole.manifest"), "--resume"})).status, kDone);
  EXPECT_TRUE(std::filesystem::exists(at("masks/b.png")));
}

TEST_F(ANewVerb, MayHaveOneInputWhoseResultIsAllThatIsPrinted) {
  const Ended ended = run_here({"ops", "level", at("a.png"), "--note", at("n.txt"), "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json all = json::parse(ended.out);
  EXPECT_EQ(all["level"], 20);
  EXPECT_EQ(all["input"], at("a.png"));
  EXPECT_EQ(all["note"], at("n.txt"));
  EXPECT_FALSE(all.contains("results"));
  EXPECT_EQ(test::load(at("n.txt")), "20");
  EXPECT_EQ(run_here({"ops", "level", at("a.png")}).out, "level 20\n");
  const std::string help = run_here({"help", "ops", "level"}).out;
  EXPECT_LT(help.find("--share"), help.find("--note"));
  EXPECT_LT(help.find("--note"), help.find("--strict"));
  EXPECT_EQ(json::parse(run_here({"schema", "ops", "level"}).out)["properties"].count("results"),
            0);
  for (const auto& [note, words] : {std::pair{"b.tif", "the note is written as .txt"},
                                    std::pair{"a.png", "would be replaced"}}) {
    const Ended refused = run_here({"ops", "level", at("a.png"), "--note", at(note)});
    EXPECT_EQ(refused.status, kUsage);
    EXPECT_THAT(refused.err, HasSubstr(words));
  }
  EXPECT_EQ(run_here({"ops", "level", at("a.png"), at("b.png")}).status, kUsage);
}

TEST_F(ANewVerb, NamesWhatCouldNotBeDone) {
  const Ended some = run_here({"ops", "level", at("a.png"), "--share", "100"});
  EXPECT_EQ(some.status, kSomeFailed);
  EXPECT_THAT(some.err, HasSubstr("that is no darkness"));
  EXPECT_EQ(some.out, "level 200\n");
  const Ended none = run_here({"ops", "level"});
  EXPECT_EQ(none.status, kBadInput);
  EXPECT_THAT(none.err, HasSubstr("there is no image"));
}

}  // namespace
}  // namespace fovea::cli
