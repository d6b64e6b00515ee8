// What a user wants to look at: files that the command line names and files that the page uploads.
// The page knows them by an id and never by a path.
#pragma once
#include <fovea/core/record.h>
#include <fovea/io/image_io.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/lru_cache.h"
#include "view/picture.h"
#include "view/picture_cache.h"
#include "view/upload_folder.h"

namespace fovea::view {

struct Film;  // an open video

// What was used last, of all inputs together.
struct KeptInputs {
  KeptInputs();
  PictureCache pictures;  // of images, meshes and cubes
  PictureCache frames;    // of videos, which cannot be read backwards
  LruCache<std::shared_ptr<const io::TriangleMesh>> meshes;
  LruCache<std::shared_ptr<Film>> films;  // each counts as one
};

std::size_t bytes_of(const io::TriangleMesh& mesh);

// kLive is a camera or a network stream, which only the command line can name.
enum class InputKind : unsigned char { kImage, kVideo, kMesh, kCube, kLive };
std::span<const Choice> choices(InputKind);
const char* to_string(InputKind kind);
// What names of inputs end in, as "jpg".
std::vector<std::string> input_extensions();
// Whether the end of a name is that of an image, video, mesh or cube.
bool is_input_name(const std::string& path);
// Whether the path has one of these extensions, which are given as "ply".
bool ends_in(std::string_view path, std::vector<std::string> extensions);
// The extensions of files of motion.
std::vector<std::string> flow_extensions();
// The files of a folder with one of these extensions, sorted. Throws IoError.
std::vector<std::string> files_in(const std::string& folder,
                                  const std::vector<std::string>& extensions);

// What the page knows of an input. A list has the first three; of a live source, which is not
// opened for it, nothing else is known.
struct InputFacts {
  std::string id{}, name{};
  InputKind kind = InputKind::kImage;
  std::optional<int> width{}, height{}, levels{};
  std::optional<std::int64_t> frames{};  // of a video; -1 where it does not say
  std::optional<double> rate{};          // frames per second of a video
  std::vector<std::string> pictures{};   // of a film: the ids of its frames
};
void describe(FieldVisitor& visit, InputFacts& facts);

// How large an input may be. What the page sends may come from a stranger: it has smaller limits
// than what the command line names.
struct InputLimits {
  std::uint64_t max_pixels = io::ImageReadOptions{}.max_pixels;  // of an image or a frame
  std::uint64_t cube_bytes = std::uint64_t{1} << 30U;            // of samples as they are stored
};
inline constexpr InputLimits kUploadLimits{.max_pixels = std::uint64_t{1} << 26U,
                                           .cube_bytes = std::uint64_t{1} << 28U};

// Whether pictures are the frames of a film: three or more of one size, whose names differ in one
// number alone, which grows. By the names, and the sizes of the first and the last one.
bool are_frames(const std::vector<std::string>& paths);

// One image, video, mesh, cube or live source. Several threads may use it.
class Input {
 public:
  // A video that is a folder of pictures has them as inputs of their own, too.
  Input(std::string id, std::string path, std::string name, InputKind kind, KeptInputs& kept,
        const InputLimits& limits = {}, std::vector<std::shared_ptr<Input>> pictures = {});

  const std::string& id() const { return id_; }
  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }  // as lines for the shell have it
  InputKind kind() const { return kind_; }
  const std::vector<std::shared_ptr<Input>>& pictures() const { return pictures_; }

  // The image, or a frame of the video, as 8-bit gray or RGB, upright; a mesh from one side; a cube
  // in false color. Throws what readers throw, and InvalidArgument where there is no such frame: of
  // a live source there is none, because nobody can go back to it.
  std::shared_ptr<const Picture> frame(int number);
  // The image as it is stored, for systems that look at more than 8 bits.
  io::AnyImage image() const;
  // Triangles of a mesh.
  std::shared_ptr<const io::TriangleMesh> mesh();
  // A small picture as PNG.
  std::string thumbnail(int side);
  // As JSON; reads what it must.
  std::string facts_json();

 private:
  std::shared_ptr<const Picture> read_frame(int number);
  std::shared_ptr<const Picture> read_picture(int number) const;
  std::shared_ptr<const Picture> read_film(int number);
  std::shared_ptr<Film> film_at(int number);
  std::shared_ptr<const io::TriangleMesh> read_mesh();
  std::string frame_key(int number) const;
  // Where the picture of this input, or its frames, are kept.
  PictureCache& kept_frames() const {
    return kind_ == InputKind::kVideo ? kept_.frames : kept_.pictures;
  }

  std::string id_, path_, name_;
  InputKind kind_;
  KeptInputs& kept_;
  InputLimits limits_;
  std::vector<std::shared_ptr<Input>> pictures_;
  std::mutex mutex_{};  // of whoever reads the file
};

// A file that the page sent.
struct UploadedFile {
  std::string name{};
  std::string_view bytes{};
};

// All inputs, and the private folder of those that were uploaded, which goes with the process.
class Inputs {
 public:
  Inputs();
  ~Inputs();
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  // Adds files, folders, globs, cameras and addresses of streams as a command line has them. A
  // folder with the frames of a film is one more input, behind all others. Throws IoError.
  void add_paths(const std::vector<std::string>& words);
  // The input of this file, which is added where it is new. Null where the end of its name is not
  // that of an input.
  std::shared_ptr<Input> add_file(const std::string& path);
  // All of them, in their order.
  std::vector<std::shared_ptr<Input>> all() const;
  // Adds a file that the page sent and returns its id. Its name decides what it is. Throws
  // InvalidArgument for a name that is no image's, video's, mesh's or cube's, and where there are
  // too many.
  std::string add_upload(const std::string& name, const std::string& bytes);
  // The same for a cube of ENVI, whose header and samples came together.
  std::string add_upload(const UploadedFile& header, const UploadedFile& samples);
  // Makes a film of images that are its frames, as the page had them in a folder of this name, and
  // returns its id; nothing where they are no frames. Throws InvalidArgument for what is no image.
  std::string add_film(const std::string& name, const std::vector<std::string>& images);
  // Keeps a file that is no input and lets `read` read it; it is removed where that throws. Throws
  // what `read` throws, with the name in place of the path.
  void keep_upload(const std::string& name, const std::string& bytes,
                   const std::function<void(const std::string& path)>& read);

  // Null where there is none.
  std::shared_ptr<Input> find(std::string_view id) const;
  // Their facts in their order from one on, without what is read for them.
  std::string list_json(std::size_t from = 0) const;
  std::size_t size() const;
  const std::string& folder() const { return uploaded_.path(); }

 private:
  std::string add(const std::string& path, const std::string& name, InputKind kind,
                  const InputLimits& limits = {},
                  std::vector<std::shared_ptr<Input>> pictures = {});
  void add_film_of(const std::string& folder);
  std::string new_folder(std::uint64_t bytes);
  std::string add_files(const std::vector<UploadedFile>& files, InputKind kind);
  void keep_files(const std::vector<UploadedFile>& files,
                  const std::function<void(const std::string& path)>& read);

  KeptInputs kept_{};
  UploadFolder uploaded_;
  std::string prefix_;  // of ids: another run of the program has others, as caches require
  mutable std::mutex mutex_{};
  std::vector<std::shared_ptr<Input>> inputs_{};
  std::map<std::string, std::size_t, std::less<>> index_{};  // by id
  std::map<std::string, std::size_t, std::less<>> paths_{};  // by path, of files that have a name
  int uploads_ = 0;
  std::uint64_t uploaded_bytes_ = 0;
};

}  // namespace fovea::view
