// Many inputs, one command: failures, originals, devices, progress.
#include "cli/program/batch.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(Batch, NamesWhatFailedAndDoesTheRest) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "in");
  write_ramp(folder / "in/a.png");
  write_ramp(folder / "in/c.png");
  test::save(folder / "in/b.png", test::load(folder / "in/a.png").substr(0, 50));
  const Ended ended =
      run_program({"ops", "gradient", folder / "in", "-o", folder / "out", "--json"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, testing::StartsWith("fovea: " + (folder / "in/b.png") + ": "));
  const auto result = nlohmann::json::parse(ended.out);
  EXPECT_EQ(result["command"], "ops gradient");
  EXPECT_EQ(result["failed"], 1);
  EXPECT_EQ(result["options"]["bins"], 9);
  EXPECT_EQ(result["results"].size(), 3U);
  EXPECT_THAT(result["results"][1]["error"].get<std::string>(), HasSubstr("in/b.png: "));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/a.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/c.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/b.png"));
}

TEST(Batch, OneImageInAFolderGoesToANewFolder) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "in");
  write_ramp(folder / "in/a.png");
  for (const char* input : {"in", "in/*.png", "in/a.png", "in/**"}) {
    const Ended ended = run_here({"ops", "blur", folder / input, "-o", folder / "new"});
    EXPECT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(ended.out, folder / "new/a.png\n");
    std::filesystem::remove_all(folder / "new");
  }
}

TEST(Batch, AMissingFileAmongSeveralIsNamed) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended =
      run_here({"ops", "blur", folder / "no.png", folder / "a.png", "-o", folder / "out"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_EQ(ended.err, "fovea: " + (folder / "no.png: cannot open: No such file or directory\n"));
  EXPECT_EQ(ended.out, folder / "out/a.png\n");
}

TEST(Batch, OriginalsAreKeptUnlessOverwriteIsGiven) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  write_ramp(folder / "b.png");
  const std::string before = test::load(folder / "a.png");
  const Ended refused = run_here({"ops", "gradient", folder.path(), "-o", folder.path()});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("add --overwrite"));
  EXPECT_EQ(test::load(folder / "a.png"), before);
  const Ended done =
      run_here({"ops", "gradient", folder.path(), "-o", folder.path(), "--overwrite"});
  EXPECT_EQ(done.status, kDone) << done.err;
  EXPECT_NE(test::load(folder / "a.png"), before);
}

TEST(Batch, EveryResultIsHandedOnAtOnce) {
  const test::TempFolder folder;
  for (const char* name : {"a.png", "b.png", "c.png"}) write_ramp(folder / name);
  for (const char* json : {"--json", "--no-json"}) {
    CountingSink out;
    TextSink err;
    EXPECT_EQ(
        run({"ops", "blur", folder.path(), "-o", folder / "out", json}, {.out = out, .err = err}),
        kDone)
        << err.text;
    EXPECT_GE(out.flushes, 3) << json;
  }
}

// Two inputs, the first of which ends early for the given reason.
template <class Reason>
Ended run_with_fault(bool as_json, int& status) {
  TextSink out, err;
  Console console({.out = out, .err = err});
  Context context{*find_command("ops", "blur"), console, {}, {}, as_json, "{}"};
  status = kDone;
  try {
    const std::vector<std::string> inputs{"a", "b"};
    Batch batch(context, inputs);
    batch.run_alone([] {
      return Outcome{"a: half", "\"frames\": 2",
                     std::make_exception_ptr(Reason("a: frame 2: broken"))};
    });
    if (!batch.stopped()) batch.run_alone([] { return Outcome{"b: done", "\"frames\": 3"}; });
    status = batch.finish();
  } catch (const Cancelled&) {
    status = kInterrupted;
  }
  return {.status = status, .out = out.text, .err = err.text};
}

TEST(Batch, WhatWasFoundBeforeAFaultIsReportedWithIt) {
  int status = 0;
  const Ended broken = run_with_fault<FormatError>(true, status);
  EXPECT_EQ(status, kSomeFailed);
  const auto results = nlohmann::json::parse(broken.out)["results"];
  EXPECT_EQ(results[0]["frames"], 2);
  EXPECT_EQ(results[0]["error"], "a: frame 2: broken");
  EXPECT_EQ(results[1]["frames"], 3);
  EXPECT_EQ(broken.err, "fovea: a: frame 2: broken\n");
  EXPECT_EQ(run_with_fault<FormatError>(false, status).out, "a: half\nb: done\n");
  const Ended stopped = run_with_fault<Cancelled>(true, status);
  EXPECT_EQ(status, kInterrupted);
  const auto result = nlohmann::json::parse(stopped.out);
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_EQ(result["results"].size(), 1U);
  EXPECT_EQ(result["results"][0]["frames"], 2);
  EXPECT_FALSE(result["results"][0].contains("error"));
}

// Inputs "0" to "39", of which some cannot be read, worked on by some threads.
struct Numbers {
  int threads = 4;
  std::uint64_t memory_bytes = 0;
  std::stop_token stop{};
  std::function<void(std::size_t)> at_read = [](std::size_t) {};
  std::function<void(std::size_t)> at_add = [](std::size_t) {};

  int status = 0;
  std::string out{}, err{};
  std::vector<std::size_t> added{};
  std::atomic<int> in_flight = 0, most_in_flight = 0;

  void run() {
    std::vector<std::string> inputs;
    for (int i = 0; i < 40; ++i) inputs.push_back(std::to_string(i));
    TextSink to_out, to_err;
    Console console({.out = to_out, .err = to_err});
    Context context{*find_command("ops", "blur"), console, {}, {}, false, "{}"};
    context.memory_bytes = memory_bytes;
    context.exec.device = Device::cpu();
    context.exec.threads = threads;
    context.exec.stop = stop;
    const auto plan = io::plan_frame_workers(context.exec, 40);
    std::vector<int> workers(static_cast<std::size_t>(plan.count));
    Batch batch(context, inputs);
    batch.run_together<std::size_t, int>(40, workers, plan,
                                         {.bytes = [](const auto&) { return 10; },
                                          .prepare =
                                              [&](auto& item) {
                                                most_in_flight =
                                                    std::max<int>(most_in_flight, ++in_flight);
                                                at_read(item.input);
                                                item.value = item.input * item.input;
                                              },
                                          .work = [](int&, auto& item) { ++item.value; },
                                          .complete =
                                              [](auto& item) {
                                                item.outcome = {std::to_string(item.value - 1), ""};
                                              },
                                          .write =
                                              [&](auto& item) {
                                                --in_flight;
                                                at_add(item.input);
                                                added.push_back(item.input);
                                              }});
    try {
      status = batch.finish();
    } catch (const Cancelled&) {
      status = kInterrupted;
    }
    out = to_out.text;
    err = to_err.text;
  }
};

TEST(Batch, ManyInputsAtATimeArePrintedInOrder) {
  std::string expected;
  for (int i = 0; i < 40; ++i) expected += std::to_string(i * i) + "\n";
  for (const int threads : {1, 2, 7}) {
    Numbers numbers{.threads = threads};
    numbers.run();
    EXPECT_EQ(numbers.status, kDone);
    EXPECT_EQ(numbers.out, expected);
    EXPECT_EQ(numbers.added.size(), 40U);
  }
}

TEST(Batch, AnInputThatVanishesIsNamedAndTheOthersAreDone) {
  for (const int threads : {1, 4}) {
    Numbers numbers{.threads = threads, .at_read = [](std::size_t i) {
                      if (i % 10 == 7) throw IoError(std::to_string(i) + ": cannot open: gone");
                    }};
    numbers.run();
    EXPECT_EQ(numbers.status, kSomeFailed);
    EXPECT_EQ(numbers.err,
              "fovea: 7: cannot open: gone\nfovea: 17: cannot open: gone\n"
              "fovea: 27: cannot open: gone\nfovea: 37: cannot open: gone\n");
    EXPECT_EQ(numbers.added.size(), 36U);
  }
}

TEST(Batch, AnInputThatCannotBeListedOrTakesTooMuchMemoryIsNamed) {
  for (const int threads : {1, 4}) {
    Numbers numbers{.threads = threads,
                    .at_read =
                        [](std::size_t i) {
                          if (i == 3) throw std::bad_alloc();
                        },
                    .at_add =
                        [](std::size_t i) {
                          if (i == 5) throw WriteError("list.csv: cannot write: disk full");
                        }};
    numbers.run();
    EXPECT_EQ(numbers.status, kSomeFailed);
    EXPECT_THAT(numbers.err, HasSubstr("fovea: 3: out of memory"));
    EXPECT_THAT(numbers.err, HasSubstr("fovea: 5: list.csv: cannot write: disk full"));
    EXPECT_EQ(numbers.added.size(), 38U);
  }
}

TEST(Batch, AFullDiskOfTheOutputEndsIt) {
  Numbers numbers{.at_read = [](std::size_t i) {
    if (i == 9) throw OutputError("standard output: No space left on device");
  }};
  EXPECT_THROW(numbers.run(), OutputError);
  EXPECT_EQ(numbers.added.size(), 9U);
}

TEST(Batch, AStopKeepsWhatIsDoneAndBeginsNothingNew) {
  std::stop_source stop;
  Numbers numbers{.stop = stop.get_token(), .at_read = [&](std::size_t i) {
                    if (i == 12) stop.request_stop();
                  }};
  numbers.run();
  EXPECT_EQ(numbers.status, kInterrupted);
  EXPECT_LT(numbers.added.size(), 30U);
  for (std::size_t i = 0; i < numbers.added.size(); ++i) EXPECT_EQ(numbers.added[i], i);
}

TEST(Batch, MemoryBoundsWhatIsWorkedOn) {
  Numbers numbers{.threads = 7, .memory_bytes = 35};
  numbers.run();
  EXPECT_EQ(numbers.status, kDone);
  EXPECT_LE(numbers.most_in_flight, 3);
}

TEST(Batch, ThreadsDoNotChangeFiles) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "in");
  for (int i = 0; i < 12; ++i)
    test::save(folder / ("in/" + std::to_string(i) + ".ppm"),
               "P6 20 10 255\n" + std::string(600, static_cast<char>(i * 20)));
  std::string first;
  for (const char* threads : {"1", "2", "5"}) {
    const Ended ended = run_here({"ops", "resize", folder / "in", "-o", folder / "out", "--scale",
                                  "0.5", "--threads", threads, "--memory", "1M"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    std::string all = ended.out;
    for (int i = 0; i < 12; ++i) all += test::load(folder / ("out/" + std::to_string(i) + ".ppm"));
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << threads;
  }
}

TEST(Batch, ResultsHaveTheEnvelope) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended =
      run_here({"ops", "blur", folder / "a.png", "-o", folder / "b.png", "--json", "--seed", "7"});
  const auto result = nlohmann::json::parse(ended.out);
  EXPECT_EQ(result["seed"], 7);
  EXPECT_EQ(result["device"], "cpu");
  EXPECT_GE(result["seconds"], 0);
  EXPECT_EQ(result["results"][0]["output"], folder / "b.png");
}

TEST(Batch, FolderGlobListAndPattern) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  write_ramp(folder / "b.png");
  test::save(folder / "list", "a.png\nb.png\n");
  for (const std::string& input :
       {folder.path(), folder / "?.png", std::string("@").append(folder / "list")}) {
    const Ended ended = run_here({"ops", "gradient", input, "-o", folder / "out/{}-edges.png"});
    EXPECT_EQ(ended.out, folder / "out/a-edges.png\n" + (folder / "out/b-edges.png") + "\n")
        << ended.err;
    std::filesystem::remove_all(folder / "out");
  }
  for (const std::string& input :
       {folder / "x*.png", std::string("@").append(folder / "no"), folder / "no.png"})
    EXPECT_EQ(run_here({"ops", "gradient", input, "-o", folder / "o"}).status, kBadInput) << input;
}

TEST(Batch, AnAbsentDeviceIsStatusFour) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended = run_program(
      {"ops", "gradient", folder / "a.png", "-o", folder / "b.png", "--device", "cuda"});
  EXPECT_EQ(ended.status, kNoDevice);
  EXPECT_THAT(ended.err, HasSubstr("fovea: device cuda:0 is not usable: "));
}

TEST(Batch, StopsBetweenInputsAndKeepsWhatIsDone) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended =
      run_here({"ops", "gradient", folder / "a.png", "-o", folder / "b.png", "--json"}, fired());
  EXPECT_EQ(ended.status, kInterrupted);
  EXPECT_EQ(ended.err, "fovea: interrupted; what was finished is kept\n");
  EXPECT_EQ(nlohmann::json::parse(ended.out)["interrupted"], true);
}

TEST(Batch, ProgressAsAsked) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  write_ramp(folder / "b.png");
  const std::vector<std::string> base{"ops", "gradient",     folder.path(),
                                      "-o",  folder / "out", "--progress"};
  const auto told = [&](const char* style, const char* more = "--json") {
    auto args = base;
    args.insert(args.end(), {style, more});
    return run_program(args).err;
  };
  EXPECT_THAT(told("plain"), HasSubstr("fovea: gradient: 50 %\nfovea: gradient: 100 %\n"));
  EXPECT_THAT(told("json"), HasSubstr("{\"stage\": \"gradient\", \"done\": 2, \"total\": 2, "));
  EXPECT_THAT(told("bar"), HasSubstr("\rgradient ["));
  EXPECT_EQ(told("none"), "");
  EXPECT_EQ(told("plain", "--quiet"), "");
  EXPECT_EQ(told("auto"), "");  // over before anyone would ask
}

}  // namespace
}  // namespace fovea::cli
