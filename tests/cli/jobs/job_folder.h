// A folder in which jobs run, whole and in shards, to compare what they give.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/program/program.h"

namespace fovea::cli {

class JobFolder : public testing::Test {
 protected:
  using Words = std::vector<std::string>;
  using Files = std::map<std::string, std::string>;

  static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // All files below out/ but the parts of files that all units share.
  Files results() const {
    Files files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "out"))
      if (entry.is_regular_file() && entry.path().string().find(".parts/") == std::string::npos)
        files[entry.path().string()] = test::load(entry.path());
    return files;
  }
  void clear() const {
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::create_directory(folder_ / "out");
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
      if (entry.path().extension() == ".manifest") std::filesystem::remove(entry.path());
  }
  std::string manifest(int shard) const {
    return folder_ / ("part" + std::to_string(shard) + ".manifest");
  }
  // Runs all shards and merges them.
  Ended run_in_shards(const Words& words, int count, int threads) const {
    Words merge{"merge", "--trust"};
    for (int i = 0; i < count; ++i) {
      run_here(with(words, {"--shard", std::to_string(i) + "/" + std::to_string(count),
                            "--manifest", manifest(i), "--threads", std::to_string(threads)}));
      merge.push_back(manifest(i));
    }
    return run_here(merge);
  }
  Ended run_whole(const Words& words) const {
    return run_here(with(words, {"--manifest", folder_ / "whole.manifest", "--resume"}));
  }
  // The job in 1, 2, 3 and 7 shards with 1 and 2 threads gives the files of a run without a
  // manifest and prints what a single run with one prints.
  void expect_equal_shards(const Words& job, int status = kDone) const {
    const Words words = with(job, {"-q"});  // a merge is as quiet as its shards
    clear();
    const Ended plain = run_here(words);
    ASSERT_NE(plain.status, kUsage) << plain.err;
    const Files files = results();
    EXPECT_FALSE(files.empty());
    clear();
    const Ended whole = run_whole(words);
    EXPECT_EQ(whole.status, status) << whole.err;
    for (const int count : {1, 2, 3, 7})
      for (const int threads : {1, 2}) {
        clear();
        const Ended merged = run_in_shards(words, count, threads);
        EXPECT_EQ(merged.status, status) << merged.err;
        EXPECT_EQ(merged.out, whole.out) << count << " shards";
        EXPECT_EQ(merged.err, whole.err) << count << " shards";
        if (status == kDone) {
          EXPECT_EQ(results(), files) << count << " shards";
        }
      }
  }

  test::TempFolder folder_;
};

}  // namespace fovea::cli
