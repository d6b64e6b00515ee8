// Tracks as files: MOT challenge text and video for each input, and CSV for all inputs.
#pragma once
#include <fovea/io/place.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>
#include <fovea/people/show_tracks.h>
#include <fovea/people/track.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fovea::cli {

// The people of one frame of one input.
struct TrackedFrame {
  io::Place place{};
  people::TrackResult found{};
};
void describe(FieldVisitor& visit, TrackedFrame& frame);

// One row per person and frame, for all inputs. The file is written only by commit().
class PeopleTrackTable {
 public:
  explicit PeopleTrackTable(const std::string& path);  // no file where this is empty
  void add(const TrackedFrame& frame);
  void commit();

 private:
  std::optional<io::FileSink> file_{};
  std::optional<io::RecordTable> table_{};
  std::int64_t frames_ = 0;
};

// The files of one input; those with an empty name are not written.
class PeopleTrackFiles {
 public:
  PeopleTrackFiles(const std::string& mot, const std::string& video, double frame_rate, int trail);
  void add(io::Frame& frame, std::span<const people::Track> tracks);  // draws on the frame
  void finish();                                                      // after at least one frame

 private:
  std::optional<io::FileSink> mot_{};
  std::optional<io::VideoWriter> video_{};
  people::TrackPainter painter_;
};

}  // namespace fovea::cli
