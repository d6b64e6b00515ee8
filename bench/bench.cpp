// Runs cases on the chosen devices (one CPU thread, all threads, a GPU) and measures each row: our
// code, the rival and a copy of as many bytes take turns.
#include "bench/bench.h"

#include <fovea/core/error.h>
#include <fovea/core/system.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "cli/rivals/rivals.h"
#include "core/timing/timing.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

bool on_cuda(const Exec& place) { return place.device.kind == DeviceKind::kCuda; }

// The devices to measure on. --device and --threads restrict them; auto means all that are usable.
std::vector<Exec> places(Context& context) {
  const Exec& asked = context.exec;
  std::vector<Exec> all;
  if (asked.device.kind != DeviceKind::kCuda) {
    const auto cores = static_cast<int>(devices().front().units);
    if (asked.threads > 0) all.push_back({.device = Device::cpu(), .threads = asked.threads});
    else all.push_back({.device = Device::cpu(), .threads = 1});
    if (asked.threads == 0 && cores > 1) all.push_back({.device = Device::cpu(), .threads = cores});
  }
  if (asked.device.kind == DeviceKind::kCuda) {
    all.push_back({.device = resolve(asked.device)});
  } else if (asked.device.kind == DeviceKind::kAuto) {
    const std::string absence = cuda_absence();
    if (absence.empty()) all.push_back({.device = Device::cuda()});
    else context.console.note("no GPU rows: " + absence);
  }
  return all;
}

// Calls `make` with the device as the current one, because device memory is allocated on that.
template <class Make>
BenchWork made_at(const Exec& place, Make make) {
  if (!on_cuda(place)) return make();
  BenchWork work;
  cuda::time_on_device(place, [&](const Exec&) { work = make(); });
  return work;
}

// A copy that moves `bytes`: half of them are read, half are written.
BenchWork copy_work(double bytes, const Exec& place) {
  const auto half = std::max<std::size_t>(1, static_cast<std::size_t>(bytes / 2));
  const Memory memory = on_cuda(place) ? Memory::kCuda : Memory::kHost;
  return made_at(place, [&]() -> BenchWork {
    const auto from = std::make_shared<Array<unsigned char>>(half, memory);
    const auto to = std::make_shared<Array<unsigned char>>(half, memory);
    if (!on_cuda(place)) {  // pages that were never written all share one page of zeros
      std::fill(from->begin(), from->end(), static_cast<unsigned char>(1));
      std::fill(to->begin(), to->end(), static_cast<unsigned char>(2));
    }
    return [=](const Exec& exec) {
      if (on_cuda(exec)) cuda::copy_bytes(from->data(), to->data(), half, exec);
      else cpu::copy_bytes(from->data(), to->data(), half, exec);
    };
  });
}

BenchCeiling ceiling_of(const Exec& place, int repeats, const std::stop_token& stop) {
  constexpr double kLargeBytes = 512.0 * (1 << 20);  // larger than every cache
  constexpr std::int64_t kRounds = 100000;
  double operations = 0;
  const auto arithmetic = [&](const Exec& exec) {
    operations =
        on_cuda(exec) ? cuda::multiply_add(kRounds, exec) : cpu::multiply_add(kRounds, exec);
  };
  const auto timings =
      time_in_turns({runner_of(copy_work(kLargeBytes, place), place), runner_of(arithmetic, place)},
                    repeats, stop);
  return {to_string(place.device), place.threads, kLargeBytes / timings[0].seconds,
          operations / timings[1].seconds};
}

// Our work alone, or with a rival.
struct Contest {
  const BenchCase& bench_case;
  const Exec& place;
  const BenchCeiling& ceiling;
};

BenchRow row_of(const Contest& contest, const std::vector<Timing>& timings) {
  const BenchCase& bench_case = contest.bench_case;
  BenchRow row{.name = bench_case.name,
               .device = to_string(contest.place.device),
               .threads = contest.place.threads,
               .size = to_string(bench_case.shape),
               .seconds = timings[0].seconds,
               .spread = timings[0].spread,
               .rival = {},
               .rival_seconds = {},
               .bound = "copy"};
  if (on_cuda(contest.place) && bench_case.published) {
    row.rival = bench_case.published->source;
    row.rival_seconds = bench_case.published->seconds;
  }
  const double arithmetic_seconds = bench_case.operations / contest.ceiling.operations_per_second;
  if (arithmetic_seconds > timings[1].seconds) row.bound = "arithmetic";
  row.bound_fraction = std::max(arithmetic_seconds, timings[1].seconds) / row.seconds;
  if (bench_case.error) row.error = bench_case.error();
  return row;
}

std::vector<BenchRow> measure(const Contest& contest, const Rivals& rivals, int repeats,
                              const std::stop_token& stop) {
  const BenchCase& bench_case = contest.bench_case;
  const Exec& place = contest.place;
  const Memory memory = on_cuda(place) ? Memory::kCuda : Memory::kHost;
  std::vector<Runner> runners{
      runner_of(made_at(place, [&] { return bench_case.prepare(memory); }), place),
      runner_of(copy_work(bench_case.bytes, place), place)};
  std::vector<Rivals::Work> works;
  if (!on_cuda(place)) works = rivals.prepare(bench_case.contest(), place.threads);
  for (const Rivals::Work& rival : works) runners.push_back(host_runner(rival.work));
  auto timings = time_in_turns(runners, repeats, stop);
  if (on_cuda(place)) timings[0].seconds /= bench_case.frames_on_gpu;
  const BenchRow alone = row_of(contest, timings);
  if (works.empty()) return {alone};
  std::vector<BenchRow> rows(works.size(), alone);
  for (std::size_t i = 0; i < works.size(); ++i) {
    rows[i].rival = works[i].rival;
    rows[i].rival_seconds = timings[2 + i].seconds;
    if (works[i].result && bench_case.rival_error)
      rows[i].rival_error = bench_case.rival_error(works[i].result());
  }
  return rows;
}

std::vector<BenchCase> filtered(const std::vector<BenchCase>& cases, const std::string& filter) {
  std::vector<BenchCase> kept;
  for (const BenchCase& each : cases) {
    if ((each.name + " " + to_string(each.shape)).find(filter) != std::string::npos)
      kept.push_back(each);
  }
  if (kept.empty()) {
    std::vector<std::string> names;
    for (const BenchCase& each : cases) {
      if (names.empty() || names.back() != each.name) names.push_back(each.name);
    }
    throw InvalidArgument(fmt::format("--filter is '{}', which no case contains; there are {}",
                                      detail::shown(filter), fmt::join(names, ", ")));
  }
  return kept;
}

BenchReport report_head(const BenchOptions& options, const std::vector<Exec>& where,
                        const Context& context) {
  BenchReport report;
  report.command = context.command.name();
  report.options_json = context.options_json;
  report.device = to_string(context.exec.device);
  report.seed = context.exec.seed;
  report.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  utsname system{};
  uname(&system);
  report.machine = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  for (const DeviceInfo& info : devices()) {
    if (info.device.kind == DeviceKind::kCpu)
      report.cpu = fmt::format("{}, {} cores", info.name, info.units);
    for (const Exec& place : where) {
      if (on_cuda(place) && info.device == place.device) report.gpu = info.name;
    }
  }
  const auto simd = build_info().simd_usable;
  report.simd = simd.empty() ? "none" : simd.front();
  report.repeats = options.repeats;
  return report;
}

void print(const BenchOptions& options, const BenchReport& report, Context& context) {
  context.console.end_progress();
  if (context.json) context.console.print(bench_json(report));
  else if (options.csv) context.console.print(bench_csv(report));
  else if (options.markdown) context.console.print(bench_markdown(report));
  else context.console.print(bench_text(report));
}

}  // namespace

std::string to_string(const RivalShape& shape) {
  std::string text = fmt::format("{}x{}", shape.width, shape.height);
  if (shape.channels != 1) text += fmt::format("x{}", shape.channels);
  if (shape.to_width > 0) text += fmt::format(" to {}x{}", shape.to_width, shape.to_height);
  if (shape.taps > 0) text += fmt::format(" {} taps", shape.taps);
  if (shape.ratio > 0) text += fmt::format(" ratio {:g}", shape.ratio);
  if (shape.disparities > 0) text += fmt::format(" {} disparities", shape.disparities);
  if (shape.bins > 0)
    text += fmt::format(" {} channels {:.1f}% distinct", shape.bins, 100 * shape.distinct);
  return text;
}

void describe(OptionVisitor& visit, BenchOptions& options) {
  visit("csv", options.csv, "print comma-separated values, one row per line");
  visit("markdown", options.markdown, "print a Markdown table for documents");
  visit("repeats", options.repeats, "timed runs per row; the median is reported", 1, 100000);
  visit("filter", options.filter, "measure only cases whose name and size contain this text");
  visit.path("rivals", options.rivals, TextUse::kInput,
             "JSON file with rows of rivals that another program measured");
}

void check_formats(const BenchOptions& options, const Context& context) {
  if (static_cast<int>(context.json) + static_cast<int>(options.csv) +
          static_cast<int>(options.markdown) >
      1)
    throw InvalidArgument("--json, --csv and --markdown exclude each other; give one of them");
}

int run_bench(const BenchOptions& options, Context& context,
              const std::function<std::vector<BenchCase>()>& make_cases) {
  check_formats(options, context);
  const auto wanted = filtered(make_cases(), options.filter);
  const auto where = places(context);
  BenchReport report = report_head(options, where, context);
  if (!options.rivals.empty()) merge_rivals(options.rivals, report.rows);  // throws if unreadable

  const Rivals rivals;
  report.rival_library = rivals.source_name();
  if (!rivals.absence().empty()) context.console.note("no rivals: " + rivals.absence());
  std::size_t done = 0;
  const auto report_progress = [&] {
    if (context.exec.progress)
      context.exec.progress({"measuring", static_cast<double>(done++),
                             static_cast<double>(wanted.size() * where.size())});
  };
  try {
    for (const Exec& place : where) {
      context.console.explain("measuring on " + to_string(place.device));
      report.ceilings.push_back(ceiling_of(place, options.repeats, context.exec.stop));
      for (const BenchCase& each : wanted) {
        report_progress();
        if (each.cpu_only && on_cuda(place)) continue;
        for (BenchRow& row : measure({each, place, report.ceilings.back()}, rivals, options.repeats,
                                     context.exec.stop))
          report.rows.push_back(std::move(row));
      }
    }
    report_progress();
  } catch (const Cancelled&) {
    report.interrupted = true;
  }
  report.seconds = seconds_so_far(context);
  if (!options.rivals.empty() && merge_rivals(options.rivals, report.rows) == 0)
    context.console.note(options.rivals +
                         ": no row has the name, size and device of a row measured here");
  print(options, report, context);
  if (report.interrupted) throw Cancelled("stopped on request");
  return kDone;
}

}  // namespace fovea::cli
