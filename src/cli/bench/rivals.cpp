#include "cli/bench/rivals.h"

#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>
#include <fovea/ops/shortest_paths.h>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/bench/rival_table.h"
#include "cli/program/json_file.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kModule = "fovea_rivals.so";

std::string find_module() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {folder / kModule, folder / ".." / "lib" / "fovea" / kModule}) {
    if (!error && fs::exists(path, error)) return path.string();
  }
  return {};
}

// "cuda" and "cuda:0" name the same device.
std::string device_key(const std::string& text) {
  try {
    return to_string(parse_device(text));
  } catch (const InvalidArgument&) {
    return text;
  }
}

template <class T>
T member(const json& row, const char* key, const std::string& path) {
  try {
    return row.at(key).get<T>();
  } catch (const json::exception&) {
    throw FormatError(fmt::format(
        "{}: a row lacks '{}'; expected name, size, device, rival and seconds in each", path, key));
  }
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
    absence_ = fmt::format("{} is neither beside the program nor in ../lib/fovea", kModule);
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

std::vector<Rivals::Work> Rivals::prepare(const BenchCase& bench_case, int threads) const {
  const BenchShape& shape = bench_case.shape;
  const auto pixels = packed(bench_case.image.get()), second = packed(bench_case.second.get());
  const std::vector<FoveaRivalArc> arcs = arcs_of(bench_case.graph.get());
  const PlainMesh plain_mesh(bench_case.mesh.get());
  const FoveaRivalGraph graph{bench_case.graph ? bench_case.graph->nodes() : 0,
                              static_cast<int>(arcs.size()), arcs.data()};
  const FoveaRivalMesh mesh = plain_mesh.view();
  const auto inputs = plain_names(bench_case.files.inputs),
             outputs = plain_names(bench_case.files.outputs);
  const FoveaRivalFiles files{static_cast<int>(inputs.size()), inputs.data(),
                              outputs.empty() ? nullptr : outputs.data()};
  const FoveaRivalShape plain{
      .width = shape.width,
      .height = shape.height,
      .channels = bench_case.image ? bench_case.image->channels() : shape.channels,
      .to_width = shape.to_width,
      .to_height = shape.to_height,
      .taps = shape.taps,
      .ratio = shape.ratio,
      .disparities = shape.disparities,
      .pixels = pixels.empty() ? nullptr : pixels.data(),
      .second = second.empty() ? nullptr : second.data(),
      .ground = bench_case.ground.empty() ? nullptr : bench_case.ground.data(),
      .graph = bench_case.graph ? &graph : nullptr,
      .mesh = bench_case.mesh ? &mesh : nullptr,
      .files = inputs.empty() ? nullptr : &files};
  std::vector<Work> works;
  for (int i = 0; table_ != nullptr && i < table_->count; ++i) {
    const FoveaRival& rival = table_->rivals[i];
    if (!is_of(rival.name, bench_case.name)) continue;
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

int merge_rivals(const std::string& path, std::vector<BenchRow>& rows) {
  const json file = read_json(path);
  const json& theirs = file.is_object() && file.contains("rows") ? file["rows"] : file;
  if (!theirs.is_array())
    throw FormatError(path + ": holds no list of rows; expected a list or an object with 'rows'");
  int matched = 0;
  for (const json& row : theirs) {
    const auto name = member<std::string>(row, "name", path);
    const auto size = member<std::string>(row, "size", path);
    const auto device = device_key(member<std::string>(row, "device", path));
    const auto rival = member<std::string>(row, "rival", path);
    const auto seconds = member<double>(row, "seconds", path);
    if (!(seconds > 0))
      throw FormatError(
          fmt::format("{}: '{}' has {} seconds; expected more than 0", path, name, seconds));
    for (BenchRow& ours : rows) {
      const bool same_threads = !row.contains("threads") || !row["threads"].is_number_integer() ||
                                row["threads"].get<int>() == ours.threads;
      if (ours.name != name || ours.size != size || device_key(ours.device) != device ||
          !same_threads)
        continue;
      ++matched;
      if (ours.rival_seconds && *ours.rival_seconds <= seconds) continue;
      ours.rival = rival;
      ours.rival_seconds = seconds;
    }
  }
  return matched;
}

}  // namespace fovea::cli
