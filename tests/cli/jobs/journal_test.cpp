// Jobs that are cut into shards, stopped, resumed and merged give the bytes of one run.
// Covers: merge, all_shards, each, units
#include "cli/jobs/journal.h"

#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "actions/videos.h"
#include "cli/mesh/shapes.h"
#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "cli/scenes/places.h"
#include "emd/track_scene.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The verbs that the tests below and those of evaluations and trainings cut into shards.
const std::set<std::string>& sharded_verbs() {
  static const std::set<std::string> kVerbs{
      "ops gradient",      "ops resize",        "ops blur",        "ops convolve",
      "ops integral",      "ops pyramid",       "ops histogram",   "people detect",
      "people track",      "flow lk",           "flow bm",         "flow segment",
      "emd map",           "emd track",         "scenes classify", "scenes sample",
      "scenes features",   "scenes words",      "scenes filters",  "mesh segment",
      "mesh distances",    "mesh info",         "actions points",  "actions classify",
      "actions recognize", "actions distances", "actions eval",    "actions eval-stream",
      "flow eval",         "mesh eval",         "scenes eval"};
  return kVerbs;
}

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  }
  std::map<std::string, std::string> results() const {
    std::map<std::string, std::string> files;
    if (!fs::exists(folder_ / "out")) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out"))
      if (entry.is_regular_file()) files[entry.path().string()] = test::load(entry.path());
    return files;
  }
  Words manifests(int count) const {
    Words names;
    for (int i = 0; i < count; ++i)
      names.push_back(folder_ / ("part" + std::to_string(i) + ".manifest"));
    return names;
  }
  Ended run_shards(const Words& words, int count, int threads = 1) const {
    Ended last;
    for (int i = 0; i < count; ++i)
      last = run_here(joined(words, {"--shard", std::to_string(i) + "/" + std::to_string(count),
                                     "--manifest", manifests(count)[static_cast<std::size_t>(i)],
                                     "--threads", std::to_string(1 + (i + threads) % 2)}));
    return last;
  }
  void forget(int count) const {
    fs::remove_all(folder_ / "out");
    fs::create_directory(folder_ / "out");
    for (const std::string& name : manifests(count)) fs::remove(name);
  }

  // Files and what is printed are the same for one run and for 2, 3 and 7 shards that are merged.
  void expect_equal(const Words& words, int status = kDone) {
    EXPECT_TRUE(sharded_verbs().contains(words[0] + " " + words[1])) << words[0] << " " << words[1];
    forget(0);
    const Ended whole = run_here(joined(words, {"--manifest", folder_ / "whole.manifest"}));
    ASSERT_EQ(whole.status, status) << whole.err;
    const auto files = results();
    EXPECT_TRUE(!files.empty() || !whole.out.empty());
    forget(0);
    fs::remove(folder_ / "whole.manifest");
    for (const int count : {2, 3, 7}) {
      run_shards(words, count, count);
      const Ended merged = run_here(joined({"merge", "--trust"}, manifests(count)));
      EXPECT_EQ(merged.status, status) << merged.err;
      EXPECT_EQ(results(), files) << words[1] << " in " << count << " shards";
      EXPECT_EQ(merged.out, whole.out) << words[1];
      forget(count);
    }
  }

  void write_ramps(int count) const {
    fs::create_directory(folder_ / "in");
    for (int i = 0; i < count; ++i)
      write_ramp(folder_ / ("in/" + std::to_string(i) + ".png"), 4 + i);
  }

  test::TempFolder folder_;
};

TEST_F(Shards, Operations) {
  write_ramps(8);
  test::save(folder_ / "in/3.png", "no image");
  const std::string in = folder_ / "in", out = folder_ / "out";
  for (const char* verb : {"gradient", "blur", "integral", "histogram", "pyramid"})
    expect_equal({"ops", verb, in, "-o", out, "--json"}, kSomeFailed);
  expect_equal({"ops", "resize", in, "-o", out, "--scale", "2"}, kSomeFailed);
  expect_equal({"ops", "convolve", in, "-o", out, "--laplacian", "1"}, kSomeFailed);
}

TEST_F(Shards, People) {
  const std::string model = folder_ / "model.safetensors";
  likeness().write(model);
  fs::create_directory(folder_ / "in");
  for (int i = 0; i < 7; ++i) {
    Image<std::uint8_t> scene = street(90 + i, 150);
    if (i % 3 != 1) draw_someone(scene.view(), 4 + i, 8);
    io::write_image(folder_ / ("in/" + std::to_string(i) + ".png"), scene.view());
  }
  const std::string out = folder_ / "out";
  expect_equal({"people",
                "detect",
                folder_ / "in",
                "--model",
                model,
                "-o",
                out + "/pictures",
                "--coco",
                out + "/all.json",
                "--coco-results",
                out + "/results.json",
                "--csv",
                out + "/all.csv",
                "--parquet",
                out + "/all.parquet",
                "--yolo",
                out + "/yolo",
                "--labelme",
                out + "/labelme",
                "--json"});
}

TEST_F(Shards, PeopleInVideos) {
  const std::string out = folder_ / "out";
  Words videos, detect{"people", "detect"}, track{"people", "track"};
  for (const char* seed : {"1", "2", "3"}) {
    const std::string crowd = folder_ / ("crowd" + std::string(seed));
    ASSERT_EQ(run_here({"people", "scene", "-o", crowd, "--video", "v.y4m", "--size", "160x130",
                        "--frames", "4", "--people", "1", "--seed", seed})
                  .status,
              kDone);
    const std::string name = folder_ / ("v" + std::string(seed) + ".y4m");
    fs::rename(crowd + "/v.y4m", name);
    videos.push_back(name);
  }
  const std::string model = folder_ / "model.safetensors";
  likeness().write(model);
  expect_equal(joined(joined(detect, videos), {"--model", model, "--threshold", "-0.6", "--csv",
                                               out + "/all.csv", "--json"}));
  expect_equal(
      joined(joined(track, videos), {"--model", model, "--threshold", "-0.6", "--csv",
                                     out + "/all.csv", "--mot", out + "/{}.txt", "--json"}));
}

TEST_F(Shards, Flow) {
  Words videos;
  for (const char* name : {"a", "b", "c"}) {
    fs::create_directory(folder_ / name);
    ASSERT_EQ(run_here({"flow", "scene", "-o", folder_ / "pair", "--size", "48x40", "--seed",
                        std::to_string(name[0])})
                  .status,
              kDone);
    fs::rename(folder_ / "pair/frame10.png", folder_ / (std::string(name) + "/0.png"));
    fs::rename(folder_ / "pair/frame11.png", folder_ / (std::string(name) + "/1.png"));
    videos.push_back(folder_ / name);
  }
  for (const char* verb : {"lk", "bm"})
    expect_equal(joined(joined({"flow", verb, "--each"}, videos),
                        {"-o", folder_ / "out/{}", "--picture", "wheel", folder_ / "out/{}.y4m"}));
  expect_equal(joined(joined({"flow", "segment", "--each"}, videos),
                      {"-o", folder_ / "out/{}", "--table", folder_ / "out/{}.csv"}));
}

TEST_F(Shards, Emd) {
  Words images, folders;
  for (int i = 0; i < 4; ++i) {
    const emd::Square square{{20. + i, 20, 20, 24}, {200, 40, 40}, {40, 60, 200}};
    const std::string folder = folder_ / ("video" + std::to_string(i));
    fs::create_directory(folder);
    for (const char* name : {"/0.png", "/1.png"})
      io::write_image(folder + name, emd::track_scene(60, 60, i + 1, {square}).view());
    images.push_back(folder_ / (std::to_string(i) + ".png"));
    fs::copy(folder + "/0.png", images.back());
    folders.push_back(folder);
  }
  expect_equal(joined(joined({"emd", "map", "--each"}, images),
                      {"--target", "20,20,8,8", "-o", folder_ / "out/{}.tif"}));
  expect_equal(joined(joined({"emd", "track"}, folders),
                      {"--target", "20,20,20,24", "-o", folder_ / "out/{}.txt"}));
}

TEST_F(Shards, Scenes) {
  write_places(folder_ / "places", 3);
  const std::string model = folder_ / "m.safetensors", out = folder_ / "out";
  ASSERT_EQ(run_here(quick({"scenes", "train", folder_ / "places", "-o", model, "--classifier",
                            "knn", "--neighbors", "1"}))
                .status,
            kDone);
  const std::string images = folder_ / "places/**";
  test::save(folder_ / "places/lying/broken.png", "no image");
  for (const char* file : {"/all.csv", "/all.json"})
    expect_equal({"scenes", "classify", images, "--model", model, "-o", out + file}, kSomeFailed);
  expect_equal({"scenes", "classify", images, "--model", model, "--json"}, kSomeFailed);
  expect_equal({"scenes", "words", images, "--model", model, "-o", out + "/p", "--numbers",
                out + "/n", "--json"},
               kSomeFailed);
  expect_equal({"scenes", "filters", images, "-o", out}, kSomeFailed);
  expect_equal({"scenes", "sample", folder_ / "places", "--samples", "5", "-o", out + "/s.npy"},
               kSomeFailed);
  expect_equal({"scenes", "features", folder_ / "places", "--dictionary", model, "-o",
                out + "/f.npy", "--labels", out + "/l.csv", "--json"},
               kSomeFailed);
}

TEST_F(Shards, Meshes) {
  fs::create_directory(folder_ / "in");
  Words meshes;
  for (int i = 0; i < 4; ++i) {
    meshes.push_back(folder_ / ("in/" + std::to_string(i) + ".off"));
    io::write_mesh(meshes.back(), dumbbell(6 + i, 10));
  }
  const std::string out = folder_ / "out";
  const Words broken = joined(joined({"mesh", "distances"}, meshes), {folder_ / "none.off"});
  expect_equal(joined(broken, {"--from", "0", "-o", out + "/{}.npy"}), kSomeFailed);
  expect_equal({"mesh", "info", folder_ / "in", "--json"});
  expect_equal({"mesh", "segment", folder_ / "in", "-k", "2", "-o", out + "/{}.ply", "--seg",
                out + "/{}.seg", "--json"});
  expect_equal(
      joined(joined({"mesh", "distances"}, meshes), {"--from", "0", "-o", out + "/{}.npy"}));
}

TEST_F(Shards, Actions) {
  actions::write_swing_folder(folder_ / "clips", 2);
  const std::string clips = folder_ / "clips", model = folder_ / "m.safetensors";
  const std::string out = folder_ / "out";
  ASSERT_EQ(run_here({"actions", "train", clips, "-o", model, "--nodes", "6", "--step", "6",
                      "--harris-levels", "1", "--harris-scales", "1"})
                .status,
            kDone);
  Words videos;
  for (const auto& entry : fs::recursive_directory_iterator(clips))
    if (entry.path().extension() == ".y4m") videos.push_back(entry.path().string());
  for (std::string& video : videos) {  // names that differ
    const std::string name = folder_ / (std::to_string(&video - videos.data()) + ".y4m");
    fs::copy(video, name);
    video = name;
  }
  expect_equal(joined(joined({"actions", "points"}, videos),
                      {"--harris-levels", "1", "--harris-scales", "1", "-o", out + "/{}.txt"}));
  for (const Words& where : {Words{"-o", out + "/all.csv"}, Words{}, Words{"--json"}})
    expect_equal(
        joined(joined({"actions", "classify"}, videos), joined({"--model", model}, where)));
  expect_equal(joined(joined({"actions", "recognize"}, videos), {"--model", model}));
}

TEST_F(Shards, NoVerbIsLeftOut) {
  // These are cut into shards by tests/cli/people.
  const std::set<std::string> elsewhere{"people eval", "people mine"};
  for (const Command& command : commands())
    if (command.shards && !elsewhere.contains(command.name())) {
      EXPECT_TRUE(sharded_verbs().contains(command.name())) << command.name();
    }
}

class Resumed : public Shards {
 protected:
  void SetUp() override {
    write_ramps(6);
    words_ = {"ops",           "blur",       folder_ / "in",         "-o",
              folder_ / "out", "--manifest", folder_ / "m.manifest", "--json"};
    whole_ = run_here(words_);
    ASSERT_EQ(whole_.status, kDone) << whole_.err;
    files_ = results();
  }
  Ended resume() const { return run_here(joined(words_, {"--resume"})); }
  fs::file_time_type written(const char* name) const { return fs::last_write_time(folder_ / name); }

  Words words_;
  Ended whole_;
  std::map<std::string, std::string> files_;
};

TEST_F(Resumed, WorksOnWhatIsMissingAlone) {
  const std::string manifest = test::load(folder_ / "m.manifest");
  std::size_t cut = 0;  // behind the third input, in the middle of the fourth line
  for (int line = 0; line < 4; ++line) cut = manifest.find('\n', cut) + 1;
  test::save(folder_ / "m.manifest", manifest.substr(0, cut + 20));
  fs::remove(folder_ / "out/4.png");
  const auto first = written("out/0.png");
  const Ended ended = resume();
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, whole_.out);
  EXPECT_EQ(results(), files_);
  EXPECT_EQ(written("out/0.png"), first);
}

TEST_F(Resumed, LooksAtContentsAndNotAtNames) {
  const auto first = written("out/0.png");
  test::save(folder_ / "out/2.png", "damaged");
  EXPECT_EQ(resume().status, kDone);
  EXPECT_EQ(results(), files_);
  EXPECT_EQ(written("out/0.png"), first);
  write_ramp(folder_ / "in/1.png", 9);
  EXPECT_EQ(resume().status, kDone);
  EXPECT_NE(results(), files_);
  EXPECT_EQ(written("out/0.png"), first);
}

TEST_F(Resumed, WhatAKilledRunHasLeftIsRemoved) {
  test::save(folder_ / "out/.2.png.99.0.part", "half");
  test::save(folder_ / "out/2.png", "damaged");
  EXPECT_EQ(resume().status, kDone);
  EXPECT_EQ(results(), files_);
}

// The run was killed before its manifest was there.
TEST_F(Resumed, WhatARunHasLeftBeforeItsManifestIsRemoved) {
  fs::remove(folder_ / "m.manifest");
  test::save(folder_ / "out/.2.png.99.0.part", "");
  EXPECT_EQ(resume().status, kDone);
  EXPECT_EQ(results(), files_);
  EXPECT_FALSE(fs::exists(folder_ / "out/.2.png.99.0.part"));
}

TEST_F(Resumed, FailedInputsAreTriedAgain) {
  fs::rename(folder_ / "in/3.png", folder_ / "aside");
  test::save(folder_ / "in/3.png", "no image");
  EXPECT_EQ(resume().status, kSomeFailed);
  EXPECT_EQ(resume().status, kSomeFailed);
  fs::rename(folder_ / "aside", folder_ / "in/3.png");
  const Ended ended = resume();
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, whole_.out);
}

TEST_F(Resumed, RefusesAnotherJob) {
  const Ended exists = run_here(words_);
  EXPECT_EQ(exists.status, kBadInput);
  EXPECT_THAT(exists.err, HasSubstr("exists already; continue it with --resume"));
  const Ended other = run_here(joined(words_, {"--resume", "--sigma", "3"}));
  EXPECT_EQ(other.status, kUsage);
  EXPECT_THAT(other.err, HasSubstr("its options have \"sigma\": 2, not \"sigma\": 3"));
  write_ramp(folder_ / "in/7.png");
  EXPECT_THAT(resume().err, HasSubstr("its number of inputs is 6, not 7"));
}

TEST_F(Resumed, ThreadsMayChange) {
  const Ended ended = run_here(joined(words_, {"--resume", "--threads", "2"}));
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, whole_.out);
}

TEST_F(Resumed, DoesNotReplaceInputs) {
  const std::string before = test::load(folder_ / "in/1.png");
  for (const Words& job : {Words{"--resume"}, Words{"--shard", "0/2"},
                           Words{"--manifest", folder_ / "other.manifest"}}) {
    const Ended ended =
        run_here(joined({"ops", "blur", folder_ / "in", "-o", folder_ / "in", "--overwrite"}, job));
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr("an input could be worked on twice; name another output"));
  }
  EXPECT_EQ(test::load(folder_ / "in/1.png"), before);
  // Results of its own may be replaced.
  EXPECT_EQ(run_here(joined(words_, {"--overwrite", "--resume"})).status, kDone);
}

TEST_F(Resumed, StandardInputCannotBe) {
  const Ended ended = run_here({"ops", "blur", "-", "-o", folder_ / "out/x.png", "--resume"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("standard input: cannot be read a second time"));
}

class Merge : public Shards {
 protected:
  void SetUp() override {
    write_ramps(5);
    words_ = {"ops", "blur", folder_ / "in", "-o", folder_ / "out"};
  }
  Ended merge(int count) const { return run_here(joined({"merge", "--trust"}, manifests(count))); }

  Words words_;
};

TEST_F(Merge, NamesShardsAndInputsThatAreMissing) {
  run_shards(words_, 3);
  EXPECT_THAT(merge(2).err, HasSubstr("a shard of the job is missing: 2/3"));
  EXPECT_EQ(merge(2).status, kUsage);
  const std::string part = manifests(3)[1], text = test::load(part);
  test::save(part, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  const Ended ended = merge(3);
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("an input has no result yet: number 4 (shard 1/3)"));
}

TEST_F(Merge, RefusesPartsOfDifferentJobs) {
  run_shards(words_, 2);
  const std::string other = folder_ / "other.manifest";
  run_here(joined(words_, {"--shard", "1/2", "--manifest", other, "--sigma", "3"}));
  const Ended mixed = run_here({"merge", "--trust", manifests(2)[0], other});
  EXPECT_EQ(mixed.status, kUsage);
  EXPECT_THAT(mixed.err, HasSubstr("belongs to another job"));
  fs::remove(other);
  run_here(joined(words_, {"--shard", "1/3", "--manifest", other}));
  EXPECT_THAT(run_here({"merge", "--trust", manifests(2)[0], other}).err,
              HasSubstr("is one of 3 shards"));
  EXPECT_THAT(run_here({"merge", "--trust", manifests(2)[0], manifests(2)[0]}).err,
              HasSubstr("are both shard 0/2"));
}

TEST_F(Merge, NamesResultsThatVanished) {
  run_shards(words_, 2);
  fs::remove(folder_ / "out/1.png");
  const Ended ended = merge(2);
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("out/1.png: is missing or has changed since shard 0/2"));
}

TEST_F(Merge, NamesResultsWhoseContentsHaveChanged) {
  run_shards(words_, 2);
  const std::string file = folder_ / "out/3.png";
  std::string bytes = test::load(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  test::save(file, bytes);
  const Ended ended = merge(2);
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("out/3.png: is missing or has changed since shard 1/2"));
  const Ended sizes =
      run_here(joined(joined({"merge", "--trust"}, manifests(2)), {"--check", "sizes"}));
  EXPECT_EQ(sizes.status, kDone) << sizes.err;
}

// A shard ends with status 5 where inputs fail, however many; a whole job with that of its first
// failure where all do.
TEST_F(Merge, AShardWhoseInputsAllFailEndsAsOneWithSome) {
  const Words classify{"scenes", "classify", folder_ / "in", "-o", folder_ / "classes.csv"};
  for (int i = 0; i < 5; ++i)
    test::save(folder_ / ("in/" + std::to_string(i) + ".png"), "no image");
  for (const Words& words : {words_, classify}) {
    forget(2);
    for (int i = 0; i < 2; ++i) {
      const Ended shard = run_here(joined(words, {"--shard", std::to_string(i) + "/2", "--manifest",
                                                  manifests(2)[static_cast<std::size_t>(i)]}));
      EXPECT_EQ(shard.status, kSomeFailed) << words[1];
    }
    EXPECT_EQ(merge(2).status, kBadInput) << words[1];
    EXPECT_EQ(run_here(words).status, kBadInput) << words[1];
  }
}

TEST_F(Merge, WritesSharedFilesElsewhere) {
  const std::string model = folder_ / "model.safetensors";
  likeness().write(model);
  fs::create_directory(folder_ / "streets");
  for (const char* name : {"streets/a.png", "streets/b.png"})
    io::write_image(folder_ / name, street(80, 140).view());
  const Words detect{"people", "detect", folder_ / "streets", "--model",
                     model,    "--csv",  folder_ / "all.csv"};
  run_shards(detect, 2);
  EXPECT_FALSE(fs::exists(folder_ / "all.csv"));
  const Ended ended =
      run_here(joined(joined({"merge", "--trust"}, manifests(2)), {"-o", folder_ / "b.csv"}));
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_TRUE(fs::exists(folder_ / "b.csv"));
  EXPECT_FALSE(fs::exists(folder_ / "all.csv"));
  forget(2);
  run_shards(words_, 3);
  EXPECT_THAT(
      run_here(joined(joined({"merge", "--trust"}, manifests(3)), {"-o", folder_ / "b.csv"})).err,
      HasSubstr("writes no file that its inputs share"));
}

TEST_F(Merge, NamesMayHaveSpacesLineBreaksAndOddBytes) {
  fs::rename(folder_ / "in/0.png", folder_ / "in/a b\nc.png");
  fs::rename(folder_ / "in/1.png", folder_ / "in/\xff\t.png");
  expect_equal(words_);
}

TEST_F(Merge, OptionsAreThoseOfTheShards) {
  test::save(folder_ / "options.json", R"({"sigma": 3})");
  run_shards(joined(words_, {"--config", folder_ / "options.json"}), 2);
  test::save(folder_ / "options.json", R"({"sigma": 4})");
  const Ended ended = merge(2);
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("has other options now"));
}

TEST_F(Merge, ACorpusThatHasChangedIsRefused) {
  write_places(folder_ / "places", 2);
  const Words sample{"scenes", "sample", folder_ / "places", "-o", folder_ / "s.npy"};
  run_shards(sample, 2);
  fs::rename(folder_ / "places/lying/0.png", folder_ / "places/squares/9.png");
  const Ended ended = merge(2);
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("are not those of the 6 in the manifests"));
}

TEST_F(Merge, ShardsBeyondTheInputsAreEmpty) {
  EXPECT_EQ(run_shards(words_, 9).status, kDone);
  EXPECT_EQ(merge(9).status, kDone);
}

TEST(Journal, SamplesOfCubesBelongToTheirHeaders) {
  const test::TempFolder folder;
  for (const char* name : {"sc.2021", "scene"}) {
    const std::string header = folder / (std::string(name) + ".hdr");
    test::save(header, "ENVI");
    for (const char* ending : {".img", ".bsq", ""}) {
      test::save(folder / (std::string(name) + ending), "samples");
      const cluster::FileIdentity before = UnitFiles({header}).identity();
      test::save(folder / (std::string(name) + ending), "Samples");
      EXPECT_NE(UnitFiles({header}).identity(), before) << name << ending;
    }
  }
}

TEST(Each, NeedsPatternsForSeveralInputs) {
  const test::TempFolder folder;
  for (const char* name : {"a.off", "b.off"}) io::write_mesh(folder / name, dumbbell(6, 8));
  const Words words{"mesh", "distances", folder / "a.off", folder / "b.off", "--from", "0"};
  const Ended one = run_here(joined(words, {"-o", folder / "d.npy"}));
  EXPECT_EQ(one.status, kUsage);
  EXPECT_THAT(one.err, HasSubstr("names one file, but there are 2 inputs"));
  const Ended both = run_here(joined(words, {"-o", folder / "{}.npy", "--json"}));
  EXPECT_EQ(both.status, kDone) << both.err;
  const auto result = nlohmann::json::parse(both.out);
  EXPECT_EQ(result["results"].size(), 2U);
  EXPECT_EQ(result["results"][1]["result"]["input"], folder / "b.off");
  EXPECT_TRUE(fs::exists(folder / "b.npy"));
}

TEST(Each, OneThatFailsIsNamed) {
  const test::TempFolder folder;
  io::write_mesh(folder / "a.off", dumbbell(6, 8));
  test::save(folder / "list", "# meshes\r\na.off\r\nno.off\r\n");
  const Ended ended = run_here(
      {"mesh", "distances", "@" + (folder / "list"), "--from", "0", "-o", folder / "{}.npy"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("no.off"));
}

TEST(Each, InputsOfASequenceStayOne) {
  const test::TempFolder folder;
  for (const char* name : {"a.png", "b.png", "c.png"}) write_ramp(folder / name, 40);
  const Ended ended = run_here({"flow", "segment", folder / "a.png", folder / "b.png",
                                folder / "c.png", "-o", folder / "out", "--shard", "0/2"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("give --each"));
}

}  // namespace
}  // namespace fovea::cli
