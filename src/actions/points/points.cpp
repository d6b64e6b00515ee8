// The face: checks options, takes frames in order, sorts and limits points, and adds descriptors.
// The twin is chosen here and nowhere else.
#include <fmt/format.h>
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/image_io.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <tuple>
#include <utility>

#include "actions/points/points_blocks.h"
#include "actions/points/points_engine.h"
#include "core/backend.h"
#include "core/dispatch.h"

namespace fovea::actions {
namespace {

constexpr Choice kDetectors[] = {{"harris", static_cast<int>(PointDetector::kHarris)},
                                 {"periodic", static_cast<int>(PointDetector::kPeriodic)}};
constexpr Choice kVotes[] = {{"count", static_cast<int>(FlowVotes::kCount)},
                             {"magnitude", static_cast<int>(FlowVotes::kMagnitude)}};

using Frame = ImageView<const std::uint8_t>;

// Frames on a GPU may still have colors, which its engine converts itself.
void require_frame(const Frame& frame, Extent size, std::int64_t number, const Exec& exec) {
  const bool on_device = frame.memory == Memory::kCuda;
  if (on_device) fovea::detail::resolve_exec("points", exec, {frame});
  if (frame.empty() || (frame.channels != 1 && !(on_device && frame.channels == 3)))
    throw InvalidArgument(fmt::format("points: frame {} is {}; expected a gray or RGB image",
                                      number, fovea::detail::shape_text(frame)));
  if (size.width > 0 && (frame.width != size.width || frame.height != size.height))
    throw InvalidArgument(
        fmt::format("points: frame {} is {}x{}; expected {}x{}, the size of the first", number,
                    frame.width, frame.height, size.width, size.height));
}

// Returns the frame itself if it is gray, otherwise its luma in `converted`.
Frame gray_of(const Frame& frame, Image<std::uint8_t>& converted) {
  if (frame.channels != 3 || frame.empty() || frame.memory == Memory::kCuda) return frame;
  converted = io::to_gray(frame);
  return converted.view();
}

std::unique_ptr<PointEngine> make_engine(const PointPlan& plan, Extent size, const Exec& exec) {
  return fovea::detail::on_cuda(exec) ? cuda::make_point_engine(plan, size, exec)
                                      : cpu::make_point_engine(plan, size, exec);
}

// Repeats the last frame `count` times, one block at a time, and calls `after` with the number of
// repeats so far.
template <class After>
void repeat_last(PointEngine& engine, std::int64_t time, int count, const After& after,
                 std::vector<Candidate>& found) {
  for (int done = 0; done < count;) {
    const int some = std::min(engine.block(), count - done);
    engine.repeat(time + done, some, found);
    done += some;
    after(done);
  }
}

// Returns an engine that has seen the first frame repeated as if before the start of the video.
std::unique_ptr<PointEngine> start_engine(const PointPlan& plan, const Frame& first,
                                          const Exec& exec) {
  auto engine = make_engine(plan, {first.width, first.height}, exec);
  std::vector<Candidate> none;
  const std::int64_t before = -plan.latency - plan.smooth_radius() - 1;
  engine->push(before, {&first, 1}, none);
  repeat_last(
      *engine, before + 1, static_cast<int>(-before) - 1, [](auto) {}, none);
  return engine;
}

// Takes frames and returns finished ones.
class Finder {
 public:
  explicit Finder(const PointOptions& options)
      : plan_(plan_points(options)),
        most_(options.most_per_frame),
        frames_at_a_time_(options.block),
        exec_(fovea::detail::resolve_exec("points", options.exec, {Memory::kHost})) {}

  int latency() const { return plan_.latency; }
  int block() const { return engine_ ? engine_->block() : 1; }
  bool on_cuda() const { return fovea::detail::on_cuda(exec_); }
  int frames_at_a_time() const { return on_cuda() ? frames_at_a_time_ : 1; }
  const Exec& exec() const { return exec_; }
  std::int64_t taken() const { return taken_; }

  void push(std::span<const Frame> frames) {
    for (std::size_t i = 0; i < frames.size(); ++i)
      require_frame(frames[i], size_, taken_ + static_cast<std::int64_t>(i), exec_);
    if (frames.empty()) return;
    if (!engine_) {
      engine_ = start_engine(plan_, frames[0], exec_);
      size_ = {frames[0].width, frames[0].height};
    }
    while (!frames.empty()) {
      throw_if_stopped(exec_);
      const auto some =
          frames.first(std::min(frames.size(), static_cast<std::size_t>(engine_->block())));
      engine_->push(taken_, some, found_);
      taken_ += static_cast<std::int64_t>(some.size());
      frames = frames.subspan(some.size());
      give(taken_ - plan_.latency, taken_ - 1);
    }
  }
  void finish() {
    if (!engine_) return;
    repeat_last(
        *engine_, taken_, plan_.latency,
        [&](int done) {
          throw_if_stopped(exec_);
          give(taken_ + done - plan_.latency, taken_ - 1);
        },
        found_);
    engine_.reset();
  }

  std::deque<FramePoints>& ready() { return ready_; }
  std::int64_t copied_bytes() const { return engine_ ? engine_->copied_bytes() : 0; }
  // From now on, frames go here instead, and descriptors stay on the device.
  void give_to(PointBlocks::Take take) { take_ = std::move(take); }

 private:
  // Passes on the frames before `end`, which are complete.
  void give(std::int64_t end, std::int64_t last) {
    if (end <= given_) return;
    std::vector<Candidate> known;
    std::erase_if(found_, [&](const Candidate& one) {
      if (one.frame >= end) return false;
      known.push_back(one);
      return true;
    });
    std::sort(known.begin(), known.end(), [&](const Candidate& a, const Candidate& b) {
      const auto key = [&](const Candidate& c) {
        const int level = level_of_channel(c);
        return std::tuple(c.frame, -c.response, c.y << level, c.x << level, c.channel);
      };
      return key(a) < key(b);
    });
    std::vector<Candidate> kept;
    int count = 0;
    for (const Candidate& one : known) {
      count = !kept.empty() && kept.back().frame == one.frame ? count + 1 : 1;
      if (one.frame >= 0 && (most_ == 0 || count <= most_)) kept.push_back(one);
    }
    Image<float> descriptors;
    std::vector<Site> sites;
    sites.reserve(kept.size());
    for (const Candidate& one : kept) sites.push_back({one.frame, one.channel, one.x, one.y});
    if (take_) return give_block(kept, sites, end, last);
    if (plan_.descriptors && !kept.empty()) {
      descriptors = Image<float>(kDescriptorSize, static_cast<int>(kept.size()));
      engine_->describe(sites, last, descriptors);
    }
    auto next = kept.begin();
    for (; given_ < end; ++given_) {
      FramePoints frame{given_, {}, {}};
      const int from = static_cast<int>(next - kept.begin());
      for (; next != kept.end() && next->frame == given_; ++next)
        frame.points.push_back(point_of(*next));
      const int rows = static_cast<int>(frame.points.size());
      if (plan_.descriptors && rows > 0)
        frame.descriptors = rows == descriptors.height()
                                ? std::exchange(descriptors, {})
                                : clone(descriptors.view().crop(0, from, kDescriptorSize, rows));
      ready_.push_back(std::move(frame));
    }
  }
  void give_block(const std::vector<Candidate>& kept, const std::vector<Site>& sites,
                  std::int64_t end, std::int64_t last) {
    std::vector<FramePoints> frames;
    frames.reserve(static_cast<std::size_t>(end - given_));
    auto next = kept.begin();
    for (; given_ < end; ++given_) {
      frames.push_back({given_, {}, {}});
      for (; next != kept.end() && next->frame == given_; ++next)
        frames.back().points.push_back(point_of(*next));
    }
    take_(std::move(frames), [&](std::span<const int> which) -> DescriptorRows {
      std::vector<Site> wanted;
      wanted.reserve(which.size());
      for (const int i : which) wanted.push_back(sites[static_cast<std::size_t>(i)]);
      return {engine_->describe_there(wanted, last), engine_->stream()};
    });
  }
  int level_of_channel(const Candidate& one) const {
    return plan_.channels.empty() ? 0 : plan_.channels[static_cast<std::size_t>(one.channel)].level;
  }
  SpaceTimePoint point_of(const Candidate& one) const {
    SpaceTimePoint point;
    const int level = level_of_channel(one);
    point.x = static_cast<float>(one.x << level);
    point.y = static_cast<float>(one.y << level);
    point.frame = static_cast<std::int32_t>(one.frame);
    point.sigma2 = plan_.sigma2_of(one.channel);
    point.tau2 = plan_.tau2_of(one.channel);
    point.confidence = one.response;
    return point;
  }

  PointPlan plan_;
  int most_ = 0;
  int frames_at_a_time_;
  Exec exec_;
  std::unique_ptr<PointEngine> engine_;
  Extent size_;
  std::int64_t taken_ = 0, given_ = 0;
  std::vector<Candidate> found_;  // in frames that are not complete yet
  std::deque<FramePoints> ready_;
  PointBlocks::Take take_;
};

// Frames that wait until a block is complete. Their memory is used again and again.
class WaitingFrames {
 public:
  explicit WaitingFrames(Finder& finder)
      : finder_(finder), block_(static_cast<std::size_t>(finder.frames_at_a_time())) {}

  std::size_t block() const { return block_; }
  // Takes a frame, and passes it on with the others when the block is complete.
  void push(const Frame& gray, std::int64_t number) {
    if (block_ == 1) return finder_.push({&gray, 1});
    const Extent size = count_ > 0 ? Extent{frames_[0].width(), frames_[0].height()} : Extent{};
    require_frame(gray, size, number, finder_.exec());
    const fovea::cuda::ScopedDevice here(finder_.exec().device);
    if (count_ == frames_.size()) frames_.emplace_back();
    Image<std::uint8_t>& kept = frames_[count_];
    if (kept.width() == gray.width && kept.height() == gray.height &&
        kept.channels() == gray.channels && kept.view().memory == gray.memory)
      copy(gray, kept.view());
    else kept = clone(gray, gray.memory);
    if (++count_ == block_) flush();
  }
  void flush() {
    std::vector<Frame> frames;
    frames.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) frames.push_back(frames_[i].view());
    count_ = 0;
    finder_.push(frames);
  }

 private:
  Finder& finder_;
  std::size_t block_;
  std::vector<Image<std::uint8_t>> frames_;
  std::size_t count_ = 0;
};

}  // namespace

std::span<const Choice> choices(PointDetector) { return kDetectors; }
std::span<const Choice> choices(FlowVotes) { return kVotes; }

void describe(OptionVisitor& visit, HarrisOptions& options) {
  visit("k", options.k,
        "factor k of the response det - k trace^3; a greater one favors points that change alike "
        "in all directions",
        0, 1);
  visit("threshold", options.threshold, "least response of a point, for gray levels from 0 to 1", 0,
        1);
  visit("space-weight", options.space_weight,
        "weight of derivatives in space relative to those in time: 4 in STIP-2.0, 1 in the paper",
        0.01, 100);
  visit("levels", options.levels, "levels of the pyramid, each half the size of the one before", 1,
        8);
  visit("sigma2", options.sigma2, "first variance in space on a level, in pixels squared", 0.25,
        100);
  visit("tau2", options.tau2, "first variance in time, in frames squared", 0.25, 100);
  visit("scales", options.scales,
        "number of variances in space and also in time, each twice the one before", 1, 4);
  visit("border", options.border, "width of the margin of a level without points, in pixels", 0,
        1000);
}
void describe(OptionVisitor& visit, PeriodicOptions& options) {
  visit("sigma", options.sigma, "standard deviation of the Gaussian in space, in pixels", 0.4, 20);
  visit("tau", options.tau, "half the length of the filters in time, in frames", 0.5, 20);
  visit("frequency", options.frequency, "frequency of the filters, in cycles per frame", 0.001,
        0.5);
  visit("threshold", options.threshold, "least response of a point, for gray levels from -1 to 1",
        0, 4);
  visit("overlap", options.overlap,
        "how much neighboring maxima may overlap; a greater value keeps more", 0, 2);
}
void describe(OptionVisitor& visit, PointOptions& options) {
  visit("detector", options.detector,
        "harris finds corners in space and time, periodic finds places that move to and fro");
  visit.group("harris", options.harris);
  visit.group("periodic", options.periodic);
  visit("most-per-frame", options.most_per_frame,
        "number of most confident points to keep in each frame; 0 keeps all", 0, 1e6);
  visit("descriptors", options.descriptors, "describe each point by gradients and flow",
        {.off_help = "find points without describing them"});
  visit("votes", options.votes,
        "weight of a pixel's vote for the direction of its flow: 1 (count) or its speed "
        "(magnitude)");
  visit("still", options.still, "speed in pixels per frame below which flow counts as still", 0,
        100);
  visit("block", options.block,
        "number of frames that a GPU works on at a time; a stream waits for this many", 1, 64);
}

struct PointStream::Impl {
  explicit Impl(const PointOptions& options) : finder(options), waiting(finder) {}

  // The next frames that are ready, `most` of them at most.
  std::span<const FramePoints> give(std::size_t most) {
    current.clear();
    for (; most > 0 && !finder.ready().empty(); --most) {
      current.push_back(std::move(finder.ready().front()));
      finder.ready().pop_front();
    }
    return current;
  }

  Finder finder;
  WaitingFrames waiting;
  std::int64_t pushed = 0;
  bool finished = false;
  std::vector<FramePoints> current;  // what was returned last
};

PointStream::PointStream(const PointOptions& options) : impl_(std::make_unique<Impl>(options)) {}
PointStream::~PointStream() = default;
PointStream::PointStream(PointStream&&) noexcept = default;
PointStream& PointStream::operator=(PointStream&&) noexcept = default;

std::span<const FramePoints> PointStream::push(ImageView<const std::uint8_t> frame) {
  if (impl_->finished) throw InvalidArgument("points: a frame was pushed after finish()");
  Image<std::uint8_t> converted;
  const ImageView<const std::uint8_t> gray = gray_of(frame, converted);
  impl_->waiting.push(gray, impl_->pushed);
  ++impl_->pushed;
  // A block makes many frames ready at once; they are returned one by one, so that the latency is
  // the same for every frame.
  return impl_->give(impl_->pushed <= latency() ? 0 : 1);
}
std::span<const FramePoints> PointStream::finish() {
  if (!impl_->finished) {
    impl_->waiting.flush();
    impl_->finder.finish();
    impl_->finished = true;
  }
  return impl_->give(impl_->finder.ready().size());
}
int PointStream::latency() const {
  return impl_->finder.latency() + static_cast<int>(impl_->waiting.block()) - 1;
}

struct PointBlocks::Impl {
  explicit Impl(const PointOptions& options) : finder(options), waiting(finder) {}

  Finder finder;
  WaitingFrames waiting;
  std::int64_t pushed = 0;
};

PointBlocks::PointBlocks(const PointOptions& options, Take take)
    : impl_(std::make_unique<Impl>(options)) {
  if (!impl_->finder.on_cuda())
    throw InvalidArgument(fmt::format("points: blocks need a GPU, but the device is {}",
                                      to_string(impl_->finder.exec().device)));
  impl_->finder.give_to(std::move(take));
}
PointBlocks::~PointBlocks() = default;

void PointBlocks::push(ImageView<const std::uint8_t> frame) {
  Image<std::uint8_t> converted;
  impl_->waiting.push(gray_of(frame, converted), impl_->pushed++);
}
void PointBlocks::finish() {
  impl_->waiting.flush();
  impl_->finder.finish();
}
std::int64_t PointBlocks::copied_bytes() const { return impl_->finder.copied_bytes(); }
int PointBlocks::latency() const {
  return impl_->finder.latency() + static_cast<int>(impl_->waiting.block()) - 1;
}

PointSet find_points(std::span<const ImageView<const std::uint8_t>> frames,
                     const PointOptions& options) {
  Finder finder(options);
  std::vector<Image<std::uint8_t>> converted(frames.size());
  std::vector<Frame> gray;
  for (std::size_t i = 0; i < frames.size(); ++i) gray.push_back(gray_of(frames[i], converted[i]));
  finder.push(gray);
  finder.finish();
  PointSet set;
  set.detector = options.detector;
  if (options.descriptors) set.votes = options.votes;
  set.found_with = point_words(options);
  set.frames = static_cast<std::int64_t>(frames.size());
  if (!frames.empty()) set.size = {frames[0].width, frames[0].height};
  for (const FramePoints& frame : finder.ready())
    set.points.insert(set.points.end(), frame.points.begin(), frame.points.end());
  if (!options.descriptors || set.points.empty()) return set;
  set.descriptors = Image<float>(kDescriptorSize, static_cast<int>(set.points.size()));
  int row = 0;
  for (const FramePoints& frame : finder.ready()) {
    const int rows = static_cast<int>(frame.points.size());
    if (rows > 0)
      copy(frame.descriptors.view(), set.descriptors.view().crop(0, row, kDescriptorSize, rows));
    row += rows;
  }
  return set;
}

Image<float> describe_points(std::span<const ImageView<const std::uint8_t>> frames,
                             std::span<const SpaceTimePoint> points, const PointOptions& options) {
  if (points.empty()) return {};
  const auto count = static_cast<std::int64_t>(frames.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SpaceTimePoint& p = points[i];
    if (p.frame < 0 || p.frame >= count || !(p.sigma2 > 0) || !(p.tau2 > 0) ||
        !std::isfinite(p.sigma2) || !std::isfinite(p.tau2) || !(p.x >= 0) || !(p.y >= 0) ||
        p.x >= static_cast<float>(frames[0].width) || p.y >= static_cast<float>(frames[0].height))
      throw InvalidArgument(fmt::format(
          "points: point {} at ({:g}, {:g}) of frame {} with scales {:g} and {:g}, expected one "
          "within {} frames",
          i, p.x, p.y, p.frame, p.sigma2, p.tau2, count));
  }
  const Exec resolved = fovea::detail::resolve_exec("points", options.exec, {Memory::kHost});
  for (std::size_t i = 0; i < frames.size(); ++i)
    require_frame(frames[i], {frames[0].width, frames[0].height}, static_cast<std::int64_t>(i),
                  resolved);
  const PointPlan plan = plan_descriptors(points, options);
  const auto site_of = [&](const SpaceTimePoint& point) {
    Site site{point.frame, 0, 0, 0};
    while (plan.sigma2_of(site.channel) != point.sigma2 || plan.tau2_of(site.channel) != point.tau2)
      ++site.channel;
    const int level = plan.channels[static_cast<std::size_t>(site.channel)].level;
    const Extent size = level_sizes(frames[0].width, frames[0].height, level + 1).back();
    site.x = std::min(static_cast<int>(std::lround(std::ldexp(point.x, -level))), size.width - 1);
    site.y = std::min(static_cast<int>(std::lround(std::ldexp(point.y, -level))), size.height - 1);
    return site;
  };
  std::vector<int> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return points[static_cast<std::size_t>(a)].frame < points[static_cast<std::size_t>(b)].frame;
  });
  Image<float> descriptors(kDescriptorSize, static_cast<int>(points.size()));
  auto engine = start_engine(plan, frames[0], resolved);
  std::vector<Candidate> none;
  auto next = order.begin();
  const auto describe_until = [&](std::int64_t end) {
    std::vector<Site> sites;
    const auto first = next;
    for (; next != order.end() && points[static_cast<std::size_t>(*next)].frame < end; ++next)
      sites.push_back(site_of(points[static_cast<std::size_t>(*next)]));
    if (sites.empty()) return;
    Image<float> rows(kDescriptorSize, static_cast<int>(sites.size()));
    engine->describe(sites, count - 1, rows);
    for (std::size_t i = 0; i < sites.size(); ++i)
      std::copy_n(rows.row(static_cast<int>(i)), kDescriptorSize,
                  descriptors.row(first[static_cast<std::ptrdiff_t>(i)]));
  };
  for (std::int64_t time = 0; time < count;) {
    throw_if_stopped(resolved);
    const auto some = frames.subspan(
        static_cast<std::size_t>(time),
        static_cast<std::size_t>(std::min<std::int64_t>(engine->block(), count - time)));
    engine->push(time, some, none);
    time += static_cast<std::int64_t>(some.size());
    describe_until(time - plan.latency);
  }
  repeat_last(
      *engine, count, plan.latency, [&](int done) { describe_until(count + done - plan.latency); },
      none);
  return descriptors;
}

}  // namespace fovea::actions
