#include "bench/actions/actions_cameras.h"

#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "bench/natural_scene.h"
#include "bench/stage_table.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

constexpr int kStreetFrames = 32;                        // per repeat, to and fro
constexpr int kRounds = 4;                               // streets per repeat of a GPU
constexpr int kMostCameras = 64;                         // that a GPU is tried with
constexpr double kWorthMore = 1.05;                      // gain for which more cameras are tried
constexpr std::array<double, 2> kCameraRates{{25, 30}};  // frames per second of a camera
constexpr std::array<Extent, 2> kCameraSizes{{{160, 120}, {640, 480}}};

using Street = std::vector<Image<std::uint8_t>>;

// The street's frames to and fro, so that the video can go on without a jump.
Street street_of(Extent size) {
  const NaturalScene scene(size);
  Street frames;
  frames.reserve(kStreetFrames);
  for (int t = 0; t < kStreetFrames; ++t)
    frames.push_back(
        io::to_gray(scene.frame({t < kStreetFrames / 2 ? t : kStreetFrames - 1 - t}).view()));
  return frames;
}

// Seconds per frame on the clock, and of all cores together.
struct Spent {
  double wall = 0;
  double cpu = 0;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Medians over repeats of all frames of the street, after one that fills the filters.
template <class Push>
Spent measured(const Street& street, int repeats, const Context& context, const Push& push) {
  std::vector<double> wall, cpu;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double clock = steady_seconds(), cores = cpu_seconds();
    for (const auto& frame : street) {
      throw_if_stopped(context.exec);
      push(frame.view());
    }
    if (repeat < 0) continue;
    wall.push_back((steady_seconds() - clock) / kStreetFrames);
    cpu.push_back((cpu_seconds() - cores) / kStreetFrames);
  }
  return {median_of(std::move(wall)), median_of(std::move(cpu))};
}

using Camera = std::function<void(ImageView<const std::uint8_t>)>;

// The frames of the street by several cameras, each with a thread of its own, and the time per
// frame of all of them together. One camera by itself leaves most of a GPU idle.
Spent measured_together(const Street& street, const std::vector<Camera>& cameras, int repeats,
                        const Context& context) {
  const auto film = [&](const Camera& camera) {
    for (int round = 0; round < kRounds; ++round)
      for (const auto& frame : street) {
        throw_if_stopped(context.exec);
        camera(frame.view());
      }
  };
  std::vector<double> wall, cpu;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double clock = steady_seconds(), cores = cpu_seconds();
    std::vector<std::exception_ptr> failed(cameras.size());
    {
      std::vector<std::jthread> threads;
      threads.reserve(cameras.size());
      for (std::size_t i = 0; i < cameras.size(); ++i)
        threads.emplace_back([&, i] {
          try {
            film(cameras[i]);
          } catch (...) {
            failed[i] = std::current_exception();
          }
        });
    }
    for (const std::exception_ptr& one : failed)
      if (one) std::rethrow_exception(one);
    if (repeat < 0) continue;
    const double frames =
        static_cast<double>(kRounds) * kStreetFrames * static_cast<double>(cameras.size());
    wall.push_back((steady_seconds() - clock) / frames);
    cpu.push_back((cpu_seconds() - cores) / frames);
  }
  return {median_of(std::move(wall)), median_of(std::move(cpu))};
}

struct CameraRow {
  Extent size;
  Exec place;
  std::size_t prototypes = 0;
  std::size_t together = 1;  // cameras that were measured at the same time
  Spent points, all;

  bool on_gpu() const { return place.device.kind == DeviceKind::kCuda; }
  // A core is busy for the time of all cores together; a GPU for the time on the clock.
  double cameras(double rate) const { return 1 / (rate * (on_gpu() ? all.wall : all.cpu)); }
};

// Doubles the number of cameras until the GPU does not become faster, or has no more memory.
void fill_gpu(CameraRow& row, const Street& street,
              const std::shared_ptr<const actions::Model>& model, int repeats,
              const Context& context) {
  actions::PointOptions points = model->points;
  points.exec = row.place;
  actions::RecognizeOptions options{.places = 1};
  options.exec = row.place;
  const actions::Recognizer first(model, options);
  std::vector<Camera> cameras;
  for (std::size_t count = 1; count <= kMostCameras; count *= 2) {
    Spent spent;
    try {
      while (cameras.size() < count) {
        const auto own = std::make_shared<actions::Recognizer>(first.another());
        cameras.emplace_back([own](auto frame) { own->push(frame); });
      }
      spent = measured_together(street, cameras, repeats, context);
    } catch (const DeviceError&) {
      if (count == 1) throw;
      break;
    }
    const bool worth = count == 1 || row.all.wall > kWorthMore * spent.wall;
    if (count == 1 || spent.wall < row.all.wall) {
      row.all = spent;
      row.together = count;
    }
    if (!worth) break;
  }
  cameras.clear();
  while (cameras.size() < row.together) {
    const auto own = std::make_shared<actions::PointStream>(points);
    cameras.emplace_back([own](auto frame) { own->push(frame); });
  }
  row.points = measured_together(street, cameras, repeats, context);
}

CameraRow row_of(Extent size, const Street& street, const Exec& place, int repeats,
                 const Context& context) {
  const auto model = actions::load_model("actions/weizmann");
  CameraRow row;
  row.size = size;
  row.place = place;
  row.prototypes = model->prototypes.size();
  if (row.on_gpu()) {
    fill_gpu(row, street, model, repeats, context);
    return row;
  }
  actions::PointOptions points = model->points;
  points.exec = place;
  actions::PointStream stream(points);
  row.points = measured(street, repeats, context, [&](auto frame) { stream.push(frame); });
  actions::RecognizeOptions options{.places = 1};
  options.exec = place;
  actions::Recognizer recognizer(model, options);
  row.all = measured(street, repeats, context, [&](auto frame) { recognizer.push(frame); });
  return row;
}

void print_rows(const BenchOptions& options, Context& context, std::span<const CameraRow> rows) {
  if (context.json)
    return print_result(context, [&](io::JsonWriter& json) {
      json.key("rows").begin_array();
      for (const CameraRow& row : rows) {
        json.begin_object().member("width", row.size.width).member("height", row.size.height);
        json.member("device", to_string(row.place.device)).member("threads", row.place.threads);
        json.member("prototypes", row.prototypes).member("cameras_together", row.together);
        json.member("points_seconds", row.points.wall).member("points_cpu_seconds", row.points.cpu);
        json.member("seconds", row.all.wall).member("cpu_seconds", row.all.cpu);
        json.member("cameras", row.cameras(kCameraRates[0]));
        json.member("cameras_at_30", row.cameras(kCameraRates[1])).end_object();
      }
      json.end_array();
    });
  StageTable table{.head = {"frames", "device", "prototypes", "at a time", "points",
                            "points and matching", "CPU time", "cameras at 25 frames/s", "at 30"},
                   .rows = {},
                   .words = 2};
  for (const CameraRow& row : rows)
    table.rows.push_back({fmt::format("{}x{}", row.size.width, row.size.height),
                          row.on_gpu() ? to_string(row.place.device) : std::string("one core"),
                          fmt::format("{}", row.prototypes), fmt::format("{}", row.together),
                          time_text(row.points.wall), time_text(row.all.wall),
                          time_text(row.all.cpu),
                          fmt::format("{:.2f}", row.cameras(kCameraRates[0])),
                          fmt::format("{:.2f}", row.cameras(kCameraRates[1]))});
  print_table(options, context, table);
}

}  // namespace

int run_actions_cameras(const BenchOptions& options, Context& context) {
  check_formats(options, context);
  if (!options.filter.empty() || !options.rivals.empty())
    throw InvalidArgument("--cameras measures all of its rows; leave --filter and --rivals out");
  const StagePlaces places = stage_places(context);
  std::vector<CameraRow> rows;
  for (const Extent size : kCameraSizes) {
    const Street street = street_of(size);
    Exec core;
    core.device = Device::cpu();
    core.threads = 1;
    rows.push_back(row_of(size, street, core, options.repeats, context));
    if (places.gpu) rows.push_back(row_of(size, street, *places.gpu, options.repeats, context));
  }
  context.console.end_progress();
  print_rows(options, context, rows);
  return kDone;
}

}  // namespace fovea::cli
