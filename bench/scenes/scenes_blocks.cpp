#include "bench/scenes/scenes_blocks.h"

#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>
#include <fovea/report/chart.h>
#include <fovea/scenes/descriptors.h>

#include <fmt/format.h>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/backend.h"
#include "core/timing/timing.h"
#include "ops/kmeans/block_shapes.h"
#include "scenes/describe/tile_shapes.h"

namespace fovea::cli {
namespace {

using cuda::BlockShape;

struct BlockTime {
  BlockShape shape{};
  double seconds = 0;
};
// A kernel with all of its shapes.
struct BlockTimes {
  std::string kernel;
  double one_thread = 0;  // seconds on the CPU
  double paper = 0;       // the best speed-up that the paper reports
  std::vector<BlockTime> times{};
};

std::vector<BlockTime> times_of(std::span<const BlockShape> shapes, const std::vector<Runner>& runs,
                                int repeats, const std::stop_token& stop) {
  const std::vector<Timing> timings = time_in_turns(runs, repeats, stop);
  std::vector<BlockTime> times;
  times.reserve(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) times.push_back({shapes[i], timings[i].seconds});
  return times;
}

BlockTimes measure_filters(const BlockData& data, const Exec& gpu, int repeats,
                           const std::stop_token& stop) {
  const Exec one{.device = Device::cpu(), .threads = 1};
  BlockTimes result{.kernel = "filters", .paper = 55.8};
  const BenchWork on_cpu = [&](const Exec& exec) {
    scenes::descriptors(data.photos.view(), {.exec = exec});
  };
  result.one_thread = time_in_turns({runner_of(on_cpu, one)}, repeats, stop)[0].seconds;
  const cuda::ScopedDevice here(gpu.device);
  const Image<std::uint8_t> photos = clone(data.photos.view(), Memory::kCuda);
  const scenes::DescriptorOptions bank;
  Image<float> out(scenes::dimensions(bank), photos.width() * photos.height(), 1, Memory::kCuda);
  std::vector<Runner> runs;
  const auto shapes = scenes::cuda::filter_shapes();
  runs.reserve(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    runs.push_back(runner_of(
        [&, i](const Exec& exec) {
          scenes::cuda::shaped_descriptors(photos.view(), out.view(), exec, i);
        },
        gpu));
  result.times = times_of(shapes, runs, repeats, stop);
  return result;
}

BlockTimes measure_search(const BlockData& data, const Exec& gpu, int repeats,
                          const std::stop_token& stop) {
  const Exec one{.device = Device::cpu(), .threads = 1};
  BlockTimes result{.kernel = "k-means assignment", .paper = 42.9};
  NearestCenter nearest(data.words.view(), one);
  const BenchWork on_cpu = [&](const Exec&) { nearest.find(data.samples.view()); };
  result.one_thread = time_in_turns({runner_of(on_cpu, one)}, repeats, stop)[0].seconds;
  const cuda::ScopedDevice here(gpu.device);
  const Image<float> samples = clone(data.samples.view(), Memory::kCuda);
  Array<std::int32_t> labels(static_cast<std::size_t>(samples.height()), Memory::kCuda);
  const auto shapes = cuda::nearest_shapes();
  std::vector<std::unique_ptr<detail::NearestEngine>> engines;
  std::vector<Runner> runs;
  engines.reserve(shapes.size());
  runs.reserve(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    engines.push_back(cuda::make_shaped_engine(data.words.view(), gpu, i));
    runs.push_back(runner_of(
        [&, i](const Exec& exec) {
          engines[i]->find(samples.view(), {labels.data(), labels.size()}, exec);
        },
        gpu));
  }
  result.times = times_of(shapes, runs, repeats, stop);
  return result;
}

std::string shape_text(const BlockShape& shape) {
  const std::string points = shape.height == 1
                                 ? fmt::format("{} points", shape.width)
                                 : fmt::format("{}x{} pixels", shape.width, shape.height);
  return fmt::format("{} threads, {}{}", shape.threads, points, shape.used ? " (used)" : "");
}

void print_blocks(const BenchOptions& options, const Context& context,
                  const std::vector<BlockTimes>& all) {
  if (options.markdown)
    context.console.print(
        "| kernel | block | time | speed-up | best in the paper |\n| --- | --- | ---: | ---: | "
        "---: |\n");
  else if (options.csv) context.console.print("kernel,threads,width,height,seconds,speedup\n");
  for (const BlockTimes& kernel : all) {
    for (const BlockTime& time : kernel.times) {
      const double speedup = kernel.one_thread / time.seconds;
      const std::string shape = shape_text(time.shape), seconds = seconds_text(time.seconds);
      if (options.markdown)
        context.console.print(fmt::format("| {} | {} | {} | {:.0f} | {} |\n", kernel.kernel, shape,
                                          seconds, speedup, kernel.paper));
      else if (options.csv)
        context.console.print(fmt::format("{},{},{},{},{},{}\n", kernel.kernel, time.shape.threads,
                                          time.shape.width, time.shape.height, time.seconds,
                                          speedup));
      else
        context.console.print(fmt::format("{:<20} {:<34} {:>10} {:>6.0f}x  (paper: {}x)\n",
                                          kernel.kernel, shape, seconds, speedup, kernel.paper));
    }
  }
}

void print_blocks_json(Context& context, const std::vector<BlockTimes>& all) {
  print_result(context, [&](io::JsonWriter& json) {
    json.key("kernels").begin_array();
    for (const BlockTimes& kernel : all) {
      json.begin_object().member("kernel", kernel.kernel);
      json.member("one_thread_seconds", kernel.one_thread);
      json.member("paper_speedup", kernel.paper).key("blocks").begin_array();
      for (const BlockTime& time : kernel.times)
        json.begin_object()
            .member("threads", time.shape.threads)
            .member("width", time.shape.width)
            .member("height", time.shape.height)
            .member("used", time.shape.used)
            .member("seconds", time.seconds)
            .member("speedup", kernel.one_thread / time.seconds)
            .end_object();
      json.end_array().end_object();
    }
    json.end_array();
  });
}

std::string blocks_svg(const std::vector<BlockTimes>& all) {
  report::BarChart chart{.title = "Speed-up over one CPU thread by the shape of blocks",
                         .value = {.title = "times as fast as one thread"},
                         .horizontal = true};
  report::BarSeries bars{.name = "speed-up"};
  for (const BlockTimes& kernel : all)
    for (const BlockTime& time : kernel.times) {
      chart.categories.push_back(kernel.kernel + ": " + shape_text(time.shape));
      bars.values.push_back(kernel.one_thread / time.seconds);
    }
  chart.series.push_back(std::move(bars));
  return report::to_svg(chart);
}

}  // namespace

int run_scene_blocks(const BenchOptions& options, const std::string& chart, Context& context,
                     const std::function<BlockData()>& draw) {
  check_formats(options, context);
  const std::string absence = cuda_absence();
  if (!absence.empty() || context.exec.device.kind == DeviceKind::kCpu)
    throw DeviceError("--blocks measures kernels on a GPU: " +
                      (absence.empty() ? "the device that was asked for is the CPU" : absence));
  const Exec gpu{.device = resolve(context.exec.device)};
  const BlockData data = draw();
  const std::vector<BlockTimes> all{measure_filters(data, gpu, options.repeats, context.exec.stop),
                                    measure_search(data, gpu, options.repeats, context.exec.stop)};
  context.console.end_progress();
  if (!chart.empty()) write_text(chart, blocks_svg(all));
  if (context.json) print_blocks_json(context, all);
  else print_blocks(options, context, all);
  return kDone;
}

}  // namespace fovea::cli
