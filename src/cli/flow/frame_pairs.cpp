#include "cli/flow/frame_pairs.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <utility>

#include "cli/program/image_input.h"

namespace fovea::cli {
namespace {

io::VideoReader pairs_reader(const Context& context, const io::VideoReadOptions& options) {
  return context.inputs.size() == 1 ? open_video(context, context.inputs[0], options)
                                    : io::VideoReader(context.inputs, options);
}

}  // namespace

FramePairs::FramePairs(Context& context)
    : context_(context), reader_(pairs_reader(context, video_options(context))) {}

FramePairs::FramePairs(Context& context, const FrameRange& range)
    : context_(context), reader_(pairs_reader(context, pass_options(context, range))) {}

io::FrameWorkers FramePairs::plan(int most) const {
  return io::plan_frame_workers(context_.exec, reader_, most);
}

io::FrameRunOptions FramePairs::options(const io::FrameWorkers& plan) const {
  return {.in_flight = plan.in_flight,
          .threads = plan.runners,
          .memory_bytes = context_.memory_bytes,
          .most_bytes = context_.most_bytes,
          .expected = std::max<std::int64_t>(0, reader_.expected_frames()),
          .exec = context_.exec};
}

std::uint64_t FramePairs::step_bytes(std::uint64_t bytes_per_pixel) const {
  const Extent size = reader_.info().size;
  return reader_.frame_bytes() + bytes_per_pixel * static_cast<std::uint64_t>(size.width) *
                                     static_cast<std::uint64_t>(size.height);
}

bool FramePairs::read(Pair& pair, const AlphaFiles* files) {
  auto frame = std::make_shared<SharedFrame>(files);
  if (!frame->fetch(reader_)) return false;
  pair.before = std::exchange(last_, frame);
  pair.now = std::move(frame);
  return true;
}

bool FramePairs::ended(const io::FrameRun& run, std::int64_t results, std::string_view what) {
  context_.console.end_progress();
  note_reading(context_, context_.inputs[0], reader_);
  if (results == 0 && run.whole())
    throw FormatError(
        fmt::format("{}: one frame was read; {} needs two", context_.inputs[0], what));
  return results > 0;
}

}  // namespace fovea::cli
