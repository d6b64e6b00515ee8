#include "cli/people/track_files.h"

#include <fovea/people/mot.h>

#include "cli/people/people.h"

namespace fovea::cli {

namespace {

std::vector<RecordRef> row_of(const io::Place& place, const people::Track& track) {
  return {record_ref(place), record_ref(track)};
}

}  // namespace

void describe(FieldVisitor& visit, TrackedFrame& frame) {
  visit("place", frame.place, "where it comes from");
  describe(visit, frame.found);
}

PeopleTrackTable::PeopleTrackTable(const std::string& path) {
  if (path.empty()) return;
  file_.emplace(path);
  table_.emplace(file_->sink(), io::TableFormat::kCsv, row_of({}, {}));
}

void PeopleTrackTable::add(const TrackedFrame& frame) {
  ++frames_;
  if (!table_) return;
  for (const people::Track& track : frame.found.people) table_->row(row_of(frame.place, track));
}

void PeopleTrackTable::commit() {
  if (!file_ || frames_ == 0) return;
  table_->finish();
  file_->commit();
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

}  // namespace fovea::cli
