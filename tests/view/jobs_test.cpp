#include "view/jobs.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "support/waiting.h"

namespace fovea::view {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

// Collects the states of a job.
struct States {
  std::mutex mutex{};
  std::vector<std::string> all{};
  std::promise<void> ended{};

  Send send() {
    return [this](std::string state, bool last) {
      const std::lock_guard lock(mutex);
      all.push_back(std::move(state));
      if (last) ended.set_value();
    };
  }
  std::string last() {
    EXPECT_EQ(ended.get_future().wait_for(60s), std::future_status::ready);
    const std::lock_guard lock(mutex);
    return all.back();
  }
};

// Work that says when it has begun, and then waits for a gate, whoever stops it.
struct Gated {
  std::promise<void> begun{}, gate{};

  std::function<Result(const Exec&)> work() {
    return [this](const Exec& exec) -> Result {
      begun.set_value();
      gate.get_future().wait();
      if (exec.progress) exec.progress({"late", 1, 1});
      return {.summary = "late"};
    };
  }
  void wait_for_begin() { ASSERT_EQ(begun.get_future().wait_for(60s), std::future_status::ready); }
  void open() { gate.set_value(); }
};

Result at_once(const Exec&) { return {}; }

// Works until somebody stops it.
Result endless(const Exec& exec) {
  test::wait_for_stop(exec.stop);
  throw_if_stopped(exec);
  return {};
}

TEST(Jobs, TellTheirStatesAndKeepTheirResult) {
  Jobs jobs({});
  std::promise<void> go;
  const std::string id = jobs.submit("page", [&](const Exec& exec) {
    go.get_future().wait();
    exec.progress({"half \"way\"", 1, 2});
    return Result{.summary = "found"};
  });
  EXPECT_EQ(jobs.result(id), nullptr);
  States states;
  const auto listener = jobs.listen(id, states.send());
  go.set_value();
  EXPECT_EQ(states.last(), R"({"state": "done"})");
  EXPECT_THAT(states.all,
              testing::Contains(HasSubstr(R"("stage": "half \"way\"", "done": 1, "total": 2)")));
  EXPECT_EQ(jobs.result(id)->summary, "found");
  EXPECT_EQ(jobs.listen("no such job", states.send()), nullptr);
}

TEST(Jobs, OfOnePageStopEachOther) {
  Jobs jobs({});
  States first, waiting, newest;
  const auto a = jobs.listen(jobs.submit("page", endless), first.send());
  const auto b = jobs.listen(jobs.submit("page", endless), waiting.send());
  const std::string last = jobs.submit("page", [](const Exec&) { return Result{}; });
  const auto c = jobs.listen(last, newest.send());
  EXPECT_EQ(first.last(), R"({"state": "stopped"})");
  EXPECT_EQ(waiting.last(), R"({"state": "stopped"})");
  EXPECT_EQ(newest.last(), R"({"state": "done"})");
}

TEST(Jobs, OfAnotherPageGoOn) {
  Jobs jobs({});
  States mine, other;
  std::promise<void> go;
  const std::string id = jobs.submit("mine", [&](const Exec& exec) {
    go.get_future().wait();
    throw_if_stopped(exec);
    return Result{};
  });
  const auto a = jobs.listen(id, mine.send());
  const auto b =
      jobs.listen(jobs.submit("other", [](const Exec&) { return Result{}; }), other.send());
  go.set_value();
  EXPECT_EQ(mine.last(), R"({"state": "done"})");
  EXPECT_EQ(other.last(), R"({"state": "done"})");
}

TEST(Jobs, ThatAreQuickPassLongOnes) {
  Jobs jobs({}, {.running = 2, .running_long = 1});
  Gated clip;
  States of_clip, of_second, of_photo;
  const auto a = jobs.listen(jobs.submit("a", clip.work(), JobLength::kLong), of_clip.send());
  clip.wait_for_begin();
  const auto b = jobs.listen(jobs.submit("b", at_once, JobLength::kLong), of_second.send());
  const auto c = jobs.listen(jobs.submit("c", at_once), of_photo.send());
  EXPECT_EQ(of_photo.last(), R"({"state": "done"})") << "while the first clip is worked on";
  {
    const std::lock_guard lock(of_second.mutex);
    EXPECT_THAT(of_second.all, ElementsAre(R"({"state": "waiting"})"));
  }
  clip.open();
  EXPECT_EQ(of_clip.last(), R"({"state": "done"})");
  EXPECT_EQ(of_second.last(), R"({"state": "done"})");
}

// Work that is slow to notice holds up neither its own page nor others.
TEST(Jobs, ThatAreSupersededEndAtOnce) {
  Jobs jobs({}, {.running = 3, .running_of_client = 2});
  Gated first, second;
  States of_first, of_second, of_third, of_other;
  const std::string superseded = jobs.submit("page", first.work());
  const auto a = jobs.listen(superseded, of_first.send());
  first.wait_for_begin();
  const auto b = jobs.listen(jobs.submit("page", second.work()), of_second.send());
  EXPECT_EQ(of_first.last(), R"({"state": "stopped"})");
  second.wait_for_begin();
  const auto c = jobs.listen(jobs.submit("page", at_once), of_third.send());
  EXPECT_EQ(of_second.last(), R"({"state": "stopped"})");
  const auto d = jobs.listen(jobs.submit("other page", at_once), of_other.send());
  EXPECT_EQ(of_other.last(), R"({"state": "done"})");
  {
    const std::lock_guard lock(of_third.mutex);
    EXPECT_THAT(of_third.all, ElementsAre(R"({"state": "waiting"})"))
        << "one page does not take all threads";
  }
  first.open();
  EXPECT_EQ(of_third.last(), R"({"state": "done"})");
  second.open();
  jobs.end();
  EXPECT_EQ(jobs.result(superseded), nullptr);
  EXPECT_THAT(of_first.all.back(), HasSubstr("stopped")) << "what comes later is not told";
}

TEST(Jobs, StopOnRequest) {
  Jobs jobs({});
  States states;
  const auto listener = jobs.listen(jobs.submit("page", endless), states.send());
  listener->message("something else");
  listener->message("stop");
  EXPECT_EQ(states.last(), R"({"state": "stopped"})");
}

// Whoever is alone is stopped in the order in which they came to be so.
TEST(Jobs, StopWhereNobodyListensAnyMore) {
  Jobs jobs({}, {.running = 2, .alone = 2s});
  States states, of_heard;
  std::promise<std::stop_token> begun;
  std::promise<void> ended;
  const std::string heard = jobs.submit("page", [&](const Exec& exec) {
    begun.set_value(exec.stop);
    return endless(exec);
  });
  auto one = jobs.listen(heard, [](std::string, bool) {});
  const auto another = jobs.listen(heard, of_heard.send());
  const std::string left = jobs.submit("other page", [&](const Exec& exec) -> Result {
    test::wait_for_stop(exec.stop);
    ended.set_value();
    return {};
  });
  auto listener = jobs.listen(left, [](std::string, bool) {});
  one.reset();
  const std::string waiting = jobs.submit("third page", endless);
  listener.reset();
  ASSERT_EQ(ended.get_future().wait_for(60s), std::future_status::ready);
  EXPECT_FALSE(begun.get_future().get().stop_requested()) << "one still listens";
  const auto too_late = jobs.listen(waiting, states.send());
  EXPECT_EQ(states.last(), R"({"state": "stopped"})") << "nobody has listened in time";
}

TEST(Jobs, StopWhereNobodyEverListens) {
  Jobs jobs({}, {.alone = 50ms});
  std::promise<void> ended;
  jobs.submit("page", [&](const Exec& exec) -> Result {
    test::wait_for_stop(exec.stop);
    ended.set_value();
    return {};
  });
  EXPECT_EQ(ended.get_future().wait_for(60s), std::future_status::ready);
}

TEST(Jobs, SayWhatWentWrong) {
  Jobs jobs({});
  States states;
  const auto listener = jobs.listen(
      jobs.submit("page", [](const Exec&) -> Result { throw InvalidArgument("too \"small\""); }),
      states.send());
  EXPECT_EQ(states.last(), R"({"state": "failed", "error": "too \"small\""})");
}

TEST(Jobs, AreLimitedInNumber) {
  Jobs jobs({});
  EXPECT_THROW(for (int i = 0; i < 40; ++i) jobs.submit(std::to_string(i), endless),
               InvalidArgument);
}

TEST(Jobs, ForgetOldResults) {
  Jobs jobs({});
  std::vector<std::string> ids;
  for (int i = 0; i < 30; ++i) {
    States states;
    ids.push_back(jobs.submit("page", [](const Exec&) { return Result{}; }));
    const auto listener = jobs.listen(ids.back(), states.send());
    states.last();
  }
  EXPECT_EQ(jobs.result(ids.front()), nullptr);
  EXPECT_NE(jobs.result(ids.back()), nullptr);
}

TEST(Jobs, ForgetResultsThatTakeTooMuchMemory) {
  const auto image = std::make_shared<const Picture>(Image<std::uint8_t>(1000, 1000));
  const auto keep = [&](std::size_t bytes, const auto& layer) {
    Jobs jobs({}, {.bytes = bytes});
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
      States states;
      ids.push_back(jobs.submit("page", [&](const Exec&) {
        Result result{.image = image};
        result.layers.push_back({.name = "layer", .picture = layer()});
        return result;
      }));
      const auto listener = jobs.listen(ids.back(), states.send());
      states.last();
    }
    return std::ranges::count_if(ids, [&](const auto& id) { return jobs.result(id) != nullptr; });
  };
  const auto another = [] { return std::make_shared<Picture>(Image<std::uint8_t>(1000, 1000)); };
  const auto shared = [&] { return image; };
  EXPECT_EQ(keep(std::size_t{6} << 20, another), 3) << "the image and a layer each";
  EXPECT_EQ(keep(std::size_t{6} << 20, shared), 5) << "what is shared counts once";
  EXPECT_EQ(keep(1, another), 1) << "the newest stays";
}

TEST(Jobs, OfAPageThatGoesThroughManyPhotosPushNoOthersOut) {
  Jobs jobs({}, {.bytes_of_client = std::size_t{4} << 20});
  const auto result_of = [&](const std::string& client) {
    States states;
    const std::string id = jobs.submit(client, [](const Exec&) {
      return Result{.image = std::make_shared<const Picture>(Image<std::uint8_t>(1000, 1000))};
    });
    const auto listener = jobs.listen(id, states.send());
    states.last();
    return id;
  };
  const std::string other = result_of("other");
  std::vector<std::string> ids;
  for (int i = 0; i < 12; ++i) ids.push_back(result_of("page"));
  const auto is_kept = [&](const std::string& id) { return jobs.result(id) != nullptr; };
  EXPECT_EQ(std::ranges::count_if(ids, is_kept), 3);
  EXPECT_TRUE(is_kept(ids.back()));
  EXPECT_TRUE(is_kept(other));
  const std::string stays = jobs.keep(
      "page", std::make_shared<const Result>(Result{
                  .image = std::make_shared<const Picture>(Image<std::uint8_t>(2000, 2000))}));
  EXPECT_TRUE(is_kept(stays)) << "the newest of a page, whatever its size";
  EXPECT_EQ(std::ranges::count_if(ids, is_kept), 0);
  EXPECT_TRUE(is_kept(other));
}

}  // namespace
}  // namespace fovea::view
