#include "cli/jobs/frame_units.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostUnits = 100'000'000;

// Counts frames up to the end or to a damaged place, and returns whether it is the end.
bool count_frames(io::VideoReader& reader, std::int64_t& count) {
  io::StoredFrame stored;
  try {
    for (count = 0; reader.fetch(stored); ++count) {
    }
    return true;
  } catch (const IoError&) {
  } catch (const FormatError&) {
  }
  return false;  // the last unit will meet it
}

std::vector<std::string> names_of_ranges(const Context& context, const FrameSource& source) {
  const std::int64_t size = context.unit_frames;
  const std::int64_t frames =
      std::min(source.frames, source.most > 0 ? source.most : source.frames);
  const std::int64_t count = std::max<std::int64_t>(1, (frames + size - 1) / size);
  if (count > kMostUnits)
    throw InvalidArgument(
        fmt::format("{}: {} frames are {} units of {}, expected at most {}; give a "
                    "larger --unit-frames",
                    context.inputs[0], frames, count, size, kMostUnits));
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  const auto file = [&](std::int64_t frame) {
    return source.files[static_cast<std::size_t>(frame)];
  };
  for (std::int64_t unit = 0; unit < count; ++unit) {
    const std::int64_t first = unit * size;
    const std::int64_t last = std::min(first + size, frames) - 1;
    if (source.files.empty())
      names.push_back(unit + 1 < count
                          ? fmt::format("{}: frames {} to {}", context.inputs[0], first, last)
                          : fmt::format("{}: frames from {} on", context.inputs[0], first));
    else if (first == last) names.push_back(file(first));
    else names.push_back(fmt::format("{} to {}", file(first), file(last)));
  }
  return names;
}

// Of files, a unit is made from its own and from the first, of which every unit needs something:
// the size of all frames, or the target.
UnitFiles files_of_range(const std::vector<std::string>& files, std::size_t unit, std::int64_t size,
                         std::int64_t overlap) {
  const auto count = static_cast<std::int64_t>(files.size());
  const std::int64_t first = std::min(static_cast<std::int64_t>(unit) * size, count);
  const std::int64_t end = std::min(first + size + overlap, count);
  std::vector<std::string> some(files.begin() + first, files.begin() + end);
  some.push_back(files.front());
  return UnitFiles(std::move(some));
}

UnitList range_units(const Context& context, FrameSource source, int overlap) {
  if (const std::vector<std::string>* merged = merged_units(context)) return {*merged};
  std::vector<std::string> names = names_of_ranges(context, source);
  if (source.files.empty()) return units_from(std::move(names), {source.video});
  cluster::Hasher hasher;
  for (const std::string& file : source.files) {
    hasher.add(file);
    hasher.add(std::string_view("\0", 1));
  }
  return {std::move(names),
          [files = std::move(source.files), size = context.unit_frames, overlap](std::size_t unit) {
            return files_of_range(files, unit, size, overlap);
          },
          hasher.result()};
}

}  // namespace

void require_first_frame(const Context& context) {
  if (context.videos.first > 0)
    throw InvalidArgument(
        "--shard, --resume and --manifest cut all frames into units, from the first on; leave out "
        "--first-frame");
}

FrameSource frame_source(const Context& context, io::VideoReader& reader,
                         std::vector<std::string> files) {
  require_first_frame(context);
  FrameSource source{.files = std::move(files)};
  if (source.files.empty()) {
    source.video = context.address_of(context.inputs[0]);
    std::error_code error;
    if (!fs::is_regular_file(source.video, error)) refuse_to_repeat(context.inputs[0]);
  }
  source.frames = reader.expected_frames();
  source.most = context.videos.frames;
  if (source.frames >= 0) return source;
  const bool whole = count_frames(reader, source.frames);
  if (whole && context.videos.seconds > 0) source.most = source.frames;
  return source;
}

void require_repeatable(const Context& context) {
  for (const std::string& input : context.inputs)
    if (input == "-" || io::is_live_source(context.address_of(input))) refuse_to_repeat(input);
}

FrameUnits::FrameUnits(Context& context, FrameSource source, int overlap, Give give)
    : context_(context),
      size_(context.unit_frames),
      overlap_(overlap),
      most_(source.most),
      is_video_(!source.video.empty()),
      give_(std::move(give)),
      units_(context, range_units(context, std::move(source), overlap),
             [this](std::size_t unit, const UnitResult& given) { report(unit, given); }) {}

std::int64_t FrameUnits::end_of(std::size_t unit) const {
  const bool last = unit + 1 == units_.names().size();
  return last ? std::numeric_limits<std::int64_t>::max()
              : static_cast<std::int64_t>(unit + 1) * size_;
}

bool FrameUnits::owns(std::int64_t frame) {
  return pass_end_ > 0 && frame < end_of(units_.open()[pass_end_ - 1]);
}

std::optional<FrameRange> FrameUnits::next_range() {
  const std::vector<std::size_t>& open = units_.open();
  if (at_ == open.size()) return {};
  pass_end_ = at_ + 1;
  while (pass_end_ < open.size() && open[pass_end_] == open[pass_end_ - 1] + 1) ++pass_end_;
  const std::size_t last = open[pass_end_ - 1];
  FrameRange range{.first = static_cast<std::int64_t>(open[at_]) * size_};
  std::int64_t end = last + 1 == units_.names().size() ? most_ : end_of(last) + overlap_;
  if (most_ > 0) end = std::min(end, most_);
  if (end > 0) range.count = end - range.first;
  return range;
}

void FrameUnits::run(const std::function<std::unique_ptr<FramePass>(const FrameRange&)>& begin) {
  while (const std::optional<FrameRange> range = next_range()) {
    io::FrameRun run;
    try {
      pass_.reset();  // its files are closed before the next opens them
      pass_ = begin(*range);
      run = pass_->pass();
    } catch (const IoError&) {
      run.fault = std::current_exception();
    } catch (const FormatError&) {
      run.fault = std::current_exception();
    }
    end_pass(run);
  }
}

void FrameUnits::reach(std::int64_t frame) {
  while (at_ < pass_end_ && frame >= end_of(units_.open()[at_])) take(collect());
}

void FrameUnits::end_pass(const io::FrameRun& run) {
  const auto failed = [&](const Error& error, bool source_is_broken) {
    if (at_ == pass_end_) return;
    UnitResult last = collect();
    last.message = error.what();
    last.status = status_of(error);
    take(std::move(last));
    if (!source_is_broken) return;  // the next pass begins behind this unit
    while (at_ < units_.open().size())
      take(UnitResult{.message = error.what(), .status = status_of(error)});
  };
  try {
    run.rethrow();
    while (at_ < pass_end_) take(collect());
  } catch (const WriteError& error) {
    failed(error, false);
  } catch (const IoError& error) {
    failed(error, is_video_);
  } catch (const FormatError& error) {
    failed(error, is_video_);
  }
}

void FrameUnits::report(std::size_t unit, const UnitResult& given) {
  ++given_;
  if (!given.message.empty()) {
    context_.console.end_progress();
    context_.console.complain(named_message(units_.names()[unit], given.message));
    if (failures_++ == 0) first_failure_ = given.status;
  }
  if (!given.shared.empty()) give_(static_cast<std::int64_t>(unit) * size_, given);
}

int FrameUnits::finish() {
  units_.finish();
  return exit_status(context_, {failures_, given_, first_failure_});
}

io::VideoReadOptions pass_options(const Context& context, const FrameRange& range) {
  io::VideoReadOptions options = video_options(context);
  options.start = static_cast<int>(range.first);
  options.count = static_cast<int>(range.count);
  options.seconds = 0;
  return options;
}

PartPictures::PartPictures(std::string path) : path_(std::move(path)), joined_(true) {
  std::error_code error;
  if (path_.empty()) joined_ = false;
  else if (path_.ends_with('/') || fs::is_directory(path_, error)) joined_ = false;
  else if (path_ == "-")
    throw InvalidArgument(
        "pictures of a job that is cut into ranges of frames cannot go to standard output; name a "
        "file");
  else io::VideoWriter unused(path_);  // throws where no video can have the name
}

std::string PartPictures::file(std::int64_t number) const {
  const std::string folder = joined_ ? path_ + ".parts" : path_;
  make_folder(folder);
  return (fs::path(folder) / fmt::format("{:06}.png", number)).string();
}

void join_pictures(const Context& context, const PartPictures& pictures,
                   const std::vector<std::int64_t>& numbers, double frame_rate) {
  if (!pictures.joined() || numbers.empty()) return;
  io::VideoWriter writer(pictures.path(), {.frame_rate = frame_rate});
  for (const std::int64_t number : numbers) {
    throw_if_stopped(context.exec);
    writer.write(io::to_bytes(io::read_image(pictures.file(number), {.max_pixels = 0})).view());
  }
  writer.finish();
  context.journal->remove_partial_output(pictures.path());
}

}  // namespace fovea::cli
