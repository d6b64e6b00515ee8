#include "cli/people_report.h"

#include <fovea/csv_writer.h>
#include <fovea/json_writer.h>

#include <fmt/format.h>

#include <array>

namespace fovea::cli {
namespace {

std::optional<io::FileSink> sink_of(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional<io::FileSink>(std::in_place, path);
}

std::array<float, 4> corners(const people::Box& box) {
  return {box.x, box.y, box.width, box.height};
}

void write_images(io::JsonWriter& json, const std::vector<PeopleFrame>& frames) {
  json.key("images").begin_array();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    json.begin_object().member("id", i + 1).member("file_name", frames[i].input);
    json.member("width", frames[i].width).member("height", frames[i].height);
    if (frames[i].frame >= 0)
      json.member("frame", frames[i].frame).member("time_seconds", frames[i].time_seconds);
    json.end_object();
  }
  json.end_array();
}

void write_annotations(io::JsonWriter& json, const std::vector<PeopleFrame>& frames) {
  json.key("annotations").begin_array();
  std::size_t id = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (const people::Detection& person : frames[i].people) {
      json.begin_object().member("id", ++id).member("image_id", i + 1).member("category_id", 1);
      json.key("bbox").values(std::span<const float>(corners(person.box)));
      json.member("area", person.box.area()).member("iscrowd", 0).member("score", person.score);
      json.end_object();
    }
  }
  json.end_array();
}

void write_coco(io::FileSink& file, const std::vector<PeopleFrame>& frames,
                const std::string& info) {
  io::JsonWriter json(file.sink());
  json.begin_object().key("info").raw(info);
  write_images(json, frames);
  write_annotations(json, frames);
  json.key("categories").begin_array().begin_object();
  json.member("id", 1).member("name", "person").end_object().end_array();
  json.end_object().finish();
}

void write_csv(io::FileSink& file, const std::vector<PeopleFrame>& frames) {
  io::CsvWriter csv(file.sink(), {"input", "frame", "time_seconds", "x", "y", "width", "height",
                                  "score", "scale"});
  for (const PeopleFrame& frame : frames) {
    for (const people::Detection& person : frame.people) {
      csv.field(frame.input);
      if (frame.frame >= 0) csv.field(frame.frame).field(frame.time_seconds);
      else csv.empty().empty();
      for (const float corner : corners(person.box)) csv.field(corner);
      csv.field(person.score).field(person.scale);
      csv.end_row();
    }
  }
}

}  // namespace

PeopleFiles::PeopleFiles(const std::string& coco, const std::string& csv)
    : coco_(sink_of(coco)), csv_(sink_of(csv)) {}

void PeopleFiles::add(const PeopleFrame& frame) {
  if (coco_ || csv_) frames_.push_back(frame);
}

void PeopleFiles::commit(const std::string& info) {
  if (coco_) {
    write_coco(*coco_, frames_, info);
    coco_->commit();
  }
  if (csv_) {
    write_csv(*csv_, frames_);
    csv_->commit();
  }
}

std::string people_json(const std::vector<people::Detection>& people) {
  std::string json = "[";
  for (const people::Detection& person : people)
    json += fmt::format("{}{{\"box\": [{}, {}, {}, {}], \"score\": {}, \"scale\": {}}}",
                        json.size() > 1 ? ", " : "", person.box.x, person.box.y, person.box.width,
                        person.box.height, person.score, person.scale);
  return json + "]";
}

}  // namespace fovea::cli
