// fovea bench pipeline: whole commands, from files to files, beside their parts alone. On a CPU the
// parts share the cores, so that the times of all parts add up to the least time of the whole; on a
// GPU the work runs beside decoding and encoding, and the slower of both is the bound.
#include <fovea/core/error.h>
#include <fovea/flow/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/frames.h>
#include <fovea/io/json_writer.h>
#include <fovea/ops/resize.h>
#include <fovea/people/detector.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli/bench/natural_scene.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/stream.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using Pixels = Image<std::uint8_t>;

struct PipelineOptions {
  int count = 48;
  Extent size{1280, 960};
  std::string filter{};
  bool markdown = false;
  std::string folder{};
};

void describe(OptionVisitor& visit, PipelineOptions& options) {
  visit("count", options.count, "images, and frames of a video, per measurement", 2, 1e6);
  visit("size", options.size, "size of the images; frames of a video have half of it on a side");
  visit("filter", options.filter, "measure only verbs whose name contains this text");
  visit("markdown", options.markdown, "print a Markdown table for documents");
  visit.path("folder", options.folder, TextUse::kFolder,
             "folder for the files that are read and written, which are removed at the end; the "
             "default is a new one among the system's temporary files");
}

// A folder that is gone afterwards.
class Workplace {
 public:
  explicit Workplace(const std::string& parent) {
    const fs::path base = parent.empty() ? fs::temp_directory_path() : fs::path(parent);
    std::string name = (base / "fovea-pipeline-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw WriteError(fmt::format("{}: cannot make a folder in it", base.string()));
    path_ = name;
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::string operator/(const std::string& name) const { return (fs::path(path_) / name).string(); }

 private:
  std::string path_;
};

// A verb: its command line, and its parts over all items. A part may be missing.
struct Job {
  std::string name;
  std::vector<std::string> arguments;
  std::function<void(const Exec&)> decode{}, work{}, encode{};
};

// Items per second.
struct Rates {
  std::string name;
  std::string device;
  int threads = 1;
  double decode = 0, work = 0, encode = 0, whole = 0;

  double bound() const {
    const auto seconds = [](double rate) { return rate > 0 ? 1 / rate : 0; };
    const double files = seconds(decode) + seconds(encode);
    return 1 / (device == "cpu" ? files + seconds(work) : std::max(files, seconds(work)));
  }
};

// Calls step(i) for all items on as many threads as a command would use.
void for_all(int count, const Exec& exec, const std::function<void(int)>& step) {
  const io::FrameWorkers plan = io::plan_frame_workers(exec, count);
  int next = 0;
  struct Nothing {};
  Nothing nothing;
  io::run_frames<int, Nothing>({&nothing, 1},
                               {.read =
                                    [&](int& item) {
                                      item = next++;
                                      return item < count;
                                    },
                                .prepare = [&](int& item) { step(item); },
                                .write = [](int&) {}},
                               {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

// Calls step(worker, i) for all items, with workers made as a command would make them.
template <class Worker>
void for_all_with(int count, const Exec& exec, const std::function<Worker(const Exec&)>& make,
                  const std::function<void(Worker&, int)>& step) {
  const io::FrameWorkers plan = io::plan_frame_workers(exec, count);
  std::vector<Stream> streams;
  std::vector<Worker> workers;
  for (int i = 0; i < plan.count; ++i) {
    Exec own = exec;
    streams.emplace_back(exec.device);
    own.stream = streams.back().get();
    own.threads = plan.threads;
    workers.push_back(make(own));
  }
  int next = 0;
  io::run_frames<int, Worker>(workers,
                              {.read =
                                   [&](int& item) {
                                     item = next++;
                                     return item < count;
                                   },
                               .work = [&](Worker& worker, int& item) { step(worker, item); },
                               .write = [](int&) {}},
                              {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

// What all verbs read: photographs as JPEG, and a video of half their size.
class Material {
 public:
  Material(const PipelineOptions& options, const Workplace& place, const Exec& exec)
      : count(options.count), photos(place / "photos"), video(place / "video.y4m") {
    constexpr int kDistinct = 8;  // drawing takes longer than most of what is measured
    fs::create_directory(photos);
    std::vector<Pixels> drawn(kDistinct);
    for_all(std::min(count, kDistinct), exec, [&](int i) {
      drawn[static_cast<std::size_t>(i)] =
          NaturalScene(options.size, static_cast<std::uint64_t>(i) + 1).frame({}, {.threads = 1});
    });
    for (int i = 0; i < count; ++i) {
      images.push_back(clone(drawn[static_cast<std::size_t>(i % kDistinct)].view()));
      paths.push_back((fs::path(photos) / fmt::format("{:06}.jpg", i)).string());
    }
    for_all(count, exec, [&](int i) {
      io::write_image(paths[static_cast<std::size_t>(i)], images[static_cast<std::size_t>(i)]);
    });
    const NaturalScene scene({options.size.width / 2, options.size.height / 2});
    for (int i = 0; i < std::min(count, kDistinct); ++i)
      frames.push_back(scene.frame({.number = i, .camera = 2}, exec));
    for (int i = kDistinct; i < count; ++i)
      frames.push_back(clone(frames[static_cast<std::size_t>(i % kDistinct)].view()));
    io::VideoWriter writer(video);
    for (const Pixels& frame : frames) writer.write(frame);
    writer.finish();
  }

  int count;
  std::string photos, video;
  std::vector<std::string> paths{};
  std::vector<Pixels> images{}, frames{};
};

void decode_photos(const Material& material, const Exec& exec) {
  for_all(material.count, exec,
          [&](int i) { io::read_image(material.paths[static_cast<std::size_t>(i)]); });
}

void decode_video(const Material& material, const Exec& exec) {
  io::VideoReader reader(material.video);
  const io::FrameWorkers plan = io::plan_frame_workers(exec, material.count);
  struct Item {
    io::StoredFrame stored{};
    io::Frame frame{};
  };
  struct Nothing {};
  Nothing nothing;
  io::run_frames<Item, Nothing>({&nothing, 1},
                                {.read = [&](Item& item) { return reader.fetch(item.stored); },
                                 .prepare = [](Item& item) { item.stored.decode(item.frame); },
                                 .write = [](Item&) {}},
                                {.in_flight = plan.in_flight, .threads = plan.runners})
      .rethrow();
}

void write_photos(const std::vector<Pixels>& images, const std::string& folder, const Exec& exec) {
  fs::create_directories(folder);
  for_all(static_cast<int>(images.size()), exec, [&](int i) {
    io::write_image((fs::path(folder) / fmt::format("{:06}.jpg", i)).string(),
                    images[static_cast<std::size_t>(i)]);
  });
}

Job people_job(const Material& material, const Workplace& place, bool draws) {
  const auto model = people::load_model("people/channels");
  Job job{.name = draws ? "people detect, pictures" : "people detect, list",
          .arguments = {"people", "detect", material.photos}};
  if (draws) job.arguments.insert(job.arguments.end(), {"-o", place / "found"});
  else job.arguments.insert(job.arguments.end(), {"--csv", place / "found.csv"});
  job.decode = [&](const Exec& exec) { decode_photos(material, exec); };
  job.work = [&, model](const Exec& exec) {
    for_all_with<people::Detector>(
        material.count, exec,
        [&](const Exec& own) {
          people::DetectOptions options;
          options.exec = own;
          return people::Detector(model, options);
        },
        [&](people::Detector& detector, int i) {
          detector.detect(material.images[static_cast<std::size_t>(i)]);
        });
  };
  if (draws)
    job.encode = [&](const Exec& exec) { write_photos(material.images, place / "encoded", exec); };
  return job;
}

Job resize_job(const Material& material, const Workplace& place) {
  const auto halves = std::make_shared<std::vector<Pixels>>();
  for (const Pixels& image : material.images)
    halves->emplace_back(image.width() / 2, image.height() / 2, image.channels());
  return {
      .name = "ops resize",
      .arguments = {"ops", "resize", material.photos, "--scale", "0.5", "-o", place / "small"},
      .decode = [&](const Exec& exec) { decode_photos(material, exec); },
      .work =
          [&, halves](const Exec& exec) {
            ResizeOptions options;
            options.exec = exec;
            options.exec.threads = 1;
            for_all(material.count, exec, [&](int i) {
              const auto at = static_cast<std::size_t>(i);
              resize(material.images[at].view(), (*halves)[at].view(), options);
            });
          },
      .encode = [&, halves](const Exec& exec) { write_photos(*halves, place / "halves", exec); }};
}

Job scenes_job(const Material& material, const Workplace& place) {
  return {.name = "scenes classify",
          .arguments = {"scenes", "classify", material.photos, "-o", place / "classes.csv"},
          .decode = [&](const Exec& exec) { decode_photos(material, exec); },
          .work =
              [&](const Exec& exec) {
                scenes::ClassifyOptions options;
                options.exec = exec;
                scenes::Classifier classifier("scenes/sun8", options);
                const std::vector<ImageView<const std::uint8_t>> views(material.images.begin(),
                                                                       material.images.end());
                classifier.classify(views);
              },
          .encode = {}};
}

Job flow_job(const Material& material, const Workplace& place) {
  const auto field = std::make_shared<flow::Flow>(
      flow::Estimator().estimate(material.frames[0], material.frames[1]));
  return {.name = "flow lk",
          .arguments = {"flow", "lk", material.video, "--quality", "fast", "-o", place / "fields"},
          .decode = [&](const Exec& exec) { decode_video(material, exec); },
          .work =
              [&](const Exec& exec) {
                for_all_with<flow::Estimator>(
                    material.count - 1, exec,
                    [&](const Exec& own) {
                      flow::FlowOptions options;
                      options.quality = flow::Quality::kFast;
                      options.exec = own;
                      return flow::Estimator(options);
                    },
                    [&](flow::Estimator& estimator, int i) {
                      const auto at = static_cast<std::size_t>(i);
                      estimator.estimate(material.frames[at], material.frames[at + 1]);
                    });
              },
          .encode =
              [&, field](const Exec& exec) {
                const std::string folder = place / "written";
                fs::create_directories(folder);
                for_all(material.count - 1, exec, [&](int i) {
                  io::write_flow((fs::path(folder) / fmt::format("{:06}.flo", i)).string(),
                                 {field->u, field->v});
                });
              }};
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
  Rates rates{.name = job.name, .device = to_string(place.device), .threads = place.threads};
  const auto rate_of = [&](const std::function<void(const Exec&)>& part) {
    return part ? count / seconds_of([&] { part(place); }) : 0;
  };
  if (job.decode) job.decode(place);  // what follows finds files and memory as warm as the whole
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
std::vector<Exec> places(const Context& context) {
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

std::string rate_text(double rate) { return rate > 0 ? fmt::format("{:.1f}", rate) : ""; }

void print_table(const std::vector<Rates>& rows, bool markdown, Console& console) {
  const auto line = [&](const std::vector<std::string>& cells) {
    if (markdown) console.print(fmt::format("| {} |\n", fmt::join(cells, " | ")));
    else
      console.print(fmt::format("{:24} {:8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}\n", cells[0],
                                cells[1], cells[2], cells[3], cells[4], cells[5], cells[6],
                                cells[7], cells[8]));
  };
  line({"verb", "device", "threads", "decode/s", "work/s", "encode/s", "bound/s", "whole/s",
        "share"});
  if (markdown) line({"---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:"});
  for (const Rates& row : rows)
    line({row.name, row.device, std::to_string(row.threads), rate_text(row.decode),
          rate_text(row.work), rate_text(row.encode), rate_text(row.bound()), rate_text(row.whole),
          fmt::format("{:.0f} %", 100 * row.whole / row.bound())});
}

void print_json(const std::vector<Rates>& rows, const Context& context) {
  print_result(context, [&](io::JsonWriter& json) {
    json.key("rows").begin_array();
    for (const Rates& row : rows) {
      json.begin_object().member("verb", row.name).member("device", row.device);
      json.member("threads", row.threads);
      if (row.decode > 0) json.member("decode_per_second", row.decode);
      if (row.work > 0) json.member("work_per_second", row.work);
      if (row.encode > 0) json.member("encode_per_second", row.encode);
      json.member("whole_per_second", row.whole);
      json.member("bound_per_second", row.bound());
      json.member("share_of_bound", row.whole / row.bound()).end_object();
    }
    json.end_array();
  });
}

int run_bench_pipeline(PipelineOptions& options, Context& context) {
  constexpr int kLeastSide = 128;
  if (options.size.width < kLeastSide || options.size.height < kLeastSide)
    throw InvalidArgument(fmt::format("--size is {}x{}; expected sides of {} pixels or more",
                                      options.size.width, options.size.height, kLeastSide));
  const std::vector<Exec> where = places(context);
  const Workplace place(options.folder);
  const Material material(options, place, {.device = Device::cpu()});
  std::vector<Job> jobs{people_job(material, place, false), people_job(material, place, true),
                        resize_job(material, place), scenes_job(material, place),
                        flow_job(material, place)};
  std::erase_if(jobs,
                [&](const Job& job) { return job.name.find(options.filter) == job.name.npos; });
  if (jobs.empty())
    throw InvalidArgument(fmt::format(
        "--filter is '{}', which no verb contains; there are people detect, ops resize, "
        "scenes classify and flow lk",
        options.filter));
  std::vector<Rates> rows;
  for (const Job& job : jobs)
    for (const Exec& exec : where) {
      throw_if_stopped(context.exec);
      if (context.exec.progress)
        context.exec.progress({"measuring", static_cast<double>(rows.size()),
                               static_cast<double>(jobs.size() * where.size())});
      rows.push_back(measure(job, options.count, exec));
    }
  context.console.end_progress();
  if (context.json) print_json(rows, context);
  else print_table(rows, options.markdown, context.console);
  return kDone;
}

}  // namespace

Command bench_pipeline_command() {
  return {
      .system = "bench",
      .verb = "pipeline",
      .summary = "time whole commands and their parts, from files to files",
      .text =
          "Draws photographs and a video, writes them to files, and measures how many images or "
          "frames per second a verb reads and decodes, works on, and encodes and writes, each "
          "part alone and the whole command. The bound is what the parts allow: on a CPU they "
          "share "
          "the cores and their times add up, on a GPU the work runs beside decoding and encoding. "
          "The share is the whole divided by the bound. Rows have 1, 2, 4 and more threads up to "
          "all cores, and a GPU where there is one.",
      .examples = {{"fovea bench pipeline --device cpu", "measure all verbs on the CPU"},
                   {"fovea bench pipeline --filter people --count 1000 --folder /dev/shm --json",
                    "measure the search for people, with files in memory"}},
      .request = make_request<PipelineOptions, run_bench_pipeline>};
}

}  // namespace fovea::cli
