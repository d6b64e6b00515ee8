// A video with events drawn into it, written while they are recognized.
#pragma once
#include <fovea/actions/recognize.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace fovea::cli {

// Whether opening the source again gives the same frames again, which pipes and devices do not.
bool can_be_read_again(const std::string& source);

// An event is certain only some time after it began, so that frames are drawn later than they are
// recognized. A video file is read a second time, behind the recognizer. Frames of a pipe wait in
// memory; where `memory` does not suffice for them, the oldest are written before their events are
// certain.
class AnnotatedVideo {
 public:
  struct Request {
    std::string path;
    std::string source;
    double frame_rate = 25;
    std::uint64_t memory = 0;        // bytes
    io::VideoReadOptions reading{};  // of the source, if it is read again
  };
  explicit AnnotatedVideo(const Request& request);

  // Takes the next frame of a pipe, in RGB. For other sources it does nothing.
  void keep(ImageView<const std::uint8_t> rgb);
  // Takes an event, which is kept until its last frame is written.
  void add(const actions::Event& event) { events_.push_back(event); }
  // Writes all frames before `end`, with the events up to now.
  void write_until(std::int64_t end);
  // Writes frames while the waiting frames take more memory than allowed.
  void make_room();
  void finish();

  // Frames that were written before their events were certain.
  std::int64_t early_frames() const { return early_; }
  // Events that are still to be drawn.
  std::size_t kept_events() const { return events_.size(); }

 private:
  bool next();
  bool write_next();

  io::VideoWriter writer_;
  std::optional<io::VideoReader> again_;
  io::Frame frame_;
  std::deque<Image<std::uint8_t>> waiting_;
  std::uint64_t memory_ = 0;
  std::uint64_t waiting_bytes_ = 0;
  std::int64_t written_ = 0;
  std::int64_t early_ = 0;
  std::vector<actions::Event> events_;  // those that may include frames still to be written
};

}  // namespace fovea::cli
