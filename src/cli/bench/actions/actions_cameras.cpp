#include "cli/bench/actions/actions_cameras.h"

#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <memory>

#include "cli/bench/natural_scene.h"
#include "cli/bench/stage_table.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

constexpr int kStreetFrames = 32;        // per repeat, to and fro
constexpr double kCameraFrameRate = 25;  // frames per second of a camera
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

struct CameraRow {
  Extent size;
  Exec place;
  std::size_t prototypes = 0;
  Spent points, all;

  bool on_gpu() const { return place.device.kind == DeviceKind::kCuda; }
  // A core is busy for the time of all cores together; a GPU for the time on the clock.
  double cameras() const { return 1 / (kCameraFrameRate * (on_gpu() ? all.wall : all.cpu)); }
};

CameraRow row_of(Extent size, const Street& street, const Exec& place, int repeats,
                 const Context& context) {
  const auto model = actions::load_model("actions/weizmann");
  CameraRow row;
  row.size = size;
  row.place = place;
  row.prototypes = model->prototypes.size();
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
        json.member("prototypes", row.prototypes);
        json.member("points_seconds", row.points.wall).member("points_cpu_seconds", row.points.cpu);
        json.member("seconds", row.all.wall).member("cpu_seconds", row.all.cpu);
        json.member("cameras", row.cameras()).end_object();
      }
      json.end_array();
    });
  StageTable table{.head = {"frames", "device", "prototypes", "points", "points and matching",
                            "CPU time", "cameras at 25 frames/s"},
                   .rows = {},
                   .words = 2};
  for (const CameraRow& row : rows)
    table.rows.push_back({fmt::format("{}x{}", row.size.width, row.size.height),
                          row.on_gpu() ? to_string(row.place.device) : std::string("one core"),
                          fmt::format("{}", row.prototypes), time_text(row.points.wall),
                          time_text(row.all.wall), time_text(row.all.cpu),
                          fmt::format("{:.2f}", row.cameras())});
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
