#include "cli/operations/list_output.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class AList : public testing::Test {
 protected:
  AList() {
    write_places(folder_ / "places", 3);
    EXPECT_EQ(run_here(quick({"scenes", "train", folder_ / "places", "-o",
                              folder_ / "m.safetensors", "--neighbors", "1"}))
                  .status,
              kDone);
    test::save(folder_ / "places/lying/damaged.png", "no picture");
  }
  Ended classify(std::vector<std::string> more) const {
    more.insert(more.begin(), {"scenes", "classify", folder_ / "places/lying", "--model",
                               folder_ / "m.safetensors"});
    return run_here(more);
  }
  static json without_times(const std::string& text) {
    json all = json::parse(text);
    all.erase("seconds");
    all.erase("images_per_second");
    return all;
  }
  test::TempFolder folder_;
};

TEST_F(AList, IsPrintedOrWrittenAsRows) {
  const Ended printed = classify({});
  EXPECT_EQ(printed.status, kSomeFailed);
  EXPECT_THAT(printed.out, HasSubstr("file,class,lying,squares,standing\n"));
  EXPECT_EQ(classify({"-o", "-"}).out, printed.out);
  const Ended written = classify({"-o", folder_ / "all.csv"});
  EXPECT_THAT(written.out, IsEmpty());
  EXPECT_EQ(test::load(folder_ / "all.csv"), printed.out);
  EXPECT_THAT(classify({"-o", folder_ / "all.txt"}).err, HasSubstr("written as .csv, .json"));
}

TEST_F(AList, AsJsonIsTheSameInAFile) {
  const Ended both = classify({"-o", folder_ / "all.json", "--json"});
  EXPECT_EQ(both.status, kSomeFailed);
  const json all = without_times(both.out);
  EXPECT_EQ(without_times(test::load(folder_ / "all.json")), all);
  EXPECT_EQ(all["results"].size(), 4);
  EXPECT_EQ(all["images"], 4);
  EXPECT_EQ(all["failed"], 1);
  EXPECT_THAT(all["results"][3].dump(), HasSubstr("damaged.png"));
  EXPECT_TRUE(all["results"][3].contains("error"));
  EXPECT_THAT(classify({"-o", folder_ / "all.json"}).out, IsEmpty());
}

TEST_F(AList, OfShardsIsWrittenByTheMerge) {
  for (const char* name : {"all.csv", "all.json"}) {
    const std::string file = folder_ / name;
    ASSERT_EQ(classify({"-o", file, "--manifest", folder_ / "whole.manifest"}).status, kSomeFailed);
    const std::string whole = test::load(file);
    std::filesystem::remove(file);
    for (const char* shard : {"0/2", "1/2"})
      classify({"-o", file, "--shard", shard, "--manifest",
                folder_ / (std::string(1, shard[0]) + ".manifest")});
    EXPECT_FALSE(std::filesystem::exists(file));
    ASSERT_EQ(run_here({"merge", "--trust", folder_ / "0.manifest", folder_ / "1.manifest"}).status,
              kSomeFailed);
    EXPECT_EQ(test::load(file), whole);
    for (const char* manifest : {"whole.manifest", "0.manifest", "1.manifest"})
      std::filesystem::remove(folder_ / manifest);
  }
}

}  // namespace
}  // namespace fovea::cli
