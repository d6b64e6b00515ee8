#include "cli/jobs/frame_units.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
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

}  // namespace

FrameSource frame_source(const Context& context, io::VideoReader& reader,
                         std::vector<std::string> files) {
  if (context.videos.first > 0)
    throw InvalidArgument(
        "--shard, --resume and --manifest cut all frames into units, from the first on; leave out "
        "--first-frame");
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

bool merges_frames(const Context& context) {
  return context.journal != nullptr && context.journal->inputs() != nullptr;
}

FrameUnits::FrameUnits(Context& context, FrameSource source, int overlap, Give give)
    : context_(context),
      source_(std::move(source)),
      size_(context.unit_frames),
      overlap_(overlap),
      give_(std::move(give)),
      names_(merges_frames(context) ? *context.journal->inputs() : names_of_units()) {
  if (!merges_frames(context)) watch_source(*context.journal);
  units_.emplace(context, names_,
                 [this](std::size_t unit, std::string_view shared, const std::string& message) {
                   report(unit, shared, message);
                 });
}

std::vector<std::string> FrameUnits::names_of_units() const {
  const std::int64_t frames =
      std::min(source_.frames, source_.most > 0 ? source_.most : source_.frames);
  const std::int64_t count = std::max<std::int64_t>(1, (frames + size_ - 1) / size_);
  if (count > kMostUnits)
    throw InvalidArgument(
        fmt::format("{}: {} frames are {} units of {}, expected at most {}; give a "
                    "larger --unit-frames",
                    context_.inputs[0], frames, count, size_, kMostUnits));
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (std::int64_t unit = 0; unit < count; ++unit) {
    const std::int64_t first = unit * size_;
    const std::int64_t last = std::min(first + size_, frames) - 1;
    if (source_.files.empty())
      names.push_back(unit + 1 < count
                          ? fmt::format("{}: frames {} to {}", context_.inputs[0], first, last)
                          : fmt::format("{}: frames from {} on", context_.inputs[0], first));
    else if (first == last) names.push_back(source_.files[static_cast<std::size_t>(first)]);
    else
      names.push_back(fmt::format("{} to {}", source_.files[static_cast<std::size_t>(first)],
                                  source_.files[static_cast<std::size_t>(last)]));
  }
  return names;
}

// A video is hashed once, and of files only those of the unit and the first, of which every unit
// needs something: the size of all frames, or the target.
void FrameUnits::watch_source(Journal& journal) const {
  UnitSource watched;
  if (source_.files.empty()) {
    struct Hashed {
      std::once_flag once;
      cluster::FileIdentity identity{};
    };
    watched.identity = [hashed = std::make_shared<Hashed>(), video = source_.video](std::size_t) {
      std::call_once(hashed->once, [&] { hashed->identity = cluster::identity_of_file(video); });
      return hashed->identity;
    };
    watched.stamp = [video = source_.video](std::size_t) { return stamp_of(video); };
  } else {
    cluster::Hasher names;
    for (const std::string& file : source_.files) {
      names.add(file);
      names.add(std::string_view("\0", 1));
    }
    watched.hash = names.result();
    const auto files_of = [files = source_.files, size = size_,
                           overlap = overlap_](std::size_t unit) {
      const auto count = static_cast<std::int64_t>(files.size());
      const std::int64_t first = static_cast<std::int64_t>(unit) * size;
      const std::int64_t end = std::min(first + size + overlap, count);
      std::vector<std::string> some(files.begin() + std::min(first, count), files.begin() + end);
      some.push_back(files.front());
      return some;
    };
    watched.identity = [files_of](std::size_t unit) { return identity_of_files(files_of(unit)); };
    watched.stamp = [files_of](std::size_t unit) { return stamp_of(files_of(unit)); };
  }
  journal.watch(std::move(watched));
}

std::int64_t FrameUnits::end_of(std::size_t unit) const {
  const bool last = unit + 1 == names_.size();
  return last ? std::numeric_limits<std::int64_t>::max()
              : static_cast<std::int64_t>(unit + 1) * size_;
}

bool FrameUnits::owns(std::int64_t frame) const {
  return pass_end_ > 0 && frame < end_of(units_->open()[pass_end_ - 1]);
}

std::optional<FrameUnits::Pass> FrameUnits::next_pass() {
  const std::vector<std::size_t>& open = units_->open();
  if (at_ == open.size()) return {};
  pass_end_ = at_ + 1;
  while (pass_end_ < open.size() && open[pass_end_] == open[pass_end_ - 1] + 1) ++pass_end_;
  const std::size_t last = open[pass_end_ - 1];
  Pass pass{.first = static_cast<std::int64_t>(open[at_]) * size_};
  std::int64_t end = last + 1 == names_.size() ? source_.most : end_of(last) + overlap_;
  if (source_.most > 0) end = std::min(end, source_.most);
  if (end > 0) pass.count = end - pass.first;
  return pass;
}

void FrameUnits::run(const std::function<io::FrameRun(const Pass&)>& work, const Collect& collect) {
  while (const std::optional<Pass> pass = next_pass()) {
    io::FrameRun run;
    try {
      run = work(*pass);
    } catch (const IoError&) {
      run.fault = std::current_exception();
    } catch (const FormatError&) {
      run.fault = std::current_exception();
    }
    end_pass(run, collect);
  }
}

void FrameUnits::reach(std::int64_t frame, const Collect& collect) {
  while (at_ < pass_end_ && frame >= end_of(units_->open()[at_])) take(collect(), {});
}

void FrameUnits::end_pass(const io::FrameRun& run, const Collect& collect) {
  const auto failed = [&](const Error& error, bool source_is_broken) {
    if (at_ == pass_end_) return;
    const Failure failure{error.what(), status_of(error)};
    take(collect(), failure);
    if (!source_is_broken) return;  // the next pass begins behind this unit
    while (at_ < units_->open().size()) take({}, failure);
  };
  try {
    run.rethrow();
    while (at_ < pass_end_) take(collect(), {});
  } catch (const WriteError& error) {
    failed(error, false);
  } catch (const IoError& error) {
    failed(error, !source_.video.empty());  // nothing behind a broken place can be reached
  } catch (const FormatError& error) {
    failed(error, !source_.video.empty());
  }
}

void FrameUnits::take(Given given, const Failure& failure) {
  const std::size_t unit = units_->open()[at_++];
  UnitResult result{.shared = std::move(given.shared),
                    .files = std::move(given.files),
                    .message = failure.message,
                    .status = failure.status};
  if (!result.message.empty()) result.message = fmt::format("{}: {}", names_[unit], result.message);
  units_->take(unit, std::move(result));
}

void FrameUnits::report(std::size_t unit, std::string_view shared, const std::string& message) {
  ++given_;
  if (!message.empty()) {
    context_.console.end_progress();
    context_.console.complain(
        message.starts_with(names_[unit]) ? message : fmt::format("{}: {}", names_[unit], message));
    if (failures_++ == 0) first_failure_ = units_->status();
  }
  if (!shared.empty()) give_(static_cast<std::int64_t>(unit) * size_, shared);
}

int FrameUnits::finish() {
  units_->finish();
  context_.console.end_progress();
  return exit_status(context_, {failures_, given_, first_failure_});
}

io::VideoReadOptions pass_options(const Context& context, const FrameUnits::Pass& pass) {
  io::VideoReadOptions options = video_options(context);
  options.start = static_cast<int>(pass.first);
  options.count = static_cast<int>(pass.count);
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
  context.journal->remove_remains(pictures.path());
}

}  // namespace fovea::cli
