// fovea people detect: finds people in images and video and writes pictures and lists of boxes.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/people/explain.h>
#include <fovea/people/measure.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/people/people.h"
#include "cli/people/report.h"
#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// Memory that a search of an image takes, in multiples of the image: pyramids, channels, windows.
constexpr std::uint64_t kCopies = 16;

struct DetectRequest {
  std::string model = "channels";
  people::DetectOptions detect{};
  std::string output{};
  PeopleOutputs lists{};
  std::string mask{};
  io::Orientation orientation = io::Orientation::kApply;
  ExplainNumbers explain{};
  std::string explain_picture{};
};

void describe(OptionVisitor& visit, DetectRequest& request) {
  visit.path(
      "output", request.output, TextUse::kOutput,
      "pictures or video with boxes: a file, or for several inputs a folder or a pattern "
      "such as out/{}.png; a name that ends in .json, .csv or .parquet stands for --coco, --csv or "
      "--parquet");
  describe(visit, request.lists);
  describe_people_model(visit, request.model);
  describe(visit, request.detect);
  visit.path("mask", request.mask, TextUse::kInput,
             "image of the same size as the inputs: keep only people whose center is not black in "
             "it");
  visit("orientation", request.orientation,
        "apply turns inputs upright as their EXIF tag says; ignore takes them as they are stored");
  describe_explain(visit, request.explain,
                   "say why there is a person at this place of one image, or in this box, or why "
                   "there is none, instead of searching for people",
                   "X,Y[,W,H]");
  describe_explain_picture(visit, request.explain_picture);
}

// Whether the input is a video. A pipe or a device carries y4m, as the standard input does.
bool is_video(const std::string& input) {
  if (io::has_extension(input, io::image_files())) return false;  // without a look at the disk
  std::error_code error;
  const auto type = std::filesystem::status(input, error).type();
  const bool stream = type == std::filesystem::file_type::fifo ||
                      type == std::filesystem::file_type::character ||
                      type == std::filesystem::file_type::socket;
  return input == "-" || stream || io::is_live_source(input) ||
         io::has_extension(input, io::video_files());
}

class Search {
 public:
  // `frames` is how many images there are, or 0 where that is not known.
  Search(const DetectRequest& request, Context& context, std::int64_t frames)
      : request_(request),
        context_(context),
        model_(people::load_model(request.model)),
        options_(request.detect),
        files_(writes_shared_files(context) ? request.lists : PeopleOutputs{}) {
    if (!request.mask.empty() && request.detect.region)
      throw InvalidArgument("--mask and --region exclude each other; give one of them");
    if (!request.mask.empty())
      mask_ = io::to_gray(people::detector_pixels(read_input(context, request.mask)));
    make_workers(frames);  // which refuses what no detector can do
  }

  // The next `count` inputs of the batch, which are images.
  void images(Batch& batch, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs, std::size_t count) {
    const io::FrameWorkers plan = make_workers(static_cast<std::int64_t>(count));
    batch.run_together<Photo, Worker>(
        count, workers_, plan,
        {.bytes = [&](const auto& item) { return kCopies * image_bytes(inputs[item.input]); },
         .prepare =
             [&](auto& item) {
               item.value.pixels = people::detector_pixels(
                   read_finite_input(context_, inputs[item.input], request_.orientation));
             },
         .work = [&](Worker& worker,
                     auto& item) { item.value.result = in(worker.detector, item.value.pixels); },
         .complete =
             [&](auto& item) {
               item.outcome = write(inputs[item.input], outputs[item.input], item.value);
             },
         .write =
             [&](auto& item) {
               const people::DetectResult& result = item.value.result;
               keep(batch, {inputs[item.input]}, result);
               if (result.people.empty()) hint_at_enlarging(inputs[item.input], result.size.height);
             }});
  }

  // The next input of the batch, which is a video. Its frames are printed as they come.
  Outcome video(Batch& batch, const std::string& input, const std::string& output) {
    const Exec& exec = context_.exec;
    io::VideoReadOptions reading = video_options(context_);
    reading.orientation = request_.orientation;
    io::VideoReader reader = open_video(context_, input, reading);
    std::optional<io::VideoWriter> writer;
    if (!output.empty())
      writer.emplace(output, io::VideoWriteOptions{.frame_rate = reader.info().rate.value()});
    std::size_t found = 0;
    const char* separator = "";
    const auto write = [&](Shot& shot) {
      const io::FrameTime time{shot.frame.frame, shot.frame.seconds};
      keep(batch, {input, time}, shot.result);
      if (context_.json)
        batch.print_more(fmt::format("{}{{{}, {}}}", std::exchange(separator, ", "),
                                     io::record_members(record_ref(time)),
                                     io::record_members(record_ref(shot.result))));
      found += shot.result.people.size();
      if (writer) writer->write(shot.frame.image);
    };
    const std::int64_t expected = std::max<std::int64_t>(0, reader.expected_frames());
    const io::FrameWorkers plan = make_workers(io::plan_frame_workers(exec, reader));
    const auto search = [&] {
      return io::run_frames<Shot, Worker>(
          std::span(workers_).first(static_cast<std::size_t>(plan.count)),
          {.read = [&](Shot& shot) { return reader.fetch(shot.stored); },
           .bytes = [&](const Shot&) { return kCopies * reader.frame_bytes(); },
           .prepare = [](Shot& shot) { shot.stored.decode(shot.frame); },
           .work = [&](Worker& worker,
                       Shot& shot) { shot.result = in(worker.detector, shot.frame.image); },
           .complete =
               [&](Shot& shot) {
                 if (writer) people::draw_people(shot.frame.image, shot.result.people);
               },
           .write = write},
          {.in_flight = plan.in_flight,
           .threads = plan.runners,
           .memory_bytes = context_.memory_bytes,
           .expected = expected,
           .exec = exec});
    };
    const io::FrameRun run = context_.json ? in_array(batch, "frames", search) : search();
    if (writer && run.frames > 0) writer->finish();
    note_reading(context_, input, reader);
    if (found == 0 && run.whole()) hint_at_enlarging(input, reader.info().size.height);
    const std::string written = run.frames > 0 ? output : "";
    const std::string file = output_member(written);
    return {fmt::format("{}: {} in {}{}{}{}", input, people_text(found),
                        detail::counted(run.frames, "frame"), dropped_text(reader),
                        written.empty() ? "" : ", ", written),
            fmt::format("{}{}\"dropped\": {}", file, file.empty() ? "" : ", ", reader.dropped()),
            run.fault, files_of(written)};
  }

  // Adds the frames of an input that is done already to the lists.
  void replay(std::string_view recorded) {
    while (!recorded.empty()) {
      PeopleFrame frame;
      io::unpack_record(recorded, record_ref(frame));
      files_.add(frame);
    }
  }

  // Says what mean shift did not count.
  void note_weightless() const {
    if (weightless_ == 0) return;
    context_.console.note(fmt::format(
        "mean shift left out {} whose scores reach the threshold but are not above {:g}; "
        "--fuse-weights margin counts them",
        detail::counted(weightless_, "window"), options_.fuse.weight_from.value_or(0)));
  }

  // Completes the lists. `all` is false where every input failed; then lists are written only where
  // some frames were searched before.
  void commit(const Context& context, bool all) {
    if (!writes_shared_files(context) || (!all && files_.count() == 0)) return;
    files_.commit(provenance_json(context));
  }

 private:
  struct Photo {
    Image<std::uint8_t> pixels;
    people::DetectResult result;
  };
  struct Shot {
    io::StoredFrame stored;
    io::Frame frame;
    people::DetectResult result;
  };
  struct Worker {
    Stream stream;
    people::Detector detector;
  };

  // Adds an image or frame to the lists, and records it.
  void keep(Batch& batch, const io::Place& place, const people::DetectResult& result) {
    const PeopleFrame frame{place, result.size, result.people};
    files_.add(frame);
    batch.record(io::pack_record(record_ref(frame)));
    weightless_ += result.counts.zero_weight_windows;
  }

  people::DetectResult in(people::Detector& detector, ImageView<const std::uint8_t> image) const {
    people::DetectResult result =
        mask_.empty() ? detector.detect(image) : detector.detect(image, mask_);
    result.people = people::clip_people(std::move(result.people), {image.width, image.height});
    return result;
  }

  // Draws and writes an image.
  Outcome write(const std::string& input, const std::string& output, Photo& photo) const {
    const people::DetectResult& result = photo.result;
    if (!output.empty()) {
      photo.pixels = in_color(std::move(photo.pixels));
      people::draw_people(photo.pixels, result.people);
      io::write_image(output, photo.pixels.view());
    }
    const std::string file = output_member(output);
    return {fmt::format("{}: {}{}{}", input, people_text(result.people.size()),
                        output.empty() ? "" : ", ", output),
            fmt::format("{}{}{}", file, file.empty() ? "" : ", ",
                        io::record_members(record_ref(result))),
            nullptr, files_of(output)};
  }

  // Each worker has a stream of its own, so that on a GPU copies and work of several frames
  // overlap.
  io::FrameWorkers make_workers(std::int64_t frames) {
    return make_workers(io::plan_frame_workers(context_.exec, frames));
  }
  io::FrameWorkers make_workers(const io::FrameWorkers& plan) {
    if (plan.threads != worker_threads_) workers_.clear();
    worker_threads_ = plan.threads;
    while (static_cast<int>(workers_.size()) < plan.count) {
      people::DetectOptions options = options_;
      Stream stream(context_.exec.device);
      options.exec = context_.exec_without_progress();
      options.exec.stream = stream.get();
      options.exec.threads = plan.threads;
      workers_.push_back({std::move(stream), people::Detector(model_, options)});
    }
    return plan;
  }

  // Prints what `fill` prints as a JSON array, which is whole even where `fill` throws.
  static io::FrameRun in_array(Batch& batch, const char* name,
                               const std::function<io::FrameRun()>& fill) {
    batch.print_members(fmt::format("\"{}\": [", name));
    try {
      io::FrameRun run = fill();
      batch.print_more("]");
      return run;
    } catch (const ClosedPipe&) {
      throw;
    } catch (...) {
      batch.print_more("]");
      throw;
    }
  }

  void hint_at_enlarging(const std::string& input, int height) {
    const int window = model_->window().height;
    if (hinted_ || request_.detect.scan.enlarge > 1 || height >= 2 * window) return;
    hinted_ = true;
    context_.console.note(fmt::format(
        "{}: no person was found; the model finds people of {} pixels and more, and this input is "
        "only {} pixels high: --enlarge 2 may find smaller ones",
        input == "-" ? "standard input" : input,
        std::lround(static_cast<float>(window) * model_->person_height), height));
  }

  static std::vector<std::string> files_of(const std::string& output) {
    if (output.empty()) return {};
    return {output};
  }
  static std::string output_member(const std::string& output) {
    return output.empty() ? "" : fmt::format("\"output\": {}", detail::json_quote(output));
  }

  const DetectRequest& request_;
  Context& context_;
  std::shared_ptr<const people::Model> model_;
  people::DetectOptions options_;
  Image<std::uint8_t> mask_;
  PeopleFiles files_;
  bool hinted_ = false;
  std::int64_t weightless_ = 0;
  std::vector<Worker> workers_;
  int worker_threads_ = 0;
};

// -o FILE.json, FILE.csv and FILE.parquet are lists, not pictures.
void sort_outputs(DetectRequest& request) {
  const std::filesystem::path output(request.output);
  if (output.extension() == ".json" && request.lists.coco.empty())
    request.lists.coco = std::exchange(request.output, "");
  if (output.extension() == ".csv" && request.lists.csv.empty())
    request.lists.csv = std::exchange(request.output, "");
  if (output.extension() == ".parquet" && request.lists.parquet.empty())
    request.lists.parquet = std::exchange(request.output, "");
}

// Explains the best window at a place, or the one of a person in this box.
people::WindowExplanation explanation_of(const people::Detector& detector,
                                         ImageView<const std::uint8_t> image,
                                         const ExplainNumbers& at) {
  if (at.size() == 2) return explain(detector, image, at[0], at[1]);
  if (!(at[2] > 0 && at[3] > 0))
    throw InvalidArgument(
        fmt::format("--explain has a box of {:g}x{:g} pixels; expected a person", at[2], at[3]));
  const Extent window = detector.model().window();
  const double height = at[3] / detector.model().person_height,
               width = height * window.width / window.height;
  return explain(detector, image,
                 Rect<float>{static_cast<float>(at[0] + (at[2] - width) / 2),
                             static_cast<float>(at[1] + (at[3] - height) / 2),
                             static_cast<float>(width), static_cast<float>(height)});
}

int run_explain(const DetectRequest& request, Context& context,
                const std::vector<std::string>& inputs) {
  if (inputs.size() != 1 || is_video(inputs[0]))
    throw InvalidArgument(fmt::format("--explain explains one image, but {}",
                                      inputs.size() == 1
                                          ? inputs[0] + " is a video"
                                          : fmt::format("there are {} inputs", inputs.size())));
  const PeopleOutputs& lists = request.lists;
  for (const std::string& list : {request.output, lists.coco, lists.coco_results, lists.csv,
                                  lists.parquet, lists.yolo, lists.labelme})
    if (!list.empty())
      throw InvalidArgument(fmt::format(
          "--explain finds no people that {} could get; take --explain-picture FILE", list));
  check_outputs(context, {{"--explain-picture", request.explain_picture}}, inputs);
  people::DetectOptions options = request.detect;
  options.exec = context.exec_without_progress();
  const people::Detector detector(people::load_model(request.model), options);
  const Image<std::uint8_t> image =
      people::detector_pixels(read_finite_input(context, inputs[0], request.orientation));
  return print_explanation(
      context, present(explanation_of(detector, image, request.explain)),
      {.picture = request.explain_picture,
       .image = image,
       .drawing = {},
       .members = [&](io::JsonWriter& json) { json.member("input", inputs[0]); }});
}

int run_detect(DetectRequest& request, Context& context) {
  check_explain(request.explain, {2, 4}, request.explain_picture);
  sort_outputs(request);
  settle_device(context);
  const auto inputs = unit_inputs(context, io::image_and_video_files());
  if (!request.explain.empty()) return run_explain(request, context, inputs);
  std::vector<std::string> outputs(inputs.size());
  if (!request.output.empty()) outputs = output_paths(context, request.output, inputs);
  check_outputs(context,
                {{"-o", io::is_standard_output(request.output) ? request.output : ""},
                 {"--coco", request.lists.coco},
                 {"--coco-results", request.lists.coco_results},
                 {"--csv", request.lists.csv},
                 {"--parquet", request.lists.parquet}},
                inputs);
  const bool only_images = std::none_of(inputs.begin(), inputs.end(), is_video);
  Search search(request, context, only_images ? static_cast<std::int64_t>(inputs.size()) : 0);
  Batch batch(context, inputs);
  batch.on_replay([&](std::size_t, std::string_view recorded) { search.replay(recorded); });
  while (batch.next() < inputs.size() && !batch.stopped()) {
    const std::size_t i = batch.next();
    const auto first_video =
        std::find_if(inputs.begin() + static_cast<std::ptrdiff_t>(i), inputs.end(), is_video);
    const auto images = static_cast<std::size_t>(first_video - inputs.begin()) - i;
    if (images > 0) search.images(batch, inputs, outputs, images);
    else batch.run_alone([&] { return search.video(batch, inputs[i], outputs[i]); });
  }
  try {
    const int status = batch.finish();
    search.note_weightless();
    search.commit(context, status == kDone || status == kSomeFailed);
    return status;
  } catch (const Cancelled&) {
    search.commit(context, true);
    throw;
  }
}

}  // namespace

Command people_detect_command() {
  return {
      .system = "people",
      .verb = "detect",
      .summary = "find people in images and video",
      .text =
          "Finds standing and walking people of all sizes. The results are pictures or video with "
          "boxes and scores, COCO JSON, CSV, Parquet, YOLO and labelme files. A box encloses the "
          "person, "
          "not the larger window that was classified, and ends at the border of the image. A "
          "threshold below the model's own finds more people and makes more mistakes. Where a "
          "video breaks off or the program is interrupted, the results so far are kept.",
      .arguments = {{"INPUT",
                     "images and videos: files, folders, globs, @list, a pipe with y4m video, - "
                     "for y4m video on standard input, camera:N, or the address of a stream",
                     1, kAnyNumber}},
      .examples = {{"fovea people detect street.jpg -o found.png", "draw boxes on one picture"},
                   {"fovea people detect photos -o found --coco found.json --csv found.csv",
                    "search every picture of a folder and write the boxes to files"},
                   {"fovea people detect walk.mp4 -o found.mp4 --model cascade --ratio 1.1",
                    "search a video with the fastest model"},
                   {"fovea people detect yard.png --region 0,200,640,280 --min-height 80 --json",
                    "search a part of a picture for people of 80 pixels and more"},
                   {"fovea people detect camera:0 --csv seen.csv --seconds 60",
                    "search the newest frames of a camera for a minute"},
                   {"fovea people detect photos --csv -", "write the boxes to the standard output"},
                   {"fovea people detect a.jpg --explain 320,200 --explain-picture why.png",
                    "say why there is a person at this place, or why there is none"}},
      .request = make_request<DetectRequest, run_detect>,
      .result = {sample_record<people::DetectResult>, true, true},
      .reads_images = true,
      .reads_videos = true,
      .starts = true,
      .batches = true,
      .shards = true,
      .shared_files = {"output", "coco", "coco-results", "csv", "parquet", "yolo", "labelme"}};
}

}  // namespace fovea::cli
