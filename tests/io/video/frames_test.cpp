#include <fovea/core/error.h>
#include <fovea/io/frames.h>

#include <numeric>
#include <stop_token>

namespace fovea::io {
namespace {

struct Item {
  int number = 0;
  int square = 0;
};

// A source of `count` items, of which number `broken` cannot be read.
struct Source {
  int count = 0;
  int broken = -1;
  int next = 0;
  bool operator()(Item& item) {
    if (next == broken) throw FormatError("frame is broken");
    if (next == count) return false;
    item.number = next++;
    return true;
  }
};

struct Ran {
  std::vector<int> squares;
  FrameRun run;
};
Ran squares_of(Source source, int workers, int in_flight, const Exec& exec = {}) {
  Ran ran;
  std::vector<int> states(static_cast<std::size_t>(workers));
  const FrameSteps<Item, int> steps{
      .read = source,
      .work =
          [](int& done, Item& item) {
            ++done;
            item.square = item.number * item.number;
          },
      .write = [&](Item& item) { ran.squares.push_back(item.square); }};
  ran.run = run_frames<Item, int>(states, steps,
                                  {.in_flight = in_flight, .expected = source.count, .exec = exec});
  if (ran.run.whole()) {
    EXPECT_EQ(std::accumulate(states.begin(), states.end(), 0), source.count);
  }
  return ran;
}

std::vector<int> squares(int count) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(i * i);
  return values;
}

TEST(Frames, ResultsComeInOrderForAnyNumberOfWorkers) {
  for (const int workers : {1, 2, 5}) {
    for (const int in_flight : {1, 2, 9}) {
      const Ran ran = squares_of({.count = 50}, workers, in_flight);
      EXPECT_EQ(ran.squares, squares(50));
      EXPECT_EQ(ran.run.frames, 50);
      EXPECT_TRUE(ran.run.whole());
      EXPECT_NO_THROW(ran.run.rethrow());
    }
  }
}

TEST(Frames, ABrokenSourceKeepsWhatCameBefore) {
  for (const int workers : {1, 3}) {
    const Ran ran = squares_of({.count = 50, .broken = 25}, workers, 4);
    EXPECT_EQ(ran.squares, squares(25));
    EXPECT_FALSE(ran.run.whole());
    EXPECT_THROW(ran.run.rethrow(), FormatError);
  }
}

TEST(Frames, AStopKeepsWhatCameBefore) {
  std::stop_source stop;
  Exec exec;
  exec.stop = stop.get_token();
  exec.progress = [&](const Progress& progress) {
    if (progress.done == 7) stop.request_stop();
  };
  const Ran ran = squares_of({.count = 1000}, 2, 4, exec);
  EXPECT_EQ(ran.squares, squares(static_cast<int>(ran.run.frames)));
  EXPECT_GE(ran.run.frames, 7);
  EXPECT_LT(ran.run.frames, 1000);
  EXPECT_THROW(ran.run.rethrow(), Cancelled);
}

TEST(Frames, ASinkThatFailsEndsTheRunWithItsOwnError) {
  std::vector<int> states(1);
  Source source{.count = 9};
  const FrameSteps<Item, int> steps{.read = source,
                                    .work = [](int&, Item&) {},
                                    .write = [](Item&) { throw WriteError("disk is full"); }};
  EXPECT_THROW((run_frames<Item, int>(states, steps, {.in_flight = 3})), WriteError);
}

TEST(Frames, ItemsArePreparedAndCompletedByManyThreads) {
  std::vector<int> states(1);
  Source source{.count = 40};
  std::vector<int> written;
  const FrameSteps<Item, int> steps{
      .read = [&](Item& item) { return source(item); },
      .bytes = [](const Item&) -> std::uint64_t { return 10; },
      .prepare = [](Item& item) { item.square = item.number; },
      .work =
          [](int& next, Item& item) {
            EXPECT_EQ(item.number, next++);  // a single worker sees them in order
            item.square *= item.number;
          },
      .complete = [](Item& item) { item.square += 1; },
      .write = [&](Item& item) { written.push_back(item.square - 1); }};
  const FrameRun run =
      run_frames<Item, int>(states, steps, {.in_flight = 9, .threads = 4, .memory_bytes = 35});
  EXPECT_TRUE(run.whole());
  EXPECT_EQ(written, squares(40));
}

TEST(Frames, NeedsAWorker) { EXPECT_THROW((run_frames<Item, int>({}, {}, {})), InvalidArgument); }

TEST(Frames, WorkersShareTheThreads) {
  Exec exec;
  exec.device = Device::cpu();
  exec.threads = 1;
  EXPECT_EQ(plan_frame_workers(exec).in_flight, 1);
  exec.threads = 16;
  const FrameWorkers one_each = plan_frame_workers(exec);
  EXPECT_EQ(one_each.count, 16);
  EXPECT_EQ(one_each.threads, 1);
  EXPECT_GT(one_each.in_flight, one_each.count);
  for (const FrameWorkers& plan : {plan_frame_workers(exec, 4), plan_frame_workers(exec, 0, 4)}) {
    EXPECT_EQ(plan.count, 4);
    EXPECT_EQ(plan.threads, 4);
    EXPECT_GT(plan.in_flight, plan.count);
  }
  // A single worker leaves threads that decode and encode.
  EXPECT_EQ(plan_frame_workers(exec, 0, 1).runners, 16);
  EXPECT_EQ(plan_frame_workers(exec, 1).in_flight, 1);
}

TEST(RunFrames, OptionsAreListed) {
  EXPECT_EQ(options_json(FrameRunOptions{}),
            R"({"in-flight": 1, "threads": 0, "memory": 0, "most-bytes": 0, "stage": "frames"})");
}

}  // namespace
}  // namespace fovea::io
