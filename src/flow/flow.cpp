// The face of both methods: checks images, converts them to gray, chooses the device, keeps a
// video's last frame, and divides images that do not fit the memory limit into tiles.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/geometry.h>
#include <fovea/core/options.h>
#include <fovea/flow/flow.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <variant>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/parallel.h"
#include "core/placed.h"
#include "core/resident.h"
#include "flow/bm/block_matching_settings.h"
#include "flow/explain/witnessed.h"
#include "flow/flow_gray.h"
#include "flow/flow_tiles.h"
#include "flow/lk/lucas_kanade_plan.h"
#include "flow/refine/refiner.h"

namespace fovea::flow {
namespace {

constexpr Choice kMethods[] = {{"lk", static_cast<int>(Method::kLucasKanade)},
                               {"bm", static_cast<int>(Method::kBlockMatching)}};
constexpr Choice kQualities[] = {{"fast", static_cast<int>(Quality::kFast)},
                                 {"default", static_cast<int>(Quality::kDefault)},
                                 {"best", static_cast<int>(Quality::kBest)}};

constexpr Choice kFusing[] = {{"auto", static_cast<int>(Fuse::kAuto)},
                              {"off", static_cast<int>(Fuse::kOff)},
                              {"on", static_cast<int>(Fuse::kOn)}};
constexpr Choice kChannels[] = {{"gray", static_cast<int>(Channels::kGray)},
                                {"color", static_cast<int>(Channels::kColor)}};

// By how many pixels of the level where tiles start the motion may still grow.
constexpr float kMoreMotion = 4;

using Mask = ImageView<const std::uint8_t>;
constexpr int kColors = 3;
// The masks of a pair; either may be empty.
struct Masks {
  Mask first, second;
};

refine::Plan refinement_of(const FlowOptions& options) {
  const bool best = options.quality == Quality::kBest;
  constexpr int kBestWarps = 3;
  return {.warps = options.warps.value_or(best ? kBestWarps : 0),
          .fuse = options.fuse == Fuse::kOn || (options.fuse == Fuse::kAuto && best)};
}

std::unique_ptr<Matcher> make_blocks(const FlowOptions& options, Quality quality, int channels,
                                     bool cuda) {
  bm::Settings settings = bm::settle(options.bm, quality);
  settings.channels = channels;
  return cuda ? cuda::make_block_matching(settings) : cpu::make_block_matching(settings);
}
std::unique_ptr<Matcher> make_windows(const FlowOptions& options, Quality quality, int channels,
                                      bool cuda) {
  lk::Plan plan = lk::make_plan(options.lk, quality);
  plan.channels = channels;
  // Refinement and fusion take all levels, and vectors from beyond a mask.
  const refine::Plan refined = refinement_of(options);
  plan.everywhere = refined.warps > 0 || refined.fuse;
  if (plan.everywhere) {
    if (options.lk.finest_level.value_or(0) > 0)
      throw InvalidArgument(fmt::format(
          "lk finest-level is {}, but refinement and fusion take all levels; leave it out, or set "
          "warps to 0 and fuse to off",
          *options.lk.finest_level));
    plan.finest = 0;
  }
  return cuda ? cuda::make_lucas_kanade(plan) : cpu::make_lucas_kanade(plan);
}

// A method alone, or both with what refines them. Refined fields gain nothing from more steps of a
// method, so that the methods of the best quality are those of lower ones then (docs/flow.md).
std::unique_ptr<Matcher> make_matcher(const FlowOptions& options, bool cuda) {
  const int channels = options.channels == Channels::kColor ? kColors : 1;
  const bool blocks = options.method == Method::kBlockMatching;
  const refine::Plan plan = refinement_of(options);
  Quality quality = options.quality;
  if (plan.warps > 0 && quality == Quality::kBest) quality = Quality::kDefault;
  RefinedParts parts;
  parts.primary = blocks ? make_blocks(options, quality, channels, cuda)
                         : make_windows(options, quality, channels, cuda);
  if (plan.warps == 0 && !plan.fuse) return std::move(parts.primary);
  parts.primary_is_bm = blocks;
  if (plan.fuse)
    parts.other = blocks
                      ? make_windows(options, std::min(quality, Quality::kDefault), channels, cuda)
                      : make_blocks(options, Quality::kFast, 1, cuda);
  parts.other_has_colors = blocks;
  parts.refiner = cuda ? cuda::make_refiner(plan) : cpu::make_refiner(plan);
  if (blocks || plan.fuse) parts.least_side = std::max(parts.least_side, options.bm.block);
  parts.memory = cuda ? Memory::kCuda : Memory::kHost;
  // Gray levels and ranks of both frames with their coarser levels, the planes of the system, the
  // images that are compared, and fields.
  parts.bytes_per_pixel = 150;
  return make_refined(std::move(parts));
}

template <class View>
void require_image(const View& image) {
  if (image.empty())
    throw InvalidArgument(fmt::format("flow: an image has {}x{} pixels; expected 1x1 at least",
                                      image.width, image.height));
  if (image.channels != 1 && image.channels != 3 && image.channels != 4)
    throw InvalidArgument(
        fmt::format("flow: an image has {} channels; expected 1, 3 or 4", image.channels));
}
template <class T>
void require_finite_pixels(const char* name, ImageView<const T> image, const Mask& mask) {
  if constexpr (std::is_same_v<T, float>)
    if (image.memory != Memory::kCuda) require_finite(name, image, mask);
}
// Has no branch per value, so that the compiler vectorizes it.
bool all_finite(const float* values, int count) {
  int bad = 0;
  for (int i = 0; i < count; ++i) bad |= std::isfinite(values[i]) ? 0 : 1;
  return bad == 0;
}
template <class View>
void require_mask(const View& image, const Mask& mask) {
  if (mask.empty()) return;
  detail::require_shape("flow", "mask", mask, image.width, image.height, 1);
  detail::require_host("flow", "the mask", mask.memory);
}

Flow make_field(int width, int height, Memory memory) {
  return {Image<float>(width, height, 1, memory), Image<float>(width, height, 1, memory),
          Image<float>(width, height, 1, memory)};
}
FlowView view_of(Flow& flow) { return {flow.u, flow.v, flow.confidence}; }
// Allocates memory only if the field has a different size or is elsewhere.
void fit(Flow& flow, int width, int height, Memory memory) {
  const auto fits = [&](const Image<float>& plane) {
    return plane.width() == width && plane.height() == height && plane.view().memory == memory;
  };
  if (!fits(flow.u) || !fits(flow.v) || !fits(flow.confidence))
    flow = make_field(width, height, memory);
}
FlowView crop(const FlowView& field, const Rect<int>& part) {
  const auto cut = [&](ImageView<float> plane) {
    return plane.crop(part.x, part.y, part.width, part.height);
  };
  return {cut(field.u), cut(field.v), cut(field.confidence)};
}
void copy_field(const FlowView& from, const FlowView& to, const Exec& exec) {
  copy(from.u, to.u, exec);
  copy(from.v, to.v, exec);
  copy(from.confidence, to.confidence, exec);
}
Mask part_of(const Mask& mask, const Rect<int>& part) {
  return mask.empty() ? Mask{} : mask.crop(part.x, part.y, part.width, part.height);
}

// Grows when needed and keeps its memory for smaller images.
template <class T>
ImageView<T> room(Image<T>& image, int width, int height, Memory memory) {
  if (image.width() < width || image.height() < height || image.view().memory != memory)
    image = Image<T>(width, height, 1, memory);
  return image.view().crop(0, 0, width, height);
}

template <class T>
Image<T> copied(ImageView<const T> image, const Exec& exec) {
  Image<T> result(image.width, image.height, image.channels, image.memory);
  copy(image, result.view(), exec);
  return result;
}

// A field in the memory that the matcher needs.
struct PlacedField {
  detail::Placed<float> u{}, v{}, confidence{};

  FlowView prepare(const FlowView& to, Memory memory) {
    return {u.prepare(to.u, memory), v.prepare(to.v, memory),
            confidence.prepare(to.confidence, memory)};
  }
  void give_back(const Exec& exec) {
    u.give_back(exec);
    v.give_back(exec);
    confidence.give_back(exec);
  }
};

// Returns the greatest motion of any pixel of a coarse field along either axis.
float farthest(ImageView<const float> u, ImageView<const float> v) {
  float most = 0;
  for (const ImageView<const float>& plane : {u, v})
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0; x < plane.width; ++x) most = std::max(most, std::abs(plane.at(x, y)));
  return most;
}

// The inner loops use the threads of this one, so that threads are started once instead of some
// hundred times.
template <class Body>
void with_threads(const Exec& exec, const Body& body) {
  if (detail::on_cuda(exec)) return body();
  parallel_for(exec, 2, 1, [&](std::int64_t first, std::int64_t) {
    if (first == 0) body();
  });
}

}  // namespace

std::span<const Choice> choices(Method) { return kMethods; }
std::span<const Choice> choices(Quality) { return kQualities; }
std::span<const Choice> choices(Channels) { return kChannels; }
std::span<const Choice> choices(Fuse) { return kFusing; }

void describe(OptionVisitor& visit, FlowOptions& options) {
  visit("method", options.method, "lk is the method of Lucas and Kanade, bm matches blocks");
  visit("quality", options.quality,
        "a better quality takes more time; it chooses those options of the method that are not "
        "given");
  visit("channels", options.channels,
        "what is compared: gray values, or the three channels of colors; bm on the CPU only");
  visit("warps", options.warps,
        "rounds of variational refinement at the finest level; 0 turns it off", 0, 20,
        {.absent = "3 with the best quality, else none"});
  visit("fuse", options.fuse,
        "use both methods, each pixel with the flow that fits better; auto: with the best quality");
  visit.bytes("memory", options.memory_bytes,
              "greatest amount of device memory that an estimation may take; larger images are "
              "estimated in tiles; 0 means no limit on the CPU and what a GPU has free");
  visit.group("lk", options.lk);
  visit.group("bm", options.bm);
}

std::unique_ptr<PreparedFrame> Matcher::prepare_color(const std::array<ImageView<const float>, 3>&,
                                                      ImageView<const std::uint8_t>,
                                                      std::unique_ptr<PreparedFrame>, const Exec&) {
  throw InvalidArgument("flow: blocks of colors are compared on the CPU only; use the device cpu");
}

void require_finite(std::string_view name, ImageView<const float> image, Mask mask) {
  const int colors = std::min(image.channels, 3);  // opacity is ignored
  for (int y = 0; y < image.height; ++y) {
    if (all_finite(image.row(y), image.row_elements())) continue;
    for (int x = 0; x < image.width; ++x)
      for (int c = 0; c < colors; ++c)
        if (!std::isfinite(image.at(x, y, c)) && (mask.empty() || mask.at(x, y) != 0))
          throw InvalidArgument(fmt::format(
              "{}: pixel ({}, {}) is {}; every value that no mask leaves out must be finite", name,
              x, y, image.at(x, y, c)));
  }
}

void cpu::leave_out(ImageView<const std::uint8_t> mask, const FlowView& field, const Exec& exec) {
  parallel_for(exec, mask.height, 64, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const std::uint8_t* counts = mask.row(y);
      for (const ImageView<float>& plane : {field.u, field.v, field.confidence}) {
        float* row = plane.row(y);
        for (int x = 0; x < mask.width; ++x) row[x] = counts[x] == 0 ? 0.0F : row[x];
      }
    }
  });
}

namespace {

// What an estimator keeps on the device on which it works.
struct FlowWork {
  FlowWork(const FlowOptions& options, const Exec& exec)
      : memory_limit(options.memory_bytes),
        color(options.channels == Channels::kColor),
        device(exec.device),
        matcher(make_matcher(options, detail::on_cuda(exec))) {}

  std::uint64_t memory_limit;
  bool color;  // are compared
  Device device;
  std::unique_ptr<Matcher> matcher;
  Witness* witness = nullptr;  // of an explanation
  Image<float> gray{};
  std::array<Image<float>, kColors> colors{};
  detail::Placed<std::uint8_t> mask_there{};
  PlacedField field_there{};
  std::unique_ptr<PreparedFrame> spare_first{}, spare_second{};
  struct Planned {
    TilePlan tiles{};
    int width = 0, height = 0;
  } planned{};

  // The video's last frame: prepared, or the image itself if it is processed in tiles.
  struct Last {
    std::unique_ptr<PreparedFrame> frame{};
    std::variant<Image<std::uint8_t>, Image<std::uint16_t>, Image<float>> image{};
    Image<std::uint8_t> mask{};
    int width = 0, height = 0;
    bool none() const { return width == 0; }
  } last{};

  // Returns how images of this size are divided. It is computed once per size: asking a GPU for its
  // free memory is slow, and the answer shrinks with what is allocated here.
  TilePlan plan_for(int width, int height) {
    if (planned.width != width || planned.height != height) {
      std::uint64_t limit = memory_limit;
      if (limit == 0 && on_cuda()) limit = fovea::cuda::free_memory(device) / 8 * 7;
      planned = {plan_tiles(*matcher, width, height, limit), width, height};
    }
    return planned.tiles;
  }
  Memory memory() const { return detail::memory_of(device); }
  bool on_cuda() const { return memory() == Memory::kCuda; }

  template <class T>
  GrayRange range_of(ImageView<const T> image, const Mask& mask, const Exec& exec) const {
    if (color)
      return on_cuda() ? cuda::color_range(image, mask, exec) : cpu::color_range(image, mask, exec);
    return on_cuda() ? cuda::gray_range(image, mask, exec) : cpu::gray_range(image, mask, exec);
  }

  // Returns no range if the device computes and keeps it.
  template <class T>
  std::optional<GrayRange> own_range(ImageView<const T> image, const Mask& mask,
                                     const Exec& exec) const {
    if (on_cuda() && mask.empty() && !color) return {};
    return range_of(image, mask, exec);
  }

  Mask mask_where_needed(const Mask& mask, const Exec& exec) {
    return mask.empty() ? mask : mask_there.bring(mask, memory(), exec);
  }

  template <class T>
  std::unique_ptr<PreparedFrame> prepare(ImageView<const T> image, std::optional<GrayRange> range,
                                         Mask mask, std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) {
    if (color) {
      std::array<ImageView<float>, kColors> planes;
      for (std::size_t c = 0; c < kColors; ++c)
        planes[c] = room(colors[c], image.width, image.height, memory());
      if (on_cuda()) cuda::to_colors(image, *range, planes, exec);
      else
        for (int c = 0; c < kColors; ++c)
          cpu::channel_to_gray(image, c, *range, planes[static_cast<std::size_t>(c)], exec);
      return matcher->prepare_color({planes[0], planes[1], planes[2]},
                                    mask_where_needed(mask, exec), std::move(reuse), exec);
    }
    const auto level = room(gray, image.width, image.height, memory());
    if (!range) cuda::to_gray(image, level, exec);
    else if (on_cuda()) cuda::to_gray(image, *range, level, exec);
    else cpu::to_gray(image, *range, level, exec);
    return matcher->prepare(level, mask_where_needed(mask, exec), std::move(reuse), exec);
  }

  // Writes to `out`, in whatever memory it is.
  void match(const MatchRequest& request, const FlowView& out, const Exec& exec) {
    matcher->match(request, field_there.prepare(out, memory()), exec);
    field_there.give_back(exec);
  }

  void leave_out(const Mask& mask, Flow& flow, const Exec& exec) {
    if (mask.empty()) return;
    if (flow.u.view().memory == Memory::kCuda)
      cuda::leave_out(mask_where_needed(mask, exec), view_of(flow), exec);
    else cpu::leave_out(mask, view_of(flow), exec);
  }

  template <class T>
  void estimate(ImageView<const T> first, ImageView<const T> second, const Masks& masks, Flow& flow,
                const Exec& exec) {
    const TilePlan tiles = plan_for(first.width, first.height);
    fit(flow, first.width, first.height, detail::memory_beside(first.memory));
    if (tiles.start_level > 0) {
      TiledPair<T>{*this,
                   first,
                   second,
                   masks,
                   tiles,
                   range_of(first, masks.first, exec),
                   range_of(second, masks.second, exec)}
          .run(view_of(flow), exec);
    } else {
      matcher->set_base_level(0);
      spare_first = prepare(first, own_range(first, masks.first, exec), masks.first,
                            std::move(spare_first), exec);
      spare_second = prepare(second, own_range(second, masks.second, exec), masks.second,
                             std::move(spare_second), exec);
      MatchRequest request{*spare_first, *spare_second};
      request.witness = witness;
      match(request, view_of(flow), exec);
    }
    leave_out(masks.first, flow, exec);
  }

  // Returns whether there was a frame before this one.
  template <class T>
  bool push(ImageView<const T> frame, Mask mask, Flow& flow, const Exec& exec) {
    const bool follows = !last.none();
    if (follows && (last.width != frame.width || last.height != frame.height))
      throw InvalidArgument(
          fmt::format("flow: a frame of {}x{} follows one of {}x{}; all frames of a video must "
                      "have the same size",
                      frame.width, frame.height, last.width, last.height));
    std::unique_ptr<PreparedFrame> prepared;
    if (plan_for(frame.width, frame.height).start_level == 0) {
      matcher->set_base_level(0);
      prepared = prepare(frame, own_range(frame, mask, exec), mask, std::move(spare_first), exec);
      if (follows) {
        fit(flow, frame.width, frame.height, detail::memory_beside(frame.memory));
        match({*last.frame, *prepared}, view_of(flow), exec);
        leave_out(last.mask, flow, exec);
        spare_first = std::move(last.frame);
      }
    } else if (follows) {
      const auto* before = std::get_if<Image<T>>(&last.image);
      if (!before || before->channels() != frame.channels)
        throw InvalidArgument(
            "flow: the pixels of a frame have another type or other channels than those before it");
      estimate<T>(*before, frame, {last.mask, mask}, flow, exec);
    }
    keep(frame, mask, std::move(prepared), exec);
    return follows;
  }

  template <class T>
  void keep(ImageView<const T> frame, const Mask& mask, std::unique_ptr<PreparedFrame> prepared,
            const Exec& exec) {
    last.width = frame.width;
    last.height = frame.height;
    if (mask.empty()) last.mask = {};
    else last.mask = clone(mask);
    if (prepared) last.frame = std::move(prepared);
    else last.image = copied(frame, exec);
  }

  // A pair that is processed in tiles.
  template <class T>
  struct TiledPair {
    FlowWork& work;
    ImageView<const T> first, second;
    Masks masks;
    TilePlan plan;
    GrayRange first_range, second_range;

    void run(const FlowView& out, const Exec& exec) {
      Flow coarse;
      if (!plan.from_rest) coarse = coarse_flow(exec);
      work.matcher->set_base_level(0);
      const auto parts = tiles_of(plan, first.width, first.height);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        throw_if_stopped(exec);
        if (exec.progress)
          exec.progress({"tiles", static_cast<double>(k), static_cast<double>(parts.size())});
        run_tile(parts[k], coarse, out, exec);
      }
    }

    static bool counts(const Mask& part) {
      for (int y = 0; y < part.height; ++y)
        if (std::any_of(part.row(y), part.row(y) + part.width, [](auto m) { return m != 0; }))
          return true;
      return part.empty();
    }

    ImageView<float> coarse_part(Image<float>& plane, const Rect<int>& part) const {
      const int level = plan.start_level, unit = 1 << level;
      const auto end = [&](int at) { return (at + unit - 1) / unit; };
      const int left = part.x / unit, top = part.y / unit;
      return plane.view().crop(left, top, end(part.right()) - left, end(part.bottom()) - top);
    }

    // Returns a tile and the pixels that it depends on, for the motion that is known there.
    Rect<int> surrounded(const Rect<int>& tile, Flow& coarse) const {
      if (plan.from_rest) return flow::surrounded(tile, plan, plan.move, first.width, first.height);
      const Rect<int> around = flow::surrounded(tile, plan, 0, first.width, first.height);
      const float moved = farthest(coarse_part(coarse.u, around), coarse_part(coarse.v, around));
      const float pixels = (moved + kMoreMotion) * static_cast<float>(1 << plan.start_level);
      const auto move = static_cast<int>(std::min(pixels, static_cast<float>(plan.move)));
      return flow::surrounded(tile, plan, move, first.width, first.height);
    }

    void run_tile(const Rect<int>& tile, Flow& coarse, const FlowView& out, const Exec& exec) {
      const Rect<int> around = surrounded(tile, coarse);
      if (!counts(part_of(masks.first, tile)))
        return;  // the mask is applied to the whole field at the end
      const auto cut = [&](ImageView<const T> image) {
        return image.crop(around.x, around.y, around.width, around.height);
      };
      work.spare_first = work.prepare(cut(first), first_range, part_of(masks.first, around),
                                      std::move(work.spare_first), exec);
      work.spare_second = work.prepare(cut(second), second_range, part_of(masks.second, around),
                                       std::move(work.spare_second), exec);
      MatchRequest request{*work.spare_first, *work.spare_second};
      if (!plan.from_rest) {
        request.start = work.placed({coarse_part(coarse.u, around), coarse_part(coarse.v, around),
                                     coarse_part(coarse.confidence, around)},
                                    exec);
        request.start_level = plan.start_level;
      }
      Flow field = make_field(around.width, around.height, out.u.memory);
      work.match(request, view_of(field), exec);
      const Rect<int> inner{tile.x - around.x, tile.y - around.y, tile.width, tile.height};
      copy_field(crop(view_of(field), inner), crop(out, tile), exec);
    }

    // Returns the flow of the level where tiles start, in host memory.
    Flow coarse_flow(const Exec& exec) {
      const int unit = 1 << plan.start_level;
      const int width = (first.width + unit - 1) / unit, height = (first.height + unit - 1) / unit;
      work.matcher->set_base_level(plan.start_level);
      work.spare_first = coarse_frame({first, first_range, masks.first, {width, height}},
                                      std::move(work.spare_first), exec);
      work.spare_second = coarse_frame({second, second_range, masks.second, {width, height}},
                                       std::move(work.spare_second), exec);
      Flow flow = make_field(width, height, Memory::kHost);
      work.match({*work.spare_first, *work.spare_second}, view_of(flow), exec);
      return flow;
    }
    // One image of the pair, and the size of its coarse level.
    struct Coarse {
      ImageView<const T> image;
      GrayRange range;
      Mask mask;
      Extent size;
    };
    std::unique_ptr<PreparedFrame> coarse_frame(const Coarse& of,
                                                std::unique_ptr<PreparedFrame> reuse,
                                                const Exec& exec) {
      const auto [width, height] = of.size;
      Image<std::uint8_t> coarse_mask;
      if (!of.mask.empty()) coarse_mask = Image<std::uint8_t>(width, height, 1, work.memory());
      CoarseGray request{of.range, plan.start_level, of.mask, {}, coarse_mask};
      if (!work.color) {
        request.out = room(work.gray, width, height, work.memory());
        if (work.on_cuda()) cuda::coarse_gray(of.image, request, exec);
        else cpu::coarse_gray(of.image, request, exec);
        return work.matcher->prepare(request.out, coarse_mask, std::move(reuse), exec);
      }
      std::array<ImageView<const float>, kColors> planes;
      for (request.channel = 0; request.channel < kColors; ++request.channel) {
        request.out = room(work.colors[request.channel], width, height, work.memory());
        if (work.on_cuda()) cuda::coarse_gray(of.image, request, exec);
        else cpu::coarse_gray(of.image, request, exec);
        planes[request.channel] = request.out;
      }
      return work.matcher->prepare_color(planes, coarse_mask, std::move(reuse), exec);
    }
  };

  // Returns a start in the matcher's kind of memory.
  FlowView placed(const FlowView& start, const Exec& exec) {
    if (!on_cuda()) return start;
    start_there = make_field(start.u.width, start.u.height, Memory::kCuda);
    copy_field(start, view_of(start_there), exec);
    return view_of(start_there);
  }
  Flow start_there{};
};

}  // namespace

struct Estimator::Impl {
  FlowOptions options;
  detail::Resident<FlowWork> work{};

  // Where a GPU lacks what is asked for, `auto` is the CPU.
  Exec exec_for(std::initializer_list<detail::Placement> data) const {
    const std::string_view reason = cpu_only(options);
    Exec asked = options.exec;
    if (!reason.empty() && asked.device.kind == DeviceKind::kAuto)
      asked.device = {DeviceKind::kCpu, 0};
    Exec exec = detail::resolve_exec("flow", asked, data);
    if (!reason.empty() && detail::on_cuda(exec))
      throw InvalidArgument(
          fmt::format("flow: {} on the CPU only; use the device cpu instead of cuda", reason));
    return exec;
  }

  FlowWork& work_on(const Exec& exec) {
    return work.on(exec.device, [&] { return std::make_unique<FlowWork>(options, exec); });
  }
};

Estimator::Estimator(const FlowOptions& options) : impl_(std::make_unique<Impl>(Impl{options})) {
  check_options(options);
}
Estimator::Estimator(Estimator&&) noexcept = default;
Estimator& Estimator::operator=(Estimator&&) noexcept = default;
Estimator::~Estimator() = default;

namespace {

template <class T>
void require_pair(ImageView<const T> first, ImageView<const T> second) {
  require_image(first);
  require_image(second);
  if (first.width != second.width || first.height != second.height)
    throw InvalidArgument(fmt::format("flow: the images are {}x{} and {}x{}; expected one size",
                                      first.width, first.height, second.width, second.height));
}

}  // namespace

template <class T>
Witnessed witnessed_flow(const FlowOptions& options, ImageView<const T> first,
                         ImageView<const T> second, FlowPixel pixel) {
  require_pair(first, second);
  for (const auto& image : {first, second})
    detail::require_host("explain", "an image", image.memory);
  if (!(pixel.x >= 0 && pixel.y >= 0 && pixel.x < first.width && pixel.y < first.height))
    throw InvalidArgument(
        fmt::format("explain: the pixel {},{} lies outside of the images of {}x{}", pixel.x,
                    pixel.y, first.width, first.height));
  require_finite_pixels("explain: the first image", first, {});
  require_finite_pixels("explain: the second image", second, {});
  FlowOptions here = options;
  here.memory_bytes = 0;
  here.exec.device = Device::cpu();
  here.exec.stream = nullptr;
  FlowWork work(here, here.exec);
  Witnessed result;
  result.witness.x = pixel.x;
  result.witness.y = pixel.y;
  work.witness = &result.witness;
  const auto gray = [&](ImageView<const T> image) {
    Image<float> to(image.width, image.height);
    cpu::to_gray(image, cpu::gray_range(image, {}, here.exec), to.view(), here.exec);
    return to;
  };
  with_threads(here.exec, [&] {
    work.estimate(first, second, {}, result.flow, here.exec);
    result.first = gray(first);
    result.second = gray(second);
  });
  return result;
}

template <class T>
void Estimator::estimate(ImageView<const T> first, ImageView<const T> second, Flow& flow,
                         ImageView<const std::uint8_t> mask,
                         ImageView<const std::uint8_t> second_mask) {
  require_pair(first, second);
  require_mask(first, mask);
  require_mask(second, second_mask);
  require_finite_pixels("flow: the first image", first, mask);
  require_finite_pixels("flow: the second image", second, second_mask);
  const Exec exec = impl_->exec_for({first, second});
  FlowWork& work = impl_->work_on(exec);
  const fovea::cuda::ScopedDevice here(exec.device);  // memory is allocated there
  with_threads(exec, [&] { work.estimate(first, second, {mask, second_mask}, flow, exec); });
}

template <class T>
bool Estimator::push(ImageView<const T> frame, Flow& flow, ImageView<const std::uint8_t> mask) {
  require_image(frame);
  require_mask(frame, mask);
  require_finite_pixels("flow: the frame", frame, mask);
  const Exec exec = impl_->exec_for({frame});
  FlowWork& work = impl_->work_on(exec);
  const fovea::cuda::ScopedDevice here(exec.device);  // memory is allocated there
  bool follows = false;
  with_threads(exec, [&] { follows = work.push(frame, mask, flow, exec); });
  return follows;
}

void Estimator::finish() {
  if (impl_->work.get()) impl_->work.get()->last = {};
}
const FlowOptions& Estimator::options() const { return impl_->options; }

#define FOVEA_FLOW_ESTIMATE(T)                                                                  \
  template FOVEA_API void Estimator::estimate(ImageView<const T>, ImageView<const T>, Flow&,    \
                                              ImageView<const std::uint8_t>,                    \
                                              ImageView<const std::uint8_t>);                   \
  template FOVEA_API bool Estimator::push(ImageView<const T>, Flow&,                            \
                                          ImageView<const std::uint8_t>);                       \
  template Witnessed witnessed_flow(const FlowOptions&, ImageView<const T>, ImageView<const T>, \
                                    FlowPixel);
FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_ESTIMATE)
#undef FOVEA_FLOW_ESTIMATE

}  // namespace fovea::flow
