#include "cli/people/report.h"

#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/parquet_writer.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/program/files.h"
#include "cli/program/output_paths.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

std::array<float, 4> numbers(const Rect<float>& box) {
  return {box.x, box.y, box.width, box.height};
}

// A temporary file without a name, which disappears when it is closed.
struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using NamelessFile = std::unique_ptr<std::FILE, Close>;

constexpr const char* kNameless = "temporary file";

NamelessFile nameless_file() {
  NamelessFile file(std::tmpfile());
  if (!file)
    throw WriteError(fmt::format("{}: cannot be made: {}", kNameless, std::strerror(errno)));
  return file;
}

}  // namespace

class PeopleFiles::Writer {
 public:
  virtual ~Writer() = default;
  virtual void add(const PeopleFrame& frame) = 0;
  virtual void commit(const std::string&) {}
};

// COCO has one list of all images, followed by one of all boxes, so boxes wait in a temporary file,
// one per line.
class PeopleFiles::Coco final : public Writer {
 public:
  explicit Coco(const std::string& path) : file_(path), json_(file_.sink()) {}

  void add(const PeopleFrame& frame) override {
    start();
    ++images_;
    std::string text;
    io::JsonWriter image(io::string_sink(text), io::JsonStyle::kCompact);
    image.begin_object().member("id", images_).member("file_name", frame.input);
    image.member("width", frame.width).member("height", frame.height);
    if (frame.frame >= 0) image.member("frame", frame.frame).member("time_seconds", frame.seconds);
    image.end_object().finish();
    json_.raw(text);
    for (const people::Detection& person : frame.people) {
      const Rect<float>& box = person.box;
      boxes_->begin_object().member("id", ++people_).member("image_id", images_);
      boxes_->member("category_id", 1);
      boxes_->key("bbox").values(std::span<const float>(numbers(box)));
      const std::array<float, 8> outline{box.x,       box.y,        box.right(), box.y,
                                         box.right(), box.bottom(), box.x,       box.bottom()};
      boxes_->key("segmentation").begin_array().values(std::span<const float>(outline)).end_array();
      boxes_->member("area", box.area()).member("iscrowd", 0).member("score", person.score);
      boxes_->end_object();
    }
  }

  void commit(const std::string& info) override {
    start();
    json_.end_array().key("annotations").begin_array();
    boxes_->finish();
    std::rewind(aside_.get());
    std::array<char, 1024> line{};  // a box takes less than half of this
    while (std::fgets(line.data(), static_cast<int>(line.size()), aside_.get()) != nullptr)
      json_.raw(std::string_view(line.data(), std::strlen(line.data()) - 1));
    if (std::ferror(aside_.get()) != 0)
      throw WriteError(fmt::format("{}: cannot be read again", kNameless));
    json_.end_array().key("categories").begin_array().begin_object();
    json_.member("id", 1).member("name", "person").end_object().end_array();
    json_.key("info").raw(info);
    json_.end_object().finish();
    file_.commit();
  }

 private:
  // Delayed until something is written, because the file may be the standard output.
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

class PeopleFiles::CocoResults final : public Writer {
 public:
  explicit CocoResults(const std::string& path) : file_(path), json_(file_.sink()) {}

  void add(const PeopleFrame& frame) override {
    start();
    ++images_;
    for (const people::Detection& person : frame.people) {
      json_.begin_object().member("image_id", images_).member("category_id", 1);
      json_.key("bbox").values(std::span<const float>(numbers(person.box)));
      json_.member("score", person.score).end_object();
    }
  }

  void commit(const std::string&) override {
    start();
    json_.end_array().finish();
    file_.commit();
  }

 private:
  void start() {
    if (!std::exchange(started_, true)) json_.begin_array();
  }

  io::FileSink file_;
  io::JsonWriter json_;
  bool started_ = false;
  std::int64_t images_ = 0;
};

class PeopleFiles::Csv final : public Writer {
 public:
  explicit Csv(const std::string& path) : file_(path) {}

  void add(const PeopleFrame& frame) override {
    start();
    for (const people::Detection& person : frame.people) {
      csv_->field(frame.input);
      if (frame.frame >= 0) csv_->field(frame.frame).field(frame.seconds);
      else csv_->empty().empty();
      for (const float number : numbers(person.box)) csv_->field(number);
      csv_->field(person.score).field(person.scale);
      csv_->end_row();
    }
  }

  void commit(const std::string&) override {
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

// Writes the columns of the CSV file and a label. An image has neither frame nor time.
class PeopleFiles::Parquet final : public Writer {
 public:
  explicit Parquet(const std::string& path) : file_(path) {}

  void add(const PeopleFrame& frame) override {
    start();
    for (const people::Detection& person : frame.people) {
      table_->field(frame.input);
      if (frame.frame >= 0) table_->field(frame.frame).field(frame.seconds);
      else table_->empty().empty();
      for (const float number : numbers(person.box)) table_->field(number);
      table_->field(static_cast<double>(person.score)).field(static_cast<double>(person.scale));
      table_->field("person").end_row();
    }
  }

  void commit(const std::string& info) override {
    start();
    table_->finish({{"fovea", info}});
    file_.commit();
  }

 private:
  void start() {
    using io::ParquetType;
    if (table_) return;
    table_.emplace(file_.sink(),
                   std::vector<io::ParquetColumn>{{"input", ParquetType::kText},
                                                  {"frame", ParquetType::kInt64, true},
                                                  {"time_seconds", ParquetType::kDouble, true},
                                                  {"x", ParquetType::kFloat},
                                                  {"y", ParquetType::kFloat},
                                                  {"width", ParquetType::kFloat},
                                                  {"height", ParquetType::kFloat},
                                                  {"score", ParquetType::kDouble},
                                                  {"scale", ParquetType::kDouble},
                                                  {"label", ParquetType::kText}});
  }

  io::FileSink file_;
  std::optional<io::ParquetWriter> table_;
};

// Writes one file per image, such as NAME.txt, and per frame of a video, such as NAME_000012.txt.
class PeopleFiles::Folder : public Writer {
 protected:
  explicit Folder(const std::string& folder) : folder_(folder) { make_folder(folder); }

  static std::string name_of(const PeopleFrame& frame) {
    std::string name = frame.input == "-"                ? "stdin"
                       : io::is_live_source(frame.input) ? live_stem(frame.input)
                                                         : fs::path(frame.input).stem().string();
    if (frame.frame >= 0) name += fmt::format("_{:06}", frame.frame);
    return name;
  }
  const fs::path& folder() const { return folder_; }

  void write(const PeopleFrame& frame, const char* extension, const std::string& text) {
    const std::string path = (folder_ / (name_of(frame) + extension)).string();
    if (frame.frame <= 0) {
      const auto [other, is_new] = written_.emplace(path, frame.input);
      if (!is_new && other->second != frame.input)
        throw InvalidArgument(
            fmt::format("{} and {} would both be written to {}; run them one at a time",
                        other->second, frame.input, path));
    }
    write_text(path, text);
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> written_;
};

// Writes lines "0 center-x center-y width height", relative to the size of the image.
class PeopleFiles::Yolo final : public Folder {
 public:
  explicit Yolo(const std::string& folder) : Folder(folder) {}

  void add(const PeopleFrame& frame) override {
    std::string text;
    for (const people::Detection& person : frame.people) {
      const Rect<float>& box = person.box;
      text += fmt::format("0 {:.6f} {:.6f} {:.6f} {:.6f}\n", (box.x + box.width / 2) / frame.width,
                          (box.y + box.height / 2) / frame.height, box.width / frame.width,
                          box.height / frame.height);
    }
    write(frame, ".txt", text);
  }
};

class PeopleFiles::Labelme final : public Folder {
 public:
  explicit Labelme(const std::string& folder) : Folder(folder) {}

  void add(const PeopleFrame& frame) override {
    std::string text;
    io::JsonWriter json(io::string_sink(text));
    json.begin_object().member("version", "5.0.0").key("flags").begin_object().end_object();
    json.key("shapes").begin_array();
    for (const people::Detection& person : frame.people) {
      const Rect<float>& box = person.box;
      json.begin_object().member("label", "person").key("points").begin_array();
      json.values(std::span<const float>(std::array<float, 2>{box.x, box.y}));
      json.values(std::span<const float>(std::array<float, 2>{box.right(), box.bottom()}));
      json.end_array().member("group_id", nullptr).member("shape_type", "rectangle");
      json.key("flags").begin_object().end_object().member("score", person.score).end_object();
    }
    json.end_array().member("imagePath", image_path(frame)).member("imageData", nullptr);
    json.member("imageHeight", frame.height).member("imageWidth", frame.width);
    json.end_object().finish();
    write(frame, ".json", text);
  }

 private:
  // labelme searches for the image relative to the folder of the JSON file. A frame of a video has
  // no file of its own; it is named as if it were beside the JSON file.
  std::string image_path(const PeopleFrame& frame) const {
    if (frame.frame >= 0 || frame.input == "-") return name_of(frame) + ".png";
    std::error_code error;
    const fs::path near = fs::proximate(frame.input, folder(), error);
    return error ? frame.input : near.string();
  }
};

void describe(OptionVisitor& visit, PeopleOutputs& outputs) {
  visit.path("coco", outputs.coco, TextUse::kOutput,
             "file for all boxes as COCO JSON, - for the standard output");
  visit.path("coco-results", outputs.coco_results, TextUse::kOutput,
             "file for all boxes as a COCO results array, as pycocotools' loadRes reads it");
  visit.path("csv", outputs.csv, TextUse::kOutput,
             "file for all boxes as CSV with one row per box, - for the standard output");
  visit.path("parquet", outputs.parquet, TextUse::kOutput,
             "file for all boxes as a Parquet table with one row per box, for pandas, Polars or "
             "DuckDB; - for the standard output");
  visit.path("yolo", outputs.yolo, TextUse::kFolder,
             "folder for YOLO labels, one text file per image or frame");
  visit.path("labelme", outputs.labelme, TextUse::kFolder,
             "folder for labelme annotations, one JSON file per image or frame");
}

PeopleFiles::PeopleFiles(const PeopleOutputs& outputs) {
  if (!outputs.coco.empty()) writers_.push_back(std::make_unique<Coco>(outputs.coco));
  if (!outputs.coco_results.empty())
    writers_.push_back(std::make_unique<CocoResults>(outputs.coco_results));
  if (!outputs.csv.empty()) writers_.push_back(std::make_unique<Csv>(outputs.csv));
  if (!outputs.parquet.empty()) writers_.push_back(std::make_unique<Parquet>(outputs.parquet));
  if (!outputs.yolo.empty()) writers_.push_back(std::make_unique<Yolo>(outputs.yolo));
  if (!outputs.labelme.empty()) writers_.push_back(std::make_unique<Labelme>(outputs.labelme));
}
PeopleFiles::~PeopleFiles() = default;

void PeopleFiles::add(const PeopleFrame& frame) {
  for (const auto& writer : writers_) writer->add(frame);
  ++count_;
}

void PeopleFiles::commit(const std::string& info) {
  for (const auto& writer : writers_) writer->commit(info);
}

std::string packed(const PeopleFrame& frame) {
  Packer out;
  out.text(frame.input).number(frame.width).number(frame.height).number(frame.frame);
  out.number(frame.seconds).number(static_cast<std::uint64_t>(frame.people.size()));
  for (const people::Detection& person : frame.people) {
    for (const float number : numbers(person.box)) out.number(number);
    for (const float number : numbers(person.window)) out.number(number);
    out.number(person.score).number(person.scale);
  }
  return out.bytes();
}

PeopleFrame unpacked_frame(Unpacker& in) {
  PeopleFrame frame;
  frame.input = in.text();
  frame.width = in.number<int>();
  frame.height = in.number<int>();
  frame.frame = in.number<std::int64_t>();
  frame.seconds = in.number<double>();
  const auto box = [&] {
    std::array<float, 4> sides{};
    for (float& side : sides) side = in.number<float>();
    return Rect<float>{sides[0], sides[1], sides[2], sides[3]};
  };
  for (auto left = in.number<std::uint64_t>(); left > 0; --left) {
    people::Detection person;
    person.box = box();
    person.window = box();
    person.score = in.number<float>();
    person.scale = in.number<float>();
    frame.people.push_back(person);
  }
  return frame;
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
