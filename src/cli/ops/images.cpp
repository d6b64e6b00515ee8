#include "cli/ops/images.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>
#include <fovea/io/samples.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <semaphore>
#include <tuple>
#include <vector>

#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

// One name, or an array of several.
std::string json_names(const std::vector<ImageResult::File>& files) {
  if (files.size() == 1) return detail::json_quote(files[0].path);
  std::string json;
  for (const ImageResult::File& file : files)
    json += (json.empty() ? "" : ", ") + detail::json_quote(file.path);
  return "[" + json + "]";
}

// Holds one place of a semaphore.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>& places) : places_(places) { places_.acquire(); }
  ~Turn() { places_.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>& places_;
};

}  // namespace

void describe(FieldVisitor& visit, ImageNumbers& numbers) {
  visit("width", numbers.width, "of the input", {.unit = "pixels"});
  visit("height", numbers.height, "of the input", {.unit = "pixels"});
  visit("channels", numbers.channels, "of the input");
  visit("output_width", numbers.output_width, "of the result", {.unit = "pixels"});
  visit("output_height", numbers.output_height, "of the result", {.unit = "pixels"});
  visit("kernel_width", numbers.kernel_width, "of the kernel", {.unit = "pixels"});
  visit("kernel_height", numbers.kernel_height, "of the kernel", {.unit = "pixels"});
  visit("levels", numbers.levels, "of the pyramid");
}

ImageResult one_file(const std::string& path, io::AnyImage image, const ImageNumbers& numbers) {
  ImageResult result{.numbers = numbers};
  result.files.push_back({path, std::move(image)});
  return result;
}

void describe(OptionVisitor& visit, ImageFiles& files) {
  visit.path("output", files.output, TextUse::kOutput,
             "where to write: a file, a folder, or a pattern such as out/{}.png, where {} is the "
             "name of the input");
  visit("orientation", files.orientation,
        "apply turns inputs upright as their EXIF tag says; ignore takes them as they are stored");
}

Argument image_inputs() {
  return {"INPUT",
          "images: files, folders, DIR/** with all folders below, globs, @list, or - for standard "
          "input",
          1, kAnyNumber};
}

int run_on_images(Context& context, const ImageFiles& files, std::string_view extension,
                  std::initializer_list<Exec*> execs, const ImageWork& work, std::uint64_t copies) {
  if (files.output.empty())
    throw InvalidArgument(
        fmt::format("{} needs -o OUT, a file or a folder to write to", context.command.name()));
  if (io::is_standard_output(files.output))
    throw InvalidArgument(fmt::format("{} writes files and not to standard output; name a file",
                                      context.command.name()));
  settle_device(context);
  const auto inputs = unit_inputs(context, io::image_files());
  const auto outputs = output_paths(context, files.output, inputs, std::string(extension));
  const auto plan = io::plan_frame_workers(context.exec, static_cast<std::int64_t>(inputs.size()));
  for (Exec* exec : execs) {
    *exec = context.exec_without_progress();
    exec->threads = plan.threads;
  }
  // As many images are on a GPU as it would have workers, because its memory is its own.
  const bool cuda = context.exec.device.kind == DeviceKind::kCuda;
  std::counting_semaphore<> at_once(cuda ? plan.count : std::counting_semaphore<>::max());
  const auto write = [&](std::size_t i, io::AnyImage& image) -> Outcome {
    const ImageNumbers size{image.width(), image.height(), image.channels()};
    ImageResult result = [&] {
      const Turn turn(at_once);
      return work(image, outputs[i]);
    }();
    std::tie(result.numbers.width, result.numbers.height, result.numbers.channels) =
        std::tie(size.width, size.height, size.channels);
    Outcome outcome;
    for (const auto& [path, made] : result.files) {
      io::write_image(path, made);
      outcome.line += (outcome.line.empty() ? "" : "\n") + path;
      outcome.files.push_back(path);
    }
    outcome.members = fmt::format("\"output\": {}, {}", json_names(result.files),
                                  io::record_members(record_ref(result.numbers)));
    return outcome;
  };
  Batch batch(context, inputs);
  batch.run_together<io::AnyImage, NoWorker>(
      inputs.size(), NoWorker::some(), plan,
      {.bytes = [&](const auto& item) { return copies * image_bytes(inputs[item.input]); },
       .prepare =
           [&](auto& item) {
             item.value = read_input(context, inputs[item.input], files.orientation);
           },
       .complete = [&](auto& item) { item.outcome = write(item.input, item.value); }});
  return batch.finish();
}

io::ImageFacts facts_of_bytes(const io::ImageFacts& source) {
  io::ImageFacts facts;
  facts.orientation = source.orientation;
  facts.oriented = source.oriented;
  return facts;
}

io::AnyPixels through_float(const io::AnyImage& image, const FloatWork& work) {
  const auto in = io::samples_as<float>(image.view());
  Image<float> out(image.width(), image.height(), image.channels());
  work(in, out);
  return std::visit(
      [&]<class T>(const ImageView<const T>&) -> io::AnyPixels { return io::samples_from<T>(out); },
      image.view());
}

}  // namespace fovea::cli
