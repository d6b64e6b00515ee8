#include "bench/people/people_integral.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/json_writer.h>
#include <fovea/ops/integral.h>
#include <fovea/report/chart.h>

#include <fmt/format.h>

#include <memory>

#include "bench/stage_table.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/timing/timing.h"
#include "ops/integral/backend.h"

namespace fovea::cli {
namespace {

enum class SumPixel : unsigned char { kFloat, kFloat4, kDouble };
constexpr SumPixel kPixels[] = {SumPixel::kFloat, SumPixel::kFloat4, SumPixel::kDouble};
const char* pixel_name(SumPixel pixel) {
  return pixel == SumPixel::kFloat ? "float" : pixel == SumPixel::kFloat4 ? "float4" : "double";
}
double pixel_bytes(SumPixel pixel) {
  return pixel == SumPixel::kFloat ? 4 : pixel == SumPixel::kFloat4 ? 16 : 8;
}

struct IntegralTimes {
  SumPixel pixel{};
  Extent size{};
  double one = 0;
  std::optional<double> threads{}, gpu{};
  std::optional<double> thesis{};  // speed-up of the thesis' GPU over one thread of its CPU
  cuda::KernelFacts kernel{};      // of the GPU

  std::optional<double> speedup() const { return gpu ? std::optional(one / *gpu) : std::nullopt; }
  // Bytes that the GPU reads and writes per second, in units of 1e9.
  std::optional<double> throughput() const {
    if (!gpu) return {};
    return 2e-9 * pixel_bytes(pixel) * size.width * size.height / *gpu;
  }
};

template <class T>
BenchWork integral_work(Extent size, int channels, Memory memory) {
  Image<T> noise(size.width, size.height, channels);
  Random random(5, 0);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < channels; ++c) noise.at(x, y, c) = static_cast<T>(random.bits() & 0xFFU);
  const auto image = std::make_shared<Image<T>>(clone(noise, memory));
  const auto sums = std::make_shared<Image<T>>(size.width + 1, size.height + 1, channels, memory);
  return [=](const Exec& exec) { integral(image->view(), sums->view(), {.exec = exec}); };
}

BenchWork work_of(SumPixel pixel, Extent size, Memory memory) {
  if (pixel == SumPixel::kDouble) return integral_work<double>(size, 1, memory);
  return integral_work<float>(size, pixel == SumPixel::kFloat4 ? 4 : 1, memory);
}

IntegralTimes measure_integral(SumPixel pixel, Extent size, const StagePlaces& places,
                               const BenchOptions& options, const std::stop_token& stop) {
  std::vector<Runner> runners{
      runner_of(work_of(pixel, size, Memory::kHost), {.device = Device::cpu(), .threads = 1})};
  if (places.threads > 0)
    runners.push_back(runner_of(work_of(pixel, size, Memory::kHost),
                                {.device = Device::cpu(), .threads = places.threads}));
  const std::vector<Timing> timings = time_in_turns(runners, options.repeats, stop);
  IntegralTimes times{.pixel = pixel, .size = size, .one = timings[0].seconds};
  if (places.threads > 0) times.threads = timings[1].seconds;
  if (places.gpu) {
    BenchWork work;
    cuda::time_on_device(*places.gpu,
                         [&](const Exec&) { work = work_of(pixel, size, Memory::kCuda); });
    times.gpu = time_in_turns({runner_of(work, *places.gpu)}, options.repeats, stop)[0].seconds;
    cuda::time_on_device(*places.gpu, [&](const Exec&) {
      times.kernel = pixel == SumPixel::kDouble
                         ? cuda::double_integral_facts()
                         : cuda::float_integral_facts(pixel == SumPixel::kFloat4 ? 4 : 1);
    });
  }
  // The thesis gives one number of these figures in words; the rest is only
  // drawn.
  if (pixel == SumPixel::kDouble && size == Extent{2048, 2048}) times.thesis = 9;
  return times;
}

StageTable integral_table(const StagePlaces& places, const std::vector<IntegralTimes>& all) {
  StageTable table{
      {"pixels", "size", "1 thread", fmt::format("{} threads", std::max(places.threads, 1)), "GPU",
       "GPU GB/s", "GPU speed-up", "thesis: speed-up"},
      {},
      2};
  for (const IntegralTimes& times : all)
    table.rows.push_back(
        {pixel_name(times.pixel), fmt::format("{}x{}", times.size.width, times.size.height),
         seconds_text(times.one), time_text(times.threads), time_text(times.gpu),
         ratio_text(times.throughput()), ratio_text(times.speedup()), ratio_text(times.thesis)});
  return table;
}

// Table 6-1 of the thesis: its three kernels, and the one of ours. Throughputs are those of the
// largest image.
StageTable kernel_table(const std::vector<IntegralTimes>& all) {
  StageTable table{
      {"kernel", "occupancy %", "GB/s", "shared bytes", "registers", "threads per block"},
      {{"thesis: scan array", "100", "17", "2224", "11", "256"},
       {"thesis: increment block", "100", "50", "48", "5", "256"},
       {"thesis: transpose", "100", "49", "1120", "8", "256"}},
      1};
  for (const IntegralTimes& times : all) {
    const bool last = &times == &all.back() || (&times + 1)->pixel != times.pixel;
    if (!times.gpu || !last) continue;
    table.rows.push_back(
        {pixel_name(times.pixel), fmt::format("{:.0f}", 100 * times.kernel.occupancy),
         ratio_text(times.throughput()), fmt::to_string(times.kernel.shared_bytes),
         fmt::to_string(times.kernel.registers), fmt::to_string(times.kernel.threads)});
  }
  return table;
}

// A line of a figure: what it shows, of which pixels, and its factor.
struct FigureLine {
  std::string name;
  SumPixel pixel;
  std::optional<double> (*seconds)(const IntegralTimes&);
  double factor = 1;
  bool dashed = false;
};
std::optional<double> on_one(const IntegralTimes& times) { return times.one; }
std::optional<double> on_threads(const IntegralTimes& times) { return times.threads; }
std::optional<double> on_gpu(const IntegralTimes& times) { return times.gpu; }

struct ThesisFigure {
  std::string name;
  std::string title;
  std::vector<FigureLine> lines;
  std::string caption;
};

StageChart integral_chart(const ThesisFigure& figure, const std::vector<IntegralTimes>& all) {
  report::LineChart chart{.title = figure.title,
                          .x = {.title = "pixels (million)", .log = true},
                          .y = {.title = "time (ms)", .log = true},
                          .width = 720,
                          .height = 420};
  for (const FigureLine& line : figure.lines) {
    report::Series series{.name = line.name, .dashed = line.dashed, .marker = report::Marker::kDot};
    for (const IntegralTimes& times : all) {
      const std::optional<double> seconds = line.seconds(times);
      if (times.pixel != line.pixel || !seconds) continue;
      series.x.push_back(1e-6 * times.size.width * times.size.height);
      series.y.push_back(1000 * line.factor * *seconds);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  return {figure.name, report::to_svg(chart), figure.caption};
}

// The figures of the thesis. Where there is no GPU, threads take its place in
// figures 6-5 and 6-6.
std::vector<ThesisFigure> thesis_figures(bool gpu) {
  const auto best = gpu ? on_gpu : on_one;
  const std::string where = gpu ? ", GPU" : ", 1 thread";
  const auto against = [](const char* name, const char* title, SumPixel pixel) {
    return ThesisFigure{name,
                        title,
                        {{"1 thread", pixel, on_one},
                         {"all threads", pixel, on_threads, 1, true},
                         {"GPU", pixel, on_gpu}},
                        "Data lies in the memory of its device; copies are not counted."};
  };
  return {
      against("integral-float", "Integral images of floats (figure 6-4)", SumPixel::kFloat),
      {"integral-float4",
       "Four channels at once (figure 6-5)" + where,
       {{"float4", SumPixel::kFloat4, best}, {"4 times float", SumPixel::kFloat, best, 4, true}},
       "One image of four channels beside four times the time of one channel."},
      {"integral-precision",
       "Float and double (figure 6-6)" + where,
       {{"float", SumPixel::kFloat, best}, {"double", SumPixel::kDouble, best, 1, true}},
       "Sums in single and in double precision."},
      against("integral-double", "Integral images of doubles (figure 6-7)", SumPixel::kDouble)};
}

void print_integral_json(Context& context, const StagePlaces& places,
                         const std::vector<IntegralTimes>& all, const std::string& charts) {
  print_result(context, [&](io::JsonWriter& json) {
    json.member("cpu", devices().front().name).member("threads", std::max(places.threads, 1));
    if (!charts.empty()) json.member("charts", charts);
    json.key("integrals").begin_array();
    for (const IntegralTimes& times : all) {
      json.begin_object().member("pixels", pixel_name(times.pixel));
      json.member("width", times.size.width).member("height", times.size.height);
      json.member("one_thread_seconds", times.one);
      write_optional(json, "threads_seconds", times.threads);
      write_optional(json, "gpu_seconds", times.gpu);
      write_optional(json, "gpu_gigabytes_per_second", times.throughput());
      write_optional(json, "gpu_speedup", times.speedup());
      write_optional(json, "thesis_gpu_speedup", times.thesis);
      if (times.gpu) {
        json.key("kernel").begin_object().member("occupancy", times.kernel.occupancy);
        json.member("shared_bytes", times.kernel.shared_bytes);
        json.member("registers", times.kernel.registers);
        json.member("threads_per_block", times.kernel.threads).end_object();
      }
      json.end_object();
    }
    json.end_array();
  });
}

}  // namespace

int run_integral_sizes(const BenchOptions& options, const std::string& charts, Context& context,
                       const std::vector<Extent>& sizes) {
  check_formats(options, context);
  require_no_file("--charts", charts);
  const StagePlaces places = stage_places(context);
  std::vector<IntegralTimes> all;
  for (const SumPixel pixel : kPixels)
    for (const Extent& size : sizes) {
      const std::string text = fmt::format("{} {}x{}", pixel_name(pixel), size.width, size.height);
      if (text.find(options.filter) == std::string::npos) continue;
      if (context.exec.progress)
        context.exec.progress({"measuring", static_cast<double>(all.size()),
                               static_cast<double>(std::size(kPixels) * sizes.size())});
      all.push_back(measure_integral(pixel, size, places, options, context.exec.stop));
    }
  context.console.end_progress();
  if (all.empty())
    throw InvalidArgument(
        fmt::format("--filter is '{}', which no case contains; there are "
                    "float, float4 and double with sizes "
                    "such as 512x512",
                    options.filter));
  const StageTable table = integral_table(places, all);
  if (!charts.empty()) {
    StagePage page{
        "Integral images", "Time against size, as in figures 6-4 to 6-7 of the thesis.", {}, table};
    for (const ThesisFigure& figure : thesis_figures(places.gpu.has_value()))
      page.charts.push_back(integral_chart(figure, all));
    write_chart_folder(charts, page, context);
  }
  if (context.json) print_integral_json(context, places, all, charts);
  else print_table(options, context, table);
  if (!context.json && places.gpu) {
    context.console.print("\n");
    print_table(options, context, kernel_table(all));
  }
  return kDone;
}

}  // namespace fovea::cli
