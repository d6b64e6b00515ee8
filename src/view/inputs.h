// What a user wants to look at: files that the command line names and files that the page uploads.
// The page knows them by an id and never by a path.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "view/kept.h"
#include "view/picture.h"

namespace fovea::view {

// Frames that were shown last, of all inputs together.
using KeptFrames = Kept<std::shared_ptr<const Picture>>;

// kLive is a camera or a network stream, which only the command line can name.
enum class InputKind : unsigned char { kImage, kVideo, kMesh, kLive };
const char* to_string(InputKind kind);

// One image, video, mesh or live source. Several threads may use it.
class Input {
 public:
  Input(std::string id, std::string path, std::string name, InputKind kind, KeptFrames& kept);

  const std::string& id() const { return id_; }
  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }  // as lines for the shell have it
  InputKind kind() const { return kind_; }

  // The image, or a frame of the video, as 8-bit gray or RGB, upright; a mesh from four sides.
  // Throws what readers throw, and InvalidArgument where there is no such frame: of a live source
  // there is none, because nobody can go back to it.
  std::shared_ptr<const Picture> frame(int number);
  // The image as it is stored, for systems that look at more than 8 bits.
  io::AnyImage image() const;
  // Triangles of a mesh; read once.
  std::shared_ptr<const io::TriangleMesh> mesh();
  // A small picture as PNG.
  std::string thumbnail(int side);
  // {"id", "name", "kind", "width", "height", "frames", "rate", "levels"}; reads what it must. Of a
  // live source, which is not opened for it, only the first three are known.
  std::string facts_json();

 private:
  struct Film;  // an open video
  std::shared_ptr<const Picture> read_frame(int number);
  std::shared_ptr<const io::TriangleMesh> read_mesh();
  std::string frame_key(int number) const;

  std::string id_, path_, name_;
  InputKind kind_;
  KeptFrames& kept_;
  std::mutex mutex_{};
  std::shared_ptr<Film> film_{};
  std::shared_ptr<const io::TriangleMesh> mesh_{};
};

// All inputs, and the private folder of those that were uploaded, which goes with the process.
class Inputs {
 public:
  Inputs();
  ~Inputs();
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  // Adds files, folders, globs, cameras and addresses of streams as a command line has them. Throws
  // IoError.
  void add_paths(const std::vector<std::string>& words);
  // Adds a file that the page sent and returns its id. Its name decides what it is. Throws
  // InvalidArgument for a name that is no image's, video's or mesh's, and where there are too many.
  std::string add_upload(const std::string& name, const std::string& bytes);

  // Null where there is none.
  std::shared_ptr<Input> find(std::string_view id) const;
  // [{"id", "name", "kind"}, ...] in their order.
  std::string list_json() const;
  const std::string& folder() const { return folder_; }

 private:
  std::string add(const std::string& path, const std::string& name, InputKind kind);
  std::string keep_upload(const std::string& folder, const std::string& plain, InputKind kind,
                          const std::string& bytes);

  KeptFrames kept_;
  std::string folder_;
  std::string prefix_;  // of ids: another run of the program has others, as caches require
  mutable std::mutex mutex_{};
  std::vector<std::shared_ptr<Input>> inputs_{};
  std::map<std::string, std::size_t, std::less<>> index_{};
  int uploads_ = 0;
  std::uint64_t uploaded_bytes_ = 0;
};

}  // namespace fovea::view
