#include "view/inputs.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/people/measure.h>

#include <fmt/format.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/json_text.h"
#include "core/words.h"
#include "view/guard.h"
#include "view/mesh_picture.h"

namespace fovea::view {
namespace {

constexpr std::size_t kBytesKept = std::size_t{512} << 20;  // of frames
constexpr std::size_t kMostInputs = 20000;
constexpr std::size_t kMostName = 120;                           // bytes of an upload's name
constexpr std::uint64_t kMostUploaded = std::uint64_t{4} << 30;  // bytes of all uploads together

std::optional<InputKind> kind_of(const std::string& path) {
  if (io::has_extension(path, io::image_files())) return InputKind::kImage;
  if (io::has_extension(path, io::video_files())) return InputKind::kVideo;
  if (io::has_extension(path, io::mesh_files())) return InputKind::kMesh;
  return {};
}

io::InputKind everything() {
  io::InputKind all = io::image_and_video_files();
  all.name = "image, video or mesh";
  for (const std::string& extension : io::mesh_files().extensions)
    all.extensions.push_back(extension);
  all.live = true;
  return all;
}

// The last part of a name, without what a file system or a shell would read differently.
std::string plain_name(const std::string& name) {
  std::string plain = std::filesystem::path(name).filename().string();
  for (char& letter : plain)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == '/' || letter == '\\') letter = '_';
  while (plain.starts_with('.') || plain.starts_with('-')) plain.erase(0, 1);
  if (plain.size() <= kMostName) return plain;
  const std::string end = std::filesystem::path(plain).extension().string();  // decides the kind
  return end.size() < kMostName ? plain.substr(0, kMostName - end.size()) + end
                                : plain.substr(0, kMostName);
}

}  // namespace

const char* to_string(InputKind kind) {
  if (kind == InputKind::kMesh) return "mesh";
  if (kind == InputKind::kLive) return "live";
  return kind == InputKind::kVideo ? "video" : "image";
}

struct Input::Film {
  io::VideoReader reader;
  int next = 0;  // number of the frame that comes next
};

Input::Input(std::string id, std::string path, std::string name, InputKind kind, KeptFrames& kept)
    : id_(std::move(id)),
      path_(std::move(path)),
      name_(std::move(name)),
      kind_(kind),
      kept_(kept) {}

std::string Input::frame_key(int number) const { return fmt::format("{}/{}", id_, number); }

io::AnyImage Input::image() const {
  return io::read_image(path_, {.orientation = io::Orientation::kApply});
}

std::shared_ptr<const io::TriangleMesh> Input::mesh() {
  if (kind_ != InputKind::kMesh) throw InvalidArgument(fmt::format("{} is no mesh", name_));
  const std::lock_guard lock(mutex_);
  return read_mesh();
}

std::shared_ptr<const io::TriangleMesh> Input::read_mesh() {
  if (!mesh_) mesh_ = std::make_shared<io::TriangleMesh>(io::read_mesh(path_));
  return mesh_;
}

std::shared_ptr<const Picture> Input::frame(int number) {
  const std::lock_guard lock(mutex_);
  if (auto known = kept_.find(frame_key(number))) return *known;
  std::shared_ptr<const Picture> picture = read_frame(number);
  kept_.keep(frame_key(number), picture, picture->bytes());
  return picture;
}

std::shared_ptr<const Picture> Input::read_frame(int number) {
  if (kind_ == InputKind::kLive)
    throw InvalidArgument(fmt::format("{} is live, and its frames are not kept", name_));
  if (kind_ != InputKind::kVideo && number != 0)
    throw InvalidArgument(fmt::format("{} has only one frame", name_));
  if (kind_ == InputKind::kMesh) return std::make_shared<Picture>(mesh_picture(*read_mesh(), {}));
  if (kind_ == InputKind::kImage)
    return std::make_shared<Picture>(people::detector_pixels(image()));
  if (!film_ || film_->next > number)  // a reader goes forward only
    film_ = std::make_shared<Film>(Film{
        io::VideoReader(path_, {.start = number, .orientation = io::Orientation::kApply}), number});
  io::Frame frame;
  for (; film_->next <= number; ++film_->next)
    if (!film_->reader.next(frame)) {
      film_.reset();
      throw InvalidArgument(fmt::format("{} ends before frame {}", name_, number));
    }
  return std::make_shared<Picture>(std::move(frame.image));
}

std::string Input::thumbnail(int side) {
  if (kind_ == InputKind::kVideo) {
    const std::shared_ptr<const Picture> first = frame(0);
    const std::lock_guard lock(mutex_);
    if (film_ && film_->next <= 1) film_.reset();  // many are seen small, and few are played
    return first->thumbnail(side);
  }
  if (kind_ == InputKind::kImage) {  // is not kept: many are seen small, and few large
    if (const auto known = kept_.find(frame_key(0))) return (*known)->thumbnail(side);
    return Picture(people::detector_pixels(image())).thumbnail(side);
  }
  const std::shared_ptr<const Picture> sides = frame(0);  // the first of four is enough
  const ImageView<const std::uint8_t> all = sides->pixels();
  Image<std::uint8_t> one(all.width / 4, all.height, all.channels);
  copy(all.crop(0, 0, one.width(), one.height()), one.view());
  return Picture(std::move(one)).thumbnail(side);
}

std::string Input::facts_json() {
  std::string facts =
      fmt::format("{{\"id\": {}, \"name\": {}, \"kind\": \"{}\"", detail::json_quote(id_),
                  detail::json_quote(name_), to_string(kind_));
  if (kind_ == InputKind::kLive) return facts + "}";
  const std::shared_ptr<const Picture> first = frame(0);
  facts += fmt::format(", \"width\": {}, \"height\": {}, \"levels\": {}", first->width(),
                       first->height(), first->levels());
  if (kind_ == InputKind::kVideo) {
    const io::VideoReader reader(path_);
    facts += fmt::format(", \"frames\": {}, \"rate\": {}", reader.info().frame_count,
                         detail::json_number(reader.info().rate.value()));
  }
  return facts + "}";
}

Inputs::Inputs() : kept_(kBytesKept), prefix_(random_token().substr(0, 8)) {
  std::string name = (std::filesystem::temp_directory_path() / "fovea-view-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)  // only this user may enter it
    throw WriteError(fmt::format("{}: no temporary folder for uploads can be made", name));
  folder_ = name;
}

Inputs::~Inputs() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Inputs::add(const std::string& path, const std::string& name, InputKind kind) {
  const std::lock_guard lock(mutex_);
  if (inputs_.size() >= kMostInputs)
    throw InvalidArgument(
        fmt::format("there are {} inputs already, which is the most; start "
                    "another fovea view",
                    kMostInputs));
  std::string id = fmt::format("{}-{}", prefix_, inputs_.size());
  index_[id] = inputs_.size();
  inputs_.push_back(std::make_shared<Input>(id, path, name, kind, kept_));
  return id;
}

void Inputs::add_paths(const std::vector<std::string>& words) {
  if (words.empty()) return;
  for (const std::string& path : io::expand_inputs(words, everything())) {
    const std::optional<InputKind> kind =
        io::is_live_source(path) ? InputKind::kLive : kind_of(path);
    if (!kind)
      throw InvalidArgument(fmt::format(
          "{}: the view shows images, videos and meshes, by the ends of their names, and cameras "
          "and streams; expected one such as .jpg, .png, .mp4 or .off, or camera:0",
          detail::shown(path)));
    if (*kind != InputKind::kLive && !std::filesystem::exists(path))
      throw IoError(fmt::format("{}: there is no such file", detail::shown(path)));
    add(path, io::source_name(path), *kind);
  }
}

std::string Inputs::add_upload(const std::string& name, const std::string& bytes) {
  const std::string plain = plain_name(name);
  const std::optional<InputKind> kind = kind_of(plain);
  if (!kind)
    throw InvalidArgument(
        fmt::format("'{}' is no image, video or mesh by the end of its name; "
                    "expected one such as .jpg, .png, .mp4 or .off",
                    detail::shown(name)));
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    if (uploaded_bytes_ + bytes.size() > kMostUploaded)
      throw InvalidArgument(
          "4 GiB have been uploaded, which is the most; name files on the "
          "command line instead");
    uploaded_bytes_ += bytes.size();
    path = fmt::format("{}/{}", folder_, uploads_++);
  }
  try {
    return keep_upload(path, plain, *kind, bytes);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    const std::lock_guard lock(mutex_);
    uploaded_bytes_ -= bytes.size();
    if (dynamic_cast<const Error*>(&error) == nullptr) throw;
    // The user knows the file by its name, and not by the folder in which it is kept.
    std::string message = error.what();
    for (std::size_t at; (at = message.find(path + "/")) != message.npos;)
      message.erase(at, path.size() + 1);
    throw FormatError(message);
  }
}

std::string Inputs::keep_upload(const std::string& folder, const std::string& plain, InputKind kind,
                                const std::string& bytes) {
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/" + plain;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw WriteError(fmt::format("'{}' cannot be kept in {}", plain, folder_));
  Input(path, path, plain, kind, kept_).thumbnail(16);  // what cannot be read is not listed
  return add(path, plain, kind);
}

std::shared_ptr<Input> Inputs::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : inputs_[found->second];
}

std::string Inputs::list_json() const {
  const std::lock_guard lock(mutex_);
  std::string json = "[";
  for (const std::shared_ptr<Input>& input : inputs_)
    json += fmt::format("{}{{\"id\": \"{}\", \"name\": {}, \"kind\": \"{}\"}}",
                        json.size() > 1 ? ", " : "", input->id(), detail::json_quote(input->name()),
                        to_string(input->kind()));
  return json + "]";
}

}  // namespace fovea::view
