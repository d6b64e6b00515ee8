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

TEST(Jobs, StopOnRequest) {
  Jobs jobs({});
  States states;
  const auto listener = jobs.listen(jobs.submit("page", endless), states.send());
  listener->message("something else");
  listener->message("stop");
  EXPECT_EQ(states.last(), R"({"state": "stopped"})");
}

TEST(Jobs, StopWhereNobodyListensAnyMore) {
  Jobs jobs({}, {.alone = 1s});
  States states;
  std::promise<void> ended;
  const std::string id = jobs.submit("page", [&](const Exec& exec) -> Result {
    test::wait_for_stop(exec.stop);
    ended.set_value();
    return {};
  });
  const std::string waiting = jobs.submit("other page", endless);
  auto first = jobs.listen(id, states.send()), second = jobs.listen(id, [](std::string, bool) {});
  auto future = ended.get_future();
  first.reset();
  EXPECT_EQ(future.wait_for(1500ms), std::future_status::timeout) << "one still listens";
  std::string state;  // who asks for it listens, and has to be gone for a while
  for (int i = 0; i < 20 && state != R"({"state": "stopped"})"; ++i) {
    std::this_thread::sleep_for(1500ms);
    jobs.listen(waiting, [&](std::string now, bool) { state = std::move(now); });
  }
  EXPECT_EQ(state, R"({"state": "stopped"})") << "nobody has listened in time";
  second.reset();
  EXPECT_EQ(future.wait_for(60s), std::future_status::ready);
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

}  // namespace
}  // namespace fovea::view
