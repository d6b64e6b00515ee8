// Training images: mirror images, the checks with which all trainings begin, and loops over images
// that threads and GPU share.
#include "people/train/samples.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "io/model/crc32.h"

namespace fovea::people {
namespace {

// Enough for one to upload, one to compute and one to wait for its hits. Each keeps the levels of a
// whole image in the memory of the GPU.
constexpr int kDeviceScanners = 3;

ImageSurvey survey_of(const ImageSet& images, const Exec& exec) {
  const int count = images.count();
  ImageSurvey survey;
  survey.sizes.resize(static_cast<std::size_t>(count));
  survey.checksums.resize(static_cast<std::size_t>(count));
  for_each_image({"looking through images", count}, exec, [&](int i) {
    const Image<std::uint8_t> image = images.read(i);
    survey.sizes[static_cast<std::size_t>(i)] = {image.width(), image.height()};
    survey.checksums[static_cast<std::size_t>(i)] = checksum_of(image);
  });
  survey.checksum = io::crc32(std::as_bytes(std::span(survey.checksums)));
  return survey;
}

}  // namespace

std::uint32_t checksum_of(const Image<std::uint8_t>& image) {
  std::uint32_t crc = 0;
  for (int y = 0; y < image.height(); ++y)
    crc = io::crc32(std::as_bytes(std::span(image.row(y),
                                            static_cast<std::size_t>(image.view().row_elements()))),
                    crc);
  return crc;
}

bool before(const WindowPlace& a, const WindowPlace& b) {
  return std::tie(a.image, a.level, a.row, a.column) < std::tie(b.image, b.level, b.row, b.column);
}

Image<std::uint8_t> mirrored(ImageView<const std::uint8_t> image) {
  Image<std::uint8_t> result(image.width, image.height, image.channels);
  const auto step = static_cast<std::ptrdiff_t>(image.channels);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* from = image.row(y);
    std::uint8_t* to = result.row(y) + image.width * step;
    for (int x = 0; x < image.width; ++x, from += step) {
      to -= step;
      std::copy_n(from, step, to);
    }
  }
  return result;
}

void for_each_image(const ImageLoop& loop, const Exec& exec, const std::function<void(int)>& task,
                    const std::function<bool()>& enough) {
  for (int first = 0; first < loop.count; first += loop.batch) {
    const int batch = std::min(loop.batch, loop.count - first);
    parallel_for(exec, batch, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) task(first + static_cast<int>(i));
    });
    if (exec.progress)
      exec.progress(
          {loop.stage, static_cast<double>(first + batch), static_cast<double>(loop.count)});
    if (enough && enough()) return;
  }
}

TrainSurvey survey_images(const TrainData& data, Extent window, const Exec& exec) {
  if (data.positives.count() < 1)
    throw InvalidArgument("train: there are no positives; give crops with a person in the middle");
  if (data.negatives.count() < 1)
    throw InvalidArgument("train: there are no negatives; give whole images without people");
  TrainSurvey survey;
  survey.positives = survey_of(data.positives, exec);
  for (std::size_t i = 0; i < survey.positives.sizes.size(); ++i) {
    const Extent crop = survey.positives.sizes[i];
    if (crop.width < window.width || crop.height < window.height)
      throw InvalidArgument(fmt::format(
          "train: positive {} has {}x{} pixels, fewer than the window's {}x{}; crop it wider or "
          "choose a smaller window",
          i, crop.width, crop.height, window.width, window.height));
  }
  survey.negatives = survey_of(data.negatives, exec);
  return survey;
}

NegativeScanner::NegativeScanner(Setup setup, const Exec& exec)
    : setup_(std::move(setup)),
      exec_{.device = resolve(exec.device), .threads = 1, .seed = exec.seed, .stop = exec.stop},
      left_(detail::on_cuda(exec_) ? kDeviceScanners : std::numeric_limits<int>::max()) {}

NegativeScanner::Worker NegativeScanner::take() {
  std::unique_lock lock(mutex_);
  given_.wait(lock, [&] { return left_ > 0 || !idle_.empty(); });
  if (!idle_.empty()) {
    Worker worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  --left_;
  return {};
}

void NegativeScanner::give(Worker worker) {
  {
    const std::lock_guard lock(mutex_);
    if (worker.scanner) idle_.push_back(std::move(worker));
    else ++left_;
  }
  given_.notify_one();
}

NegativeScanner::Found NegativeScanner::scan(int image, float threshold) {
  const Image<std::uint8_t> pixels = setup_.images.read(image);
  Found found{setup_.plan({pixels.width(), pixels.height()}), {}};
  if (found.plan.levels.empty()) return found;
  Worker worker = take();
  try {
    if (!worker.scanner) {
      worker.stream = Stream(exec_.device);
      worker.scanner = setup_.maker(detail::on_cuda(exec_));
    }
    Exec exec = exec_;
    exec.stream = worker.stream.get();
    found.result = worker.scanner->scan({pixels, found.plan, threshold}, exec);
  } catch (...) {
    give({});  // another one may be made in its place, because nobody waits for this one
    throw;
  }
  give(std::move(worker));
  return found;
}

}  // namespace fovea::people
