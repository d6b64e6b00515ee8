#include "cli/people/report.h"

#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace fovea::cli {
namespace {

std::array<float, 4> corners(const people::Box& box) {
  return {box.x, box.y, box.width, box.height};
}

// A file without a name, gone when closed.
struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using NamelessFile = std::unique_ptr<std::FILE, Close>;

constexpr const char* kNameless = "temporary file";

NamelessFile nameless_file() {
  NamelessFile file(std::tmpfile());
  if (!file)
    throw WriteError(fmt::format("{}: cannot make one: {}", kNameless, std::strerror(errno)));
  return file;
}

}  // namespace

// COCO has all images in one list and all boxes in another behind it: boxes wait in a file of their
// own, one a line.
class PeopleFiles::Coco {
 public:
  explicit Coco(const std::string& path) : file_(path), json_(file_.sink()) {}

  void add(const PeopleFrame& frame) {
    start();
    ++images_;
    std::string text;
    io::JsonWriter image(io::string_sink(text), io::JsonStyle::kCompact);
    image.begin_object().member("id", images_).member("file_name", frame.input);
    image.member("width", frame.width).member("height", frame.height);
    if (frame.frame >= 0)
      image.member("frame", frame.frame).member("time_seconds", frame.time_seconds);
    image.end_object().finish();
    json_.raw(text);
    for (const people::Detection& person : frame.people) {
      boxes_->begin_object().member("id", ++people_).member("image_id", images_);
      boxes_->member("category_id", 1);
      boxes_->key("bbox").values(std::span<const float>(corners(person.box)));
      boxes_->member("area", person.box.area()).member("iscrowd", 0).member("score", person.score);
      boxes_->end_object();
    }
  }

  void commit(const std::string& info) {
    start();
    json_.end_array().key("annotations").begin_array();
    boxes_->finish();
    std::rewind(aside_.get());
    std::array<char, 1024> line{};  // a box takes less than half of it
    while (std::fgets(line.data(), static_cast<int>(line.size()), aside_.get()) != nullptr)
      json_.raw(std::string_view(line.data(), std::strlen(line.data()) - 1));
    if (std::ferror(aside_.get()) != 0)
      throw WriteError(fmt::format("{}: cannot read it again", kNameless));
    json_.end_array().key("categories").begin_array().begin_object();
    json_.member("id", 1).member("name", "person").end_object().end_array();
    json_.key("info").raw(info);
    json_.end_object().finish();
    file_.commit();
  }

 private:
  // With the first that is written: the file may be the standard output.
  void start() {
    if (boxes_) return;
    aside_ = nameless_file();
    boxes_.emplace(io::stream_sink(aside_.get(), kNameless), io::JsonStyle::kLines);
    json_.begin_object().key("images").begin_array();
  }

  io::FileSink file_;
  io::JsonWriter json_;
  NamelessFile aside_;
  std::optional<io::JsonWriter> boxes_;
  std::int64_t images_ = 0, people_ = 0;
};

class PeopleFiles::Csv {
 public:
  explicit Csv(const std::string& path) : file_(path) {}

  void add(const PeopleFrame& frame) {
    start();
    for (const people::Detection& person : frame.people) {
      csv_->field(frame.input);
      if (frame.frame >= 0) csv_->field(frame.frame).field(frame.time_seconds);
      else csv_->empty().empty();
      for (const float corner : corners(person.box)) csv_->field(corner);
      csv_->field(person.score).field(person.scale);
      csv_->end_row();
    }
  }

  void commit() {
    start();
    file_.commit();
  }

 private:
  void start() {
    if (!csv_)
      csv_.emplace(file_.sink(),
                   std::vector<std::string>{"input", "frame", "time_seconds", "x", "y", "width",
                                            "height", "score", "scale"});
  }

  io::FileSink file_;
  std::optional<io::CsvWriter> csv_;
};

PeopleFiles::PeopleFiles(const std::string& coco, const std::string& csv) {
  if (!coco.empty()) coco_ = std::make_unique<Coco>(coco);
  if (!csv.empty()) csv_ = std::make_unique<Csv>(csv);
}
PeopleFiles::~PeopleFiles() = default;

void PeopleFiles::add(const PeopleFrame& frame) {
  if (coco_) coco_->add(frame);
  if (csv_) csv_->add(frame);
}

void PeopleFiles::commit(const std::string& info) {
  if (coco_) coco_->commit(info);
  if (csv_) csv_->commit();
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
