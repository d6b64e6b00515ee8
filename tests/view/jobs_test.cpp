#include "view/jobs.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <thread>

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
    EXPECT_EQ(ended.get_future().wait_for(10s), std::future_status::ready);
    const std::lock_guard lock(mutex);
    return all.back();
  }
};

// Works until somebody stops it.
Result endless(const Exec& exec) {
  while (true) {
    throw_if_stopped(exec);
    std::this_thread::sleep_for(1ms);
  }
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

}  // namespace
}  // namespace fovea::view
