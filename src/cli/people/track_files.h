// Tracks as files: MOT challenge text and video for each input, and CSV and JSON for all inputs.
#pragma once
#include <fovea/io/csv_writer.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>
#include <fovea/people/show_tracks.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/jobs/packing.h"

namespace fovea::cli {

// When a frame is shown.
struct FrameTime {
  std::int64_t frame = 0;
  double seconds = 0;
};

// The tracks of a frame as bytes, for manifests: what PeopleTrackTable writes of them.
std::string packed(FrameTime frame, std::span<const people::Track> tracks);
FrameTime unpacked_tracks(Unpacker& in, std::vector<people::Track>& tracks);

// One row per person and frame, for all inputs. The file is written only by commit().
class PeopleTrackTable {
 public:
  explicit PeopleTrackTable(const std::string& path);  // no file where this is empty
  void add(const std::string& input, FrameTime frame, std::span<const people::Track> tracks);
  void commit();
  std::int64_t frames() const { return frames_; }

 private:
  std::optional<io::FileSink> file_{};
  std::optional<io::CsvWriter> csv_{};
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

// Returns [{"id": i, "box": [x, y, width, height], "score": s, "missed": m}, ...].
std::string tracks_json(std::span<const people::Track> tracks);

}  // namespace fovea::cli
