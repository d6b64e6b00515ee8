#include "cli/operations/step_reader.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "cli/program/image_input.h"

namespace fovea::cli {

namespace {

io::VideoReader open_frames(const Context& context, const io::VideoReadOptions& options) {
  return context.inputs.size() == 1 ? open_video(context, context.inputs[0], options)
                                    : io::VideoReader(context.inputs, options);
}

// The files of a sequence of images; none where the reader reads a video.
std::vector<std::string> files_of(const Context& context, const io::VideoReader& reader) {
  if (reader.info().format != "images") return {};
  return context.inputs.size() > 1 ? context.inputs
                                   : io::expand_inputs(context.inputs, io::image_files());
}

// The frames of a video, a folder or a list of images.
class VideoFrames final : public operations::Frames {
 public:
  VideoFrames(const Job& job, const io::VideoReadOptions& options)
      : job_(job), reader_(open_frames(job.context, options)) {
    const std::string why = job.call.images_only();
    if (why.empty()) return;
    const io::VideoInfo& info = reader_.info();
    if (info.format != "images")
      throw InvalidArgument(
          fmt::format("{}: is a video of format {}; {}", job.context.inputs[0], info.format, why));
    files_ = files_of(job.context, reader_);
  }
  std::shared_ptr<operations::Frame> next() override;
  std::uint64_t bytes(const operations::Frame&) const override {
    const Extent size = reader_.info().size;
    return reader_.frame_bytes() + job_.call.memory(3 * static_cast<std::uint64_t>(size.width) *
                                                    static_cast<std::uint64_t>(size.height));
  }
  std::int64_t expected() const override {
    return std::max<std::int64_t>(0, reader_.expected_frames());
  }
  double rate() const override { return reader_.info().rate.value(); }
  io::VideoReader* video() override { return &reader_; }

  bool has_images() const { return !files_.empty(); }
  void decode(std::int64_t number, Image<std::uint8_t>& pixels, Image<std::uint8_t>& mask) const {
    const std::string& path = files_[static_cast<std::size_t>(number)];
    io::AnyImage image = io::read_image(path, {.max_pixels = job_.context.max_pixels});
    const Extent size = reader_.info().size;
    if (image.width() != size.width || image.height() != size.height)
      throw FormatError(fmt::format("{}: is {}x{}, but the sequence began with {}x{}", path,
                                    image.width(), image.height(), size.width, size.height));
    try {
      job_.call.decode(std::move(image), pixels, mask);
    } catch (const InvalidArgument& error) {
      throw FormatError(path + ": " + error.what());
    }
  }

 private:
  const Job& job_;
  io::VideoReader reader_;
  std::vector<std::string> files_{};  // where the operation decodes them
};

class SharedFrame final : public operations::Frame {
 public:
  explicit SharedFrame(const VideoFrames& frames) : frames_(frames) {}
  bool fetch(io::VideoReader& reader) { return reader.fetch(stored_); }
  std::int64_t number() const override { return stored_.frame(); }
  double seconds() const override { return stored_.seconds(); }
  const Image<std::uint8_t>& pixels() override {
    decode();
    return frame_.image;
  }
  const Image<std::uint8_t>& mask() override {
    decode();
    return mask_;
  }

 private:
  void decode() {
    std::call_once(decoded_, [this] {
      if (frames_.has_images()) frames_.decode(number(), frame_.image, mask_);
      else stored_.decode(frame_);
    });
  }

  const VideoFrames& frames_;
  io::StoredFrame stored_{};
  io::Frame frame_{};
  Image<std::uint8_t> mask_{};
  std::once_flag decoded_;
};

std::shared_ptr<operations::Frame> VideoFrames::next() {
  auto frame = std::make_shared<SharedFrame>(*this);
  return frame->fetch(reader_) ? frame : nullptr;
}

}  // namespace

StepReader::StepReader(const Job& job) : StepReader(job, video_options(job.context)) {}

StepReader::StepReader(const Job& job, const FrameRange& range)
    : StepReader(job, pass_options(job.context, range)) {}

StepReader::StepReader(const Job& job, const io::VideoReadOptions& options)
    : job_(job), frames_(job.call.frames(job.plan)) {
  if (!frames_) frames_ = std::make_unique<VideoFrames>(job, options);
}

FrameSource StepReader::source() {
  io::VideoReader& video = *frames_->video();
  return frame_source(job_.context, video, files_of(job_.context, video));
}

io::FrameWorkers StepReader::plan() const {
  const int most = job_.call.in_order() ? 1 : job_.most_workers();
  const Exec& exec = job_.context.exec;
  return frames_->video() != nullptr ? io::plan_frame_workers(exec, *frames_->video(), most)
                                     : io::plan_frame_workers(exec, frames_->expected(), most);
}

io::FrameRunOptions StepReader::options(const io::FrameWorkers& plan) const {
  return {.in_flight = job_.call.measures() ? 1 : plan.in_flight,
          .threads = plan.runners,
          .memory_bytes = job_.context.memory_bytes,
          .most_bytes = job_.context.most_bytes,
          .expected = frames_->expected(),
          .exec = job_.context.exec};
}

bool StepReader::read(operations::Step& step) {
  std::shared_ptr<operations::Frame> frame = frames_->next();
  if (!frame) return false;
  if (!job_.operation.pairs.empty()) step.before = std::exchange(last_, frame);
  step.now = std::move(frame);
  return true;
}

}  // namespace fovea::cli
