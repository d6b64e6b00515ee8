// fovea bench pipeline: whole commands, from files to files, beside their parts alone and beside
// programs of rivals.
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "bench/pipeline/pipeline_jobs.h"
#include "bench/pipeline/pipeline_rates.h"
#include "bench/pipeline/pipeline_rivals.h"
#include "cli/beside/beside.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

using pipeline::Job;
using pipeline::NamedJob;
using pipeline::Rates;

struct PipelineOptions {
  int count = 48;
  Extent size{1280, 960};
  std::string filter{};
  bool markdown = false;
  std::string folder{};
};

void describe(OptionVisitor& visit, PipelineOptions& options) {
  visit("count", options.count, "images, frames of a video, and meshes per measurement", 2, 1e6);
  visit("size", options.size,
        "size of the images; frames of a video have half of it on a side, and meshes have a face "
        "for every 128 of its pixels");
  visit("filter", options.filter, "measure only verbs whose name contains this text");
  visit("markdown", options.markdown, "print a Markdown table for documents");
  visit.path("folder", options.folder, TextUse::kFolder,
             "folder for the files that are read and written, which are removed at the end; the "
             "default is a new one among the system's temporary files");
}

class Silence final : public Sink {
 public:
  void write(std::string_view) override {}
  void flush() override {}
};

double seconds_of(const std::function<void()>& work) {
  const double start = steady_seconds();
  work();
  return steady_seconds() - start;
}

Rates measure(const Job& job, int count, const Exec& place) {
  Rates rates{.name = job.name,
              .device = to_string(place.device),
              .threads = place.threads,
              .encoding = job.encoding};
  const auto rate_of = [&](const std::function<void(const Exec&)>& part) {
    return part ? count / seconds_of([&] { part(place); }) : 0;
  };
  // Each part runs once before it is timed, so that all find files, memory and a GPU as warm as the
  // whole does.
  for (const auto& part : {job.decode, job.work, job.encode})
    if (part) part(place);
  rates.decode = rate_of(job.decode);
  rates.work = rate_of(job.work);
  rates.encode = rate_of(job.encode);
  Silence out;
  std::string messages;
  std::vector<std::string> words = job.arguments;
  words.insert(words.end(), {"--quiet", "--device", to_string(place.device), "--threads",
                             std::to_string(place.threads)});
  int status = kDone;
  rates.whole = count / seconds_of([&] {
                  status = run(words, {.out = out, .err = out, .stop = place.stop});
                });
  if (status == kInterrupted) throw Cancelled("stopped on request");
  if (status != kDone)
    throw Error(fmt::format("fovea {} ended with status {}", fmt::join(words, " "), status));
  return rates;
}

// 1, 2, 4, ... threads up to all cores; then a GPU, with all threads beside it.
std::vector<Exec> pipeline_places(const Context& context) {
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Exec> all;
  const auto add = [&](Device device, int threads) {
    Exec exec;
    exec.device = device;
    exec.threads = threads;
    exec.stop = context.exec.stop;
    all.push_back(exec);
  };
  const Device asked = context.exec.device;
  if (asked.kind != DeviceKind::kCuda) {
    if (context.exec.threads > 0) add(Device::cpu(), context.exec.threads);
    for (int threads = 1; context.exec.threads == 0 && threads < cores; threads *= 2)
      add(Device::cpu(), threads);
    if (context.exec.threads == 0) add(Device::cpu(), cores);
  }
  const bool gpu = asked.kind == DeviceKind::kCuda ||
                   (asked.kind == DeviceKind::kAuto && cuda_absence().empty());
  if (gpu) add(resolve(Device::cuda(asked.index)), thread_count(context.exec));
  return all;
}

std::vector<NamedJob> jobs_of(pipeline::Material& material, const std::string& filter) {
  std::vector<NamedJob> jobs;
  std::vector<std::string> names;
  for (const auto& group : {pipeline::photo_jobs(material), pipeline::video_jobs(material),
                            pipeline::mesh_jobs(material)})
    for (const NamedJob& job : group) {
      names.push_back(fmt::format("'{}'", job.name));
      if (job.name.find(filter) != job.name.npos) jobs.push_back(job);
    }
  if (jobs.empty())
    throw InvalidArgument(fmt::format("--filter is '{}', which no verb contains; there are {}",
                                      filter, fmt::join(names, ", ")));
  return jobs;
}

void print_json(const std::vector<Rates>& rows, const std::string& library,
                const Context& context) {
  print_result(context, [&](io::JsonWriter& json) {
    if (!library.empty()) json.member("rival_library", library);
    json.key("rows").begin_array();
    for (const Rates& row : rows) {
      json.begin_object().member("verb", row.name).member("device", row.device);
      json.member("threads", row.threads);
      if (row.decode > 0) json.member("decode_per_second", row.decode);
      if (row.work > 0) json.member("work_per_second", row.work);
      if (row.encode > 0) json.member("encode_per_second", row.encode);
      json.member("whole_per_second", row.whole);
      json.member("bound_per_second", row.bound());
      json.member("share_of_bound", row.whole / row.bound());
      if (row.ratio()) {
        json.member("rival", row.rival.rival).member("rival_loop_per_second", row.rival.loop);
        json.member("rival_per_second", row.rival.pool).member("ratio", *row.ratio());
      }
      json.end_object();
    }
    json.end_array();
  });
}

int run_bench_pipeline(PipelineOptions& options, Context& context) {
  if (context.json && options.markdown)
    throw InvalidArgument("--json and --markdown exclude each other; give one of them");
  constexpr int kLeastSide = 128;
  if (options.size.width < kLeastSide || options.size.height < kLeastSide)
    throw InvalidArgument(fmt::format("--size is {}x{}; expected sides of {} pixels or more",
                                      options.size.width, options.size.height, kLeastSide));
  const std::vector<Exec> where = pipeline_places(context);
  const pipeline::Workplace place(options.folder);
  pipeline::Material material(options.count, options.size, place);
  const std::vector<NamedJob> jobs = jobs_of(material, options.filter);
  const Rivals rivals;
  std::string absence = rivals.absence();
  std::vector<Rates> rows;
  for (const NamedJob& named : jobs) {
    throw_if_stopped(context.exec);
    const Job job = named.make();
    pipeline::RivalClock clock(rivals, job.rival);
    if (job.rival && !absence.empty())
      context.console.note("no rivals: " + std::exchange(absence, {}));
    for (const Exec& exec : where) {
      throw_if_stopped(context.exec);
      if (context.exec.progress)
        context.exec.progress({"measuring", static_cast<double>(rows.size()),
                               static_cast<double>(jobs.size() * where.size())});
      rows.push_back(measure(job, options.count, exec));
      rows.back().rival = clock.measure(options.count, exec.threads);
    }
  }
  context.console.end_progress();
  if (context.json) print_json(rows, rivals.source_name(), context);
  else context.console.print(pipeline::rates_table(rows, options.markdown));
  return kDone;
}

}  // namespace

Command bench_pipeline_command() {
  return {
      .system = "bench",
      .verb = "pipeline",
      .summary = beside_summary("bench", "pipeline"),
      .text =
          "Draws photographs, a video and meshes, writes them to files, and measures how many of "
          "them per second a verb reads and decodes, works on, and encodes and writes, each part "
          "alone and the whole command. The bound is what the parts allow: on a CPU they share the "
          "cores and their times add up, on a GPU the work runs beside decoding and encoding. The "
          "text of actions points is written after the other parts. The share is the whole divided "
          "by the bound. Rows "
          "have 1, 2, 4 and more threads up to all cores, and a GPU where there is one. "
          "Where the module of rivals is installed, people detect and ops resize are compared with "
          "plain programs that read and write the same files with OpenCV and search them with its "
          "HOGDescriptor or resize them: one as a loop on one thread, and one as a pool in which "
          "each of the row's threads takes the next image. The ratio is the whole divided by the "
          "pool, so that more than 1 means that Fovea is faster.",
      .examples = {{"fovea bench pipeline --device cpu", "measure all verbs on the CPU"},
                   {"fovea bench pipeline --filter people --count 1000 --folder /dev/shm --json",
                    "measure the search for people, with files in memory"}},
      .request = make_request<PipelineOptions, run_bench_pipeline>};
}

}  // namespace fovea::cli
