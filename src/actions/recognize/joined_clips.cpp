// Videos made of clips, with unrelated motion between them, whose true events are known.
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fovea::actions {
namespace {

using ClipFrames = std::vector<Image<std::uint8_t>>;

constexpr int kRamp = 6;  // frames in which motion sets in and ends
constexpr float kShakePixels = 3;
constexpr int kTextureCell = 5;  // pixels between the random gray levels of a texture

ClipFrames read_clip(const Clip& clip, std::uint64_t max_pixels) {
  io::VideoReader reader(clip.path, {.color = io::VideoColor::kGray,
                                     .start = clip.first,
                                     .count = clip.frames,
                                     .threads = 1,
                                     .max_pixels = max_pixels,
                                     .files_only = true});
  ClipFrames frames;
  for (io::Frame frame; reader.next(frame);) frames.push_back(std::move(frame.image));
  if (frames.empty())
    throw FormatError(
        fmt::format("{}: the clip from frame {} on has no frames", clip.path, clip.first + 1));
  return frames;
}

float gray_at(ImageView<const std::uint8_t> image, float x, float y) {
  x = std::clamp(x, 0.0F, static_cast<float>(image.width - 1));
  y = std::clamp(y, 0.0F, static_cast<float>(image.height - 1));
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const int x1 = std::min(x0 + 1, image.width - 1), y1 = std::min(y0 + 1, image.height - 1);
  const float fx = x - static_cast<float>(x0), fy = y - static_cast<float>(y0);
  const auto at = [&](int u, int v) { return static_cast<float>(image.at(u, v)); };
  return (1 - fy) * ((1 - fx) * at(x0, y0) + fx * at(x1, y0)) +
         fy * ((1 - fx) * at(x0, y1) + fx * at(x1, y1));
}

std::uint8_t gray_level(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
}

// A smooth path through random places, for the motion of one gap.
class WanderPath {
 public:
  explicit WanderPath(Random& random) {
    for (Wave& wave : waves_)
      wave = {random.uniform(0.05F, 0.35F), random.uniform(0, 2 * std::numbers::pi_v<float>),
              random.uniform(0.3F, 1)};
  }
  // From -1 to 1, along one of two axes.
  float at(int axis, int frame) const {
    float sum = 0, weight = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Wave& wave = waves_[3 * static_cast<std::size_t>(axis) + i];
      sum += wave.weight * std::sin(wave.speed * static_cast<float>(frame) + wave.phase);
      weight += wave.weight;
    }
    return sum / weight;
  }

 private:
  struct Wave {
    float speed, phase, weight;
  };
  std::array<Wave, 6> waves_{};
};

// What moves in one gap.
class ClipMotion {
 public:
  ClipMotion(GapMotion kind, Extent size, Random& random)
      : kind_(kind),
        size_(size),
        wander_(random),
        texture_(std::max(2, size.height / 4 / kTextureCell),
                 std::max(2, size.height / 2 / kTextureCell)) {
    for (int y = 0; y < texture_.height(); ++y)
      for (int x = 0; x < texture_.width(); ++x)
        texture_.at(x, y) = static_cast<std::uint8_t>(random.below(256));
  }

  // Draws frame `number` of `count` over a background.
  void draw(const Image<std::uint8_t>& background, int number, int count,
            ImageView<std::uint8_t> frame) const {
    const float strength = std::min(
        1.0F, static_cast<float>(std::min(number + 1, count - number)) / static_cast<float>(kRamp));
    const bool shakes = kind_ == GapMotion::kShake;
    const float dx = shakes ? strength * kShakePixels * wander_.at(0, 4 * number) : 0;
    const float dy = shakes ? strength * kShakePixels * wander_.at(1, 4 * number) : 0;
    for (int y = 0; y < frame.height; ++y)
      for (int x = 0; x < frame.width; ++x)
        frame.at(x, y) = gray_level(
            gray_at(background.view(), static_cast<float>(x) + dx, static_cast<float>(y) + dy));
    if (kind_ == GapMotion::kTexture) draw_patch(number, strength, frame);
  }

 private:
  void draw_patch(int number, float strength, ImageView<std::uint8_t> frame) const {
    const float width = static_cast<float>(texture_.width() * kTextureCell);
    const float height = static_cast<float>(texture_.height() * kTextureCell);
    const float left =
        0.5F * (static_cast<float>(size_.width) - width) * (1 + wander_.at(0, number));
    const float top =
        0.5F * (static_cast<float>(size_.height) - height) * (1 + wander_.at(1, number));
    for (int y = 0; y < frame.height; ++y)
      for (int x = 0; x < frame.width; ++x) {
        const float u = static_cast<float>(x) - left, v = static_cast<float>(y) - top;
        if (u < 0 || v < 0 || u >= width || v >= height) continue;
        const float gray = gray_at(texture_.view(), u / kTextureCell, v / kTextureCell);
        frame.at(x, y) =
            gray_level((1 - strength) * static_cast<float>(frame.at(x, y)) + strength * gray);
      }
  }

  GapMotion kind_;
  Extent size_;
  WanderPath wander_;
  Image<std::uint8_t> texture_;
};

// The clips of one person, one after the other.
class PersonClips {
 public:
  PersonClips(std::span<const Clip> clips, const JoinOptions& options, int number)
      : options_(options),
        random_(options.seed, static_cast<std::uint64_t>(number)),
        clips_(clips.begin(), clips.end()) {
    for (std::size_t i = clips_.size(); i > 1; --i)
      std::swap(clips_[i - 1], clips_[random_.below(static_cast<std::uint32_t>(i))]);
    following_ = read_clip(clips_[0], options.max_pixels);
    before_ = clone(following_.front());
    start_gap();
  }

  Extent size() const { return {before_.width(), before_.height()}; }
  bool at_end() const { return clip_ >= clips_.size() && number_ >= gap_; }
  // Whether a clip begins with the next frame.
  const Clip* begins() const {
    return number_ == gap_ && clip_ < clips_.size() ? &clips_[clip_] : nullptr;
  }
  std::int64_t clip_frames() const { return std::ssize(following_); }

  void next(ImageView<std::uint8_t> frame) {
    if (at_end()) return copy(before_.view(), frame);
    if (number_ < gap_) draw_gap(frame);
    else copy(following_[static_cast<std::size_t>(number_ - gap_)].view(), frame);
    ++number_;
    if (number_ < gap_ + static_cast<int>(following_.size())) return;
    if (following_.empty()) return;
    before_ = std::move(following_.back());
    following_.clear();
    if (++clip_ < clips_.size()) following_ = read_clip(clips_[clip_], options_.max_pixels);
    if (!following_.empty() &&
        (following_[0].width() != before_.width() || following_[0].height() != before_.height()))
      throw InvalidArgument(fmt::format(
          "{}: frames of {}x{} pixels, expected {}x{} as in the other clips that are joined",
          clips_[clip_].path, following_[0].width(), following_[0].height(), before_.width(),
          before_.height()));
    start_gap();
  }

 private:
  void start_gap() {
    number_ = 0;
    gap_ = options_.gap;
    GapMotion kind = options_.motion;
    if (kind == GapMotion::kMixed) kind = clip_ % 2 == 0 ? GapMotion::kTexture : GapMotion::kShake;
    motion_.emplace(kind, size(), random_);
  }
  void draw_gap(ImageView<std::uint8_t> frame) const {
    const Image<std::uint8_t>& after = following_.empty() ? before_ : following_.front();
    const float share = static_cast<float>(number_ + 1) / static_cast<float>(gap_ + 1);
    Image<std::uint8_t> background(before_.width(), before_.height());
    for (int y = 0; y < background.height(); ++y)
      for (int x = 0; x < background.width(); ++x)
        background.at(x, y) = gray_level((1 - share) * static_cast<float>(before_.at(x, y)) +
                                         share * static_cast<float>(after.at(x, y)));
    motion_->draw(background, number_, gap_, frame);
  }

  const JoinOptions& options_;
  Random random_;
  std::vector<Clip> clips_;
  Image<std::uint8_t> before_;  // the last frame before the gap
  ClipFrames following_;        // the clip after the gap; none after the last
  std::optional<ClipMotion> motion_;
  std::size_t clip_ = 0;
  int number_ = 0;  // of the frame, from the start of the gap
  int gap_ = 0;
};

}  // namespace

std::span<const Choice> choices(GapMotion) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"none", static_cast<int>(GapMotion::kNone)},
       {"texture", static_cast<int>(GapMotion::kTexture)},
       {"shake", static_cast<int>(GapMotion::kShake)},
       {"mixed", static_cast<int>(GapMotion::kMixed)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, JoinOptions& options) {
  visit("people", options.people, "clips side by side in a wider picture, each in its own order", 1,
        16);
  visit("gap", options.gap, "frames of unrelated motion between two clips", 0, 1e5);
  visit("motion", options.motion,
        "what moves between clips: nothing, a textured patch, the picture as a camera shakes, or "
        "these two in turn");
}

struct JoinedClips::Impl {
  JoinOptions options;
  std::vector<std::unique_ptr<PersonClips>> persons;
  std::vector<TrueEvent> truth;
  std::vector<ShownClip> shown;
  std::int64_t action_frames = 0;
  std::int64_t next = 0;
};

JoinedClips::JoinedClips(std::span<const Clip> clips, const JoinOptions& options)
    : impl_(std::make_unique<Impl>()) {
  check_options(options);
  if (clips.empty()) throw InvalidArgument("there are no clips to join; expected one or more");
  impl_->options = options;
  for (int i = 0; i < options.people; ++i)
    impl_->persons.push_back(std::make_unique<PersonClips>(clips, impl_->options, i));
}
JoinedClips::~JoinedClips() = default;
JoinedClips::JoinedClips(JoinedClips&&) noexcept = default;
JoinedClips& JoinedClips::operator=(JoinedClips&&) noexcept = default;

bool JoinedClips::next(Image<std::uint8_t>& frame) {
  Impl& impl = *impl_;
  if (std::ranges::all_of(impl.persons, [](const auto& person) { return person->at_end(); }))
    return false;
  const Extent size = impl.persons[0]->size();
  const int people = static_cast<int>(impl.persons.size());
  if (frame.width() != people * size.width || frame.height() != size.height ||
      frame.channels() != 1)
    frame = Image<std::uint8_t>(people * size.width, size.height);
  for (int i = 0; i < people; ++i) {
    PersonClips& person = *impl.persons[static_cast<std::size_t>(i)];
    if (const Clip* clip = person.begins(); clip != nullptr) {
      const Rect<float> area{static_cast<float>(i * size.width), 0, static_cast<float>(size.width),
                             static_cast<float>(size.height)};
      const std::int64_t last = impl.next + person.clip_frames() - 1;
      if (clip->label >= 0) {
        impl.truth.push_back(
            {clip->label, impl.next, last, area, static_cast<std::int32_t>(impl.shown.size())});
        impl.action_frames += person.clip_frames();
      }
      impl.shown.push_back({clip->path, clip->first, clip->label, impl.next, last, area});
    }
    if (person.size().width != size.width || person.size().height != size.height)
      throw InvalidArgument(fmt::format(
          "people side by side have frames of {}x{} and {}x{} pixels, expected one size",
          size.width, size.height, person.size().width, person.size().height));
    person.next(frame.view().crop(i * size.width, 0, size.width, size.height));
  }
  ++impl.next;
  return true;
}

std::span<const TrueEvent> JoinedClips::truth() const { return impl_->truth; }
std::span<const ShownClip> JoinedClips::shown() const { return impl_->shown; }
std::int64_t JoinedClips::action_frames() const { return impl_->action_frames; }

}  // namespace fovea::actions
