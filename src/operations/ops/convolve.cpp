// ops convolve: filters images by a kernel from a file, or by a Laplacian of a Gaussian.
#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/ops/convolve.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_convolve {
namespace {

struct ConvolveRequest {
  io::Orientation orientation = io::Orientation::kIgnore;
  std::string kernel{};  // name of a file
  double laplacian = 0;  // sigma; 0 for none
  GainOptions gain{};
  bool real = false;  // write float samples
  ConvolveOptions convolve{};
  Image<float> taps{};  // of the kernel
};

void describe(OptionVisitor& visit, ConvolveRequest& request) {
  describe_orientation(visit, request.orientation);
  visit.path("kernel", request.kernel, TextUse::kInput,
             "file of the kernel: .npy, an image of one channel, or text (.txt, .csv) with one row "
             "per line");
  visit("laplacian", request.laplacian,
        "use the Laplacian of a Gaussian with this sigma in pixels instead of a kernel from a file",
        0, 31);
  describe(visit, request.gain);
  visit("float", request.real,
        "write float samples (.npy, .tif, .pfm) without rounding or clipping");
  describe(visit, request.convolve);
}

std::vector<float> numbers_of(std::string line, const std::string& where) {
  std::replace(line.begin(), line.end(), ',', ' ');
  std::istringstream in(line);
  std::vector<float> numbers;
  for (float number = 0; in >> number;) numbers.push_back(number);
  if (!in.eof())
    throw FormatError(where +
                      ": is not a row of numbers; expected numbers between spaces or commas");
  return numbers;
}

Image<float> read_text_kernel(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::vector<std::vector<float>> rows;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string where = fmt::format("{}: line {}", path, ++number);
    auto row = numbers_of(line, where);
    if (row.empty()) continue;
    if (!rows.empty() && row.size() != rows[0].size())
      throw FormatError(fmt::format("{} has {} numbers; expected {} as in the first row", where,
                                    row.size(), rows[0].size()));
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw FormatError(path + ": holds no numbers; expected one row of the kernel per line");
  Image<float> kernel(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()));
  for (std::size_t y = 0; y < rows.size(); ++y)
    std::copy(rows[y].begin(), rows[y].end(), kernel.row(static_cast<int>(y)));
  return kernel;
}

Image<float> read_kernel(const std::string& path, const Plan& plan) {
  if (path.ends_with(".txt") || path.ends_with(".csv")) return read_text_kernel(path);
  const io::AnyImage image = plan.image(path);
  if (image.channels() != 1)
    throw FormatError(fmt::format("{}: has {} channels; a kernel has one", path, image.channels()));
  return io::samples_as<float>(image.view());
}

io::AnyImage convolved(const io::AnyImage& input, const ConvolveRequest& request) {
  const auto work = [&](ImageView<const float> in, ImageView<float> out) {
    convolve(in, out, request.taps, request.convolve);
    apply_gain(out, request.gain);
  };
  const RowReach reach{request.taps.height(), request.convolve.border};
  if (!request.real) return {through_float(input, reach, work), input.facts};
  io::ImageFacts facts = facts_of_bytes(input.facts);
  facts.white = 1;
  return {to_float_through(input, reach, work), facts};
}

std::uint64_t memory(const ConvolveRequest& request, const io::ImageInfo& image) {
  const std::uint64_t samples = io::sample_count(image), bytes = io::decoded_bytes(image);
  return bytes + (request.real ? sizeof(float) * samples : bytes) + strips_memory(samples);
}

void check(const ConvolveRequest& request) {
  if (request.kernel.empty() == (request.laplacian == 0))
    throw InvalidArgument("ops convolve needs either --kernel FILE or --laplacian SIGMA");
}

void begin(ConvolveRequest& request, const Exec& exec, const Plan& plan) {
  request.convolve.exec = exec;
  request.taps = request.kernel.empty() ? laplacian_of_gaussian_kernel(request.laplacian)
                                        : read_kernel(request.kernel, plan);
}

void run(const ConvolveRequest& request, NoWorker&, Filtered& item) {
  make(item, convolved(item.input, request));
  item.numbers.kernel_width = request.taps.width();
  item.numbers.kernel_height = request.taps.height();
}

}  // namespace
}  // namespace of_ops_convolve

Operation ops_convolve() {
  using namespace of_ops_convolve;
  auto parts = image_parts<ConvolveRequest>(
      {.system = "ops",
       .verb = "convolve",
       .summary = "filter images by a kernel",
       .text =
           "Correlates every channel with a kernel (convolves it with --flip). Results are "
           "multiplied by the gain, the offset is added, and they are rounded and clipped to the "
           "range of the input's samples, or written as they are with --float. A kernel has at "
           "most 255 taps in each direction.",
       .examples = {{"fovea ops convolve photo.png -o sharp.png --kernel sharpen.txt",
                     "filter by a kernel from a text file"},
                    {"fovea ops convolve a.png -o blobs.png --laplacian 3 --gain 8 --offset 128",
                     "show blobs and edges on a gray ground"}}},
      "", run);
  parts.check = check;
  parts.begin = begin;
  parts.image_memory = memory;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
