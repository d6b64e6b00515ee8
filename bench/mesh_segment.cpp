#include "bench/mesh_segment.h"

#include <fovea/mesh/segment.h>

#include <cmath>
#include <memory>

#include "demo/mesh_shapes.h"

namespace fovea::cli {

std::vector<BenchCase> mesh_segment_cases(int faces) {
  constexpr double kFacesOfCells = 1.58;  // a dog of n cells has this many times n squared faces
  const auto mesh = std::make_shared<const io::TriangleMesh>(demo_surface(
      demo_dog(), std::max(8, static_cast<int>(std::lround(std::sqrt(faces / kFacesOfCells))))));
  const auto count = static_cast<int>(mesh->faces.size());
  std::vector<BenchCase> cases;
  for (const Choice& method : choices(mesh::Method{})) {
    cases.push_back({.name = std::string("segment_") + method.word,
                     .shape = {.width = count, .height = 1},
                     .bytes = static_cast<double>(sizeof(io::Triangle)) * count,
                     .prepare = [mesh, kind = method.value](Memory) -> BenchWork {
                       return [mesh, kind](const Exec& exec) {
                         mesh::SegmentOptions options;
                         options.method = static_cast<mesh::Method>(kind);
                         options.exec = exec;
                         options.exec.stream = nullptr;
                         mesh::segment(*mesh, options);
                       };
                     },
                     .mesh = mesh});
  }
  return cases;
}

}  // namespace fovea::cli
