#include "scenes/train/train_images.h"

#include <fovea/core/error.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/dispatch.h"
#include "core/parallel.h"

namespace fovea::scenes {
namespace {

constexpr std::size_t kBatchImages = 64;
constexpr std::int64_t kBatchBytes = 64 << 20;
constexpr int kInFlight = 3;  // one being decoded, one processed, one reported

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t bytes_of(const Image<std::uint8_t>& image) {
  return std::int64_t{image.height()} * image.stride();
}

struct Item {
  ImageBatch batch;
  int end = 0;  // all places before it have been read
  double decode_seconds = 0;
};

// Reads images until a batch is full.
class ImageReader {
 public:
  ImageReader(const ImageLoop& loop, const Exec& exec)
      : loop_(loop),
        exec_(exec),
        count_(static_cast<int>(loop.which.size())),
        most_(static_cast<std::size_t>(loop.first_batch)) {
    exec_.progress = {};
  }

  bool next(Item& item) {
    item = {};
    std::int64_t bytes = 0;
    while (at_ < count_ && bytes < kBatchBytes && item.batch.images.size() < most_)
      bytes += read_some(item);
    most_ = std::min(2 * most_, kBatchImages);
    item.end = at_;
    return item.end > 0 && (!item.batch.images.empty() || !item.batch.failures.empty());
  }

 private:
  struct Read {
    Image<std::uint8_t> image;
    FailedImage failure;
    double seconds = 0;
  };

  // Reads as many images as are decoded at the same time.
  std::int64_t read_some(Item& item) {
    const int at_once = most_ < kBatchImages ? static_cast<int>(most_) : 4 * thread_count(exec_);
    const int some = std::min(at_once, count_ - at_);
    std::vector<Read> reads(static_cast<std::size_t>(some));
    parallel_for(exec_, some, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        read_one(loop_.which[static_cast<std::size_t>(at_ + i)],
                 reads[static_cast<std::size_t>(i)]);
    });
    std::int64_t bytes = 0;
    for (Read& read : reads) {
      item.decode_seconds += read.seconds;
      const int place = at_++;
      if (read.failure.error) {
        read.failure.place = place;
        item.batch.failures.push_back(std::move(read.failure));
        continue;
      }
      bytes += bytes_of(read.image);
      item.batch.places.push_back(place);
      item.batch.images.push_back(std::move(read.image));
    }
    return bytes;
  }

  void read_one(int index, Read& read) const {
    const auto start = Clock::now();
    try {
      read.image = loop_.images.read(index);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      read.failure = {0, error.what(), std::current_exception()};
    }
    read.seconds = seconds_since(start);
  }

  const ImageLoop& loop_;
  Exec exec_;
  int count_;
  std::size_t most_;  // greatest number of images of the next batch
  int at_ = 0;
};

struct NoState {};

}  // namespace

LoopTimes for_each_batch(const ImageLoop& loop, const Exec& exec, const BatchSteps& steps) {
  LoopTimes times;
  ImageReader reader(loop, exec);
  NoState state;
  Exec quiet = exec;  // progress is counted in images, not in batches
  quiet.progress = {};
  const io::FrameRun run = io::run_frames<Item, NoState>(
      {&state, 1},
      {.read = [&](Item& item) { return reader.next(item); },
       .work =
           [&](NoState&, Item& item) {
             const auto start = Clock::now();
             if (!item.batch.images.empty()) steps.work(item.batch);
             times.work_seconds += seconds_since(start);
           },
       .write =
           [&](Item& item) {
             times.decode_seconds += item.decode_seconds;
             steps.write(item.batch);
             if (exec.progress)
               exec.progress({loop.stage, static_cast<double>(item.end),
                              static_cast<double>(loop.which.size())});
           }},
      {.in_flight = kInFlight, .exec = quiet});
  run.rethrow();
  return times;
}

LoopTimes for_each_batch(const ImageLoop& loop, const Exec& exec, const ImageFailure& failed,
                         const std::function<void(const ImageBatch&)>& work) {
  return for_each_batch(loop, exec, {.work = work, .write = [&](ImageBatch& batch) {
                                       for (const FailedImage& failure : batch.failures) {
                                         if (!failed) std::rethrow_exception(failure.error);
                                         failed(loop.which[static_cast<std::size_t>(failure.place)],
                                                failure.why);
                                       }
                                     }});
}

SampleTable sample_images(const ImageLoop& loop, const SampleRequest& request,
                          const ImageFailure& failed) {
  const Exec& exec = request.descriptor.exec;
  const std::int64_t rows = static_cast<std::int64_t>(loop.which.size()) * request.samples;
  if (rows > std::numeric_limits<int>::max())
    throw InvalidArgument(fmt::format(
        "{}: {} images of {} samples each make {} rows, expected at most {}; draw fewer",
        loop.stage, loop.which.size(), request.samples, rows, std::numeric_limits<int>::max()));
  SampleTable table{Image<float>(dimensions(request.descriptor), static_cast<int>(rows)),
                    std::vector<bool>(loop.which.size(), false)};
  for (int y = 0; y < table.rows.height(); ++y)
    std::fill_n(table.rows.row(y), table.rows.width(), 0.F);
  // On the CPU each image takes one thread; a GPU takes one image after the other.
  Exec one = exec;
  one.progress = {};
  one.device = resolve(exec.device);
  Exec loop_exec = one;
  if (detail::on_cuda(one)) loop_exec.threads = 1;
  else one.threads = 1;
  DescriptorOptions descriptor = request.descriptor;
  descriptor.exec = one;
  for_each_batch(loop, exec, failed, [&](const ImageBatch& batch) {
    const auto images = static_cast<std::int64_t>(batch.images.size());
    parallel_for(loop_exec, images, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const int place = batch.places[i];
        const Image<float> samples =
            sample_descriptors(batch.images[i], loop.which[static_cast<std::size_t>(place)],
                               request.samples, descriptor);
        copy(samples.view(), table.rows.view().crop(0, place * request.samples, table.rows.width(),
                                                    request.samples));
      }
    });
    for (const int place : batch.places) table.usable[static_cast<std::size_t>(place)] = true;
  });
  return table;
}

Image<float> rows_of(ImageView<const float> rows, std::span<const int> places, int each) {
  Image<float> result(rows.width, static_cast<int>(places.size()) * each);
  for (std::size_t i = 0; i < places.size(); ++i)
    copy(rows.crop(0, places[i] * each, rows.width, each),
         result.view().crop(0, static_cast<int>(i) * each, rows.width, each));
  return result;
}

FeatureTable make_features(const ImageLoop& loop, const Dictionary& dictionary,
                           const FeatureOptions& options, const ImageFailure& failed) {
  const Exec& exec = options.exec;
  FeatureOptions quiet = options;
  quiet.exec.progress = {};
  FeatureMaker maker(dictionary, quiet);
  FeatureTable table;
  table.features = Image<float>(maker.length(), static_cast<int>(loop.which.size()));
  table.usable.assign(loop.which.size(), false);
  for (int y = 0; y < table.features.height(); ++y)
    std::fill_n(table.features.row(y), table.features.width(), 0.F);
  Image<float> rows(maker.length(), static_cast<int>(kBatchImages) + 4 * thread_count(exec));
  const LoopTimes times = for_each_batch(loop, exec, failed, [&](const ImageBatch& batch) {
    const auto count = static_cast<int>(batch.images.size());
    std::vector<ImageView<const std::uint8_t>> views;
    for (const Image<std::uint8_t>& image : batch.images) views.push_back(image.view());
    const ImageView<float> made = rows.view().crop(0, 0, rows.width(), count);
    maker.make(views, made);
    for (int i = 0; i < count; ++i) {
      const int place = batch.places[static_cast<std::size_t>(i)];
      std::copy_n(made.row(i), rows.width(), table.features.row(place));
      table.usable[static_cast<std::size_t>(place)] = true;
    }
  });
  table.decode_seconds = times.decode_seconds;
  table.compute_seconds = times.work_seconds;
  return table;
}

Image<std::uint8_t> KeptImages::read(int index) const {
  const auto at = static_cast<std::size_t>(index);
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.at(at).empty()) return clone(kept_[at]);
  }
  Image<std::uint8_t> image = images_.read(index);
  const std::int64_t bytes = bytes_of(image);
  const std::lock_guard lock(mutex_);
  if (bytes <= left_ && kept_[at].empty()) {
    left_ -= bytes;
    kept_[at] = clone(image);
  }
  return image;
}

}  // namespace fovea::scenes
