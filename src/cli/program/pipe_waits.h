// Ends the wait for named pipes that nobody writes to when a stop is requested. Most readers of the
// library know no stop, and the system's own wait for a writer does not end otherwise.
#pragma once
#include <functional>
#include <stop_token>
#include <string>
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
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace fovea::cli
