// What the verbs of fovea bench pipeline read: photographs, a video and meshes, drawn and written
// to files when a verb asks for them first.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/io/mesh_io.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fovea::cli::pipeline {

using Pixels = Image<std::uint8_t>;

// Meshes that differ; the others repeat them in turn.
inline constexpr std::size_t kDistinctMeshes = 4;

// A folder that is gone afterwards.
class Workplace {
 public:
  explicit Workplace(const std::string& parent);
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::string operator/(const std::string& name) const;

 private:
  std::string path_;
};

// Calls step(i) for all items on as many threads as a command would use.
void for_all(int count, const Exec& exec, const std::function<void(int)>& step);

// JPEG files of a folder, and their pixels.
struct Photos {
  std::string folder{};
  std::vector<std::string> paths{};
  std::vector<Pixels> images{};
};
// A y4m file, and its frames.
struct Video {
  std::string path{};
  std::vector<Pixels> frames{};
};
// OFF files of a folder, and their meshes.
struct Meshes {
  std::string folder{};
  std::vector<std::string> paths{};
  std::vector<io::TriangleMesh> meshes{};
};

class Material {
 public:
  Material(int count, Extent size, const Workplace& place)
      : count_(count), size_(size), place_(place) {}

  int count() const { return count_; }
  Extent size() const { return size_; }
  const Workplace& place() const { return place_; }
  const Photos& photos();
  const Video& video();    // frames of half the size on a side
  const Meshes& meshes();  // about one face for every 128 pixels of the size

 private:
  int count_;
  Extent size_;
  const Workplace& place_;
  std::optional<Photos> photos_{};
  std::optional<Video> video_{};
  std::optional<Meshes> meshes_{};
};

}  // namespace fovea::cli::pipeline
