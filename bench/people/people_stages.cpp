#include "bench/people/people_stages.h"

#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <fovea/report/chart.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/stage_table.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/timing/timing.h"
#include "people/steps.h"

namespace fovea::cli {
namespace {

using people::Step;
using StepSeconds = std::array<double, people::kSteps>;  // 0: there is no such step

// One row: a step, or the whole search.
struct StepRow {
  std::string name;
  std::optional<double> one{}, threads{}, gpu{};
  std::optional<double> thesis{};  // on the thesis' GPU
};
struct SearchRows {
  std::string name;  // "people_cascade"
  std::string size;
  std::vector<StepRow> rows;  // the last is the whole search
};

// Table 7-2 of Bilgic 2010, GTX 295: 1280x960 with a ratio of 1.2. Its
// gradients (6 ms) are added to its integral histograms (50 ms), because here
// one step computes both. The whole is from table 7-1.
std::optional<double> thesis_seconds(const PeopleSearch& search, std::optional<Step> step) {
  const RivalShape& shape = search.whole.shape;
  if (search.model->kind != people::Kind::kCascade || shape.width != 1280 || shape.height != 960 ||
      shape.ratio != 1.2)
    return {};
  if (!step) return 0.131;
  switch (*step) {
    case Step::kCopies: return 0.018;
    case Step::kSums: return 0.056;
    case Step::kEarlyStages: return 0.016;
    case Step::kLateStages: return 0.041;
    default: return {};
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Medians over repeated searches, after two that load kernels and take memory.
StepSeconds step_seconds(const PeopleSearch& search, const Exec& exec, int repeats,
                         const std::stop_token& stop) {
  const bool cuda = exec.device.kind == DeviceKind::kCuda;
  const auto image = clone(*search.whole.image, cuda ? Memory::kPinned : Memory::kHost);
  people::DetectOptions options = search.options;
  options.exec = exec;
  people::Detector detector(search.model, options);
  const int threads = cuda ? 1 : thread_count(exec);
  std::vector<StepSeconds> runs;
  for (int run = -2; run < repeats; ++run) {
    if (stop.stop_requested()) throw Cancelled("stopped on request");
    people::StepClock clock(threads);
    people::TimedDetector::detect(detector, image, clock);
    if (run < 0) continue;
    StepSeconds& seconds = runs.emplace_back();
    for (int i = 0; i < people::kSteps; ++i)
      seconds[static_cast<std::size_t>(i)] = clock.seconds(static_cast<Step>(i));
  }
  StepSeconds all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const StepSeconds& run : runs) values.push_back(run[i]);
    all[i] = median(std::move(values));
  }
  return all;
}

SearchRows measure_search(const PeopleSearch& search, const StagePlaces& places, int repeats,
                          const std::stop_token& stop) {
  const Exec one{.device = Device::cpu(), .threads = 1};
  const Exec many{.device = Device::cpu(), .threads = places.threads};
  std::vector<Runner> runners{runner_of(search.whole.prepare(Memory::kHost), one)};
  if (places.threads > 0) runners.push_back(runner_of(search.whole.prepare(Memory::kHost), many));
  const std::vector<Timing> timings = time_in_turns(runners, repeats, stop);
  StepRow whole{
      .name = "whole search", .one = timings[0].seconds, .thesis = thesis_seconds(search, {})};
  const StepSeconds steps_one = step_seconds(search, one, repeats, stop);
  StepSeconds steps_many{}, steps_gpu{};
  if (places.threads > 0) {
    whole.threads = timings[1].seconds;
    steps_many = step_seconds(search, many, repeats, stop);
  }
  if (places.gpu) {
    BenchWork work;
    cuda::time_on_device(*places.gpu,
                         [&](const Exec&) { work = search.whole.prepare(Memory::kCuda); });
    whole.gpu = time_in_turns({runner_of(work, *places.gpu)}, repeats, stop)[0].seconds;
    steps_gpu = step_seconds(search, *places.gpu, repeats, stop);
  }
  SearchRows result{search.whole.name, to_string(search.whole.shape), {}};
  for (std::size_t i = 0; i < steps_one.size(); ++i) {
    if (steps_one[i] == 0 && steps_gpu[i] == 0) continue;
    const auto present = [&](const StepSeconds& steps) {
      return steps[i] > 0 ? std::optional(steps[i]) : std::nullopt;
    };
    const auto step = static_cast<Step>(i);
    result.rows.push_back({to_string(step), present(steps_one), present(steps_many),
                           present(steps_gpu), thesis_seconds(search, step)});
  }
  result.rows.push_back(std::move(whole));
  return result;
}

StageTable table_of(const StagePlaces& places, const std::vector<SearchRows>& all) {
  StageTable table{{"search", "size", "step", "1 thread",
                    fmt::format("{} threads", std::max(places.threads, 1)), "GPU", "thesis: GPU"},
                   {},
                   3};
  for (const SearchRows& search : all)
    for (const StepRow& row : search.rows)
      table.rows.push_back({search.name, search.size, row.name, time_text(row.one),
                            time_text(row.threads), time_text(row.gpu), time_text(row.thesis)});
  return table;
}

StageChart chart_of(const SearchRows& search, const StagePlaces& places) {
  report::BarChart chart{.title = fmt::format("Time per step, {}, {}", search.name, search.size),
                         .value = {.title = "time (ms)"},
                         .horizontal = true,
                         .width = 720};
  const auto add = [&](const std::string& name, std::optional<double> StepRow::*field) {
    report::BarSeries series{.name = name};
    for (const StepRow& row : search.rows) series.values.push_back(1000 * (row.*field).value_or(0));
    chart.series.push_back(std::move(series));
  };
  for (const StepRow& row : search.rows) chart.categories.push_back(row.name);
  add("1 thread", &StepRow::one);
  if (places.threads > 0) add(fmt::format("{} threads", places.threads), &StepRow::threads);
  if (places.gpu) add("GPU", &StepRow::gpu);
  std::string name = fmt::format("steps-{}-{}", search.name, search.size);
  std::replace(name.begin(), name.end(), ' ', '-');
  return {name, report::to_svg(chart),
          "With several threads a step has the time that all threads spend in "
          "it, divided by "
          "their number; waiting is the rest of the whole search."};
}

void print_people_steps(Context& context, const StagePlaces& places,
                        const std::vector<SearchRows>& all, const std::string& charts) {
  print_result(context, [&](io::JsonWriter& json) {
    json.member("cpu", devices().front().name).member("threads", std::max(places.threads, 1));
    if (!charts.empty()) json.member("charts", charts);
    json.key("searches").begin_array();
    for (const SearchRows& search : all) {
      json.begin_object().member("name", search.name).member("size", search.size);
      json.key("steps").begin_array();
      for (const StepRow& row : search.rows) {
        json.begin_object().member("step", row.name);
        write_optional(json, "one_thread_seconds", row.one);
        write_optional(json, "threads_seconds", row.threads);
        write_optional(json, "gpu_seconds", row.gpu);
        write_optional(json, "thesis_gpu_seconds", row.thesis);
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array();
  });
}

}  // namespace

int run_people_stages(const BenchOptions& options, const std::string& charts, Context& context,
                      const std::vector<PeopleSearch>& searches) {
  check_formats(options, context);
  require_no_file("--charts", charts);
  const StagePlaces places = stage_places(context);
  std::vector<SearchRows> all;
  for (const PeopleSearch& search : searches) {
    if (context.exec.progress)
      context.exec.progress({"measuring", static_cast<double>(&search - searches.data()),
                             static_cast<double>(searches.size())});
    all.push_back(measure_search(search, places, options.repeats, context.exec.stop));
  }
  context.console.end_progress();
  const StageTable table = table_of(places, all);
  if (!charts.empty()) {
    StagePage page{"Time per step of a search",
                   "Medians of whole searches for people and of their steps.",
                   {},
                   table};
    for (const SearchRows& search : all) page.charts.push_back(chart_of(search, places));
    write_chart_folder(charts, page, context);
  }
  if (context.json) print_people_steps(context, places, all, charts);
  else print_table(options, context, table);
  return kDone;
}

}  // namespace fovea::cli
