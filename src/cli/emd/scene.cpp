// fovea emd scene: cubes whose target and its way are known, so that tracking can be measured on
// real spectra without annotated data.
#include <fovea/core/error.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "cli/emd/cube_scene.h"
#include "cli/emd/frames.h"
#include "cli/emd/map.h"
#include "cli/program/batch.h"
#include "cli/program/command.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"
#include "operations/emd/targets.h"

namespace fovea::cli {
namespace {

struct CubeSceneRequest {
  std::string output{};
  std::string target{};
  std::string mask{};
  std::string variable{};
  Extent size{128, 96};
  int drawn_bands = 48;
  CubeSceneOptions scene{};
};
void describe(OptionVisitor& visit, CubeSceneRequest& request) {
  visit.path("output", request.output, TextUse::kFolder,
             "folder for 000000.hdr, 000001.hdr ... with their samples, and boxes.csv, the true "
             "boxes, whose first pixel is 1");
  visit("target", request.target, "box x,y,width,height of the cube that is cut out and moved",
        {.value_name = "X,Y,W,H"});
  visit.path(
      "mask", request.mask, TextUse::kInput,
      "image, cube or FILE.mat:NAME of the cube's size: only its pixels other than 0 are the "
      "target, and what lies around them in the box stays where it is");
  visit("variable", request.variable,
        "name of the array to read from a .mat file; the default is the largest",
        {.value_name = "NAME"});
  visit("frames", request.scene.frames, "number of frames", 1, 100000);
  visit("speed", request.scene.speed, "pixels that the target moves per frame", 0, 1000);
  visit("light", request.scene.light,
        "how far the light goes up and down in later frames, as a share of the first one's", 0, 1);
  visit("noise", request.scene.noise,
        "standard deviation of the noise, in that of each band over the cube", 0, 10);
  visit("size", request.size, "size of a drawn cube");
  visit("drawn-bands", request.drawn_bands, "number of bands of a drawn cube", 6, 1000);
}

// What frames are made from.
struct Subject {
  Stack<float> bands{};
  io::CubeFacts facts{};
  io::SampleType type = io::SampleType::kFloat32;
  Rect<int> target{};
  std::string name{};
};

Subject drawn_subject(const CubeSceneRequest& request, const Context& context) {
  constexpr int kLeast = 48, kMost = 8192;
  const auto [width, height] = request.size;
  if (width < kLeast || height < kLeast || width > kMost || height > kMost)
    throw InvalidArgument(
        fmt::format("--size is {}x{}; expected sides from {} to {}", width, height, kLeast, kMost));
  if (!request.target.empty() || !request.mask.empty())
    throw InvalidArgument("--target and --mask belong to a CUBE; a drawn one has its own target");
  DrawnCube drawn = drawn_cube(request.size, request.drawn_bands, context.exec.seed);
  return {std::move(drawn.bands), {}, io::SampleType::kFloat32, drawn.target, "a drawn cube"};
}

Subject read_subject(const CubeSceneRequest& request, const Context& context) {
  const std::string& input = context.inputs[0];
  io::Cube cube = io::read_cube(input, {.variable = request.variable,
                                        .most_bytes = context.most_bytes,
                                        .max_pixels = context.max_pixels,
                                        .as_float = true});
  if (request.target.empty())
    throw InvalidArgument("emd scene needs --target x,y,width,height, a box of the cube");
  const operations::TargetWord target = operations::parse_target(request.target);
  const auto* box = std::get_if<Rect<double>>(&target);
  if (box == nullptr)
    throw InvalidArgument(
        fmt::format("--target is '{}'; expected x,y,width,height", detail::shown(request.target)));
  const Rect<int> pixels = operations::box_within(*box, cube.width(), cube.height());
  if (pixels.width == cube.width() || pixels.height == cube.height())
    throw InvalidArgument(fmt::format("--target {} leaves no room to move in the cube of {}x{}",
                                      request.target, cube.width(), cube.height()));
  const io::SampleType type = cube.type();
  io::CubeFacts facts = cube.facts;
  return {io::to_float(std::move(cube)), std::move(facts), type, pixels, input};
}

// Rounds to the cube's own type of sample where that is one of integers.
io::Cube as_stored(const Stack<float>& frame, const Subject& subject) {
  io::Cube cube{Stack<float>(), subject.facts};
  const auto fill = [&]<class T>(T) {
    Stack<T> samples(frame.width(), frame.height(), frame.count());
    for (int b = 0; b < frame.count(); ++b)
      for (int y = 0; y < frame.height(); ++y)
        for (int x = 0; x < frame.width(); ++x) {
          const auto value = static_cast<double>(frame.plane(b).at(x, y));
          if constexpr (std::is_integral_v<T>) {
            const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
            samples.plane(b).at(x, y) = static_cast<T>(std::clamp(std::round(value), low, high));
          } else {
            samples.plane(b).at(x, y) = static_cast<T>(value);
          }
        }
    cube.bands = std::move(samples);
  };
  switch (subject.type) {
    case io::SampleType::kUint8: fill(std::uint8_t{}); break;
    case io::SampleType::kInt8:
    case io::SampleType::kInt16: fill(std::int16_t{}); break;
    case io::SampleType::kUint16: fill(std::uint16_t{}); break;
    case io::SampleType::kUint32: fill(std::uint32_t{}); break;
    case io::SampleType::kInt32: fill(std::int32_t{}); break;
    case io::SampleType::kFloat32:
    case io::SampleType::kFloat64: fill(float{}); break;
  }
  return cube;
}

// Cubes that are there already would be replaced, or be taken for frames of this sequence.
void check_folder(const std::filesystem::path& folder, int frames, const Context& context) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return;
  if (!context.overwrite && holds_cubes(folder.string()))
    throw InvalidArgument(
        fmt::format("-o {} has cubes in it; give another folder, or --overwrite to replace them",
                    folder.string()));
  const std::filesystem::path next = folder / fmt::format("{:06}.hdr", frames);
  if (std::filesystem::exists(next, ignored))
    throw InvalidArgument(fmt::format(
        "{} is there from a longer sequence; remove it and those after it, or give another folder",
        next.string()));
}

// What is printed.
struct MovedTarget {
  std::string output{};
  Extent size{};
  int bands = 0, frames = 0;
  std::string target{};
};
void describe(FieldVisitor& visit, MovedTarget& moved) {
  visit.record("CubeScene", "cubes through which a target moves");
  visit("output", moved.output, "the folder");
  visit("width", moved.size.width, "of the cubes", {.unit = "pixels"});
  visit("height", moved.size.height, "of the cubes", {.unit = "pixels"});
  visit("bands", moved.bands, "of the cubes");
  visit("frames", moved.frames, "how many cubes there are");
  visit("target", moved.target, "the target's box in the cube that it was cut out of");
}

int run_cube_scene(CubeSceneRequest& request, Context& context) {
  if (request.output.empty()) throw InvalidArgument("emd scene needs -o OUT, a folder to write to");
  resolve_device(context);              // refuses a GPU that is not there
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  Subject subject =
      context.inputs.empty() ? drawn_subject(request, context) : read_subject(request, context);
  const int width = subject.bands.width(), height = subject.bands.height();
  const int bands = subject.bands.count();
  Image<std::uint8_t> mask;
  if (!request.mask.empty()) {
    mask = read_mask(request.mask, {.max_pixels = context.max_pixels});
    if (mask.width() != width || mask.height() != height)
      throw InvalidArgument(fmt::format("--mask {} has {}x{} pixels, but the cube has {}x{}",
                                        request.mask, mask.width(), mask.height(), width, height));
  }
  CubeSceneOptions options = request.scene;
  options.target = subject.target;
  options.seed = context.exec.seed;
  const std::filesystem::path folder(request.output);
  check_folder(folder, options.frames, context);
  make_folder(request.output);
  const CubeScene scene(std::move(subject.bands), mask, options);
  io::FileSink boxes((folder / "boxes.csv").string());
  boxes.write("# origin 1\n");
  for (int number = 0; number < options.frames; ++number) {
    throw_if_stopped(context.exec);
    io::write_cube((folder / fmt::format("{:06}.hdr", number)).string(),
                   as_stored(scene.frame(number, context.exec), subject));
    const Rect<int>& box = scene.box(number);
    boxes.write(fmt::format("{},{},{},{}\n", box.x + 1, box.y + 1, box.width, box.height));
    if (context.exec.progress)
      context.exec.progress({"frames", 1.0 * number + 1, 1.0 * options.frames});
  }
  boxes.commit();
  context.console.end_progress();
  if (!context.json) {
    context.console.print(fmt::format("{}: {} of {}x{} with {}\n", request.output,
                                      detail::counted(options.frames, "frame"), width, height,
                                      detail::counted(bands, "band")));
    return kDone;
  }
  const Rect<int>& box = options.target;
  const MovedTarget moved{request.output,
                          {width, height},
                          bands,
                          options.frames,
                          fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height)};
  print_result(context, record_ref(moved));
  return kDone;
}

}  // namespace

Command emd_scene_command() {
  return {
      .system = "emd",
      .verb = "scene",
      .summary = "move a target through a cube, as a sequence whose true boxes are known",
      .text =
          "Cuts a target out of a cube, fills its place with what lies beside it, and moves it "
          "through the cube on a way that turns by chance. The light swells and wanders over the "
          "frame and changes its color, and every sample gets noise. Writes ENVI cubes with the "
          "sample type of the input and the true boxes (boxes.csv) for fovea emd track. Without a "
          "CUBE a landscape is drawn, whose target stands out neither in brightness nor in three "
          "colors. Another --seed is another way, light and noise.",
      .arguments = {{"CUBE", "cube to move a target through: ENVI, .mat, TIFF or .npy", 0, 1}},
      .examples = {{"fovea emd scene -o cubes", "draw 60 cubes of 48 bands"},
                   {"fovea emd scene city.mat --target 40,62,9,7 --light 0.5 -o cubes --seed 3",
                    "move a target of a real cube"},
                   {"fovea emd scene --frames 200 --noise 0.2 -o cubes",
                    "draw more frames with more noise; emd track cubes --truth cubes/boxes.csv "
                    "follows the target"}},
      .request = make_request<CubeSceneRequest, run_cube_scene>,
      .result = {sample_record<MovedTarget>},
      .reads_images = true};
}

}  // namespace fovea::cli
