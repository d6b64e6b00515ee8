// Inputs of verbs whose library call goes through many of them by itself: what each has given is
// handed on in the order of the inputs, and recorded where there is a manifest.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/journal.h"

namespace fovea::cli {

class RecordedUnits {
 public:
  // Gets what each input has given, or why it failed.
  using Give =
      std::function<void(std::size_t unit, std::string_view shared, const std::string& message)>;
  RecordedUnits(const Context& context, const std::vector<std::string>& inputs, Give give);

  // The inputs that are to be worked on.
  const std::vector<std::size_t>& open() const { return open_; }
  // What the next of them has given, as bytes, or why it failed. Where that cannot be recorded,
  // because the disk is full, or the input has changed meanwhile, it counts as failed.
  void take(std::size_t unit, std::string shared, std::string message);
  void take(std::size_t unit, UnitResult result);
  // The exit status of the failure that is being given.
  int status() const { return status_; }
  // Gives those that are left.
  void finish();

 private:
  void replay_until(std::size_t end);

  Journal* journal_;
  Give give_;
  cluster::UnitRange range_;
  std::vector<std::size_t> open_{};
  std::vector<FileStamp> stamps_{};  // of those that are open, before the work
  std::size_t taken_ = 0;
  std::size_t next_ = 0;
  int status_ = 0;
};

}  // namespace fovea::cli
