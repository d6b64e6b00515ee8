// Covers: manifest_writer, manifest_line, file_lock
#include <fovea/cluster/manifest.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/files.h"
#include "support/messages.h"

namespace fovea::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const JobIdentity kJob{"0.1.0", "aarch64", "people detect", R"({"threshold": 0.2})", 7, 8, 10};

UnitRecord record_of(std::uint64_t unit) {
  return {.unit = unit,
          .input = "photo \t\n\\\x01\xff.png",
          .identity = {123, 456},
          .outputs = {{"out/a.png", {1, 2}}, {"out/b c.png", {3, 4}}},
          .payload = "rows of unit " + std::to_string(unit) + "\n"};
}
std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
TEST(Manifest, RecordsComeBackAsTheyWere) {
  const test::TempFolder folder;
  {
    ManifestWriter writer(folder / "job", {kJob, {1, 2}});
    writer.add(record_of(5));
    UnitRecord failed = record_of(9);
    failed.status = UnitStatus::kFailed;
    failed.message = "photo.png: is cut off";
    writer.add(failed);
  }
  const Manifest manifest(folder / "job");
  EXPECT_EQ(manifest.job(), kJob);
  EXPECT_EQ(manifest.shard(), (Shard{1, 2}));
  EXPECT_EQ(manifest.done(), 1U);
  EXPECT_EQ(manifest.failed(), 1U);
  EXPECT_EQ(manifest.record(5), record_of(5));
  EXPECT_EQ(manifest.record(9).message, "photo.png: is cut off");
  EXPECT_EQ(manifest.status(9), UnitStatus::kFailed);
  EXPECT_EQ(manifest.status(6), std::nullopt);
  EXPECT_EQ(manifest.status(0), std::nullopt) << "a unit of the other part";
  EXPECT_THROW(manifest.record(6), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(folder / "job.lock"));
}

TEST(Manifest, TheLastRecordOfAUnitCounts) {
  const test::TempFolder folder;
  {
    ManifestWriter writer(folder / "job", {kJob, {0, 1}});
    UnitRecord failed = record_of(3);
    failed.status = UnitStatus::kFailed;
    writer.add(failed);
    writer.add(record_of(3));
    writer.add(record_of(3));
  }
  const Manifest manifest(folder / "job");
  EXPECT_EQ(manifest.done(), 1U);
  EXPECT_EQ(manifest.failed(), 0U);
  EXPECT_EQ(manifest.record(3), record_of(3));
}

TEST(Manifest, IsContinuedWhereverItWasCut) {
  const test::TempFolder folder;
  const std::string whole = folder / "whole", cut = folder / "cut";
  std::vector<std::uint64_t> ends;  // of the lines
  {
    ManifestWriter writer(whole, {kJob, {0, 1}});
    for (std::uint64_t unit = 0; unit < 4; ++unit) {
      ends.push_back(std::filesystem::file_size(whole));
      writer.add(record_of(unit));
    }
    ends.push_back(std::filesystem::file_size(whole));
  }
  const std::string bytes = content(whole);
  for (std::size_t length = ends[0]; length <= bytes.size(); length += 11) {
    std::ofstream(cut, std::ios::binary | std::ios::trunc) << bytes.substr(0, length);
    {
      ManifestWriter writer(cut, {kJob, {0, 1}, {"people", "detect"}, true});
      const auto kept = static_cast<std::uint64_t>(
          std::count_if(ends.begin() + 1, ends.end(), [&](auto end) { return end <= length; }));
      for (std::uint64_t unit = kept; unit < 4; ++unit) writer.add(record_of(unit));
    }
    ASSERT_EQ(content(cut), bytes) << "cut at " << length;
  }
}

TEST(Manifest, DamageIsFoundUnlessItIsAtTheEnd) {
  const test::TempFolder folder;
  const std::string path = folder / "job";
  {
    ManifestWriter writer(path, {kJob, {0, 1}});
    for (std::uint64_t unit = 0; unit < 3; ++unit) writer.add(record_of(unit));
  }
  const std::string bytes = content(path);
  const auto with_change = [&](std::size_t at) {
    std::string changed = bytes;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
  };
  with_change(bytes.size() - 5);
  EXPECT_EQ(Manifest(path).done(), 2U) << "the torn end is left out";
  with_change(bytes.find('\n') + 20);
  EXPECT_THAT(test::message_of<FormatError>([&] { Manifest manifest(path); }),
              HasSubstr("damaged"));
  with_change(30);
  EXPECT_THAT(test::message_of<FormatError>([&] { Manifest manifest(path); }),
              HasSubstr("damaged"));
  std::ofstream(path, std::ios::trunc) << "name,score\n1,2\n";
  EXPECT_THAT(test::message_of<FormatError>([&] { Manifest manifest(path); }),
              HasSubstr("is not a manifest"));
  std::ofstream(path, std::ios::trunc) << "";
  EXPECT_THROW(Manifest manifest(path), FormatError);
  EXPECT_THROW(Manifest manifest(folder / "none"), IoError);
}

TEST(Manifest, OnlyTheSameJobIsContinued) {
  const test::TempFolder folder;
  const std::string path = folder / "job";
  { ManifestWriter writer(path, {kJob, {0, 2}}); }
  const auto refusal = [&](const JobIdentity& job, Shard shard) {
    return test::message_of<InvalidArgument>([&] {
      ManifestWriter writer(path, {job, shard, {}, true});
    });
  };
  JobIdentity other = kJob;
  other.options = R"({"threshold": 0.5})";
  EXPECT_THAT(refusal(other, {0, 2}),
              HasSubstr(R"(its options have "threshold": 0.2, not "threshold": 0.5)"));
  other = kJob;
  other.version = "0.2.0";
  EXPECT_THAT(refusal(other, {0, 2}), AllOf(HasSubstr("0.1.0"), HasSubstr("0.2.0")));
  EXPECT_THAT(refusal(kJob, {1, 2}), AllOf(HasSubstr("0/2"), HasSubstr("1/2")));
  EXPECT_THAT(test::message_of<IoError>([&] {
                ManifestWriter writer(path, {kJob, {0, 2}});
              }),
              HasSubstr("--resume"));
  EXPECT_EQ(Manifest(path).job(), kJob) << "nothing was changed";
}

TEST(Manifest, HasOneWriterAtATime) {
  const test::TempFolder folder;
  ManifestWriter first(folder / "job", {kJob, {0, 1}});
  EXPECT_THAT(test::message_of<IoError>([&] {
                ManifestWriter second(folder / "job", {kJob, {0, 1}, {"people", "detect"}, true});
              }),
              AllOf(HasSubstr("process"), HasSubstr("has been writing")));
  first.add(record_of(0));
  const ManifestWriter moved = std::move(first);
  EXPECT_EQ(Manifest(folder / "job").done(), 1U) << "readers need not wait";
}

}  // namespace
}  // namespace fovea::cluster
