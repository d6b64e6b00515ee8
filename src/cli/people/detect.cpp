// fovea people detect: finds people in images and video and writes pictures and lists of boxes.
#include <fovea/core/error.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>
#include <fovea/io/sink.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/people/people.h"
#include "cli/people/report.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "core/stream.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr int kMostDetectors = 4;  // more detectors need memory and save little time

struct DetectRequest {
  std::string model = "channels";
  people::DetectOptions detect{};
  std::string output{};
  PeopleOutputs lists{};
  std::string mask{};
  io::Orientation orientation = io::Orientation::kApply;
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
}

// Whether the input is a video. A pipe or a device carries y4m, as the standard input does.
bool is_video(const std::string& input) {
  std::error_code error;
  const auto type = std::filesystem::status(input, error).type();
  const bool stream = type == std::filesystem::file_type::fifo ||
                      type == std::filesystem::file_type::character ||
                      type == std::filesystem::file_type::socket;
  return input == "-" || stream || io::has_extension(input, io::video_files());
}

class Search {
 public:
  Search(const DetectRequest& request, Context& context)
      : request_(request),
        context_(context),
        model_(people::load_model(request.model)),
        options_(request.detect),
        detector_(model_, quiet_options(context.exec)),
        files_(request.lists) {
    if (!request.mask.empty() && request.detect.region)
      throw InvalidArgument("--mask and --region exclude each other; give one of them");
    if (!request.mask.empty())
      mask_ = io::to_gray(people_pixels(read_input(context, request.mask)));
  }

  Outcome image(const std::string& input, const std::string& output) {
    Image<std::uint8_t> pixels =
        people_pixels(read_finite_input(context_, input, request_.orientation));
    const people::DetectResult result = in(detector_, pixels);
    files_.add({input, pixels.width(), pixels.height(), -1, 0, result.people});
    if (!output.empty()) {
      Image<std::uint8_t> picture = in_color(std::move(pixels));
      people::draw_people(picture, result.people);
      io::write_image(output, picture.view());
      pixels = std::move(picture);
    }
    if (result.people.empty()) hint_at_enlarging(input, pixels.height());
    return {
        fmt::format("{}: {}{}{}", input, people_text(result.people.size()),
                    output.empty() ? "" : ", ", output),
        fmt::format("{}\"width\": {}, \"height\": {}, \"windows\": {}, \"evaluations\": {}, "
                    "\"people\": {}",
                    output_member(output), pixels.width(), pixels.height(), result.counts.windows,
                    result.counts.evaluations, people_json(result.people))};
  }

  Outcome video(const std::string& input, const std::string& output, const Exec& exec) {
    io::VideoReader reader(input, {.orientation = request_.orientation,
                                   .max_pixels = context_.max_pixels,
                                   .stop = exec.stop});
    std::optional<io::VideoWriter> writer;
    if (!output.empty())
      writer.emplace(output, io::VideoWriteOptions{.frame_rate = reader.info().rate.value()});
    std::string frames;
    std::size_t found = 0;
    const auto write = [&](Shot& shot) {
      const Image<std::uint8_t>& image = shot.frame.image;
      files_.add({input, image.width(), image.height(), shot.frame.frame, shot.frame.seconds,
                  shot.result.people});
      if (context_.json)
        frames += fmt::format("{}{{\"frame\": {}, \"time_seconds\": {}, \"people\": {}}}",
                              frames.empty() ? "" : ", ", shot.frame.frame, shot.frame.seconds,
                              people_json(shot.result.people));
      found += shot.result.people.size();
      if (writer) writer->write(image);
    };
    const int in_flight = make_workers(exec);
    const io::FrameRun run = io::run_frames<Shot, Worker>(
        workers_,
        {.read = [&](Shot& shot) { return reader.next(shot.frame); },
         .work =
             [&](Worker& worker, Shot& shot) {
               shot.result = in(worker.detector, shot.frame.image);
               if (writer) people::draw_people(shot.frame.image, shot.result.people);
             },
         .write = write},
        {.in_flight = in_flight,
         .expected = std::max<std::int64_t>(0, reader.expected_frames()),
         .exec = exec});
    if (writer && run.frames > 0) writer->finish();
    if (found == 0 && run.whole()) hint_at_enlarging(input, reader.info().height);
    const std::string written = run.frames > 0 ? output : "";
    return {fmt::format("{}: {} in {}{}{}", input, people_text(found),
                        detail::counted(run.frames, "frame"), written.empty() ? "" : ", ", written),
            fmt::format("{}\"frames\": [{}]", output_member(written), frames), run.fault};
  }

  // Completes the lists. `all` is false where every input failed; then lists are written only where
  // some frames were searched before.
  void commit(const Context& context, bool all) {
    if (!all && files_.count() == 0) return;
    files_.commit(provenance_json(context));
  }

 private:
  struct Shot {
    io::Frame frame;
    people::DetectResult result;
  };
  struct Worker {
    Stream stream;
    people::Detector detector;
  };

  people::DetectOptions quiet_options(const Exec& exec) const {
    people::DetectOptions options = options_;
    options.exec = exec;
    options.exec.progress = {};
    return options;
  }

  people::DetectResult in(people::Detector& detector, ImageView<const std::uint8_t> image) const {
    people::DetectResult result =
        mask_.empty() ? detector.detect(image) : detector.detect(image, mask_);
    result.people = clip_people(std::move(result.people), {image.width, image.height});
    return result;
  }

  // Each worker has a stream of its own, so that on a GPU copies and work of several frames
  // overlap.
  int make_workers(const Exec& exec) {
    const io::FrameWorkers plan = io::plan_frame_workers(exec, kMostDetectors);
    while (static_cast<int>(workers_.size()) < plan.count) {
      people::DetectOptions options = quiet_options(exec);
      Stream stream(exec.device);
      options.exec.stream = stream.get();
      options.exec.threads = plan.threads;
      workers_.push_back({std::move(stream), people::Detector(model_, options)});
    }
    return plan.in_flight;
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

  static std::string output_member(const std::string& output) {
    return output.empty() ? "" : fmt::format("\"output\": {}, ", detail::json_quote(output));
  }

  const DetectRequest& request_;
  Context& context_;
  std::shared_ptr<const people::Model> model_;
  people::DetectOptions options_;
  people::Detector detector_;
  Image<std::uint8_t> mask_;
  PeopleFiles files_;
  bool hinted_ = false;
  std::vector<Worker> workers_;  // for video
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

int run_detect(DetectRequest& request, Context& context) {
  sort_outputs(request);
  settle_device(context);
  const auto inputs = io::expand_inputs(context.inputs, io::image_and_video_files());
  std::vector<std::string> outputs(inputs.size());
  if (!request.output.empty()) outputs = output_paths(context, request.output, inputs);
  check_outputs(context,
                {{"-o", io::is_standard_output(request.output) ? request.output : ""},
                 {"--coco", request.lists.coco},
                 {"--coco-results", request.lists.coco_results},
                 {"--csv", request.lists.csv},
                 {"--parquet", request.lists.parquet}},
                inputs);
  Search search(request, context);
  const auto work = [&](std::size_t i) -> Outcome {
    return is_video(inputs[i]) ? search.video(inputs[i], outputs[i], context.exec)
                               : search.image(inputs[i], outputs[i]);
  };
  try {
    const int status = run_batch(context, inputs, work);
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
                     "images and videos: files, folders, globs, @list, a pipe with y4m video, or - "
                     "for y4m video on standard input",
                     1, kAnyNumber}},
      .examples = {{"fovea people detect street.jpg -o found.png", "draw boxes on one picture"},
                   {"fovea people detect photos -o found --coco found.json --csv found.csv",
                    "search every picture of a folder and write the boxes to files"},
                   {"fovea people detect walk.mp4 -o found.mp4 --model cascade --ratio 1.1",
                    "search a video with the fastest model"},
                   {"fovea people detect yard.png --region 0,200,640,280 --min-height 80 --json",
                    "search a part of a picture for people of 80 pixels and more"},
                   {"fovea people detect photos --csv -",
                    "write the boxes to the standard output"}},
      .request = make_request<DetectRequest, run_detect>,
      .reads_images = true};
}

}  // namespace fovea::cli
