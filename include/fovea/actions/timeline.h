#pragma once
#include <fovea/actions/recognize.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// A timeline of a stream without end: one row per class and one bar per event. Its memory is
// bounded. Beyond some thousand bars of a class, bars whose gap is narrower than a pixel of the
// picture become one.
class FOVEA_API Timeline {
 public:
  // Throws InvalidArgument where the frame rate is not more than 0.
  Timeline(std::span<const std::string> classes, double frame_rate);

  // Takes the next event. Throws InvalidArgument for a label that is not among the classes.
  void add(const Event& event);
  // Draws the events of this number of frames.
  std::string svg(std::int64_t frames) const;
  // The number of bars that are kept.
  std::size_t bars() const;

 private:
  struct Bar {
    std::int64_t first = 0, last = 0;  // frames
  };
  void join();

  std::vector<std::string> classes_;
  double frame_rate_;
  std::int64_t joined_gap_ = 0;         // gaps of fewer frames are closed
  std::vector<std::vector<Bar>> rows_;  // by class, sorted by the first frame
};

}  // namespace fovea::actions
