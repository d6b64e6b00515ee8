// Block matching on CUDA, coarse to fine: the stages of the CPU twin in the same order. What is
// launched for a frame and for a pair depends on sizes and addresses alone and is recorded once as
// a graph, because most levels are so small that launching takes longer than the work.
#include <algorithm>
#include <array>

#include "core/kept_buffer.cuh"
#include "core/recorded_graph.cuh"
#include "flow/bm/block_matching_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::KeptBuffer;
using fovea::cuda::RecordedGraphs;
using fovea::cuda::Session;

constexpr std::size_t kMostGraphs = 32;  // graphs that are kept: two per level along a video
constexpr std::size_t kAlign = 128;      // rows begin at a multiple of so many bytes

// Planes one after another. Without memory it only counts the bytes that they take.
class Planes {
 public:
  explicit Planes(std::uint8_t* memory = nullptr) : memory_(memory) {}
  template <class T>
  ImageView<T> next(int width, int height) {
    const std::size_t row =
        (static_cast<std::size_t>(width) * sizeof(T) + kAlign - 1) / kAlign * kAlign;
    T* data = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += row * static_cast<std::size_t>(height);
    return {data, width, height, 1, static_cast<std::ptrdiff_t>(row / sizeof(T)), Memory::kCuda};
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint8_t* memory_;
  std::size_t bytes_ = 0;
};

struct Frame final : PreparedFrame {
  std::array<DeviceBlockLevel, bm::kMostLevels> levels{};
  int count = 0;  // number of levels
  KeptBuffer<std::uint8_t> memory;

  const DeviceBlockLevel& at(int level) const { return levels[static_cast<std::size_t>(level)]; }
};

// What a recorded preparation depends on.
struct FrameKey {
  const void *gray, *mask, *frame, *values;
  std::ptrdiff_t gray_stride, mask_stride;
  int width, height;
  int levels;
  bool operator==(const FrameKey&) const = default;
};
// What a recorded match depends on.
struct MatchKey {
  const void *first, *second, *fields, *priors;
  std::size_t field_bytes;
  int width, height, start_width, start_height;
  int levels, top, before, last;
  bool masked_first, masked_second;
  bool operator==(const MatchKey&) const = default;
};

// Fields of nodes, or of the pixels of a start. Forward and backward flow have two each, one of
// which holds the result of the previous level.
struct Fields {
  KeptBuffer<std::uint8_t> memory;
  std::size_t bytes = 0;  // bytes of each field

  bm::NodeField at(int slot, int columns, int rows, int step) {
    Planes planes(memory.data() + static_cast<std::size_t>(slot) * bytes);
    bm::NodeField field{};
    field.u = planes.next<float>(columns, rows);
    field.v = planes.next<float>(columns, rows);
    field.confidence = planes.next<float>(columns, rows);
    field.step = step;
    return field;
  }
};
constexpr int kForward = 0, kBackward = 2, kRaw = 4, kWork = 5, kFieldCount = 6;

void copy_field(const bm::NodeField& from, const bm::NodeField& to, cudaStream_t stream) {
  copy_plane(from.u, to.u, stream);
  copy_plane(from.v, to.v, stream);
  copy_plane(from.confidence, to.confidence, stream);
}

class BlockMatcher final : public Matcher {
 public:
  explicit BlockMatcher(const bm::Settings& options)
      : options_(options), layout_(bm::layout_of(options.block, options.step)) {}

  int grid() const override { return bm::grid(options_); }
  int most_levels() const override { return options_.levels; }
  int reach(int level) const override { return bm::reach(options_, level); }
  std::uint64_t bytes_per_pixel() const override { return bm::bytes_per_pixel(options_); }
  void set_base_level(int level) override { base_level_ = level; }

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> gray,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    Session session(exec);
    std::unique_ptr<Frame> frame(dynamic_cast<Frame*>(reuse.get()));
    if (frame) static_cast<void>(reuse.release());
    else frame = std::make_unique<Frame>();
    const bool masked = !mask.empty();
    const int count =
        bm::level_count(gray.width, gray.height, bm::below_base(options_, base_level_));
    lay_out(*frame, gray, masked, count);
    const Values values = values_of(*frame, masked);
    const FrameKey key{gray.data,      mask.data,   frame->memory.data(),
                       values_.data(), gray.stride, masked ? mask.stride : 0,
                       gray.width,     gray.height, count};
    frames_
        .of(key,
            [&](cudaStream_t stream) {
              quantize_blocks(gray, mask, values[0], frame->at(0), stream);
              DeviceBlockSource from{gray, {}};
              if (masked) from = {values[0].gray, values[0].cover};
              for (int k = 0; k < count; ++k) {
                const DeviceBlockGray& to = values[static_cast<std::size_t>(k)];
                if (k > 0) {
                  halve_blocks(from, to, frame->at(k), stream);
                  from = {to.gray, to.cover};
                }
                sum_blocks(frame->at(k), options_.block, stream);
              }
            })
        .launch(session.stream());
    return frame;
  }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    Session session(exec);
    const auto& first = dynamic_cast<const Frame&>(request.first);
    const auto& second = dynamic_cast<const Frame&>(request.second);
    const int levels = first.count;
    const bool started = !request.start.u.empty();
    bm::require_levels(levels, started ? request.start_level : levels, request.last_level);
    const int before = started ? request.start_level : levels;
    const int top = std::min(levels, before) - 1;
    reserve(first, request);
    if (started) begin(request.start, session.stream());
    const DeviceBlockLevel& finest = first.at(request.last_level);
    const MatchKey key{first.at(0).gray.data,
                       second.at(0).gray.data,
                       fields_.memory.data(),
                       priors_.data(),
                       fields_.bytes,
                       first.at(0).width,
                       first.at(0).height,
                       request.start.u.width,
                       request.start.u.height,
                       levels,
                       top,
                       before,
                       request.last_level,
                       first.at(0).valid.data != nullptr,
                       second.at(0).valid.data != nullptr};
    const Pair pair{first, second, request};
    const bm::NodeField smoothed = nodes(kForward + (top + 1 - request.last_level) % 2, finest);
    const bm::NodeField raw = nodes(kRaw, finest);
    matches_
        .of(key,
            [&](cudaStream_t stream) {
              for (int level = top; level >= request.last_level; --level)
                work_on(pair, {level, level == top ? before : level + 1, top - level}, stream);
              doubt_smoothed(raw, smoothed, stream);
            })
        .launch(session.stream());
    spread_blocks({smoothed.u, smoothed.v, raw.confidence, smoothed.step}, finest.valid,
                  options_.interpolate, out, session.stream());
    session.finish("flow");
  }

 private:
  struct Pair {
    const Frame& first;
    const Frame& second;
    const MatchRequest& request;
  };
  struct Levels {
    int now, before;
    int done;  // levels before this one, which decide the roles of the two fields
  };

  void lay_out(Frame& frame, ImageView<const float> gray, bool masked, int count) const {
    frame.count = count;
    const auto place = [&](Planes planes) {
      int width = gray.width, height = gray.height;
      for (int k = 0; k < count; ++k) {
        DeviceBlockLevel& level = frame.levels[static_cast<std::size_t>(k)];
        level = DeviceBlockLevel{};
        level.width = width, level.height = height;
        level.gray = planes.next<std::uint8_t>(width, height);
        if (masked) level.valid = planes.next<std::uint8_t>(width, height);
        const int columns = width - options_.block + 1, rows = height - options_.block + 1;
        if (columns > 0 && rows > 0) {
          level.sums = planes.next<std::int32_t>(columns, rows);
          level.inverse = planes.next<float>(columns, rows);
          if (options_.cost == BlockCost::kSsd)
            level.squares = planes.next<std::int32_t>(columns, rows);
        }
        width = bm::half(width), height = bm::half(height);
      }
      return planes.bytes();
    };
    const std::size_t bytes = place(Planes());
    place(Planes(frame.memory.reserve(bytes)));
  }

  // Gray and cover of each level while it is halved, in memory that two levels use in turn.
  using Values = std::array<DeviceBlockGray, bm::kMostLevels>;
  Values values_of(const Frame& frame, bool masked) {
    Values values{};
    const auto place = [&](std::uint8_t* memory) {
      std::size_t most[2] = {0, 0};
      for (int turn = 0; turn < 2; ++turn)
        for (int k = turn; k < frame.count; k += 2) {
          if (k == 0 && !masked) continue;
          Planes planes(memory == nullptr ? nullptr : memory + turn * most[0]);
          DeviceBlockGray& value = values[static_cast<std::size_t>(k)];
          value.gray = planes.next<float>(frame.at(k).width, frame.at(k).height);
          if (masked) value.cover = planes.next<float>(frame.at(k).width, frame.at(k).height);
          most[turn] = std::max(most[turn], planes.bytes());
        }
      return most[0] + most[1];
    };
    const std::size_t bytes = place(nullptr);
    if (bytes > 0) place(values_.reserve(bytes));
    return values;
  }

  void reserve(const Frame& first, const MatchRequest& request) {
    const DeviceBlockLevel& finest = first.at(request.last_level);
    Planes planes;
    for (int k = 0; k < 3; ++k)
      planes.next<float>(layout_.nodes(finest.width), layout_.nodes(finest.height));
    Planes start;
    for (int k = 0; k < 3; ++k) start.next<float>(request.start.u.width, request.start.u.height);
    fields_.bytes = std::max({planes.bytes(), start.bytes(), fields_.bytes});
    fields_.memory.reserve(kFieldCount * fields_.bytes);
    priors_.reserve(static_cast<std::size_t>(layout_.tiles(finest.width)) *
                    static_cast<std::size_t>(layout_.tiles(finest.height)));
  }
  bm::NodeField nodes(int slot, const DeviceBlockLevel& level) {
    return fields_.at(slot, layout_.nodes(level.width), layout_.nodes(level.height), layout_.step);
  }

  void begin(const FlowView& start, cudaStream_t stream) {
    const bm::NodeField field = fields_.at(kForward, start.u.width, start.u.height, 1);
    copy_field({start.u, start.v, start.confidence, 1}, field, stream);
    if (!options_.forward_backward) return;
    const bm::NodeField back = fields_.at(kBackward, start.u.width, start.u.height, 1);
    copy_field(field, back, stream);
    negate_blocks(back, stream);
  }

  void work_on(const Pair& pair, const Levels& levels, cudaStream_t stream) {
    const DeviceBlockLevel& level = pair.first.at(levels.now);
    const bool is_last = levels.now == pair.request.last_level;
    const int found = 1 - levels.done % 2;
    const bm::NodeField forward = nodes(kForward + found, level);
    const bm::NodeField backward = nodes(kBackward + found, level);
    const bm::NodeField raw = nodes(kRaw, level), work = nodes(kWork, level);
    search(pair.first, pair.second, pair.request, levels, kForward, stream);
    if (options_.forward_backward) {
      search(pair.second, pair.first, pair.request, levels, kBackward, stream);
      copy_field(forward, raw, stream);
      doubt_blocks(forward, backward, stream);
      if (!is_last) {
        doubt_blocks(backward, raw, stream);
        smooth_blocks(backward, work, options_.passes, stream);
      }
    }
    if (is_last) copy_field(forward, raw, stream);
    smooth_blocks(forward, work, options_.passes, stream);
  }

  void search(const Frame& from, const Frame& to, const MatchRequest& request, const Levels& levels,
              int direction, cudaStream_t stream) {
    const DeviceBlockLevel& level = from.at(levels.now);
    const bool started = !request.start.u.empty(), has_prior = started || levels.done > 0;
    const int slot = direction + levels.done % 2;
    bm::CoarseField prior{};
    if (has_prior) {
      prior.nodes = levels.done == 0
                        ? fields_.at(slot, request.start.u.width, request.start.u.height, 1)
                        : nodes(slot, from.at(levels.before));
      prior.width = prior.nodes.u.width, prior.height = prior.nodes.u.height;
      if (levels.before < from.count) {
        prior.width = from.at(levels.before).width, prior.height = from.at(levels.before).height;
        prior.valid = from.at(levels.before).valid;
      }
      prior.scale = static_cast<float>(1 << (levels.before - levels.now));
    }
    search_blocks({level,
                   to.at(levels.now),
                   layout_,
                   has_prior ? options_.refine : options_.range,
                   options_.cost,
                   options_.least_texture,
                   {options_.margin, options_.subpixel ? 1 : 0},
                   options_.neighbors,
                   options_.trust == BlockTrust::kScore,
                   prior,
                   priors_.data(),
                   nodes(direction + 1 - levels.done % 2, level)},
                  stream);
  }

  bm::Settings options_;
  bm::Layout layout_;
  int base_level_ = 0;
  KeptBuffer<std::uint8_t> values_;
  Fields fields_;
  KeptBuffer<bm::Shift> priors_;
  RecordedGraphs<FrameKey> frames_{kMostGraphs};
  RecordedGraphs<MatchKey> matches_{kMostGraphs};
};

}  // namespace

std::unique_ptr<Matcher> make_block_matching(const bm::Settings& options) {
  return std::make_unique<BlockMatcher>(options);
}

}  // namespace fovea::flow::cuda
