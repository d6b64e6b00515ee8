#include "cli/program/pipe_waits.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace fovea::cli {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);

std::vector<std::string> pipes_among(const std::vector<std::string>& words) {
  std::vector<std::string> pipes;
  for (const std::string& word : words)
    for (const std::string& name :
         {word, word.starts_with('@') ? word.substr(1) : std::string(),
          word.starts_with("--") ? word.substr(word.find('=') + 1) : std::string()}) {
      std::error_code error;
      if (!name.empty() && std::filesystem::is_fifo(name, error)) pipes.push_back(name);
    }
  return pipes;
}

// A writer that comes and goes: whoever waits for one sees the end of the pipe.
void end_waits(const std::vector<std::string>& pipes) {
  for (const std::string& pipe : pipes) {
    const int writer = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (writer >= 0) close(writer);
  }
}

}  // namespace

PipeWaits::PipeWaits(const std::vector<std::string>& words, const std::stop_token& stop)
    : pipes_(pipes_among(words)), stop_(stop) {
  if (pipes_.empty()) return;
  // Again and again, because a pipe may be opened only after the stop.
  waker_ = std::jthread([this](const std::stop_token& gone) {
    while (!gone.stop_requested()) {
      if (stop_.stop_requested()) end_waits(pipes_);
      std::this_thread::sleep_for(kPause);
    }
  });
}

bool PipeWaits::ended() const { return !pipes_.empty() && stop_.stop_requested(); }

}  // namespace fovea::cli
