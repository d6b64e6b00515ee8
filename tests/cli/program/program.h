// Runs the program for tests: as a function in this process, or as a process of its own.
#pragma once
#include <fovea/io/image_io.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/run.h"
#include "support/files.h"
#include "support/waiting.h"

namespace fovea::cli {

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
  double processor_seconds = 0;  // of a process
};

class TextSink final : public Sink {
 public:
  void write(std::string_view more) override { text += more; }
  std::string text;
};

// Counts how often the program hands on what it has printed.
class CountingSink final : public Sink {
 public:
  void write(std::string_view) override {}
  void flush() override { ++flushes; }
  int flushes = 0;
};

// GPUs are hidden from the program, here and in processes of its own, before the first test asks
// for one: words and times are then those of the CPU on every machine and in every order of tests.
// Tests on every place run once more, in a process that is given FOVEA_TEST_GPUS.
class HiddenGpus {
 public:
  HiddenGpus() {
    if (getenv("FOVEA_TEST_GPUS") != nullptr) return;
    if (const char* given = getenv(kName)) given_ = given;
    setenv(kName, "", 1);
  }
  void show() const {
    if (given_) setenv(kName, given_->c_str(), 1);
    else unsetenv(kName);
  }

 private:
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  std::optional<std::string> given_;
};
inline const HiddenGpus hidden_gpus;

inline Ended run_here(const std::vector<std::string>& args,
                      const std::stop_token& stop = std::stop_token()) {
  TextSink out, err;
  const int status = run(args, {.out = out, .err = err, .stop = stop});
  return {.status = status, .out = out.text, .err = err.text};
}

// A stop that has been asked for already.
inline std::stop_token fired() {
  static std::stop_source stop;  // static, since GCC 12 thinks a local one uninitialized
  stop.request_stop();
  return stop.get_token();
}

// A gray ramp, 8 pixels wide.
inline void write_ramp(const std::string& path, int height = 4) {
  Image<std::uint8_t> ramp(8, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < 8; ++x) ramp.at(x, y) = static_cast<std::uint8_t>(10 * x);
  io::write_image(path, ramp.view());
}

enum class Gpus : unsigned char { kHidden, kSeen };

// A process. Its standard input is empty; its standard output goes to `out_path` where one is
// given.
class Process {
 public:
  explicit Process(std::vector<std::string> words, const std::string& out_path = "",
                   Gpus gpus = Gpus::kHidden) {
    const std::string out = out_path.empty() ? folder_ / "out" : out_path;
    const std::string err = folder_ / "err";
    child_ = fork();
    if (child_ == 0) {
      signal(SIGINT, SIG_DFL);  // test runners in the background ignore it
      signal(SIGPIPE, SIG_DFL);
      // Looking for leaks takes seconds a process; the runs in the test's own process are searched.
      const char* set = getenv("ASAN_OPTIONS");
      setenv("ASAN_OPTIONS", ((set ? set : "") + std::string(":detect_leaks=0")).c_str(), 1);
      if (gpus == Gpus::kSeen) hidden_gpus.show();
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execvp(argv[0], argv.data());
      _exit(127);
    }
  }
  ~Process() {
    if (child_ > 0) wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const { kill(child_, signal); }
  std::string err_so_far() const { return test::load(folder_ / "err"); }
  // Waits until the program has said something that meets the condition, or for a minute.
  void wait_for(const std::function<bool(const std::string& err)>& said) const {
    test::eventually([&] { return said(err_so_far()); });
  }

  // A process ended by a signal has status 128 + signal, as in a shell.
  Ended wait() {
    int status = 0;
    rusage used{};
    wait4(child_, &status, 0, &used);
    child_ = -1;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            test::load(folder_ / "out"), err_so_far(),
            seconds(used.ru_utime) + seconds(used.ru_stime)};
  }

 private:
  test::TempFolder folder_;
  pid_t child_ = -1;
};

inline std::vector<std::string> program(std::vector<std::string> args) {
  args.insert(args.begin(), FOVEA_PROGRAM);
  return args;
}

inline Ended run_program(const std::vector<std::string>& args, const std::string& out_path = "") {
  return Process(program(args), out_path).wait();
}

// On the GPU of this machine; the status is kNoDevice where there is none.
inline Ended run_on_gpu(std::vector<std::string> args) {
  args.insert(args.end(), {"--device", "cuda"});
  return Process(program(args), "", Gpus::kSeen).wait();
}

}  // namespace fovea::cli
