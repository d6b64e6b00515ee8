// Points of clips: each video is decoded once, several videos at a time.
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "actions/train/clip_file.h"
#include "core/dispatch.h"
#include "core/parallel.h"

namespace fovea::actions {
namespace {

// The clips of one video. If clips are cut first, each is a video of its own.
struct Job {
  std::string path;
  int start = 0;
  int count = 0;  // 0 means up to the end
  std::vector<int> clips{};
};

std::vector<Job> jobs_of(std::span<const Clip> clips, bool cut_first) {
  std::vector<Job> jobs;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const Clip& clip = clips[i];
    const auto found = known.find(clip.path);
    if (!cut_first && found != known.end()) {
      jobs[found->second].clips.push_back(static_cast<int>(i));
      continue;
    }
    known[clip.path] = jobs.size();
    Job job{.path = clip.path, .clips = {static_cast<int>(i)}};
    if (cut_first) {
      job.start = clip.first;
      job.count = clip.frames;
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

// Collects the points of a whole stream frame by frame.
class Collector {
 public:
  void add(std::span<const FramePoints> ready) {
    for (const FramePoints& frame : ready) {
      points_.insert(points_.end(), frame.points.begin(), frame.points.end());
      for (int y = 0; y < frame.descriptors.height(); ++y) {
        const float* row = frame.descriptors.row(y);
        numbers_.insert(numbers_.end(), row, row + frame.descriptors.width());
      }
    }
  }
  // Returns frames [first, last), renumbered from the first.
  PointSet part(const PointSet& frame, std::int64_t first, std::int64_t last) const {
    PointSet set;
    set.size = frame.size;
    set.frame_rate = frame.frame_rate;
    set.detector = frame.detector;
    set.votes = frame.votes;
    set.found_with = frame.found_with;
    set.frames = last - first;
    const auto earlier = [](const SpaceTimePoint& point, std::int64_t number) {
      return point.frame < number;
    };
    const auto begin = std::lower_bound(points_.begin(), points_.end(), first, earlier);
    const auto end = std::lower_bound(begin, points_.end(), last, earlier);
    set.points.assign(begin, end);
    for (SpaceTimePoint& point : set.points) point.frame -= static_cast<std::int32_t>(first);
    if (numbers_.empty()) return set;
    set.descriptors = Image<float>(kDescriptorSize, static_cast<int>(set.points.size()));
    for (int y = 0; y < set.descriptors.height(); ++y)
      std::copy_n(numbers_.begin() + (begin - points_.begin() + y) * kDescriptorSize,
                  kDescriptorSize, set.descriptors.row(y));
    return set;
  }

 private:
  std::vector<SpaceTimePoint> points_;
  std::vector<float> numbers_;
};

struct PointTask {
  std::span<const Clip> clips;
  const ClipOptions& options;
};

// For each clip: its points, or why there are none.
struct Results {
  std::vector<PointSet> points;
  std::vector<std::string> why;
};

// Divides the points of a file among its clips.
void run_points_file(const Job& job, const PointTask& task, Results& results) {
  const PointSet all = read_described_points(job.path, task.options.points);
  for (const int number : job.clips) {
    const auto at = static_cast<std::size_t>(number);
    const Clip& clip = task.clips[at];
    const std::int64_t first = clip.first;
    const std::int64_t last =
        clip.frames == 0 ? all.frames : std::min(all.frames, first + clip.frames);
    if (last > first) results.points[at] = part_of_points(all, first, last);
    else
      results.why[at] = fmt::format("{}: begins at frame {}, but its points end with frame {}",
                                    clip.path, first + 1, all.frames);
  }
}

void run(const Job& job, const PointTask& task, const Exec& exec, Results& results) {
  if (is_points_file(job.path)) return run_points_file(job, task, results);
  io::VideoReader reader(job.path, {.color = io::VideoColor::kGray,
                                    .start = job.start,
                                    .count = job.count,
                                    .threads = 1,
                                    .max_pixels = task.options.max_pixels,
                                    .files_only = true});
  PointOptions options = task.options.points;
  options.exec = exec;
  PointStream stream(options);
  Collector collector;
  PointSet head;
  head.size = reader.info().size;
  head.detector = options.detector;
  if (options.descriptors) head.votes = options.votes;
  head.found_with = point_words(options);
  if (reader.info().rate.numerator > 0) head.frame_rate = reader.info().rate.value();
  io::Frame frame;
  while (reader.next(frame)) {
    throw_if_stopped(exec);
    ++head.frames;
    collector.add(stream.push(frame.image));
  }
  collector.add(stream.finish());
  for (const int number : job.clips) {
    const auto at = static_cast<std::size_t>(number);
    const Clip& clip = task.clips[at];
    const std::int64_t first = task.options.cut_first ? 0 : clip.first;
    const std::int64_t last =
        clip.frames == 0 ? head.frames : std::min(head.frames, first + clip.frames);
    if (last > first) results.points[at] = collector.part(head, first, last);
    else
      results.why[at] = fmt::format("{}: begins at frame {}, but the video has only {}", clip.path,
                                    clip.first + 1, job.start + head.frames);
  }
}

// An error in a video is reported for each of its clips.
void try_to_run(const Job& job, const PointTask& task, const Exec& exec, Results& results) {
  std::string why;
  try {
    run(job, task, exec, results);
    return;
  } catch (const IoError& error) {
    why = error.what();
  } catch (const FormatError& error) {
    why = error.what();
  } catch (const InvalidArgument& error) {
    why = fmt::format("{}: {}", job.path, error.what());
  }
  for (const int clip : job.clips) results.why[static_cast<std::size_t>(clip)] = why;
}

// Calls `done` for each clip after some videos have been read, in no particular order.
template <class Done>
void read_clips(std::span<const Clip> clips, const ClipOptions& options, const ClipFailure& failed,
                const Done& done) {
  check_options(options);
  const Exec& exec = options.exec;
  const std::vector<Job> jobs = jobs_of(clips, options.cut_first);
  Results results{std::vector<PointSet>(clips.size()), std::vector<std::string>(clips.size())};
  const PointTask task{clips, options};
  // A GPU handles one video at a time. Each core handles one video, so that cores need not
  // synchronize.
  const bool on_gpu = fovea::detail::on_cuda(fovea::detail::resolve_exec("train", exec, {}));
  Exec inner = exec;
  inner.progress = {};
  inner.threads = on_gpu ? exec.threads : 1;
  const std::size_t some = on_gpu ? 1 : 2 * static_cast<std::size_t>(thread_count(exec));
  for (std::size_t begin = 0; begin < jobs.size(); begin += some) {
    if (exec.progress)
      exec.progress({"points", static_cast<double>(begin), static_cast<double>(jobs.size())});
    const std::size_t end = std::min(jobs.size(), begin + some);
    parallel_for(exec, static_cast<std::int64_t>(end - begin), 1,
                 [&](std::int64_t from, std::int64_t to) {
                   for (std::int64_t i = from; i < to; ++i)
                     try_to_run(jobs[begin + static_cast<std::size_t>(i)], task, inner, results);
                 });
    for (std::size_t i = begin; i < end; ++i)
      for (const int clip : jobs[i].clips) {
        const std::string& why = results.why[static_cast<std::size_t>(clip)];
        if (!why.empty() && !failed) throw FormatError(why);
        if (!why.empty()) failed(clip, why);
        done(clip, results.points[static_cast<std::size_t>(clip)]);
      }
  }
  if (exec.progress)
    exec.progress({"points", static_cast<double>(jobs.size()), static_cast<double>(jobs.size())});
}

}  // namespace

void describe(OptionVisitor& visit, ClipOptions& options) {
  describe(visit, options.points);
  visit("cut-first", options.cut_first, "cut clips out of their videos before points are found");
  visit("max-pixels", options.max_pixels,
        "refuse videos whose frames have more pixels; 0 is no limit", 0, 0x1p62);
}

std::vector<PointSet> clip_points(std::span<const Clip> clips, const ClipOptions& options,
                                  const ClipFailure& failed) {
  std::vector<PointSet> result(clips.size());
  read_clips(clips, options, failed, [&](int clip, PointSet& points) {
    result[static_cast<std::size_t>(clip)] = std::move(points);
  });
  return result;
}

PackedClips packed_clip_points(std::span<const Clip> clips, const ClipOptions& options,
                               const ClipFailure& failed) {
  PackedClips result(static_cast<int>(clips.size()));
  read_clips(clips, options, failed, [&](int clip, PointSet& points) {
    result.set(clip, points);
    points = {};
  });
  return result;
}

}  // namespace fovea::actions
