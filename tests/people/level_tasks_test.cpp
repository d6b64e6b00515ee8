#include "people/level_tasks.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::people {
namespace {

Exec on_threads(int threads) { return {.device = Device::cpu(), .threads = threads}; }

TEST(FreeList, GivesTheSmallestThatIsLargeEnough) {
  cpu::FreeList<int> list;
  const auto made = [&](int value) { return [value] { return std::make_unique<int>(value); }; };
  {
    const auto a = list.take(10, made(1)), b = list.take(30, made(2)), c = list.take(20, made(3));
    EXPECT_EQ(list.count(), 0U);
  }
  EXPECT_EQ(list.count(), 3U);
  EXPECT_EQ(*list.take(15, made(4)), 3);
  EXPECT_EQ(*list.take(5, made(4)), 1);
  EXPECT_EQ(*list.take(40, made(4)), 2);  // the largest grows
  EXPECT_EQ(*list.take(35, made(4)), 2);
  EXPECT_EQ(list.count(), 3U);
}

TEST(LevelTasks, EachIsDoneOnceAndOneThreadKeepsTheOrder) {
  for (const int threads : {1, 2, 5}) {
    const Exec exec = on_threads(threads);
    const cpu::LevelTasks tasks(exec, 100);
    std::vector<int> times(37), order;
    tasks.run(exec, 37, [&](int k) {
      ++times[static_cast<std::size_t>(k)];
      if (threads == 1) order.push_back(k);
    });
    EXPECT_EQ(times, std::vector<int>(37, 1));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  }
}

TEST(LevelTasks, OnlyLargeOnesAreDivided) {
  const Exec exec = on_threads(5);
  const cpu::LevelTasks tasks(exec, 100);
  EXPECT_EQ(tasks.within(11).threads, 5);
  EXPECT_EQ(tasks.within(10).threads, 1);
}

TEST(LevelTasks, AStopIsSeenByTasksAndWithinThem) {
  std::stop_source stop;
  Exec exec = on_threads(2);
  exec.stop = stop.get_token();
  const cpu::LevelTasks tasks(exec, 100);
  std::atomic<int> begun = 0;
  EXPECT_THROW(tasks.run(exec, 1000,
                         [&](int) {
                           ++begun;
                           stop.request_stop();
                         }),
               Cancelled);
  EXPECT_LE(begun, 2);
  EXPECT_THROW(throw_if_stopped(tasks.within(1)), Cancelled);
}

// The models that come with the program.
std::shared_ptr<const Model> model_named(const std::string& name) {
  return load_model("people/" + name);
}

class ThreadsOfAScan : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ThreadsOfAScan,
                         testing::Values("hog", "cascade", "channels", "filtered"),
                         [](const auto& info) { return std::string(info.param); });

std::unique_ptr<Scanner> scanner_of(const Model& model) {
  if (const auto* cascade = std::get_if<CascadeModel>(&model.classifier))
    return cpu::make_cascade_scanner(*cascade);
  if (const auto* channels = std::get_if<ChannelsModel>(&model.classifier))
    return cpu::make_channels_scanner(*channels);
  if (const auto* filtered = std::get_if<FilteredModel>(&model.classifier))
    return cpu::make_filtered_scanner(*filtered);
  return cpu::make_linear_scanner(model.kind, std::get<LinearModel>(model.classifier));
}

void expect_same(const ScanResult& found, const ScanResult& expected) {
  EXPECT_EQ(found.hits, expected.hits);
  EXPECT_EQ(found.counts.windows, expected.counts.windows);
  EXPECT_EQ(found.counts.evaluations, expected.counts.evaluations);
}

// Images of other sizes and colors come in turn, so that memory is used again for smaller and
// larger levels.
TEST_P(ThreadsOfAScan, DoNotInfluenceWhatIsFound) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const auto model = model_named(GetParam());
  Random random(21);
  std::vector<Image<std::uint8_t>> images;
  for (const Extent size : {Extent{150, 190}, Extent{230, 160}, Extent{90, 150}})
    for (const int channels : {1, 3})
      images.push_back(test::random_image<std::uint8_t>(random, size.width, size.height, channels));
  const auto plan_of = [&](const Image<std::uint8_t>& image) {
    return plan_scan({image.width(), image.height()}, model->window(), model->person_height,
                     {.ratio = 1.07, .stride = model->stride, .padding = 16});
  };
  for (const float threshold : {-std::numeric_limits<float>::infinity(), -1.F}) {
    std::vector<ScanResult> expected;
    for (const auto& image : images) {
      const ScanPlan plan = plan_of(image);
      ASSERT_GT(plan.levels.size(), 2U);
      expected.push_back(scanner_of(*model)->scan({image, plan, threshold}, on_threads(1)));
      EXPECT_TRUE(std::is_sorted(
          expected.back().hits.begin(), expected.back().hits.end(), [](const Hit& a, const Hit& b) {
            return std::tie(a.level, a.row, a.column) < std::tie(b.level, b.row, b.column);
          }));
    }
    const auto shared = scanner_of(*model);  // by all numbers of threads
    for (const int threads : {1, 2, 3, 5, 16}) {
      const auto scanner = scanner_of(*model);
      for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < images.size(); ++i) {
          const ScanPlan plan = plan_of(images[i]);
          SCOPED_TRACE(testing::Message() << threads << " threads, image " << i);
          expect_same(scanner->scan({images[i], plan, threshold}, on_threads(threads)),
                      expected[i]);
          if (round == 0)
            expect_same(shared->scan({images[i], plan, threshold}, on_threads(threads)),
                        expected[i]);
        }
    }
  }
}

TEST_P(ThreadsOfAScan, OfADetectorDoNotInfluencePeople) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const auto model = model_named(GetParam());
  Random random(22);
  const auto small = test::random_image<std::uint8_t>(random, 140, 170, 3),
             large = test::random_image<std::uint8_t>(random, 260, 210, 3),
             gray = test::random_image<std::uint8_t>(random, 200, 200, 1);
  std::vector<DetectResult> expected;
  for (const int threads : {1, 2, 3, 5, 16}) {
    DetectOptions options;
    options.exec = on_threads(threads);
    options.threshold = -2;
    Detector detector(model, options);
    std::size_t turn = 0;
    for (int round = 0; round < 2; ++round)
      for (const auto* image : {&small, &large, &gray}) {
        DetectResult found = detector.detect(*image);
        if (threads == 1) {
          expected.push_back(std::move(found));
          continue;
        }
        const DetectResult& wanted = expected[turn++];
        ASSERT_EQ(found.people.size(), wanted.people.size()) << threads;
        for (std::size_t k = 0; k < found.people.size(); ++k) {
          EXPECT_EQ(found.people[k].box, wanted.people[k].box);
          EXPECT_EQ(found.people[k].score, wanted.people[k].score);
        }
        EXPECT_EQ(found.counts.evaluations, wanted.counts.evaluations);
      }
  }
}

TEST_P(ThreadsOfAScan, StopBetweenLevelsAndGoOnWithTheNextImage) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const auto model = model_named(GetParam());
  Random random(23);
  const auto image = test::random_image<std::uint8_t>(random, 150, 190, 3);
  const ScanPlan plan = plan_scan({150, 190}, model->window(), model->person_height,
                                  {.ratio = 1.07, .stride = model->stride, .padding = 16});
  const auto scanner = scanner_of(*model);
  const ScanResult expected = scanner->scan({image, plan, -1}, on_threads(1));
  for (const int threads : {1, 3}) {
    std::stop_source stop;
    stop.request_stop();
    Exec exec = on_threads(threads);
    exec.stop = stop.get_token();
    EXPECT_THROW(scanner->scan({image, plan, -1}, exec), Cancelled);
    expect_same(scanner->scan({image, plan, -1}, on_threads(threads)), expected);
  }
}

}  // namespace
}  // namespace fovea::people
