// Compares jobs that were divided into shards with whole ones.
#pragma once
#include <fovea/actions/points.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "actions/synthetic.h"
#include "cli/program/program.h"

namespace fovea::cli {

class Divided : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::map<std::string, std::string> results() const {
    std::map<std::string, std::string> files;
    if (!std::filesystem::exists(out())) return files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out()))
      if (entry.is_regular_file()) files[entry.path().string()] = test::load(entry.path());
    return files;
  }
  std::string out() const { return folder_ / "out"; }
  std::string manifest(int shard) const {
    return folder_ / ("part" + std::to_string(shard) + ".manifest");
  }
  // Runs all shards, whose threads differ, and merges them.
  Ended in_shards(const Words& words, int count, int status) const {
    Words merge{"merge", "--trust"};
    for (int i = 0; i < count; ++i) {
      std::filesystem::remove(manifest(i));
      const Ended shard = run_here(
          joined(words, {"--shard", std::to_string(i) + "/" + std::to_string(count), "--manifest",
                         manifest(i), "--threads", std::to_string(1 + (i + count) % 2)}));
      EXPECT_TRUE(shard.status == kDone || shard.status == status) << shard.err;
      if (count > 1) {
        EXPECT_EQ(shard.out, "");
        EXPECT_TRUE(results().empty());
      }
      merge.push_back(manifest(i));
    }
    if (count == 1) clear();
    return run_here(merge);
  }
  void clear() const {
    std::filesystem::remove_all(out());
    std::filesystem::create_directory(out());
  }
  // What is printed and written is the same for one run, with one thread and with two, and for
  // 1, 2, 3 and 7 shards that are merged. A run without a manifest writes the same files, but for
  // its page and the tables that tell times.
  void expect_equal(const Words& words, int status = kDone) const {
    clear();
    const Ended plain = run_here(words);
    ASSERT_EQ(plain.status, status) << plain.err;
    const std::map<std::string, std::string> plain_files = results();
    std::map<std::string, std::string> files;
    Ended whole;
    for (const char* threads : {"1", "2"}) {
      clear();
      std::filesystem::remove(folder_ / "whole.manifest");
      const Ended one =
          run_here(joined(words, {"--manifest", folder_ / "whole.manifest", "--threads", threads}));
      ASSERT_EQ(one.status, status) << one.err;
      EXPECT_FALSE(one.out.empty());
      if (threads[0] == '2') {
        EXPECT_EQ(one.out, whole.out);
        EXPECT_EQ(results(), files);
      }
      whole = one;
      files = results();
    }
    expect_equal_but_times(files, plain_files);
    for (const int count : {1, 2, 3, 7}) {
      clear();
      const Ended merged = in_shards(words, count, status);
      EXPECT_EQ(merged.status, status) << merged.err;
      EXPECT_EQ(merged.out, whole.out) << count << " shards";
      EXPECT_EQ(results(), files) << count << " shards";
    }
  }

  static void expect_equal_but_times(const std::map<std::string, std::string>& files,
                                     const std::map<std::string, std::string>& plain) {
    for (const auto& [name, bytes] : plain) {
      if (name.ends_with(".html") || name.ends_with(".svg") ||
          bytes.find("second") != std::string::npos)
        continue;
      EXPECT_EQ(files.contains(name) ? files.at(name) : "none", bytes) << name;
    }
  }

  // Files of points of imagined actions, and a list of them.
  std::string write_clips(int classes, int subjects, int frames) const {
    std::string list;
    const actions::SyntheticCorpus set(classes, subjects, frames);
    for (std::size_t i = 0; i < set.points.size(); ++i) {
      const actions::Clip& clip = set.corpus.clips[i];
      const std::string name = "clip" + std::to_string(i) + ".txt";
      std::string text;
      actions::write_points(io::string_sink(text), set.points[i]);
      test::save(folder_ / name, text);
      list += name + " " + set.corpus.classes[static_cast<std::size_t>(clip.label)] + " " +
              clip.subject + "\n";
    }
    test::save(folder_ / "clips.txt", list);
    return folder_ / "clips.txt";
  }

  test::TempFolder folder_;
};

}  // namespace fovea::cli
