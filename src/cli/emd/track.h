// What the files of fovea emd track share: the request, the files that tracks go to, what is told
// of them, and the others that they are measured beside.
#pragma once
#include <fovea/emd/track.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

struct TrackRequest {
  std::vector<std::string> targets{};
  int frame = 0;
  std::vector<std::string> truths{};
  int truth_origin = 1;
  std::string output{};
  std::string video{};
  std::string map_video{};
  bool rivals = false;
  emd::TrackOptions track{};
};

// Boxes of each target from the frame on where it starts; as many as there are targets, or none.
std::vector<std::vector<emd::TrackBox>> read_truths(const std::vector<std::string>& files,
                                                    int origin, std::size_t targets);

// One frame and the targets in it.
struct TrackFrame {
  io::Frame frame{};
  std::vector<emd::Track> tracks{};
  Image<std::uint8_t> map{};  // where one is drawn
};
// Of several targets each pixel shows the one it looks most like.
Image<std::uint8_t> draw_map(const emd::Tracker& tracker);

// Where boxes and videos of them go.
class TrackFiles {
 public:
  TrackFiles(const TrackRequest& request, double frame_rate);
  bool draws_maps() const { return map_video_.has_value(); }
  void add(TrackFrame& frame);  // which is drawn upon
  void finish();                // where there was a frame

 private:
  std::optional<io::FileSink> text_{};
  std::optional<io::VideoWriter> video_{}, map_video_{};
};

// One way to follow a target, measured.
struct TrackResult {
  std::string name;
  bool bar = false;  // one of those that ours is held against
  emd::TrackEvaluation errors{};
  double seconds = 0;  // a frame after the first, in the tracker alone: decoding, drawing and
                       // writing do not count. Of several targets followed together, their share
};

// The same targets followed by others: a box that stays, our search with Bhattacharyya's distance,
// and the trackers in the module of rivals. A list for each target.
std::vector<std::vector<TrackResult>> measure_track_rivals(
    const TrackRequest& request, const std::vector<emd::TrackBox>& starts,
    const std::vector<std::vector<emd::TrackBox>>& truths, Context& context);

// What came of a video.
struct TrackReport {
  int width = 0, height = 0;  // of frames
  std::int64_t frames = 0, lost = 0;
  std::size_t targets = 0;
  double seconds = 0;  // with decoding and writing
  bool stopped = false;
  std::string tracks_json{};                       // of every frame, parted by commas
  std::vector<TrackResult> own{};                  // a target each, where there is a truth
  std::vector<std::vector<TrackResult>> rivals{};  // of each target, where they were asked for
};
void add_tracks(TrackReport& report, const TrackFrame& frame, bool json);
void print_report(const TrackReport& report, const TrackRequest& request,
                  const emd::Tracker& tracker, Context& context);

}  // namespace fovea::cli
