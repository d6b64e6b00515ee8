// Block matching on the CPU, from coarse to fine: each level is searched around the result of the
// level before and smoothed by reliability, and the last one is interpolated to pixels.
#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "flow/bm/block_matching_cpu.h"
#include "flow/witness.h"

namespace fovea::flow::cpu {

void BlockField::resize(int columns, int rows, int new_step) {
  step = new_step;
  if (u.width() == columns && u.height() == rows) return;
  u = Image<float>(columns, rows);
  v = Image<float>(columns, rows);
  confidence = Image<float>(columns, rows);
}

namespace {

// One direction of a match: the results of the level before and of this one.
struct Direction {
  BlockField found, raw, before;
  bool has_before = false;
};

void copy_field(BlockField& from, BlockField& to) {
  to.resize(from.u.width(), from.u.height(), from.step);
  copy(from.u.view(), to.u.view());
  copy(from.v.view(), to.v.view());
  copy(from.confidence.view(), to.confidence.view());
}

// Negates a field: if nothing better is known, this is the flow in the opposite direction.
void negate(BlockField& field) {
  for (int y = 0; y < field.u.height(); ++y)
    for (int x = 0; x < field.u.width(); ++x) {
      field.u.at(x, y) = -field.u.at(x, y);
      field.v.at(x, y) = -field.v.at(x, y);
    }
}

// Lowers the confidence of nodes whose flow does not lead back to its start; `back` is the opposite
// field before its confidence was lowered.
void doubt(BlockField& field, const bm::NodeField& back, const Exec& exec) {
  const bm::Layout layout = bm::layout_of(1, field.step);
  parallel_for(exec, field.u.height(), kBlockRowsPerTask,
               [&](std::int64_t first, std::int64_t last) {
                 for (int y = static_cast<int>(first); y < last; ++y)
                   for (int x = 0; x < field.u.width(); ++x) {
                     float& confidence = field.confidence.at(x, y);
                     if (!(confidence > 0)) continue;
                     const float u = field.u.at(x, y), v = field.v.at(x, y);
                     const bm::Motion returned =
                         bm::field_at(back, layout.middle(x) + u, layout.middle(y) + v);
                     confidence = bm::doubted(confidence, u + returned.u, v + returned.v);
                   }
               });
}

// Interpolates from nodes to pixels.
class Spread {
 public:
  // all_known: nothing is masked, and no node is at a place without anything to match.
  Spread(const bm::NodeField& field, const BlockLevel& level, bool interpolate, bool all_known)
      : field_(field),
        level_(level),
        interpolate_(interpolate),
        all_known_(all_known && interpolate) {
    across_.reserve(static_cast<std::size_t>(level.width));
    for (int x = 0; x < level.width; ++x)
      across_.push_back(bm::between_nodes(static_cast<float>(x), field.step, field.u.width));
  }

  void rows(int first, int last, const FlowView& out) const {
    std::vector<float> line(static_cast<std::size_t>(field_.u.width));
    for (int y = first; y < last; ++y) {
      if (!all_known_) {
        row_of_some(y, out);
        continue;
      }
      const bm::Between down =
          bm::between_nodes(static_cast<float>(y), field_.step, field_.u.height);
      row(field_.u, down, line, out.u.row(y));
      row(field_.v, down, line, out.v.row(y));
      row(field_.confidence, down, line, out.confidence.row(y));
    }
  }

 private:
  // Does what bm::field_at() does if every node is known: nodes are blended down, then across.
  void row(const ImageView<float>& plane, const bm::Between& down, std::vector<float>& line,
           float* out) const {
    const float* low = plane.row(down.low);
    const float* high = plane.row(down.high);
    for (int x = 0; x < plane.width; ++x) line[x] = bm::blend(low[x], high[x], down.share);
    for (int x = 0; x < level_.width; ++x)
      out[x] = bm::blend(line[across_[x].low], line[across_[x].high], across_[x].share);
  }
  void row_of_some(int y, const FlowView& out) const {
    for (int x = 0; x < level_.width; ++x) {
      bm::Motion motion{0, 0, 0};
      if (!level_.has_mask() || level_.valid.at(x, y) != 0)
        motion = interpolate_ ? bm::field_at(field_, static_cast<float>(x), static_cast<float>(y))
                              : bm::node_at(field_, std::min(x / field_.step, field_.u.width - 1),
                                            std::min(y / field_.step, field_.u.height - 1));
      out.u.at(x, y) = motion.u;
      out.v.at(x, y) = motion.v;
      out.confidence.at(x, y) = motion.confidence > 0 ? motion.confidence : 0.0F;
    }
  }

  bm::NodeField field_;
  const BlockLevel& level_;
  bool interpolate_;
  bool all_known_;
  std::vector<bm::Between> across_;
};

class BlockMatcher final : public Matcher {
 public:
  explicit BlockMatcher(const bm::Settings& options) : options_(options) {}

  std::unique_ptr<PreparedFrame> prepare(ImageView<const float> gray,
                                         ImageView<const std::uint8_t> mask,
                                         std::unique_ptr<PreparedFrame> reuse,
                                         const Exec& exec) override {
    return prepare_channels({&gray, 1}, mask, std::move(reuse), exec);
  }
  std::unique_ptr<PreparedFrame> prepare_color(
      const std::array<ImageView<const float>, 3>& channels, ImageView<const std::uint8_t> mask,
      std::unique_ptr<PreparedFrame> reuse, const Exec& exec) override {
    return prepare_channels(channels, mask, std::move(reuse), exec);
  }

  void set_base_level(int level) override { base_level_ = level; }
  int grid() const override { return bm::grid(options_); }
  int most_levels() const override { return options_.levels; }
  int reach(int level) const override { return bm::reach(options_, level); }
  std::uint64_t bytes_per_pixel() const override { return bm::bytes_per_pixel(options_); }

  void match(const MatchRequest& request, FlowView out, const Exec& exec) override {
    const auto& first = dynamic_cast<const BlockFrame&>(request.first);
    const auto& second = dynamic_cast<const BlockFrame&>(request.second);
    const auto levels = static_cast<int>(first.levels.size());
    const bool started = !request.start.u.empty();
    bm::require_levels(levels, started ? request.start_level : levels, request.last_level);
    int level = levels - 1;
    int before = level + 1;
    forward_.has_before = backward_.has_before = started;
    if (started) {
      before = request.start_level;
      level = std::min(level, before - 1);
      begin(request.start);
    }
    for (; level >= request.last_level; before = level--) {
      throw_if_stopped(exec);
      Witness* const witness = level == 0 ? request.witness : nullptr;
      if (witness != nullptr) choose_node(first.levels[0], *witness);
      search(first, second, {level, before}, forward_, exec, witness);
      if (witness != nullptr) witness->blocks.found = node_of(forward_.found, *witness);
      if (options_.forward_backward) {
        search(second, first, {level, before}, backward_, exec);
        copy_field(forward_.found, forward_.raw);
        if (witness != nullptr) witness_return(*witness);
        doubt(forward_.found, backward_.found.view(), exec);
        if (level > request.last_level) {
          doubt(backward_.found, forward_.raw.view(), exec);
          smooth(backward_, exec);
        }
      }
      if (level == request.last_level) copy_field(forward_.found, forward_.raw);
      if (witness != nullptr) witness->blocks.trusted = node_of(forward_.raw, *witness).confidence;
      smooth(forward_, exec);
    }
    finish(first.levels[request.last_level], out, exec);
    if (request.witness != nullptr && request.last_level == 0) witness_end(*request.witness);
  }

 private:
  std::unique_ptr<PreparedFrame> prepare_channels(std::span<const ImageView<const float>> channels,
                                                  ImageView<const std::uint8_t> mask,
                                                  std::unique_ptr<PreparedFrame> reuse,
                                                  const Exec& exec) {
    std::unique_ptr<BlockFrame> frame(dynamic_cast<BlockFrame*>(reuse.get()));
    if (frame) static_cast<void>(reuse.release());
    else frame = std::make_unique<BlockFrame>();
    prepare_block_frame(*frame, channels, mask, bm::below_base(options_, base_level_), exec);
    return frame;
  }

  void begin(const FlowView& start) {
    BlockField& field = forward_.before;
    field.resize(start.u.width, start.u.height, 1);
    copy(start.u, field.u.view());
    copy(start.v, field.v.view());
    copy(start.confidence, field.confidence.view());
    if (!options_.forward_backward) return;
    copy_field(field, backward_.before);
    negate(backward_.before);
  }

  // The node whose middle is nearest to the witness's pixel.
  void choose_node(const BlockLevel& level, Witness& witness) const {
    const bm::Layout layout = bm::layout_of(options_.block, options_.step);
    const auto nearest = [&](int pixel, int pixels) {
      return std::clamp(pixel / layout.step, 0, layout.nodes(pixels) - 1);
    };
    witness.blocks.column = nearest(witness.x, level.width);
    witness.blocks.row = nearest(witness.y, level.height);
  }
  static bm::Motion node_of(BlockField& field, const Witness& witness) {
    return bm::node_at(field.view(), witness.blocks.column, witness.blocks.row);
  }
  void witness_return(Witness& witness) {
    Witness::Blocks& seen = witness.blocks;
    const bm::Layout layout = bm::layout_of(1, forward_.found.step);
    const bm::Motion there = seen.found;
    const bm::Motion back =
        bm::field_at(backward_.found.view(), layout.middle(seen.column) + there.u,
                     layout.middle(seen.row) + there.v);
    seen.followed_back = true;
    seen.returned_u = there.u + back.u;
    seen.returned_v = there.v + back.v;
  }
  void witness_end(Witness& witness) {
    Witness::Blocks& seen = witness.blocks;
    const bm::Motion raw = node_of(forward_.raw, witness),
                     smoothed = node_of(forward_.before, witness);
    seen.moved_u = raw.u - smoothed.u;
    seen.moved_v = raw.v - smoothed.v;
    seen.confidence = raw.confidence;
  }

  struct Levels {
    int now, before;
  };
  void search(const BlockFrame& from, const BlockFrame& to, Levels levels, Direction& direction,
              const Exec& exec, Witness* witness = nullptr) {
    BlockField& found = direction.before;
    bm::CoarseField coarse{found.view(),
                           {},
                           found.u.width(),
                           found.u.height(),
                           static_cast<float>(1 << (levels.before - levels.now))};
    if (static_cast<std::size_t>(levels.before) < from.levels.size()) {
      const BlockLevel& level = from.levels[levels.before];
      coarse.width = level.width, coarse.height = level.height;
      if (level.has_mask()) coarse.valid = level.valid.view();
    }
    search_blocks({from.levels[levels.now], to.levels[levels.now], options_,
                   direction.has_before ? options_.refine : options_.range,
                   direction.has_before ? &coarse : nullptr, witness},
                  direction.found, exec);
  }

  // Keeps the result as the start of the next level.
  void smooth(Direction& direction, const Exec& exec) {
    for (int k = 0; k < options_.passes; ++k) smooth_blocks(direction.found, work_, exec);
    std::swap(direction.found, direction.before);
    direction.has_before = true;
  }

  // Interpolates to pixels. The confidence is that of the match itself, lowered where smoothing
  // moved it.
  void finish(const BlockLevel& level, const FlowView& out, const Exec& exec) {
    BlockField& smoothed = forward_.before;
    BlockField& raw = forward_.raw;
    parallel_for(exec, raw.u.height(), kBlockRowsPerTask,
                 [&](std::int64_t first, std::int64_t last) {
                   for (int y = static_cast<int>(first); y < last; ++y)
                     for (int x = 0; x < raw.u.width(); ++x)
                       if (float& confidence = raw.confidence.at(x, y); confidence > 0)
                         confidence = bm::doubted(confidence, raw.u.at(x, y) - smoothed.u.at(x, y),
                                                  raw.v.at(x, y) - smoothed.v.at(x, y));
                 });
    // If blocks are smaller than their steps, a last block may lie beyond the border.
    const bm::Layout layout = bm::layout_of(options_.block, options_.step);
    const bool all_known = !level.has_mask() && layout.first(raw.u.width() - 1) < level.width &&
                           layout.first(raw.u.height() - 1) < level.height;
    const Spread spread(
        {smoothed.u.view(), smoothed.v.view(), raw.confidence.view(), smoothed.step}, level,
        options_.interpolate, all_known);
    parallel_for(exec, level.height, kBlockRowsPerTask, [&](std::int64_t first, std::int64_t last) {
      spread.rows(static_cast<int>(first), static_cast<int>(last), out);
    });
  }

  bm::Settings options_;
  int base_level_ = 0;
  Direction forward_, backward_;
  BlockField work_;
};

}  // namespace

std::unique_ptr<Matcher> make_block_matching(const bm::Settings& options) {
  return std::make_unique<BlockMatcher>(options);
}

}  // namespace fovea::flow::cpu
