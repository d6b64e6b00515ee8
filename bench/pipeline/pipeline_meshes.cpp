// The verb of fovea bench pipeline that reads meshes.
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "bench/pipeline/pipeline_jobs.h"

namespace fovea::cli::pipeline {
namespace {

namespace fs = std::filesystem;

void write_parts(const std::string& path, const io::TriangleMesh& mesh,
                 const std::vector<std::int32_t>& labels) {
  std::vector<std::array<std::uint8_t, 3>> colors;
  for (const report::Color& color : mesh::part_colors(labels))
    colors.push_back({color.r, color.g, color.b});
  io::write_mesh(path, mesh, {.labels = labels, .colors = colors});
}

Job segment_job(Material& material) {
  const Meshes& all = material.meshes();
  const Workplace& place = material.place();
  const auto labels = std::make_shared<std::vector<std::vector<std::int32_t>>>();
  for (std::size_t i = 0; i < all.meshes.size(); ++i) {
    const bool seen = i >= kDistinctMeshes;
    labels->push_back(
        seen ? (*labels)[i % kDistinctMeshes]
             : mesh::Segmenter({.exec = {.device = Device::cpu()}}).segment(all.meshes[i]).labels);
  }
  return {.name = "mesh segment",
          .arguments = {"mesh", "segment", all.folder, "-o", place / "parts"},
          .decode =
              [&](const Exec& exec) {
                for_all(material.count(), exec,
                        [&](int i) { io::read_mesh(all.paths[static_cast<std::size_t>(i)]); });
              },
          .work =
              [&](const Exec& exec) {
                const bool cuda = exec.device.kind == DeviceKind::kCuda;
                for_all_with<mesh::Segmenter>(
                    material.count(), exec,
                    [](const Exec& own) {
                      mesh::SegmentOptions options;
                      options.exec = own;
                      options.exec.stream = nullptr;
                      return mesh::Segmenter(options);
                    },
                    [&](mesh::Segmenter& segmenter, int i) {
                      segmenter.segment(all.meshes[static_cast<std::size_t>(i)]);
                    },
                    cuda ? 1 : 0);  // as mesh segment does
              },
          .encode =
              [&, labels](const Exec& exec) {
                const std::string folder = place / "colored";
                fs::create_directories(folder);
                for_all(material.count(), exec, [&](int i) {
                  const auto at = static_cast<std::size_t>(i);
                  write_parts((fs::path(folder) / fmt::format("{:06}.ply", i)).string(),
                              all.meshes[at], (*labels)[at]);
                });
              }};
}

}  // namespace

std::vector<NamedJob> mesh_jobs(Material& material) {
  return {{"mesh segment", [&] { return segment_job(material); }}};
}

}  // namespace fovea::cli::pipeline
