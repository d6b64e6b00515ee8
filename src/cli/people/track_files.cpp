#include "cli/people/track_files.h"

#include <fovea/people/mot.h>

#include <fmt/format.h>

#include "cli/people/people.h"

namespace fovea::cli {

PeopleTrackTable::PeopleTrackTable(const std::string& path) {
  if (path.empty()) return;
  file_.emplace(path);
}

std::string packed(FrameTime frame, std::span<const people::Track> tracks) {
  Packer out;
  out.number(frame.frame).number(frame.seconds);
  out.number(static_cast<std::uint64_t>(tracks.size()));
  for (const people::Track& track : tracks) {
    out.number(track.id).number(track.box.x).number(track.box.y);
    out.number(track.box.width).number(track.box.height);
    out.number(track.score).number(track.missed);
  }
  return out.bytes();
}

FrameTime unpacked_tracks(Unpacker& in, std::vector<people::Track>& tracks) {
  FrameTime frame;
  frame.frame = in.number<std::int64_t>();
  frame.seconds = in.number<double>();
  tracks.clear();
  for (auto left = in.number<std::uint64_t>(); left > 0; --left) {
    people::Track track;
    track.id = in.number<int>();
    for (float* side : {&track.box.x, &track.box.y, &track.box.width, &track.box.height})
      *side = in.number<float>();
    track.score = in.number<float>();
    track.missed = in.number<int>();
    tracks.push_back(track);
  }
  return frame;
}

void PeopleTrackTable::add(const std::string& input, FrameTime frame,
                           std::span<const people::Track> tracks) {
  ++frames_;
  if (!file_) return;
  if (!csv_)
    csv_.emplace(file_->sink(),
                 std::vector<std::string>{"input", "frame", "time_seconds", "id", "x", "y", "width",
                                          "height", "score", "missed"});
  for (const people::Track& track : tracks) {
    csv_->field(input).field(frame.frame).field(frame.seconds).field(track.id);
    csv_->field(track.box.x).field(track.box.y).field(track.box.width).field(track.box.height);
    csv_->field(track.score).field(track.missed).end_row();
  }
}

void PeopleTrackTable::commit() {
  if (file_ && frames_ > 0) file_->commit();
}

PeopleTrackFiles::PeopleTrackFiles(const std::string& mot, const std::string& video,
                                   double frame_rate, int trail)
    : painter_(trail) {
  if (!mot.empty()) mot_.emplace(mot);
  if (!video.empty()) video_.emplace(video, io::VideoWriteOptions{.frame_rate = frame_rate});
}

void PeopleTrackFiles::add(io::Frame& frame, std::span<const people::Track> tracks) {
  if (mot_) {
    for (const people::Track& track : tracks) {
      const Rect<float>& box = track.box;
      mot_->write(people::mot_line({.frame = frame.frame,
                                    .id = track.id,
                                    .box = {box.x, box.y, box.width, box.height},
                                    .score = track.score}));
    }
  }
  if (!video_) return;
  frame.image = in_color(std::move(frame.image));
  painter_.draw(frame.image, tracks);
  video_->write(frame.image.view());
}

void PeopleTrackFiles::finish() {
  if (mot_) mot_->commit();
  if (video_) video_->finish();
}

std::string tracks_json(std::span<const people::Track> tracks) {
  std::string json = "[";
  for (const people::Track& track : tracks)
    json +=
        fmt::format("{}{{\"id\": {}, \"box\": [{}, {}, {}, {}], \"score\": {}, \"missed\": {}}}",
                    json.size() > 1 ? ", " : "", track.id, track.box.x, track.box.y,
                    track.box.width, track.box.height, track.score, track.missed);
  return json + "]";
}

}  // namespace fovea::cli
