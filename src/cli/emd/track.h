// What the files of fovea emd track share: the request, the files that tracks go to, the report,
// and the rivals that tracks are compared with.
#pragma once
#include <fovea/emd/track_result.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/emd/track_frames.h"
#include "cli/program/command.h"
#include "cli/program/explain.h"
#include "cli/program/image_input.h"

namespace fovea::cli {

struct TrackRequest {
  std::vector<std::string> targets{};
  int frame = 0;
  std::vector<std::string> truths{};
  std::optional<int> truth_origin{};
  std::string bands{};     // as parse_band_choice() reads them; empty: all bands, or colors
  std::string header{};    // of raw cubes
  std::string variable{};  // of .mat files
  std::string output{};
  std::string video{};
  std::string map_video{};
  std::string evaluation{};
  bool rivals = false;
  emd::TrackOptions track{};
  ExplainNumbers explain{};  // frame, or frame and id
  std::string explain_picture{};

  int explained_frame() const { return explain.empty() ? -1 : static_cast<int>(explain[0]); }
  int explained_id() const { return explain.size() < 2 ? 1 : static_cast<int>(explain[1]); }
};

// The true boxes of each target, beginning with the frame where it starts: one list per target, or
// no list at all.
std::vector<std::vector<Rect<double>>> read_truths(const std::vector<std::string>& files,
                                                   std::optional<int> origin, std::size_t targets);

// How the video is read: from the frame where the targets are shown.
io::VideoReadOptions track_options(const TrackRequest& request, const Context& context);

// One frame and the targets in it. Of bands, the frame's image is a picture to draw on, made where
// one is wanted.
struct TrackFrame {
  StoredTrackFrame stored{};
  io::Frame frame{};
  emd::BandFrame bands{};
  std::vector<emd::Track> tracks{};
  Image<std::uint8_t> map{};  // empty where no map is drawn
};
// Draws the likelihood of each pixel; with several targets, that of the likeliest one.
Image<std::uint8_t> draw_map(const emd::Tracker& tracker);

// Writes boxes and videos that show them.
class TrackFiles {
 public:
  TrackFiles(const TrackRequest& request, double frame_rate);
  bool draws_frames() const { return video_.has_value(); }
  bool draws_maps() const { return map_video_.has_value(); }
  void add(TrackFrame& tracked);  // draws on the frame
  void finish();                  // after at least one frame

 private:
  std::optional<io::FileSink> text_{};
  std::optional<io::VideoWriter> video_{}, map_video_{};
};

// How accurately and how fast one tracker follows a target.
struct TrackResult {
  std::string name;
  bool bar = false;  // whether it is one of the plain trackers that ours must beat
  emd::TrackReport errors{};
  double seconds = 0;  // per frame after the first, in the tracker alone: decoding, drawing and
                       // writing do not count. Targets that are followed together share it equally
};

// Tracks the same targets with others: a box that does not move, our search with the Bhattacharyya
// distance, and the trackers in the module of rivals. Returns one list per target.
std::vector<std::vector<TrackResult>> measure_track_rivals(
    const TrackRequest& request, const std::vector<Rect<double>>& starts,
    const std::vector<std::vector<Rect<double>>>& truths, Context& context);

struct TrackReport {
  int width = 0, height = 0;          // size of the frames
  int bands = 0;                      // 0 where frames have colors of 8 bits
  std::int64_t dropped = 0;           // frames of a live source
  std::int64_t frames = 0, lost = 0;  // lost: frames times targets that are lost in them
  std::size_t targets = 0;
  double seconds = 0;                              // includes decoding and writing
  bool interrupted = false;                        // the run ended before the video did
  std::vector<emd::FramedTrack> tracks{};          // of every frame, where they are printed
  std::vector<TrackResult> own{};                  // one per target, where true boxes are given
  std::vector<std::vector<TrackResult>> rivals{};  // one list per target, with --rivals
};
// What fovea view shows of targets whose true boxes are known: the share of the frames above each
// overlap, and the frames with the least.
report::Evaluation track_evaluation(const TrackRequest& request, const FrameFiles& files,
                                    const std::vector<std::vector<Rect<double>>>& boxes,
                                    const std::vector<std::vector<Rect<double>>>& truths);
void add_tracks(TrackReport& report, const TrackFrame& tracked, bool json);
void print_report(TrackReport& report, const TrackRequest& request, const emd::Tracker& tracker,
                  Context& context);

}  // namespace fovea::cli
