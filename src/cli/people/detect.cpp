// fovea people detect: people in images and video, as pictures, COCO JSON and CSV.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/ops/images.h"
#include "cli/people/people.h"
#include "cli/people/report.h"
#include "cli/program/batch.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "core/ordered_pipeline.h"
#include "core/parallel.h"
#include "core/stream.h"

namespace fovea::cli {
namespace {

constexpr int kDeviceDetectors = 3;
constexpr int kMostDetectors = 4;
constexpr int kWaitingFrames = 3;  // read or to be written, while detectors work

struct DetectRequest {
  PeopleModel model{};
  PeopleSearch search{};
  std::string output{};
  std::string coco{};
  std::string csv{};
  std::string region{};
  std::string mask{};
  io::Orientation orientation = io::Orientation::kApply;
};

void describe(OptionVisitor& visit, DetectRequest& request) {
  visit("output", request.output,
        "annotated pictures or video: a file, or for several inputs a folder or a pattern such as "
        "out/{}.png; a name that ends in .json or .csv means --coco or --csv");
  visit("coco", request.coco, "file for all boxes as COCO JSON");
  visit("csv", request.csv, "file for all boxes, one a line");
  describe(visit, request.model);
  describe(visit, request.search);
  visit("region", request.region, "look only within x,y,width,height of each image");
  visit("mask", request.mask, "image of the inputs' size: only people whose middle is not black");
  visit("orientation", request.orientation,
        "apply turns inputs upright as their EXIF tag says; ignore takes them as they are stored");
}

class Search {
 public:
  Search(const DetectRequest& request, const Context& context)
      : request_(request),
        detector_(read_people_model(request.model.model),
                  detect_options(request.search, context.exec)),
        region_(parse_region("region", request.region)),
        files_(request.coco, request.csv),
        json_(context.json) {
    if (!request.mask.empty() && !request.region.empty())
      throw InvalidArgument("--mask and --region exclude each other; give one of them");
    if (!request.mask.empty()) mask_ = io::to_gray(people_pixels(io::read_image(request.mask)));
  }

  people::DetectResult in(people::Detector& detector, ImageView<const std::uint8_t> image) const {
    return mask_.empty() ? detector.detect(image, region_) : detector.detect_within(mask_, image);
  }

  Outcome image(const std::string& input, const std::string& output) {
    io::AnyImage source = read_input(input, request_.orientation);
    Image<std::uint8_t> pixels = people_pixels(std::move(source));
    const people::DetectResult result = in(detector_, pixels);
    files_.add({input, pixels.width(), pixels.height(), -1, 0, result.people});
    if (!output.empty()) {
      draw_people(pixels, result.people);
      io::write_image(output, pixels.view());
    }
    return {
        fmt::format("{}: {} people{}{}", input, result.people.size(), output.empty() ? "" : ", ",
                    output),
        fmt::format("{}\"width\": {}, \"height\": {}, \"windows\": {}, \"evaluations\": {}, "
                    "\"people\": {}",
                    output_member(output), pixels.width(), pixels.height(), result.counts.windows,
                    result.counts.evaluations, people_json(result.people))};
  }

  Outcome video(const std::string& input, const std::string& output, const Exec& exec) {
    io::VideoReader reader(input, {.orientation = request_.orientation});
    std::optional<io::VideoWriter> writer;
    if (!output.empty())
      writer.emplace(output, io::VideoWriteOptions{.frame_rate = reader.info().rate.value()});
    std::string frames;
    std::int64_t found = 0, count = 0;
    const auto write = [&](Shot& shot) {
      const Image<std::uint8_t>& image = shot.frame.image;
      files_.add({input, image.width(), image.height(), shot.frame.index, shot.frame.time_seconds,
                  shot.result.people});
      if (json_)
        frames += fmt::format("{}{{\"frame\": {}, \"time_seconds\": {}, \"people\": {}}}",
                              count == 0 ? "" : ", ", shot.frame.index, shot.frame.time_seconds,
                              people_json(shot.result.people));
      found += static_cast<std::int64_t>(shot.result.people.size());
      ++count;
      if (exec.progress)
        exec.progress({"frames", static_cast<double>(count),
                       static_cast<double>(std::max<std::int64_t>(0, reader.expected_frames()))});
      if (writer) writer->write(image);
    };
    make_workers(exec);
    OrderedPipeline<Shot, Worker> frames_in_turn(
        workers_, in_flight_,
        {.read = [&](Shot& shot) { return reader.next(shot.frame); },
         .work =
             [&](Worker& worker, Shot& shot) {
               shot.result = in(worker.detector, shot.frame.image);
               if (writer) draw_people(shot.frame.image, shot.result.people);
             },
         .write = write});
    try {
      frames_in_turn.run(exec);
    } catch (const Cancelled&) {
      if (writer && count > 0) writer->finish();  // what there is
      throw;
    }
    if (writer && count > 0) writer->finish();
    return {fmt::format("{}: {} people in {} frames{}{}", input, found, count,
                        output.empty() ? "" : ", ", output),
            fmt::format("{}\"frames\": [{}]", output_member(output), frames)};
  }

  void commit(const Context& context) {
    files_.commit(fmt::format(
        "{{\"fovea\": \"{}\", \"command\": \"{}\", \"device\": \"{}\", \"seed\": {}, \"options\": "
        "{}}}",
        FOVEA_VERSION, context.command.name(), to_string(context.exec.device), context.exec.seed,
        context.options_json));
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

  // On a GPU some detectors take frames in turn, so that uploading, computing and waiting for the
  // result overlap. On the CPU they share the threads: a frame a thread wastes less of them than
  // all threads a frame, but several frames take more memory. A single thread is not added to:
  // there steps take turns.
  void make_workers(const Exec& exec) {
    if (!workers_.empty()) return;
    const int threads = thread_count(exec);
    const bool cuda = exec.device.kind == DeviceKind::kCuda;
    const int count = cuda ? kDeviceDetectors : std::min(threads, kMostDetectors);
    in_flight_ = !cuda && threads == 1 ? 1 : count + kWaitingFrames;
    for (int i = 0; i < count; ++i) {
      people::DetectOptions options = detector_.options();
      Stream stream(exec.device);
      options.exec.stream = stream.get();
      options.exec.threads = std::max(1, threads / count);
      workers_.push_back({std::move(stream), people::Detector(detector_.model(), options)});
    }
  }

  static std::string output_member(const std::string& output) {
    return output.empty() ? "" : fmt::format("\"output\": {}, ", detail::json_quote(output));
  }

  const DetectRequest& request_;
  people::Detector detector_;
  people::Region region_;
  Image<std::uint8_t> mask_;
  PeopleFiles files_;
  bool json_;
  std::vector<Worker> workers_;  // for video
  int in_flight_ = 1;
};

// -o FILE.json and -o FILE.csv are lists, not pictures.
void sort_outputs(DetectRequest& request) {
  const std::filesystem::path output(request.output);
  if (output.extension() == ".json" && request.coco.empty())
    request.coco = std::exchange(request.output, "");
  if (output.extension() == ".csv" && request.csv.empty())
    request.csv = std::exchange(request.output, "");
}

int run_detect(DetectRequest& request, Context& context) {
  sort_outputs(request);
  settle_device(context);
  const auto inputs = io::expand_inputs(context.inputs, io::image_and_video_files());
  std::vector<std::string> outputs(inputs.size());
  if (!request.output.empty()) outputs = output_paths(request.output, inputs);
  Search search(request, context);
  const auto work = [&](std::size_t i) -> Outcome {
    const bool video = inputs[i] == "-" || io::has_extension(inputs[i], io::video_files());
    return video ? search.video(inputs[i], outputs[i], context.exec)
                 : search.image(inputs[i], outputs[i]);
  };
  try {
    const int status = run_batch(context, inputs, work);
    if (status == kDone || status == kSomeFailed) search.commit(context);
    return status;
  } catch (const Cancelled&) {
    search.commit(context);
    throw;
  }
}

}  // namespace

Command people_detect_command() {
  return {
      .system = "people",
      .verb = "detect",
      .summary = "people in images and video",
      .text =
          "Looks for standing and walking people at all sizes and writes pictures or video "
          "with boxes and scores, COCO JSON and CSV. The box is the person, not the window "
          "that was classified. A threshold below the model's own finds more people and more "
          "that are none.",
      .arguments = {{"INPUT",
                     "images and videos: files, folders, globs, @list, or - for y4m video on "
                     "standard input",
                     1, kAnyNumber}},
      .examples = {{"fovea people detect street.jpg -o found.png", "one picture"},
                   {"fovea people detect photos -o found --coco found.json --csv found.csv",
                    "every picture of a folder, and the boxes as files"},
                   {"fovea people detect walk.mp4 -o found.mp4 --model cascade --ratio 1.1",
                    "a video, fast"},
                   {"fovea people detect yard.png --region 0,200,640,280 --min-height 80 --json",
                    "only a part of a picture, nobody smaller than 80 pixels"}},
      .request = make_request<DetectRequest, run_detect>};
}

}  // namespace fovea::cli
