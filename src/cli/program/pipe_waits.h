// Ends the wait for named pipes that nobody writes to when a stop is requested. Most readers of the
// library know no stop, and the system's own wait for a writer does not end otherwise.
#pragma once
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace fovea::cli {

class PipeWaits {
 public:
  // Of all words of a command that name a pipe, also as @PIPE or --option=PIPE.
  PipeWaits(const std::vector<std::string>& words, const std::stop_token& stop);
  // Whether a stop was requested that has ended the wait for a pipe, so that what came of it is no
  // whole input.
  bool ended() const;

 private:
  std::vector<std::string> pipes_;
  std::stop_token stop_;
  std::jthread waker_{};  // where there is a pipe; ends before what it uses
};

}  // namespace fovea::cli
