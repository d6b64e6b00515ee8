// The experiment of Shaffer's paper (2011), repeated on a video: the first frame is mapped with
// nothing known and a second time with everything known, which are the paper's two measurements,
// and then the frames that follow are mapped. Starts take turns, so that a machine that slows down
// slows all of them. Labels come from host memory and maps return to it; both are counted,
// quantizing is not.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "bench/emd/emd_frames.h"
#include "cli/emd/emd.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using Frame = Image<std::uint8_t>;

// The paper gives only the ends of its frame rates, over both sizes, all numbers of channels and
// both measurements.
constexpr double kSlowest = 9.9, kFastest = 117.1;

// The calls of one mapper: the first frame, the first frame again, and the following frames.
struct Course {
  Extent size{};
  int channels = 0;
  emd::SimplexStart start{};
  std::vector<std::vector<double>> seconds{};  // by call, one per repeat
  std::vector<emd::MapReport> reports{};       // by call

  double milliseconds(std::size_t call) const {
    std::vector<double> sorted = seconds[call];
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    const double median =
        sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return 1000 * median;
  }
  bool follows() const { return seconds.size() > 2; }
  double following_milliseconds() const {  // mean
    double sum = 0;
    for (std::size_t call = 2; call < seconds.size(); ++call) sum += milliseconds(call);
    return sum / static_cast<double>(seconds.size() - 2);
  }
  emd::MapReport total() const {
    emd::MapReport sum;
    for (const emd::MapReport& report : reports) sum += report;
    return sum;
  }
};

const char* name_of(emd::SimplexStart start) {
  return start == emd::SimplexStart::kAuxiliary ? "auxiliary" : "greedy";
}
std::string text_of(Extent size) { return fmt::format("{}x{}", size.width, size.height); }

class Experiment {
 public:
  Experiment(const EmdFrameOptions& options, int repeats, Context& context)
      : options_(options), repeats_(repeats), context_(context) {}

  std::vector<Course> run() {
    const Frame target = emd_target(options_, context_);
    for (const Extent& size : options_.sizes) {
      const std::vector<Frame> frames = emd_frames(options_, size, options_.count, context_);
      for (const int channels : options_.channels) {
        const bool follow = channels == followed();
        measure(frames, follow ? frames.size() : 1, channels,
                emd::label_histogram(emd_labels(target, channels), channels));
      }
    }
    return std::move(courses_);
  }

 private:
  // The number of channels with which the whole video is mapped: the paper's greatest where it is
  // among those asked for.
  int followed() const {
    const auto& all = options_.channels;
    return std::find(all.begin(), all.end(), 11) != all.end() ? 11 : all.back();
  }

  void measure(const std::vector<Frame>& frames, std::size_t count, int channels,
               const std::vector<double>& target) {
    const bool cuda = context_.exec.device.kind == DeviceKind::kCuda;
    const Memory memory = cuda ? Memory::kPinned : Memory::kHost;
    std::vector<Frame> labels;
    for (std::size_t i = 0; i < count; ++i)
      labels.push_back(clone(emd_labels(frames[i], channels), memory));
    Image<float> map(labels[0].width(), labels[0].height(), 1, memory);
    const std::vector<emd::SimplexStart> starts = options_.starts();
    const std::size_t first = courses_.size();
    for (const emd::SimplexStart start : starts)
      courses_.push_back({.size = {labels[0].width(), labels[0].height()},
                          .channels = channels,
                          .start = start,
                          .seconds = std::vector<std::vector<double>>(count + 1),
                          .reports = std::vector<emd::MapReport>(count + 1)});
    for (int repeat = 0; repeat < repeats_; ++repeat)
      for (std::size_t i = 0; i < starts.size(); ++i) run_once(labels, target, map, first + i);
  }

  void run_once(const std::vector<Frame>& labels, const std::vector<double>& target,
                Image<float>& map, std::size_t number) {
    Course& course = courses_[number];
    emd::MapOptions options = options_.map_options(course.start);
    options.exec = context_.exec_without_progress();
    emd::Mapper mapper(target, options);
    // Kernels are loaded and memory is taken before the clock starts, as in the paper.
    mapper.map(labels[0], map);
    mapper.forget();
    for (std::size_t call = 0; call < course.seconds.size(); ++call) {
      throw_if_stopped(context_.exec);
      const double start = steady_seconds();
      mapper.map(labels[call == 0 ? 0 : call - 1], map);
      course.seconds[call].push_back(steady_seconds() - start);
      course.reports[call] = mapper.report();
    }
    if (context_.exec.progress)
      context_.exec.progress({"mapping", static_cast<double>(number + 1), 0});
  }

  const EmdFrameOptions& options_;
  int repeats_;
  Context& context_;
  std::vector<Course> courses_{};
};

std::vector<report::ReferenceLine> published() {
  const auto line = [](double rate, const char* which) {
    return report::ReferenceLine{.at = 1000 / rate,
                                 .label = fmt::format("the paper's {}: {} frames/s", which, rate)};
  };
  return {line(kSlowest, "slowest"), line(kFastest, "fastest")};
}

struct Chart {
  std::string name;  // of its file
  std::string svg;
  std::string caption;
};
using Courses = std::vector<const Course*>;

Chart channels_chart(const Courses& courses) {
  report::LineChart chart{.title = "Time per frame against channels, " + text_of(courses[0]->size),
                          .x = {.title = "channels"},
                          .y = {.title = "time (ms)", .log = true},
                          .references = published(),
                          .width = 720,
                          .height = 420};
  for (const emd::SimplexStart start :
       {emd::SimplexStart::kGreedy, emd::SimplexStart::kAuxiliary}) {
    for (const std::size_t call : {0, 1}) {
      report::Series series{
          .name = fmt::format("{}, {}", name_of(start), call == 0 ? "nothing known" : "all known"),
          .dashed = call == 1,
          .marker = report::Marker::kDot};
      for (const Course* course : courses) {
        if (course->start != start) continue;
        series.x.push_back(course->channels);
        series.y.push_back(course->milliseconds(call));
      }
      if (!series.x.empty()) chart.series.push_back(std::move(series));
    }
  }
  return {"channels-" + text_of(courses[0]->size), report::to_svg(chart),
          "The first frame, with nothing known and a second time: figures 2 and 3 of the paper, "
          "which gives only the ends of its frame rates in numbers."};
}

Chart time_chart(const Courses& followed) {
  const Course& any = *followed[0];
  report::LineChart chart{
      .title = fmt::format("Time per frame, {}, {} channels", text_of(any.size), any.channels),
      .x = {.title = "frame; 0 with nothing known, 1 the same again"},
      .y = {.title = "time (ms)", .log = true},
      .references = published(),
      .width = 720,
      .height = 420};
  for (const Course* course : followed) {
    report::Series series{.name = name_of(course->start)};
    for (std::size_t call = 0; call < course->seconds.size(); ++call)
      series.y.push_back(course->milliseconds(call));
    chart.series.push_back(std::move(series));
  }
  return {"time-" + text_of(any.size), report::to_svg(chart), "Time of each frame in the mapper."};
}

Chart hits_chart(const Course& course) {
  report::LineChart chart{.title = fmt::format("Pixels whose distance was known, {}, {} channels",
                                               text_of(course.size), course.channels),
                          .x = {.title = "frame; 0 with nothing known, 1 the same again"},
                          .y = {.title = "pixels (%)", .low = 0, .high = 100},
                          .width = 720,
                          .height = 420};
  report::Series cached{.name = "known from earlier frames"}, all{.name = "or duplicates"};
  for (const emd::MapReport& report : course.reports) {
    cached.y.push_back(100.0 * static_cast<double>(report.cached) /
                       static_cast<double>(report.pixels));
    all.y.push_back(100 * report.hit_rate());
  }
  chart.series = {std::move(cached), std::move(all)};
  return {"hits-" + text_of(course.size), report::to_svg(chart),
          "The cache and the search for duplicates; they are the same from every start."};
}

Chart solvers_chart(const Courses& followed) {
  const Course& any = *followed[0];
  report::BarChart chart{
      .title = fmt::format("Problems by solver, {}, {} channels", text_of(any.size), any.channels),
      .value = {.title = "problems in all frames"},
      .horizontal = true,
      .width = 720};
  emd::SolvedCounts all;
  for (const Course* course : followed) all += course->total().solved_by;
  for (int i = 0; i < emd::kSolvers; ++i)
    if (all[static_cast<emd::SolvedBy>(i)] > 0)
      chart.categories.emplace_back(to_string(static_cast<emd::SolvedBy>(i)));
  for (const Course* course : followed) {
    report::BarSeries series{.name = name_of(course->start)};
    const emd::SolvedCounts counts = course->total().solved_by;
    for (int i = 0; i < emd::kSolvers; ++i)
      if (all[static_cast<emd::SolvedBy>(i)] > 0)
        series.values.push_back(static_cast<double>(counts[static_cast<emd::SolvedBy>(i)]));
    chart.series.push_back(std::move(series));
  }
  return {"solvers-" + text_of(any.size), report::to_svg(chart),
          "What solved the histograms that were neither known nor duplicates."};
}

std::vector<Chart> charts_of(const std::vector<Course>& courses) {
  std::vector<Chart> charts;
  for (std::size_t begin = 0, end = 0; begin < courses.size(); begin = end) {
    Courses all, followed;
    const auto same = [&](const Course& course) {
      return course.size.width == courses[begin].size.width &&
             course.size.height == courses[begin].size.height;
    };
    for (end = begin; end < courses.size() && same(courses[end]); ++end) {
      all.push_back(&courses[end]);
      if (courses[end].follows()) followed.push_back(&courses[end]);
    }
    if (all.front()->channels != all.back()->channels) charts.push_back(channels_chart(all));
    if (followed.empty()) continue;
    charts.push_back(time_chart(followed));
    charts.push_back(hits_chart(*followed[0]));
    if (followed[0]->total().solved > 0) charts.push_back(solvers_chart(followed));
  }
  return charts;
}

void write_csv(const std::string& path, const std::vector<Course>& courses) {
  io::FileSink file(path);
  std::vector<std::string> header{"width",        "height", "channels",  "start",  "frame",
                                  "milliseconds", "cached", "duplicate", "solved", "pivots"};
  for (int i = 0; i < emd::kSolvers; ++i)
    header.emplace_back(to_string(static_cast<emd::SolvedBy>(i)));
  io::CsvWriter csv(file.sink(), header);
  for (const Course& course : courses) {
    for (std::size_t call = 0; call < course.seconds.size(); ++call) {
      const emd::MapReport& report = course.reports[call];
      csv.field(course.size.width).field(course.size.height).field(course.channels);
      csv.field(name_of(course.start)).field(call).field(course.milliseconds(call));
      csv.field(report.cached).field(report.duplicate).field(report.solved).field(report.pivots);
      for (const std::int64_t count : report.solved_by.counts) csv.field(count);
      csv.end_row();
    }
  }
  file.commit();
}

void write_folder(const std::string& output, const std::vector<Course>& courses,
                  const Context& context) {
  make_folder(output);
  const fs::path folder(output);
  report::Page page("Shaffer's experiment",
                    "Earth Mover's Distances of every window of a video to a target.");
  report::Table table{"Times in the mapper.",
                      {{"size"},
                       {"channels"},
                       {"start"},
                       {"nothing known", "ms"},
                       {"all known", "ms"},
                       {"following frames", "ms"},
                       {"solved by"}},
                      {}};
  for (const Course& course : courses)
    table.rows.push_back(
        {text_of(course.size), course.channels, name_of(course.start),
         report::Cell(course.milliseconds(0)), report::Cell(course.milliseconds(1)),
         course.follows() ? report::Cell(course.following_milliseconds()) : report::Cell("-"),
         solved_by_text(course.total().solved_by)});
  page.section("Charts");
  for (const Chart& chart : charts_of(courses)) {
    write_text((folder / (chart.name + ".svg")).string(), chart.svg);
    page.figure(report::Figure::chart(chart.svg, {chart.caption}));
  }
  page.section("Times");
  page.table(table);
  write_csv((folder / "frames.csv").string(), courses);
  page.provenance(page_provenance(context));
  page.write((folder / "index.html").string());
}

void print_json(const std::vector<Course>& courses, const EmdFrameOptions& options, int repeats,
                const Context& context) {
  print_result(context, [&](io::JsonWriter& json) {
    json.member("charts", options.charts).member("repeats", repeats);
    json.key("published").begin_object();
    json.member("source", "Shaffer 2011, C2050");
    json.member("slowest_frames_per_second", kSlowest);
    json.member("fastest_frames_per_second", kFastest).end_object();
    json.key("courses").begin_array();
    for (const Course& course : courses) {
      json.begin_object().member("width", course.size.width).member("height", course.size.height);
      json.member("channels", course.channels).member("start", name_of(course.start));
      json.key("frames").begin_array();
      for (std::size_t call = 0; call < course.seconds.size(); ++call) {
        const emd::MapReport& report = course.reports[call];
        json.begin_object().member("seconds", course.milliseconds(call) / 1000);
        json.member("pixels", report.pixels).member("cached", report.cached);
        json.member("duplicate", report.duplicate).member("solved", report.solved);
        json.member("pivots", report.pivots);
        json.key("solved_by");
        io::write_record(json, record_ref(report.solved_by));
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array();
  });
}

std::string text_of(const std::vector<Course>& courses, const std::string& folder) {
  std::string text =
      fmt::format("{:<10} {:>8} {:<9} {:>16} {:>12} {:>14}  {}\n", "size", "channels", "start",
                  "nothing known ms", "all known ms", "following ms", "solved by");
  for (const Course& course : courses)
    text += fmt::format(
        "{:<10} {:>8} {:<9} {:>16.2f} {:>12.2f} {:>14}  {}\n", text_of(course.size),
        course.channels, name_of(course.start), course.milliseconds(0), course.milliseconds(1),
        course.follows() ? fmt::format("{:.2f}", course.following_milliseconds()) : "-",
        solved_by_text(course.total().solved_by));
  return text + fmt::format(
                    "the paper (C2050, all sizes and channels): {:.2f} ms at the slowest, {:.2f} "
                    "ms at the fastest\ncharts: {}\n",
                    1000 / kSlowest, 1000 / kFastest, folder);
}

}  // namespace

int run_emd_experiment(const EmdFrameOptions& options, int repeats, Context& context) {
  for (const Extent& size : options.sizes)
    if (size.width < 16 || size.height < 16)
      throw InvalidArgument(fmt::format("--sizes holds '{}x{}'; expected frames of at least 16x16",
                                        size.width, size.height));
  require_no_file("--charts", options.charts);
  resolve_device(context);
  const std::vector<Course> courses = Experiment(options, repeats, context).run();
  context.console.end_progress();
  write_folder(options.charts, courses, context);
  if (context.json) print_json(courses, options, repeats, context);
  else context.console.print(text_of(courses, options.charts));
  return kDone;
}

}  // namespace fovea::cli
