#include "bench/pipeline/pipeline_material.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bench/natural_scene.h"
#include "demo/mesh_shapes.h"

namespace fovea::cli::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr int kDistinct = 8;  // drawing takes longer than most of what is measured

// A frame with the noise of another exposure: verbs that remember what they have seen would
// otherwise find a repeated frame too easy.
Pixels exposed_again(const Pixels& frame, std::uint64_t seed) {
  Pixels again = clone(frame.view());
  Random random(seed);
  for (int y = 0; y < again.height(); ++y) {
    std::uint8_t* const row = again.row(y);
    std::uint32_t bits = 0;
    for (int x = 0; x < again.width() * again.channels(); ++x, bits >>= 2) {
      if (x % 16 == 0) bits = random.bits();
      const int noise = static_cast<int>(bits & 1) - static_cast<int>(bits >> 1 & 1);
      row[x] = static_cast<std::uint8_t>(std::clamp(row[x] + noise, 0, 255));
    }
  }
  return again;
}

}  // namespace

Workplace::Workplace(const std::string& parent) {
  const fs::path base = parent.empty() ? fs::temp_directory_path() : fs::path(parent);
  // mkdtemp() replaces the six letters at the end.
  std::string name = (base / "fovea-pipeline-").string() + std::string(6, 'X');
  if (mkdtemp(name.data()) == nullptr)
    throw WriteError(fmt::format("{}: cannot make a folder in it", base.string()));
  path_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Workplace::operator/(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

void for_all(int count, const Exec& exec, const std::function<void(int)>& step) {
  const io::FrameWorkers plan = io::plan_frame_workers(exec, count);
  int next = 0;
  struct Nothing {};
  Nothing nothing;
  io::run_frames<int, Nothing>({&nothing, 1},
                               {.read =
                                    [&](int& item) {
                                      item = next++;
                                      return item < count;
                                    },
                                .prepare = [&](int& item) { step(item); },
                                .write = [](int&) {}},
                               {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

const Photos& Material::photos() {
  if (photos_) return *photos_;
  const Exec exec{.device = Device::cpu()};
  Photos photos{.folder = place_ / "photos"};
  fs::create_directory(photos.folder);
  std::vector<Pixels> drawn(kDistinct);
  for_all(std::min(count_, kDistinct), exec, [&](int i) {
    drawn[static_cast<std::size_t>(i)] =
        NaturalScene(size_, static_cast<std::uint64_t>(i) + 1).frame({}, {.threads = 1});
  });
  for (int i = 0; i < count_; ++i) {
    photos.images.push_back(clone(drawn[static_cast<std::size_t>(i % kDistinct)].view()));
    photos.paths.push_back((fs::path(photos.folder) / fmt::format("{:06}.jpg", i)).string());
  }
  for_all(count_, exec, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    io::write_image(photos.paths[at], photos.images[at]);
  });
  return photos_.emplace(std::move(photos));
}

const Video& Material::video() {
  if (video_) return *video_;
  Video video{.path = place_ / "video.y4m"};
  const NaturalScene scene({size_.width / 2, size_.height / 2});
  for (int i = 0; i < std::min(count_, kDistinct); ++i)
    video.frames.push_back(scene.frame({.number = i, .camera = 2}, {.device = Device::cpu()}));
  for (int i = kDistinct; i < count_; ++i) {  // to and fro, so that the video has no jump
    const int turn = i % (2 * kDistinct);
    const int number = turn < kDistinct ? turn : 2 * kDistinct - 1 - turn;
    video.frames.push_back(exposed_again(video.frames[static_cast<std::size_t>(number)],
                                         static_cast<std::uint64_t>(i)));
  }
  io::VideoWriter writer(video.path);
  for (const Pixels& frame : video.frames) writer.write(frame);
  writer.finish();
  return video_.emplace(std::move(video));
}

const Meshes& Material::meshes() {
  if (meshes_) return *meshes_;
  constexpr double kPixelsOfFace = 128;
  constexpr double kFacesOfCells = 1.58;  // a dog of n cells has this many times n squared faces
  const double faces = static_cast<double>(size_.width) * size_.height / kPixelsOfFace;
  const int cells = std::max(8, static_cast<int>(std::lround(std::sqrt(faces / kFacesOfCells))));
  std::vector<io::TriangleMesh> drawn;
  for (const Body& body : {demo_dog(), demo_hand(), demo_teapot(), demo_pipe()})
    drawn.push_back(demo_surface(body, cells));
  Meshes meshes{.folder = place_ / "meshes"};
  fs::create_directory(meshes.folder);
  for (int i = 0; i < count_; ++i) {
    meshes.meshes.push_back(drawn[static_cast<std::size_t>(i) % kDistinctMeshes]);
    meshes.paths.push_back((fs::path(meshes.folder) / fmt::format("{:06}.off", i)).string());
    io::write_mesh(meshes.paths.back(), meshes.meshes.back());
  }
  return meshes_.emplace(std::move(meshes));
}

}  // namespace fovea::cli::pipeline
