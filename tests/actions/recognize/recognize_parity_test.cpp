// Covers: device_places, place_matcher
// Events on a GPU are those of the CPU, and only frames go there.
#include <fovea/actions/recognize.h>
#include <fovea/actions/train.h>

#include <thread>

#include "actions/points/points_blocks.h"
#include "actions/recognize/event_finder.h"
#include "actions/swing_model.h"
#include "support/devices.h"

namespace fovea::actions {
namespace {

using Video = std::vector<Image<std::uint8_t>>;

// One action after the other; with `two`, another one at the same time beside it.
Video video_of(const std::vector<int>& actions, int each, bool two) {
  Video frames;
  for (const int action : actions)
    for (int i = 0; i < each; ++i) {
      const auto number = static_cast<int>(frames.size());
      const Image<std::uint8_t> one = swing_frame(action, 5, number);
      if (!two) {
        frames.push_back(clone(one.view()));
        continue;
      }
      const Image<std::uint8_t> other = swing_frame((action + 1) % 3, 4, number);
      Image<std::uint8_t> both(4 * one.width(), one.height());
      for (int y = 0; y < both.height(); ++y)
        for (int x = 0; x < both.width(); ++x)
          both.at(x, y) = x < one.width()        ? one.at(x, y)
                          : x >= 3 * one.width() ? other.at(x - 3 * one.width(), y)
                                                 : static_cast<std::uint8_t>(70);
      frames.push_back(std::move(both));
    }
  return frames;
}

std::shared_ptr<const Model> small_model(int scene_points) {
  TrainOptions options;
  options.cut = {.nodes = 8, .step = 8};
  options.scene_points = scene_points;
  options.points.harris.levels = 1;
  options.points.block = 8;
  options.exec.device = options.points.exec.device = Device::cpu();
  return trained_on_swings(options, 2, 24);
}

std::vector<Event> events_of(Recognizer recognizer, const Video& frames) {
  std::vector<Event> events;
  const auto keep = [&](std::span<const Event> some) {
    events.insert(events.end(), some.begin(), some.end());
  };
  for (const auto& frame : frames) keep(recognizer.push(frame));
  keep(recognizer.finish());
  return events;
}

void expect_equal(const std::vector<Event>& events, const std::vector<Event>& expected) {
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event &a = events[i], &b = expected[i];
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.score, b.score);
    EXPECT_EQ(a.box, b.box);
    EXPECT_EQ(a.first_frame, b.first_frame);
    EXPECT_EQ(a.last_frame, b.last_frame);
    EXPECT_EQ(a.distance, b.distance);
    EXPECT_EQ(a.margin, b.margin);
    EXPECT_EQ(a.prototype, b.prototype);
    EXPECT_EQ(a.dummies, b.dummies);
    EXPECT_EQ(a.place, b.place);
    ASSERT_EQ(a.path.size(), b.path.size());
    for (std::size_t n = 0; n < a.path.size(); ++n) {
      EXPECT_EQ(a.path[n].point, b.path[n].point);
      EXPECT_EQ(a.path[n].frame, b.path[n].frame);
    }
  }
}

RecognizeOptions on(Device device, int places) {
  RecognizeOptions options{.reject = 2, .patience = 6, .places = places};
  options.exec.device = device;
  return options;
}

TEST(RecognizeParity, EventsOfOneAndOfSeveralPlaces) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const int points : {1, 0}) {
    const auto model = small_model(points);
    for (const bool two : {false, true}) {
      const Video frames = video_of({0, 2}, 30, two);
      for (const int places : {1, 3}) {
        const std::vector<Event> expected =
            events_of(Recognizer(model, on(Device::cpu(), places)), frames);
        EXPECT_FALSE(expected.empty());
        expect_equal(events_of(Recognizer(model, on(Device::cuda(), places)), frames), expected);
      }
    }
  }
}

// Frames that lie on the GPU are not copied at all.
TEST(RecognizeParity, FramesOnTheDevice) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto model = small_model(1);
  const Video frames = video_of({1, 0}, 26, false);
  Video there;
  for (const auto& frame : frames) there.push_back(clone(frame.view(), Memory::kCuda));
  expect_equal(events_of(Recognizer(model, on(Device::cuda(), 2)), there),
               events_of(Recognizer(model, on(Device::cpu(), 2)), frames));
}

TEST(RecognizeParity, BlocksClipsAndPointsAreTheSameToo) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto model = small_model(1);
  const Video frames = video_of({0, 2}, 26, false);
  for (const bool classify : {false, true}) {
    RecognizeOptions cpu = on(Device::cpu(), 1), gpu = on(Device::cuda(), 1);
    cpu.classify = gpu.classify = classify;
    if (!classify) cpu.mode = gpu.mode = StreamMode::kBlocks;
    expect_equal(events_of(Recognizer(model, gpu), frames),
                 events_of(Recognizer(model, cpu), frames));
  }
  PointOptions options = model->points;
  options.exec.device = Device::cpu();
  PointStream finder(options);
  std::vector<Event> events;
  Recognizer recognizer(model, on(Device::cuda(), 1));
  const auto take = [&](std::span<const FramePoints> ready) {
    for (const FramePoints& points : ready)
      for (const Event& event : recognizer.push(points, {96, 72})) events.push_back(event);
  };
  for (const auto& frame : frames) take(finder.push(frame));
  take(finder.finish());
  for (const Event& event : recognizer.finish()) events.push_back(event);
  expect_equal(events, events_of(Recognizer(model, on(Device::cpu(), 1)), frames));
}

// Cameras share the prototypes and nothing else.
TEST(RecognizeParity, CamerasInThreads) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto model = small_model(1);
  const Recognizer first(model, on(Device::cuda(), 1));
  const std::vector<Video> videos = [] {
    std::vector<Video> all;
    for (const int action : {0, 1, 2}) all.push_back(video_of({action, 0}, 20, false));
    return all;
  }();
  std::vector<std::vector<Event>> events(videos.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < videos.size(); ++i)
      threads.emplace_back([&, i] { events[i] = events_of(first.another(), videos[i]); });
  }
  for (std::size_t i = 0; i < videos.size(); ++i)
    expect_equal(events[i], events_of(Recognizer(model, on(Device::cpu(), 1)), videos[i]));
}

// What the recognizer does, with a look at what is copied: frames once, and nothing else.
TEST(RecognizeParity, OnlyFramesGoToTheDevice) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto model = small_model(1);
  const Video frames = video_of({0, 2}, 24, true);
  PointOptions options = model->points;
  options.exec.device = Device::cuda();
  EventFinder finder(*model, on(Device::cuda(), 3), nullptr);
  finder.set_frame_size({frames[0].width(), frames[0].height()});
  std::vector<Event> events;
  PointBlocks blocks(options, [&](std::vector<FramePoints> some, const auto& describe) {
    finder.prepare(std::move(some), describe);
    while (finder.prepared() > 0) finder.push_prepared(events);
  });
  for (const auto& frame : frames) blocks.push(frame);
  EXPECT_EQ(blocks.copied_bytes(), 0);
  EXPECT_EQ(finder.copied_bytes(), 0);
  EXPECT_GT(finder.device()->rows(), 0);
}

}  // namespace
}  // namespace fovea::actions
