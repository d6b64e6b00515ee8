// Covers: assign
#include "cli/scenes/distributed_kmeans.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/jobs/divided.h"
#include "cli/scenes/places.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

// Words from samples that stay in the manifests of shards.
class WordsInRounds : public Divided {
 protected:
  WordsInRounds() {
    write_places(folder_ / "places", 4);
    test::save(folder_ / "places/lying/2.png", "no image");
    const Words draw{"scenes",    "sample", folder_ / "places", "-o", folder_ / "samples.npy",
                     "--samples", "30",     "--quiet"};
    EXPECT_EQ(run_here(draw).status, kSomeFailed);
    for (const int count : {1, 2, 3, 7})
      for (int i = 0; i < count; ++i) sample(i, count, "30", samples(i, count));
  }

  void sample(int shard, int count, const std::string& per_image, const std::string& file) const {
    run_here({"scenes", "sample", folder_ / "places", "-o", folder_ / "samples.npy", "--samples",
              per_image, "--quiet", "--shard", std::to_string(shard) + "/" + std::to_string(count),
              "--manifest", file});
  }

  std::string samples(int shard, int count) const {
    return folder_ /
           ("samples" + std::to_string(shard) + "-" + std::to_string(count) + ".manifest");
  }
  std::string rounds() const { return folder_ / "rounds"; }
  std::string words() const { return folder_ / "words.safetensors"; }
  Words learn(const Words& inputs) const {
    return joined(joined({"scenes", "dictionary"}, inputs),
                  {"--dictionary", "6", "--samples", "30", "-o", words(), "--quiet"});
  }
  Words learn_in_rounds(int count) const {
    Words manifests;
    for (int i = 0; i < count; ++i) manifests.push_back(samples(i, count));
    return joined(learn(manifests), {"--rounds", rounds()});
  }
  Ended assign(int shard, int count, const Words& more = {}) const {
    return run_here(joined({"scenes", "assign", samples(shard, count), "--rounds", rounds(),
                            "--threads", std::to_string(1 + (shard + count) % 2)},
                           more));
  }
  // The samples of another job.
  std::string other(int shard, int count) const {
    const std::string file = samples(shard, count) + ".other.manifest";
    if (!std::filesystem::exists(file)) sample(shard, count, "20", file);
    return file;
  }
  Words learn_other(int count) const {
    Words manifests;
    for (int i = 0; i < count; ++i) manifests.push_back(other(i, count));
    return joined(learn(manifests), {"--rounds", rounds()});
  }
  Ended assign_other(int shard, int count, const Words& more = {}) const {
    return run_here(joined({"scenes", "assign", other(shard, count), "--rounds", rounds()}, more));
  }
  std::string learned_in_one_place() const {
    const Ended whole = run_here(learn({folder_ / "samples.npy"}));
    EXPECT_EQ(whole.status, kDone) << whole.err;
    return test::load(words());
  }

  std::vector<std::filesystem::path> files_in_rounds(std::string_view begin) const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(rounds()))
      if (entry.path().filename().string().starts_with(begin)) files.push_back(entry.path());
    return files;
  }
  std::filesystem::path only_request() const {
    const std::vector<std::filesystem::path> files = files_in_rounds("request-");
    EXPECT_EQ(files.size(), 1U);
    return files.at(0);
  }

  // Every call of the training and every answer of a shard is a process of its own.
  void learn_round_by_round(int count) const {
    std::filesystem::remove(words());
    Ended ended = run_here(learn_in_rounds(count));
    while (ended.status == kMoreToDo) {
      for (int shard = 0; shard < count; ++shard) ASSERT_EQ(assign(shard, count).status, kDone);
      ended = run_here(learn_in_rounds(count));
    }
    ASSERT_EQ(ended.status, kDone) << ended.err;
  }
};

TEST_F(WordsInRounds, HaveTheBytesOfWordsFromOnePlace) {
  const std::string whole = learned_in_one_place();
  for (const int count : {1, 2, 3, 7}) {
    learn_round_by_round(count);
    EXPECT_EQ(test::load(words()), whole) << count << " shards";
    for (const char* name : {"/merged", "/followed"})
      EXPECT_FALSE(std::filesystem::exists(rounds() + name)) << name;
  }
}

TEST_F(WordsInRounds, ProcessesMayWaitForEachOther) {
  const std::string whole = learned_in_one_place();
  std::filesystem::remove(words());
  std::vector<std::thread> shards;
  for (int shard = 0; shard < 3; ++shard)
    shards.emplace_back([this, shard] {
      const Ended ended = assign(shard, 3, {"--wait", "30"});
      EXPECT_EQ(ended.status, kDone) << ended.err;
      EXPECT_THAT(ended.out, HasSubstr("the words are learned"));
    });
  const Ended ended = run_here(joined(learn_in_rounds(3), {"--wait", "30"}));
  for (std::thread& shard : shards) shard.join();
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, GoOnAfterAKillThatLeftAMergedRequestOpen) {
  const std::string whole = learned_in_one_place();
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  const std::filesystem::path first = only_request();
  const std::string bytes = test::load(first);
  for (int shard = 0; shard < 2; ++shard) ASSERT_EQ(assign(shard, 2).status, kDone);
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  std::filesystem::remove(only_request());
  test::save(first, bytes);
  learn_round_by_round(2);
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, GoOnAfterAKillBeforeTheirRoundWasOpen) {
  const std::string whole = learned_in_one_place();
  while (true) {
    ASSERT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
    const std::filesystem::path request = only_request();
    if (std::filesystem::file_size(request) == 0) {  // what it asks is in the folder of its own
      std::filesystem::remove(request);
      break;
    }
    for (int shard = 0; shard < 2; ++shard) ASSERT_EQ(assign(shard, 2).status, kDone);
  }
  learn_round_by_round(2);
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, PassOverLateAnswersToOtherRequests) {
  const std::string whole = learned_in_one_place();
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  for (int shard = 0; shard < 2; ++shard) ASSERT_EQ(assign(shard, 2).status, kDone);
  EXPECT_EQ(run_here(joined(learn_in_rounds(2), {"--no-standardize"})).status, kMoreToDo);
  ASSERT_EQ(assign(0, 2).status, kDone);
  const std::filesystem::path late = files_in_rounds("answer-").at(0);
  const std::string bytes = test::load(late);
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo) << "begun again, with other options";
  EXPECT_FALSE(std::filesystem::exists(late));
  test::save(late, bytes);
  learn_round_by_round(2);
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, WaitingShardsTakePartInALearningThatIsBegunAnew) {
  const std::string whole = learned_in_one_place();
  std::jthread shard([this] { EXPECT_EQ(assign(0, 1, {"--wait", "30"}).status, kDone); });
  // The samples are standardized and some centers are chosen for a learning that is then given up.
  Ended other{.status = kMoreToDo, .out = R"({"round": 0})", .err = ""};
  while (other.status == kMoreToDo && nlohmann::json::parse(other.out)["round"] < 8)
    other = run_here(joined(learn_in_rounds(1), {"--seed", "5", "--json"}));
  if (other.status != kMoreToDo) {
    shard.join();
    ASSERT_EQ(other.status, kDone) << other.err;
    GTEST_SKIP() << "this machine is so fast that the other learning has ended";
  }
  while (files_in_rounds("answer-").empty()) std::this_thread::yield();
  // The shard answers anew where its answer goes before the request.
  for (std::error_code ignored; std::filesystem::exists(rounds());)
    std::filesystem::remove_all(rounds(), ignored);
  EXPECT_EQ(run_here(joined(learn_in_rounds(1), {"--wait", "30"})).status, kDone);
  shard.join();
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, ALateShardSeesThatTheyAreLearned) {
  learn_round_by_round(1);
  const Ended late = assign(0, 1, {"--wait", "600"});
  EXPECT_EQ(late.status, kDone);
  EXPECT_THAT(late.out, HasSubstr("0 rounds"));
  EXPECT_THAT(late.out, HasSubstr("the words are learned"));
}

TEST_F(WordsInRounds, TheEndOfOthersIsNotTheirs) {
  learn_round_by_round(1);
  const Ended idle = assign(1, 2, {"--wait", "0.1"});
  EXPECT_EQ(idle.status, kMoreToDo);
  EXPECT_THAT(idle.out, HasSubstr("the words are not learned yet, next: fovea scenes dictionary"));
  const Ended other = assign_other(0, 1, {"--wait", "0.1", "--json"});
  EXPECT_EQ(other.status, kMoreToDo);
  EXPECT_EQ(nlohmann::json::parse(other.out)["finished"], false);
}

TEST_F(WordsInRounds, AreLearnedAgainInTheSameFolder) {
  learn_round_by_round(1);
  const std::string first = test::load(words());
  EXPECT_EQ(run_here(learn_in_rounds(1)).status, kMoreToDo) << "the earlier end is forgotten";
  EXPECT_EQ(assign(0, 1, {"--wait", "0.1"}).status, kMoreToDo);
  learn_round_by_round(1);
  EXPECT_EQ(test::load(words()), first);
}

TEST_F(WordsInRounds, AreLearnedFromTheSamplesOfTheirManifestsOnly) {
  const std::string whole = learned_in_one_place();
  ASSERT_EQ(run_here(learn_in_rounds(3)).status, kMoreToDo);
  for (int shard = 0; shard < 3; ++shard) {
    const Ended other = assign_other(shard, 3);
    EXPECT_EQ(other.status, kUsage);
    EXPECT_THAT(other.err, HasSubstr("has other samples than those from which words are learned"));
    EXPECT_EQ(std::ranges::count(other.err, '\n'), 1);
  }
  EXPECT_EQ(assign(0, 2).status, kUsage) << "of another number of shards";
  EXPECT_TRUE(files_in_rounds("answer-").empty());
  ASSERT_EQ(assign(1, 3).status, kDone);
  EXPECT_EQ(assign_other(1, 3).status, kUsage) << "also where the right shard has answered";
  learn_round_by_round(3);
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, ChangedImagesAreOtherSamples) {
  ASSERT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  // The same command and the same names, but an image that can be read now.
  const std::filesystem::path places = folder_ / "places/lying";
  std::filesystem::copy(places / "1.png", places / "2.png",
                        std::filesystem::copy_options::overwrite_existing);
  for (int shard = 0; shard < 2; ++shard) {
    std::filesystem::remove(samples(shard, 2));
    sample(shard, 2, "30", samples(shard, 2));
  }
  int refused = 0;
  for (int shard = 0; shard < 2; ++shard) refused += assign(shard, 2).status == kUsage ? 1 : 0;
  EXPECT_EQ(refused, 1) << "only one of the shards has the image";
}

TEST_F(WordsInRounds, AStaleFolderDoesNotGiveThoseOfOthers) {
  // All rounds of the first learning are merged, but it was killed before its end.
  ASSERT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  for (Ended ended{.status = kMoreToDo, .out = "", .err = ""}; ended.status == kMoreToDo;) {
    for (int shard = 0; shard < 2; ++shard) ASSERT_EQ(assign(shard, 2).status, kDone);
    std::filesystem::remove_all(rounds() + ".kept");
    std::filesystem::copy(rounds(), rounds() + ".kept", std::filesystem::copy_options::recursive);
    ended = run_here(learn_in_rounds(2));
  }
  std::filesystem::remove_all(rounds());
  std::filesystem::rename(rounds() + ".kept", rounds());
  std::filesystem::remove(words());
  const Ended other = run_here(learn_other(2));
  EXPECT_EQ(other.status, kUsage);
  EXPECT_THAT(other.err, HasSubstr("remove the folder to begin anew"));
  EXPECT_FALSE(std::filesystem::exists(words()));
}

TEST_F(WordsInRounds, OneLearningHoldsTheFolder) {
  const std::string whole = learned_in_one_place();
  std::filesystem::remove(words());
  std::thread first([this] {
    const Ended ended = run_here(joined(learn_in_rounds(1), {"--wait", "60"}));
    EXPECT_EQ(ended.status, kDone) << ended.err;
  });
  while (!std::filesystem::exists(rounds()) || files_in_rounds("request-").empty())
    std::this_thread::yield();
  const Ended second = run_here(joined(learn_in_rounds(1), {"--wait", "60"}));
  EXPECT_EQ(second.status, kBadInput);
  EXPECT_THAT(second.err, HasSubstr(rounds() + ": process " + std::to_string(getpid())));
  EXPECT_EQ(std::ranges::count(second.err, '\n'), 1);
  EXPECT_EQ(assign(0, 1, {"--wait", "60"}).status, kDone);
  first.join();
  EXPECT_EQ(test::load(words()), whole);
  EXPECT_FALSE(std::filesystem::exists(rounds() + "/lock"));
}

TEST_F(WordsInRounds, TakeOverTheFolderOfADeadProcess) {
  std::filesystem::create_directory(rounds());
  test::save(rounds() + "/lock", "process 1 on elsewhere\n");
  EXPECT_EQ(run_here(learn_in_rounds(1)).status, kMoreToDo);
  EXPECT_FALSE(std::filesystem::exists(rounds() + "/lock"));
}

TEST_F(WordsInRounds, AWrongAnswerIsRemoved) {
  const std::string whole = learned_in_one_place();
  ASSERT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  for (int shard = 0; shard < 2; ++shard) ASSERT_EQ(assign(shard, 2).status, kDone);
  const std::filesystem::path file = files_in_rounds("answer-0-1-").at(0);
  const std::string identity = file.stem().string().substr(std::string("answer-0-1-").size());
  const std::uint64_t request = std::stoull(identity, nullptr, 16);
  scenes::RoundAnswer wrong = scenes::read_answer(file, request);
  ++wrong.samples;
  scenes::write_answer(file, wrong, request);
  const Ended refused = run_here(learn_in_rounds(2));
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("run fovea scenes assign for shard 1 again"));
  EXPECT_FALSE(std::filesystem::exists(file));
  test::save(file, "damaged");
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kBadInput);
  EXPECT_FALSE(std::filesystem::exists(file));
  learn_round_by_round(2);
  EXPECT_EQ(test::load(words()), whole);
}

TEST_F(WordsInRounds, FilesThatAKilledProcessWasWritingAreRemoved) {
  ASSERT_EQ(run_here(learn_in_rounds(1)).status, kMoreToDo);
  const std::string own = "." + only_request().filename().string() + ".5.0.part";
  const std::string other = ".answer-9-0-0123456789abcdef.safetensors.5.0.part";
  for (const std::string& name : {own, other}) test::save(rounds() + "/" + name, "torn");
  EXPECT_EQ(run_here(learn_in_rounds(1)).status, kMoreToDo);
  EXPECT_TRUE(files_in_rounds(".answer-").empty()) << "of another round";
  EXPECT_EQ(files_in_rounds(".request-").size(), 1U) << "its process may be writing it";
  learn_round_by_round(1);
  EXPECT_TRUE(files_in_rounds(".").empty());
}

TEST_F(WordsInRounds, SayWhatTheyWaitFor) {
  const Ended text = run_here(learn_in_rounds(2));
  EXPECT_EQ(text.status, kMoreToDo);
  EXPECT_THAT(text.out, HasSubstr("round 0 (ranges) waits for shards 0, 1; next: fovea scenes "
                                  "assign MANIFEST --rounds " +
                                  rounds()));
  ASSERT_EQ(assign(1, 2).status, kDone);
  const Ended waits = run_here(joined(learn_in_rounds(2), {"--json"}));
  EXPECT_EQ(nlohmann::json::parse(waits.out)["missing"], nlohmann::json::array({0}));
}

TEST_F(WordsInRounds, NeedEveryShardOnce) {
  const auto refused = [&](const Words& inputs) {
    const Ended ended = run_here(joined(learn(inputs), {"--rounds", rounds()}));
    EXPECT_EQ(ended.status, kUsage);
    return ended.err;
  };
  EXPECT_THAT(refused({samples(0, 3), samples(2, 3)}), HasSubstr("missing: 1/3"));
  EXPECT_THAT(refused({samples(0, 2), samples(1, 3)}), HasSubstr("is one of 3 shards"));
  std::filesystem::copy(samples(0, 2), folder_ / "again.manifest");
  EXPECT_THAT(refused({samples(0, 2), samples(1, 2), folder_ / "again.manifest"}),
              HasSubstr("both shard 0/2"));
  EXPECT_FALSE(std::filesystem::exists(rounds())) << "nothing was begun";
}

TEST_F(WordsInRounds, RefuseWhatDoesNotFit) {
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  for (int shard = 0; shard < 2; ++shard) ASSERT_EQ(assign(shard, 2).status, kDone);
  EXPECT_EQ(run_here(learn_in_rounds(2)).status, kMoreToDo);
  const Ended other = run_here(joined(learn_in_rounds(2), {"--no-standardize"}));
  EXPECT_EQ(other.status, kMoreToDo) << "the second request differs, and is written anew";
  const Ended mixed = assign(2, 3);
  EXPECT_EQ(mixed.status, kUsage);
  EXPECT_THAT(mixed.err, HasSubstr("has other samples"));
  EXPECT_THAT(run_here(learn({samples(0, 1)})).err, HasSubstr("need --rounds FOLDER"));
  EXPECT_THAT(run_here(joined(learn({folder_ / "samples.npy"}), {"--rounds", rounds()})).err,
              HasSubstr("--rounds is for samples in parts"));
  EXPECT_THAT(run_here(learn({folder_ / "samples.npy", folder_ / "samples.npy"})).err,
              HasSubstr("one table, folder or list, but here are 2"));
  EXPECT_THAT(run_here({"scenes", "assign", samples(0, 1)}).err, HasSubstr("needs --rounds"));
  run_here({"ops", "blur", folder_ / "places/lying", "-o", folder_ / "{}.png", "--manifest",
            folder_ / "blur.manifest", "--quiet"});
  EXPECT_THAT(run_here({"scenes", "assign", folder_ / "blur.manifest", "--rounds", rounds()}).err,
              HasSubstr("is the manifest of ops blur"));
}

}  // namespace
}  // namespace fovea::cli
