// A verb whose inputs are one sequence is one Operation too: pairs of images, videos, numbered
// files, pictures of two kinds, a table of all frames, ranges as units and shards are the driver's.
#include "places/frames.h"

#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "operations/make_operation.h"
#include "support/images.h"

namespace fovea::operations {
namespace {

struct ChangeOptions {
  int above = 9;
};
void describe(OptionVisitor& visit, ChangeOptions& options) {
  visit("above", options.above, "gray levels by which a pixel must change", 0, 255);
}

struct Changed {
  std::int64_t pixels = 0;
};
void describe(FieldVisitor& visit, Changed& changed) {
  visit("pixels", changed.pixels, "how many pixels changed");
}

struct ChangeReport {
  std::int64_t pixels = 0, frames = 0, results = 0;
};
void describe(FieldVisitor& visit, ChangeReport& report) {
  visit.record("ChangeReport", "what changes");
  visit("pixels", report.pixels, "how many pixels changed");
  visit("frames", report.frames, "that were read");
  visit("results", report.results, "pairs of frames");
}

struct ChangeItem {
  Image<std::uint8_t> first{}, second{};
  const Step* step = nullptr;
  Image<std::uint8_t> mask{};
  Changed changed{};
};

void run_changes(const ChangeOptions& options, NoWorker&, ChangeItem& item) {
  if (item.step != nullptr && !item.step->before) return;
  const auto& before = item.step != nullptr ? item.step->before->pixels() : item.first;
  const auto& now = item.step != nullptr ? item.step->now->pixels() : item.second;
  item.mask = Image<std::uint8_t>(now.width(), now.height());
  item.changed = {};
  for (int y = 0; y < now.height(); ++y)
    for (int x = 0; x < now.width(); ++x) {
      const bool changed = std::abs(before.at(x, y) - now.at(x, y)) > options.above;
      item.mask.at(x, y) = changed ? 255 : 0;
      item.changed.pixels += changed ? 1 : 0;
    }
}

// The numbers of all frames.
class NumbersOfFrames final : public SharedFileOf<Changed> {
 public:
  explicit NumbersOfFrames(std::string path) : path_(std::move(path)) {}
  void commit(const std::string&) override { test::save(path_, text_); }

 private:
  void write(const io::Place& place, const Changed& changed) override {
    text_ += std::to_string(place.moment ? place.moment->frame : 0) + " " +
             std::to_string(changed.pixels) + "\n";
  }

  std::string path_, text_{};
};

}  // namespace

Operation changes() {
  using Made = OutputOf<ChangeOptions, ChangeItem>;
  return make_operation<ChangeOptions, ChangeItem, NoWorker, ChangeReport>(
      {.words = {.system = "ops",
                 .verb = "changes",
                 .summary = "count pixels that change",
                 .text = "Counts them.",
                 .arguments = {{"INPUT", "two images, or a video", 1, kAnyNumber}}},
       .input = InputKind::kFrames,
       .pairs = "a change",
       .unit = "change",
       .outputs =
           {Made{.about = {.name = "output", .help = "what changed"},
                 .write = [](const ChangeOptions&, const ChangeItem& item,
                             const std::string& path) { io::write_image(path, item.mask.view()); },
                 .ending = [](const ChangeOptions&) { return std::string("png"); }},
            Made{.about = {.name = "picture",
                           .help = "a picture",
                           .picture = true,
                           .kinds = {"black", "white"}},
                 .paint =
                     [](const ChangeOptions&, std::size_t kind, const ChangeItem& item) {
                       Image<std::uint8_t> picture = clone(item.mask.view());
                       for (int y = 0; y < picture.height() && kind == 1; ++y)
                         for (int x = 0; x < picture.width(); ++x) picture.at(x, y) ^= 255;
                       return picture;
                     }},
            Made{.about = {.name = "numbers",
                           .help = "file for the numbers of all frames",
                           .share = Share::kOneFile},
                 .open = [](const std::string& path) -> std::unique_ptr<SharedFile> {
                   return std::make_unique<NumbersOfFrames>(path);
                 }}},
       .read =
           [](const ChangeOptions&, const Source& source, ChangeItem& item) {
             item.first = io::to_bytes(source.image(io::Orientation::kIgnore));
             item.second = io::to_bytes(source.second->image(io::Orientation::kIgnore));
           },
       .run = run_changes,
       .take = [](const ChangeOptions&, const Step& step, ChangeItem& item) { item.step = &step; },
       .report =
           [](const ChangeOptions&, ChangeReport& report, const Ended& ended) {
             report.frames = ended.frames;
             report.results = ended.results;
             return record_ref(report);
           },
       .report_text =
           [](const ChangeOptions&, ChangeReport& report, const Ended& ended) {
             return ended.named + ": " + std::to_string(report.pixels) + "\n";
           },
       .result = [](const ChangeItem& item) { return record_ref(item.changed); },
       .tally = [](ChangeReport& report,
                   ChangeItem& item) { report.pixels += item.changed.pixels; }},
      sample_record<ChangeReport>);
}

}  // namespace fovea::operations

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class AVerbOnFrames : public testing::Test {
 protected:
  AVerbOnFrames() {
    io::VideoWriter writer(at("video.y4m"), {.frame_rate = 10});
    for (int frame = 0; frame < 7; ++frame) {
      Image<std::uint8_t> image(8, 6);
      for (int y = 0; y < 6; ++y)
        for (int x = 0; x < 8; ++x) image.at(x, y) = x < frame ? 200 : 20;
      writer.write(image.view());
      io::write_image(at(std::to_string(frame) + ".png"), image.view());
    }
    writer.finish();
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  std::vector<std::string> words(const std::string& to, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"ops",       "changes",      at("video.y4m"), "-o",
                                 at(to),      "--picture",    "white",         at(to + ".y4m"),
                                 "--numbers", at(to + ".txt")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  test::TempFolder folder_;
};

TEST_F(AVerbOnFrames, TakesAPairOrASequence) {
  const Ended pair = run_here({"ops", "changes", at("1.png"), at("2.png"), "-o", at("one.png"),
                               "--picture", "black", at("b.png"), "--json"});
  ASSERT_EQ(pair.status, kDone) << pair.err;
  EXPECT_EQ(json::parse(pair.out)["pixels"], 6);
  EXPECT_TRUE(std::filesystem::exists(at("one.png")) && std::filesystem::exists(at("b.png")));
  const Ended video = run_here(words("all", {"--json"}));
  ASSERT_EQ(video.status, kDone) << video.err;
  const json report = json::parse(video.out);
  EXPECT_EQ(report["frames"], 7);
  EXPECT_EQ(report["results"], 6);
  EXPECT_TRUE(std::filesystem::exists(at("all/000005.png")));
  EXPECT_FALSE(std::filesystem::exists(at("all/000006.png")));
  EXPECT_EQ(test::load(at("all.txt")), "0 6\n1 6\n2 6\n3 6\n4 6\n5 6\n");
  const Ended one = run_here({"ops", "changes", at("1.png"), "-o", at("x")});
  EXPECT_EQ(one.status, kBadInput);
  EXPECT_THAT(one.err, HasSubstr("one frame was read; a change needs two"));
  EXPECT_THAT(run_here(words("all", {"--picture", "gray", "x.png"})).err,
              HasSubstr("--picture is 'gray'; expected black or white, and a file"));
}

TEST_F(AVerbOnFrames, RangesOfFramesAreUnitsOfShards) {
  ASSERT_EQ(run_here(words("whole")).status, kDone);
  for (const char* shard : {"0", "1"}) {
    const Ended part =
        run_here(words("cut", {"--unit-frames", "2", "--shard", std::string(shard) + "/2",
                               "--manifest", at(std::string(shard) + ".manifest")}));
    ASSERT_EQ(part.status, kDone) << part.err;
    EXPECT_THAT(part.out, HasSubstr("recorded; fovea merge joins all shards"));
  }
  EXPECT_FALSE(std::filesystem::exists(at("cut.txt")));
  const Ended merged = run_here({"merge", "--trust", at("0.manifest"), at("1.manifest")});
  ASSERT_EQ(merged.status, kDone) << merged.err;
  EXPECT_EQ(test::load(at("cut.txt")), test::load(at("whole.txt")));
  EXPECT_EQ(test::load(at("cut.y4m")), test::load(at("whole.y4m")));
  for (int frame = 0; frame < 6; ++frame) {
    const std::string name = "/00000" + std::to_string(frame) + ".png";
    EXPECT_EQ(test::load(at("cut" + name)), test::load(at("whole" + name)));
  }
}

}  // namespace
}  // namespace fovea::cli
