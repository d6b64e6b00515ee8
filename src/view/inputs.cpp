#include "view/inputs.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/mesh/show.h>
#include <fovea/people/measure.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/words.h"
#include "view/access/guard.h"
#include "view/cube.h"
#include "view/number.h"
#include "view/records.h"

namespace fovea::view {
namespace {

constexpr std::size_t kPictureBytes = std::size_t{40} << 20;
constexpr std::size_t kFrameBytes = std::size_t{64} << 20;  // of videos
constexpr int kFramesBefore = 8;  // of a frame, which are kept with it for those who step back
constexpr std::size_t kMeshBytes = std::size_t{256} << 20;
constexpr std::size_t kOpenFilms = 4;
constexpr std::size_t kMostInputs = 20000;
constexpr std::size_t kMostName = 120;                           // bytes of an upload's name
constexpr std::uint64_t kMostUploaded = std::uint64_t{4} << 30;  // bytes of all uploads together

constexpr const char* kExpected = "expected one such as .jpg, .png, .mp4, .off, .hdr or .mat";

// What a name alone says; see is_cube() for files that are cubes all the same.
std::optional<InputKind> kind_by_name(const std::string& path) {
  if (io::has_extension(path, cube_files())) return InputKind::kCube;
  if (io::has_extension(path, io::image_files())) return InputKind::kImage;
  if (io::has_extension(path, io::video_files())) return InputKind::kVideo;
  if (io::has_extension(path, io::mesh_files())) return InputKind::kMesh;
  return {};
}

io::InputKind everything() {
  io::InputKind all = io::image_and_video_files();
  all.name = "image, video, mesh or cube";
  for (const io::InputKind& more : {io::mesh_files(), cube_files()})
    all.extensions.insert(all.extensions.end(), more.extensions.begin(), more.extensions.end());
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

// How many frames a video has; -1 where it does not say. Matroska and WebM state their length only,
// which at a constant rate is as good.
std::int64_t count_of_frames(const io::VideoInfo& info) {
  if (info.frame_count >= 0 || info.seconds <= 0) return info.frame_count;
  const double frames = info.seconds * info.rate.value();
  return frames < std::numeric_limits<int>::max() ? std::llround(frames) : -1;
}

// A picture of a mesh, for its thumbnail.
Image<std::uint8_t> mesh_picture(const io::TriangleMesh& mesh) {
  const std::vector<report::Color> gray(mesh.faces.size(), report::Color{176, 182, 190});
  return mesh::render(mesh, gray,
                      {.size = {420, 420}, .exec = {.device = Device::cpu(), .threads = 1}});
}

// "walk_", 12 and ".png" of "walk_012.png".
struct NumberedName {
  std::string before{};
  std::int64_t number = 0;
  std::string behind{};
};
// Nothing where a name has no number.
std::optional<NumberedName> numbered_name(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string stem = whole.stem().string();
  const std::size_t last = stem.find_last_of("0123456789");
  if (last == stem.npos) return {};
  const std::size_t before = stem.find_last_not_of("0123456789", last);
  const std::size_t first = before == stem.npos ? 0 : before + 1;
  const auto number = number_of<std::int64_t>(stem.substr(first, last + 1 - first));
  if (!number) return {};
  return NumberedName{stem.substr(0, first), *number,
                      stem.substr(last + 1) + whole.extension().string()};
}

// What is known of an input without reading it.
InputFacts facts_of(const Input& input) {
  InputFacts facts{.id = input.id(), .name = input.name(), .kind = input.kind()};
  for (const std::shared_ptr<Input>& picture : input.pictures())
    facts.pictures.push_back(picture->id());
  return facts;
}

// A path by which one file is always known.
std::string known_path(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
  return (ignored ? std::filesystem::path(path) : whole).lexically_normal().string();
}

}  // namespace

std::span<const Choice> choices(InputKind) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"image", 0}, {"video", 1}, {"mesh", 2}, {"cube", 3}, {"live", 4}}};
  return kChoices;
}

const char* to_string(InputKind kind) { return choices(kind)[static_cast<std::size_t>(kind)].word; }

void describe(FieldVisitor& visit, InputFacts& facts) {
  visit("id", facts.id, "in addresses");
  visit("name", facts.name, "for people");
  visit("kind", facts.kind, "what it is");
  visit("width", facts.width, "pixels");
  visit("height", facts.height, "pixels");
  visit("levels", facts.levels, "sizes in which there are tiles");
  visit("frames", facts.frames, "of a video; -1 where it does not say");
  visit("rate", facts.rate, "frames per second of a video");
  visit("pictures", facts.pictures, "ids of the frames of a film", {.sparse = true});
}

std::vector<std::string> input_extensions() { return everything().extensions; }

bool is_input_name(const std::string& path) { return kind_by_name(path).has_value(); }

bool ends_in(std::string_view path, std::vector<std::string> extensions) {
  return io::has_extension(path, {.name = {}, .extensions = std::move(extensions)});
}

std::vector<std::string> flow_extensions() { return {"flo", "png", "pfm", "npy", "tif", "tiff"}; }

std::vector<std::string> files_in(const std::string& folder,
                                  const std::vector<std::string>& extensions) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error))
    if (ends_in(each->path().string(), extensions)) paths.push_back(each->path().string());
  if (error)
    throw IoError(fmt::format("{}: cannot be read: {}", detail::shown(folder), error.message()));
  std::ranges::sort(paths);
  return paths;
}

struct Film {
  io::VideoReader reader;
  int next = 0;  // number of the frame that comes next
};

KeptInputs::KeptInputs()
    : pictures(kPictureBytes), frames(kFrameBytes), meshes(kMeshBytes), films(kOpenFilms) {}

std::size_t bytes_of(const io::TriangleMesh& mesh) {
  return mesh.vertices.size() * sizeof(mesh.vertices[0]) +
         mesh.faces.size() * sizeof(mesh.faces[0]) +
         mesh.polygons.size() * sizeof(mesh.polygons[0]);
}

bool are_frames(const std::vector<std::string>& paths) {
  constexpr std::size_t kLeastFrames = 3;
  if (paths.size() < kLeastFrames) return false;
  std::optional<NumberedName> first;
  std::int64_t last = -1;
  for (const std::string& path : paths) {
    const std::optional<NumberedName> name = numbered_name(path);
    if (!name || name->number <= last) return false;
    last = name->number;
    if (!first) first = name;
    if (name->before != first->before || name->behind != first->behind) return false;
  }
  try {
    const io::ImageInfo begin = io::image_info(paths.front()), end = io::image_info(paths.back());
    return begin.width == end.width && begin.height == end.height && !is_cube(paths.front());
  } catch (const Error&) {
    return false;
  }
}

Input::Input(std::string id, std::string path, std::string name, InputKind kind, KeptInputs& kept,
             const InputLimits& limits, std::vector<std::shared_ptr<Input>> pictures)
    : id_(std::move(id)),
      path_(std::move(path)),
      name_(std::move(name)),
      kind_(kind),
      kept_(kept),
      limits_(limits),
      pictures_(std::move(pictures)) {}

std::string Input::frame_key(int number) const { return fmt::format("{}/{}", id_, number); }

io::AnyImage Input::image() const {
  return io::read_image(path_,
                        {.orientation = io::Orientation::kApply, .max_pixels = limits_.max_pixels});
}

std::shared_ptr<const io::TriangleMesh> Input::mesh() {
  if (kind_ != InputKind::kMesh) throw InvalidArgument(fmt::format("{} is no mesh", name_));
  const std::lock_guard lock(mutex_);
  return read_mesh();
}

std::shared_ptr<const io::TriangleMesh> Input::read_mesh() {
  return kept_.meshes.get(
      id_, [&] { return std::make_shared<const io::TriangleMesh>(io::read_mesh(path_)); },
      [](const auto& mesh) { return bytes_of(*mesh); });
}

std::shared_ptr<const Picture> Input::frame(int number) {
  // What is known does not wait for whoever reads another frame.
  if (auto known = kept_frames().find(frame_key(number))) return known;
  const std::lock_guard lock(mutex_);
  return kept_frames().get(frame_key(number), [&] { return read_frame(number); });
}

std::shared_ptr<const Picture> Input::read_frame(int number) {
  if (kind_ == InputKind::kLive)
    throw InvalidArgument(fmt::format("{} is live, and its frames are not kept", name_));
  if (kind_ != InputKind::kVideo && number != 0)
    throw InvalidArgument(fmt::format("{} has only one frame", name_));
  if (kind_ == InputKind::kMesh) return std::make_shared<Picture>(mesh_picture(*read_mesh()));
  if (kind_ == InputKind::kCube) {
    const ViewCube cube = read_view_cube(path_, limits_.cube_bytes);
    return std::make_shared<Picture>(false_color(cube, usual_bands(cube)));
  }
  if (kind_ == InputKind::kImage)
    return std::make_shared<Picture>(people::detector_pixels(image()));
  return pictures_.empty() ? read_film(number) : read_picture(number);
}

// As the program reads the frames of a folder, which are not turned upright.
std::shared_ptr<const Picture> Input::read_picture(int number) const {
  if (static_cast<std::size_t>(number) >= pictures_.size())
    throw InvalidArgument(fmt::format("{} ends before frame {}", name_, number));
  const std::string& path = pictures_[static_cast<std::size_t>(number)]->path();
  return std::make_shared<Picture>(
      people::detector_pixels(io::read_image(path, {.max_pixels = limits_.max_pixels})),
      number / io::VideoReadOptions{}.frame_rate);
}

// The open video, which comes to this frame; a reader goes forward only.
std::shared_ptr<Film> Input::film_at(int number) {
  if (const auto known = kept_.films.find(id_); known && (*known)->next <= number) return *known;
  kept_.films.forget(id_);
  const int first = std::max(0, number - kFramesBefore);
  const io::VideoReadOptions options{
      .start = first, .orientation = io::Orientation::kApply, .max_pixels = limits_.max_pixels};
  auto film = std::make_shared<Film>(Film{io::VideoReader(path_, options), first});
  kept_.films.keep(id_, film, 1);
  return film;
}

std::shared_ptr<const Picture> Input::read_film(int number) {
  const std::shared_ptr<Film> film = film_at(number);
  std::shared_ptr<const Picture> picture;
  for (io::Frame frame; film->next <= number; ++film->next) {
    if (!film->reader.next(frame)) {
      kept_.films.forget(id_);
      throw InvalidArgument(fmt::format("{} ends before frame {}", name_, number));
    }
    if (film->next < number - kFramesBefore) continue;
    picture = std::make_shared<Picture>(std::move(frame.image), frame.seconds);
    if (film->next < number) kept_.frames.keep(frame_key(film->next), picture);
  }
  return picture;
}

std::string Input::thumbnail(int side) {
  if (kind_ == InputKind::kImage) {  // is not kept: many are seen small, and few large
    if (const auto known = kept_.pictures.find(frame_key(0))) return known->thumbnail(side);
    return Picture(people::detector_pixels(image())).thumbnail(side);
  }
  return frame(0)->thumbnail(side);
}

std::string Input::facts_json() {
  InputFacts facts = facts_of(*this);
  if (kind_ != InputKind::kLive) {
    const std::shared_ptr<const Picture> first = frame(0);
    facts.width = first->width();
    facts.height = first->height();
    facts.levels = first->levels();
  }
  if (kind_ == InputKind::kVideo) {
    const io::VideoReader reader(path_, {.max_pixels = limits_.max_pixels});
    facts.frames = count_of_frames(reader.info());
    facts.rate = reader.info().rate.value();
  }
  return io::record_json(record_ref(facts));
}

Inputs::Inputs()
    : uploaded_(std::filesystem::temp_directory_path().string()),
      prefix_(random_token().substr(0, 8)) {}

Inputs::~Inputs() = default;

std::string Inputs::add(const std::string& path, const std::string& name, InputKind kind,
                        const InputLimits& limits, std::vector<std::shared_ptr<Input>> pictures) {
  const std::lock_guard lock(mutex_);
  if (inputs_.size() >= kMostInputs)
    throw InvalidArgument(
        fmt::format("there are {} inputs already, which is the most; start "
                    "another fovea view",
                    kMostInputs));
  std::string id = fmt::format("{}-{}", prefix_, inputs_.size());
  index_[id] = inputs_.size();
  paths_.emplace(known_path(path), inputs_.size());
  inputs_.push_back(
      std::make_shared<Input>(id, path, name, kind, kept_, limits, std::move(pictures)));
  return id;
}

void Inputs::add_paths(const std::vector<std::string>& words) {
  if (words.empty()) return;
  const std::vector<std::string> paths = io::expand_inputs(words, everything());
  for (const std::string& path : paths) {
    if (io::is_live_source(path)) {
      add(path, io::source_name(path), InputKind::kLive);
      continue;
    }
    const std::optional<InputKind> kind =
        is_cube(path) ? std::optional(InputKind::kCube) : kind_by_name(path);
    if (!kind)
      throw InvalidArgument(fmt::format(
          "{}: the view shows images, videos, meshes and cubes, by the ends of their names, and "
          "cameras and streams; {}",
          detail::shown(path), kExpected));
    if (!std::filesystem::exists(path))
      throw IoError(fmt::format("{}: there is no such file", detail::shown(path)));
    // A cube whose header and samples are both named, as a glob does, is one input.
    if (is_envi_samples(path) && std::ranges::find(paths, envi_header_of(path)) != paths.end())
      continue;
    add(path, path, *kind);
  }
  std::error_code ignored;
  for (const std::string& word : words)
    if (std::filesystem::is_directory(word, ignored)) add_film_of(word);
}

// Adds the film of a folder whose pictures are inputs already, where they are frames.
void Inputs::add_film_of(const std::string& folder) {
  std::vector<std::string> paths;
  try {
    paths = io::expand_inputs(std::array{folder}, io::image_files());
  } catch (const IoError&) {  // it has no images
    return;
  }
  if (!are_frames(paths)) return;
  std::vector<std::shared_ptr<Input>> pictures;
  pictures.reserve(paths.size());
  for (const std::string& path : paths) pictures.push_back(add_file(path));
  const std::filesystem::path plain = std::filesystem::path(folder) / "";
  add(folder, plain.parent_path().string(), InputKind::kVideo, {}, std::move(pictures));
}

std::string Inputs::add_film(const std::string& name, const std::vector<std::string>& images) {
  std::vector<std::shared_ptr<Input>> pictures;
  std::vector<std::string> paths;
  for (const std::string& id : images) {
    pictures.push_back(find(id));
    if (!pictures.back() || pictures.back()->kind() != InputKind::kImage)
      throw InvalidArgument(fmt::format("'{}' is no image", detail::shown(id)));
    paths.push_back(pictures.back()->path());
  }
  if (!are_frames(paths)) return {};
  // A folder of links is read as the folder of a command line is.
  const std::string plain = plain_name(name).empty() ? "film" : plain_name(name);
  const std::filesystem::path film = std::filesystem::path(new_folder(0)) / plain;
  std::filesystem::create_directories(film);
  for (const std::string& path : paths)
    std::filesystem::create_symlink(path, film / std::filesystem::path(path).filename());
  return add(film.string(), plain, InputKind::kVideo, kUploadLimits, std::move(pictures));
}

// A folder for uploads of so many bytes, which is not made yet.
std::string Inputs::new_folder(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (uploaded_bytes_ + bytes > kMostUploaded)
    throw InvalidArgument(
        "4 GiB have been uploaded, which is the most; name files on the "
        "command line instead");
  uploaded_bytes_ += bytes;
  return fmt::format("{}/{}", folder(), uploads_++);
}

std::shared_ptr<Input> Inputs::add_file(const std::string& path) {
  const std::optional<InputKind> kind =
      is_cube(path) ? std::optional(InputKind::kCube) : kind_by_name(path);
  if (!kind) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = paths_.find(known_path(path)); known != paths_.end())
      return inputs_[known->second];
  }
  return find(add(path, path, *kind));
}

std::vector<std::shared_ptr<Input>> Inputs::all() const {
  const std::lock_guard lock(mutex_);
  return inputs_;
}

std::string Inputs::add_upload(const std::string& name, const std::string& bytes) {
  const std::string plain = plain_name(name);
  if (is_envi_header(plain))
    throw InvalidArgument(
        fmt::format("'{}' is the header of a cube; add the file with its samples together with it",
                    detail::shown(name)));
  const std::optional<InputKind> kind = kind_by_name(plain);
  if (!kind)
    throw InvalidArgument(
        fmt::format("'{}' is no image, video, mesh or cube by the end of its name; {}",
                    detail::shown(name), kExpected));
  return add_files({{plain, bytes}}, *kind);
}

std::string Inputs::add_upload(const UploadedFile& header, const UploadedFile& samples) {
  UploadedFile plain_header{plain_name(header.name), header.bytes},
      plain_samples{plain_name(samples.name), samples.bytes};
  if (!is_envi_header(plain_header.name) || plain_samples.name.empty() ||
      plain_samples.name == plain_header.name)
    throw InvalidArgument(fmt::format("'{}' and '{}' are no header and samples of a cube",
                                      detail::shown(header.name), detail::shown(samples.name)));
  return add_files({std::move(plain_header), std::move(plain_samples)}, InputKind::kCube);
}

void Inputs::keep_upload(const std::string& name, const std::string& bytes,
                         const std::function<void(const std::string& path)>& read) {
  keep_files({{plain_name(name), bytes}}, read);
}

std::string Inputs::add_files(const std::vector<UploadedFile>& files, InputKind kind) {
  std::string id;
  keep_files(files, [&](const std::string& path) {
    // The name alone does not say how many bands a TIFF has.
    const bool cube = kind == InputKind::kImage && is_cube(path);
    const InputKind of_file = cube ? InputKind::kCube : kind;
    const std::string& name = files.front().name;
    KeptInputs of_trial;
    Input trial(path, path, name, of_file, of_trial, kUploadLimits);
    trial.thumbnail(16);  // what cannot be read is not listed
    id = add(path, name, of_file, kUploadLimits);
  });
  return id;
}

void Inputs::keep_files(const std::vector<UploadedFile>& files,
                        const std::function<void(const std::string& path)>& read) {
  std::uint64_t bytes = 0;
  for (const UploadedFile& file : files) bytes += file.bytes.size();
  const std::string path = new_folder(bytes);
  try {
    std::filesystem::create_directory(path);
    for (const UploadedFile& each : files) {
      std::ofstream file(path + "/" + each.name, std::ios::binary);
      file.write(each.bytes.data(), static_cast<std::streamsize>(each.bytes.size()));
      file.close();
      if (!file) throw WriteError(fmt::format("'{}' cannot be kept in {}", each.name, path));
    }
    read(path + "/" + files.front().name);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    const std::lock_guard lock(mutex_);
    uploaded_bytes_ -= bytes;
    if (dynamic_cast<const Error*>(&error) == nullptr) throw;
    // The user knows the file by its name, and not by the folder in which it is kept.
    std::string message = error.what();
    for (std::size_t at; (at = message.find(path + "/")) != message.npos;)
      message.erase(at, path.size() + 1);
    throw FormatError(message);
  }
}

std::shared_ptr<Input> Inputs::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : inputs_[found->second];
}

std::size_t Inputs::size() const {
  const std::lock_guard lock(mutex_);
  return inputs_.size();
}

std::string Inputs::list_json(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  std::vector<InputFacts> facts;
  for (std::size_t i = from; i < inputs_.size(); ++i) facts.push_back(facts_of(*inputs_[i]));
  return records_json(facts);
}

}  // namespace fovea::view
