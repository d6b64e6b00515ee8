// Runs a test program. A shard of it is one process of many tests, so that the test that hangs or
// crashes is named; with --gtest_brief=1 only failures are printed, and at the end counts and what
// was skipped, with the reasons.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "support/sanitized.h"

namespace {

constexpr unsigned kMostSeconds = fovea::test::kSanitized ? 1800 : 300;  // of one test
std::string running = "no test";

std::string full_name(const testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

// Only what a handler of signals may call.
void name_the_running_test(int signal) {
  const auto say = [](const char* text, std::size_t length) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, length);
  };
  constexpr char kHung[] = "\nhung in ", kEnded[] = "\nended by a signal in ";
  if (signal == SIGALRM) say(kHung, sizeof kHung - 1);
  else say(kEnded, sizeof kEnded - 1);
  say(running.data(), running.size());
  say("\n", 1);
  raise(signal);  // its default action, since a handler is called only once
}

class Watch final : public testing::EmptyTestEventListener {
 public:
  Watch() {
    struct sigaction action {};
    action.sa_handler = name_the_running_test;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGALRM, SIGABRT, SIGTERM}) sigaction(signal, &action, nullptr);
    if (fovea::test::kSanitized) return;  // a sanitizer prints the stack
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
  }
  void OnTestStart(const testing::TestInfo& test) override {
    running = full_name(test);
    alarm(kMostSeconds);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    alarm(0);
    running = "what follows " + full_name(test);
  }
};

class BriefPrinter final : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    const std::string message = result.message();
    if (result.skipped()) reason_ = message.substr(0, message.find('\n'));
    if (result.failed())
      std::printf("%s:%d: failure in %s\n%s\n",
                  result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                  running.c_str(), message.c_str());
    std::fflush(stdout);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    if (result.Skipped()) skipped_[reason_].push_back(full_name(test));
    if (!result.Failed()) return;
    failed_.push_back(full_name(test));
    if (test.value_param() != nullptr) failed_.back() += std::string(" at ") + test.value_param();
  }
  void OnTestProgramEnd(const testing::UnitTest& all) override {
    std::printf("%d passed, %d failed, %d skipped in %.1f s\n", all.successful_test_count(),
                all.failed_test_count(), all.skipped_test_count(),
                1e-3 * static_cast<double>(all.elapsed_time()));
    for (const auto& [reason, tests] : skipped_)
      for (const std::string& test : tests)
        std::printf("skipped: %s: %s\n", test.c_str(), reason.c_str());
    for (const std::string& test : failed_) std::printf("failed: %s\n", test.c_str());
  }

 private:
  std::string reason_;
  std::map<std::string, std::vector<std::string>> skipped_;
  std::vector<std::string> failed_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new Watch);
  if (GTEST_FLAG_GET(brief)) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new BriefPrinter);
  }
  return RUN_ALL_TESTS();
}
