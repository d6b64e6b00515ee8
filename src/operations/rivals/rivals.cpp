#include "operations/rivals/rivals.h"

#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>
#include <fovea/ops/shortest_paths.h>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

#include "operations/rivals/rival_table.h"

namespace fovea::operations {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "fovea_rivals.so";

std::string find_module() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {folder / kModule, folder / ".." / "lib" / "fovea" / kModule,
                               folder / ".." / ".." / "lib" / "fovea" / kModule}) {
    if (!error && fs::exists(path, error)) return path.string();
  }
  return {};
}

// Whether a rival belongs to a case: its name is the case's, or ends in * and begins like the
// case's.
bool is_of(std::string_view rival, std::string_view name) {
  if (!rival.ends_with('*')) return rival == name;
  rival.remove_suffix(1);
  return name.starts_with(rival);
}

// The image with its rows packed without gaps; empty where there is no image.
std::vector<unsigned char> packed(const Image<std::uint8_t>* image) {
  std::vector<unsigned char> pixels;
  for (int y = 0; image != nullptr && y < image->height(); ++y) {
    const std::uint8_t* row = image->row(y);
    pixels.insert(pixels.end(), row, row + image->view().row_elements());
  }
  return pixels;
}

// Each edge of the graph once; empty where there is no graph.
std::vector<FoveaRivalArc> arcs_of(const Graph* graph) {
  std::vector<FoveaRivalArc> arcs;
  for (int a = 0; graph != nullptr && a < graph->nodes(); ++a)
    for (std::size_t i = 0; i < graph->degree(a) && graph->neighbors(a)[i] < a; ++i)
      arcs.push_back({a, graph->neighbors(a)[i], graph->costs(a)[i]});
  return arcs;
}

// A mesh in plain arrays.
struct PlainMesh {
  explicit PlainMesh(const io::TriangleMesh* mesh) {
    if (mesh == nullptr) return;
    for (const io::Vertex& vertex : mesh->vertices)
      vertices.insert(vertices.end(), vertex.begin(), vertex.end());
    for (const io::Triangle& face : mesh->faces)
      corners.insert(corners.end(), face.begin(), face.end());
  }
  FoveaRivalMesh view() const {
    return {static_cast<int>(vertices.size() / 3), static_cast<int>(corners.size() / 3),
            vertices.data(), corners.data()};
  }

  std::vector<double> vertices{};
  std::vector<int> corners{};
};

std::vector<const char*> plain_names(const std::vector<std::string>& names) {
  std::vector<const char*> plain;
  plain.reserve(names.size());
  for (const std::string& name : names) plain.push_back(name.c_str());
  return plain;
}

}  // namespace

Rivals::Rivals() {
  const std::string path = find_module();
  if (path.empty()) {
    absence_ = fmt::format(
        "{} is neither beside the program nor in ../lib/fovea; `make bench` builds it", kModule);
    return;
  }
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* reason = module == nullptr ? dlerror() : nullptr;
  const auto table_of = module == nullptr
                            ? nullptr
                            : reinterpret_cast<FoveaRivalsFunction>(dlsym(module, "fovea_rivals"));
  const FoveaRivalTable* table = table_of == nullptr ? nullptr : table_of();
  if (table == nullptr)
    absence_ = reason != nullptr ? std::string(reason) : path + " is no module of rivals";
  else if (table->version != kFoveaRivalVersion)
    absence_ = fmt::format("{} speaks version {}, this program version {}", path, table->version,
                           kFoveaRivalVersion);
  else table_ = table;
}

std::string Rivals::source_name() const { return table_ == nullptr ? "" : table_->library; }

std::vector<Rivals::Work> Rivals::prepare(const RivalCase& contest, int threads) const {
  const RivalShape& shape = contest.shape;
  const auto pixels = packed(contest.image.get()), second = packed(contest.second.get());
  const std::vector<FoveaRivalArc> arcs = arcs_of(contest.graph.get());
  const PlainMesh plain_mesh(contest.mesh.get());
  const FoveaRivalGraph graph{contest.graph ? contest.graph->nodes() : 0,
                              static_cast<int>(arcs.size()), arcs.data()};
  const FoveaRivalMesh mesh = plain_mesh.view();
  const auto inputs = plain_names(contest.files.inputs),
             outputs = plain_names(contest.files.outputs);
  const FoveaRivalFiles files{static_cast<int>(inputs.size()), inputs.data(),
                              outputs.empty() ? nullptr : outputs.data()};
  const FoveaRivalShape plain{
      .width = shape.width,
      .height = shape.height,
      .channels = contest.image ? contest.image->channels() : shape.channels,
      .to_width = shape.to_width,
      .to_height = shape.to_height,
      .taps = shape.taps,
      .ratio = shape.ratio,
      .disparities = shape.disparities,
      .pixels = pixels.empty() ? nullptr : pixels.data(),
      .second = second.empty() ? nullptr : second.data(),
      .ground = contest.ground.empty() ? nullptr : contest.ground.data(),
      .graph = contest.graph ? &graph : nullptr,
      .mesh = contest.mesh ? &mesh : nullptr,
      .files = inputs.empty() ? nullptr : &files};
  std::vector<Work> works;
  for (int i = 0; table_ != nullptr && i < table_->count; ++i) {
    const FoveaRival& rival = table_->rivals[i];
    if (!is_of(rival.name, contest.name)) continue;
    const FoveaRivalWork work = rival.prepare(&plain, threads);
    if (work.state == nullptr) continue;
    const std::shared_ptr<void> state(work.state, work.end);
    works.push_back({rival.rival, [state, run = work.run] { run(state.get()); }, {}});
    if (work.result != nullptr)
      works.back().result = [state, result = work.result] { return result(state.get()); };
  }
  return works;
}

std::vector<Rivals::TrackWork> Rivals::begin_tracks(ImageView<const std::uint8_t> frame,
                                                    const Rect<double>& box) const {
  // Calls `call` with a frame whose rows have no gaps.
  const auto plain = [](ImageView<const std::uint8_t> image, const auto& call) {
    std::vector<unsigned char> pixels;
    for (int y = 0; y < image.height; ++y)
      pixels.insert(pixels.end(), image.row(y), image.row(y) + image.row_elements());
    const FoveaRivalFrame plain_frame{image.width, image.height, image.channels, pixels.data()};
    return call(plain_frame);
  };
  std::vector<TrackWork> works;
  for (int i = 0; table_ != nullptr && i < table_->tracker_count; ++i) {
    const FoveaRivalTracker& tracker = table_->trackers[i];
    std::array<double, 4> place{box.x, box.y, box.width, box.height};
    void* const begun = plain(
        frame, [&](const FoveaRivalFrame& first) { return tracker.begin(&first, place.data()); });
    if (begun == nullptr) continue;
    const std::shared_ptr<void> state(begun, tracker.end);
    works.push_back({tracker.rival, [=](ImageView<const std::uint8_t> image) mutable {
                       plain(image, [&](const FoveaRivalFrame& next) {
                         tracker.next(state.get(), &next, place.data());
                       });
                       return Rect<double>{place[0], place[1], place[2], place[3]};
                     }});
  }
  return works;
}

}  // namespace fovea::operations
