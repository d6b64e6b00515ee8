#include "operations/people/people_files.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "operations/files.h"

namespace fovea::operations {
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

// What is found, for tables of several classes.
struct Label {
  std::string label = "person";
};
void describe(FieldVisitor& visit, Label& label) { visit("label", label.label, "the class"); }
const Label kLabel;

// COCO has one list of all images, followed by one of all boxes, so boxes wait in a temporary file,
// one per line.
class Coco final : public PeopleFile {
 public:
  explicit Coco(const std::string& path) : file_(path), json_(file_.sink()) {}

  void add(const PeopleFrame& frame) override {
    start();
    ++images_;
    std::string text;
    io::JsonWriter image(io::string_sink(text), io::JsonStyle::kCompact);
    image.begin_object().member("id", images_).member("file_name", frame.place.input);
    image.member("width", frame.size.width).member("height", frame.size.height);
    if (frame.place.moment) io::write_fields(image, record_ref(*frame.place.moment));
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

class CocoResults final : public PeopleFile {
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

// The rows of a CSV or Parquet file. Parquet files also have a label.
class Table final : public PeopleFile {
 public:
  Table(const std::string& path, io::TableFormat format)
      : file_(path), labeled_(format == io::TableFormat::kParquet) {
    const people::Detection like;
    table_.emplace(file_.sink(), format, row_of({}, like));
  }

  void add(const PeopleFrame& frame) override {
    for (const people::Detection& person : frame.people) table_->row(row_of(frame.place, person));
  }

  void commit(const std::string& info) override {
    table_->finish(info);
    file_.commit();
  }

 private:
  std::vector<RecordRef> row_of(const io::Place& place, const people::Detection& person) {
    std::vector<RecordRef> row{record_ref(place), record_ref(person)};
    if (labeled_) row.push_back(record_ref(kLabel));
    return row;
  }

  io::FileSink file_;
  bool labeled_;
  std::optional<io::RecordTable> table_{};
};

// Writes one file per image, such as NAME.txt, and per frame of a video, such as NAME_000012.txt.
class Folder : public PeopleFile {
 protected:
  explicit Folder(const std::string& folder) : folder_(folder) { make_folder(folder); }

  static std::string name_of(const PeopleFrame& frame) {
    const std::string& input = frame.place.input;
    std::string name = input == "-"                ? "stdin"
                       : io::is_live_source(input) ? live_stem(input)
                                                   : fs::path(input).stem().string();
    if (frame.place.moment) name += fmt::format("_{:06}", frame.place.moment->frame);
    return name;
  }
  const fs::path& folder() const { return folder_; }

  void write(const PeopleFrame& frame, const char* extension, const std::string& text) {
    const std::string path = (folder_ / (name_of(frame) + extension)).string();
    const std::string& input = frame.place.input;
    if (!frame.place.moment || frame.place.moment->frame == 0) {
      const auto [other, is_new] = written_.emplace(path, input);
      if (!is_new && other->second != input)
        throw InvalidArgument(
            fmt::format("{} and {} would both be written to {}; run them one at a time",
                        other->second, input, path));
    }
    write_text(path, text);
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> written_;
};

// Writes lines "0 center-x center-y width height", relative to the size of the image.
class Yolo final : public Folder {
 public:
  explicit Yolo(const std::string& folder) : Folder(folder) {}

  void add(const PeopleFrame& frame) override {
    std::string text;
    const int width = frame.size.width, height = frame.size.height;
    for (const people::Detection& person : frame.people) {
      const Rect<float>& box = person.box;
      text +=
          fmt::format("0 {:.6f} {:.6f} {:.6f} {:.6f}\n", (box.x + box.width / 2) / width,
                      (box.y + box.height / 2) / height, box.width / width, box.height / height);
    }
    write(frame, ".txt", text);
  }
};

class Labelme final : public Folder {
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
    json.member("imageHeight", frame.size.height).member("imageWidth", frame.size.width);
    json.end_object().finish();
    write(frame, ".json", text);
  }

 private:
  // labelme searches for the image relative to the folder of the JSON file. A frame of a video has
  // no file of its own; it is named as if it were beside the JSON file.
  std::string image_path(const PeopleFrame& frame) const {
    const std::string& input = frame.place.input;
    if (frame.place.moment || input == "-") return name_of(frame) + ".png";
    std::error_code error;
    const fs::path near = fs::proximate(input, folder(), error);
    return error ? input : near.string();
  }
};

}  // namespace

void PeopleFile::commit(const std::string&) {}

std::unique_ptr<PeopleFile> people_file(PeopleFormat format, const std::string& path) {
  switch (format) {
    case PeopleFormat::kCoco: return std::make_unique<Coco>(path);
    case PeopleFormat::kCocoResults: return std::make_unique<CocoResults>(path);
    case PeopleFormat::kCsv: return std::make_unique<Table>(path, io::TableFormat::kCsv);
    case PeopleFormat::kParquet: return std::make_unique<Table>(path, io::TableFormat::kParquet);
    case PeopleFormat::kYolo: return std::make_unique<Yolo>(path);
    case PeopleFormat::kLabelme: return std::make_unique<Labelme>(path);
  }
  return nullptr;
}

}  // namespace fovea::operations
