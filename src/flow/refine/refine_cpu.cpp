// Variational refinement on the CPU: the robust weights and 2x2 systems of a level, and relaxations
// in the order of a checkerboard. Several relaxations pass over a band of rows while it is in the
// cache, each a row behind the one before.
#include "flow/refine/refine_cpu.h"

#include <algorithm>
#include <utility>

#include "flow/refine/refine_math.h"
#include "flow/refine/refine_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/refine/refine_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

// refine::smoothness() of a row.
void smoothness_row(const FlowRows& rows, int width, float alpha, float* HWY_RESTRICT out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto least = hn::Set(d, refine::kSmooth2), weight = hn::Set(d, alpha);
  for (int x = 0; x < width; x += lanes) {
    const auto u = hn::LoadU(d, rows.u + x), v = hn::LoadU(d, rows.v + x);
    const auto ux = hn::Sub(hn::LoadU(d, rows.u + x + 1), u);
    const auto vx = hn::Sub(hn::LoadU(d, rows.v + x + 1), v);
    const auto uy = hn::Sub(hn::LoadU(d, rows.u_below + x), u);
    const auto vy = hn::Sub(hn::LoadU(d, rows.v_below + x), v);
    const auto sum = hn::Add(hn::Add(hn::Mul(ux, ux), hn::Mul(uy, uy)),
                             hn::Add(hn::Mul(vx, vx), hn::Mul(vy, vy)));
    hn::StoreU(hn::Div(weight, hn::Sqrt(hn::Add(sum, least))), d, out + x);
  }
}

// refine::between() of a row and another, which is the next row or the same one pixel on.
void between_row(const RowPair& pair, int width, float edge, float* HWY_RESTRICT out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto half = hn::Set(d, 0.5F), soft = hn::Set(d, edge);
  for (int x = 0; x < width; x += lanes) {
    const auto sum = hn::Add(hn::LoadU(d, pair.smooth + x), hn::LoadU(d, pair.smooth_there + x));
    const auto step =
        hn::Abs(hn::Sub(hn::LoadU(d, pair.gray_there + x), hn::LoadU(d, pair.gray + x)));
    hn::StoreU(hn::Mul(hn::Mul(sum, half), hn::Div(soft, hn::Add(soft, step))), d, out + x);
  }
}

// refine::data_system() with the neighbors' weights.
void system_row(const SystemInput& in, int width, const refine::Energy& energy,
                const SystemOutput& out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto near = hn::Set(d, refine::kNear), far = hn::Set(d, refine::kFar);
  const auto flat = hn::Set(d, refine::kFlat), robust = hn::Set(d, refine::kRobust2);
  const auto least = hn::Set(d, refine::kLeastSystem), one = hn::Set(d, 1.0F);
  const auto delta = hn::Set(d, energy.delta), gamma = hn::Set(d, energy.gamma);
  const auto across = [&](const float* row) {
    const auto inner = hn::Sub(hn::LoadU(d, row + 1), hn::LoadU(d, row - 1));
    const auto outer = hn::Sub(hn::LoadU(d, row + 2), hn::LoadU(d, row - 2));
    return hn::Sub(hn::Mul(inner, near), hn::Mul(outer, far));
  };
  const auto down = [&](const std::array<const float*, 5>& rows, int x) {
    const auto inner = hn::Sub(hn::LoadU(d, rows[3] + x), hn::LoadU(d, rows[1] + x));
    const auto outer = hn::Sub(hn::LoadU(d, rows[4] + x), hn::LoadU(d, rows[0] + x));
    return hn::Sub(hn::Mul(inner, near), hn::Mul(outer, far));
  };
  for (int x = 0; x < width; x += lanes) {
    const auto ix = hn::LoadU(d, in.dx[2] + x), iy = hn::LoadU(d, in.dy[2] + x);
    const auto iz = hn::LoadU(d, in.difference[2] + x);
    const auto xx = across(in.dx[2] + x), xy = down(in.dx, x), yy = down(in.dy, x);
    const auto xz = across(in.difference[2] + x), yz = down(in.difference, x);
    const auto u0 = hn::LoadU(d, in.u0 + x), v0 = hn::LoadU(d, in.v0 + x);
    const auto du = hn::Sub(hn::LoadU(d, in.u + x), u0), dv = hn::Sub(hn::LoadU(d, in.v + x), v0);
    const auto valid = hn::LoadU(d, in.valid + x);

    const auto n0 = hn::Add(hn::Add(hn::Mul(ix, ix), hn::Mul(iy, iy)), flat);
    const auto n1 = hn::Add(hn::Add(hn::Mul(xx, xx), hn::Mul(xy, xy)), flat);
    const auto n2 = hn::Add(hn::Add(hn::Mul(xy, xy), hn::Mul(yy, yy)), flat);
    const auto i1 = hn::Div(one, n1), i2 = hn::Div(one, n2);
    const auto r0 = hn::Add(iz, hn::Add(hn::Mul(ix, du), hn::Mul(iy, dv)));
    const auto r1 = hn::Add(xz, hn::Add(hn::Mul(xx, du), hn::Mul(xy, dv)));
    const auto r2 = hn::Add(yz, hn::Add(hn::Mul(xy, du), hn::Mul(yy, dv)));
    const auto w0 = hn::Div(hn::Mul(valid, delta),
                            hn::Sqrt(hn::Mul(n0, hn::Add(hn::Mul(r0, r0), hn::Mul(n0, robust)))));
    const auto square = hn::Add(hn::Mul(hn::Mul(r1, r1), i1), hn::Mul(hn::Mul(r2, r2), i2));
    const auto w = hn::Div(hn::Mul(valid, gamma), hn::Sqrt(hn::Add(square, robust)));
    const auto w1 = hn::Mul(w, i1), w2 = hn::Mul(w, i2);
    const auto x0 = hn::Mul(w0, ix), y0 = hn::Mul(w0, iy);
    const auto x1 = hn::Mul(w1, xx), y1 = hn::Mul(w1, xy);
    const auto x2 = hn::Mul(w2, xy), y2 = hn::Mul(w2, yy);
    const auto sum3 = [&](auto a, auto b, auto c) { return hn::Add(hn::Add(a, b), c); };
    const auto a11 = hn::Add(sum3(hn::Mul(x0, ix), hn::Mul(x1, xx), hn::Mul(x2, xy)), least);
    const auto a12 = sum3(hn::Mul(x0, iy), hn::Mul(x1, xy), hn::Mul(x2, yy));
    const auto a22 = hn::Add(sum3(hn::Mul(y0, iy), hn::Mul(y1, xy), hn::Mul(y2, yy)), least);
    const auto b1 = sum3(hn::Mul(x0, iz), hn::Mul(x1, xz), hn::Mul(x2, yz));
    const auto b2 = sum3(hn::Mul(y0, iz), hn::Mul(y1, xz), hn::Mul(y2, yz));
    const auto c1 = hn::Sub(hn::Add(hn::Mul(a11, u0), hn::Mul(a12, v0)), b1);
    const auto c2 = hn::Sub(hn::Add(hn::Mul(a12, u0), hn::Mul(a22, v0)), b2);
    const auto smooth = hn::Add(hn::Add(hn::LoadU(d, in.right + x - 1), hn::LoadU(d, in.right + x)),
                                hn::Add(hn::LoadU(d, in.up + x), hn::LoadU(d, in.down + x)));
    hn::StoreU(a12, d, out.cross + x);
    hn::StoreU(c1, d, out.want_u + x);
    hn::StoreU(c2, d, out.want_v + x);
    hn::StoreU(hn::Div(one, hn::Add(a11, smooth)), d, out.inverse_u + x);
    hn::StoreU(hn::Div(one, hn::Add(a22, smooth)), d, out.inverse_v + x);
  }
}

// Divides a row into its even and odd pixels, and joins them again within refine::limited().
void split_row(const float* HWY_RESTRICT row, int half, float* HWY_RESTRICT even,
               float* HWY_RESTRICT odd) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int k = 0; k < half; k += lanes) {
    hn::Vec<D> a, b;
    hn::LoadInterleaved2(d, row + 2 * k, a, b);
    hn::StoreU(a, d, even + k);
    hn::StoreU(b, d, odd + k);
  }
}
void join_row(const std::array<const float*, 2>& halves, const float* HWY_RESTRICT base, int half,
              float* HWY_RESTRICT row) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto most = hn::Set(d, refine::kMostStep);
  const auto limited = [&](auto value, auto from) {
    return hn::Min(hn::Max(value, hn::Sub(from, most)), hn::Add(from, most));
  };
  for (int k = 0; k < half; k += lanes) {
    hn::Vec<D> a, b;
    hn::LoadInterleaved2(d, base + 2 * k, a, b);
    hn::StoreInterleaved2(limited(hn::LoadU(d, halves[0] + k), a),
                          limited(hn::LoadU(d, halves[1] + k), b), d, row + 2 * k);
  }
}

// Relaxes the pixels of one color in a row.
void relax_row(const RelaxRow& row, int half, float omega) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto factor = hn::Set(d, omega);
  for (int k = 0; k < half; k += lanes) {
    const auto left = hn::LoadU(d, row.weight_left + k), right = hn::LoadU(d, row.weight_right + k);
    const auto up = hn::LoadU(d, row.weight_up + k), down = hn::LoadU(d, row.weight_down + k);
    const auto around = [&](const float* from_left, const float* from_up, const float* from_down) {
      return hn::Add(hn::Add(hn::Mul(left, hn::LoadU(d, from_left + k)),
                             hn::Mul(right, hn::LoadU(d, from_left + k + 1))),
                     hn::Add(hn::Mul(up, hn::LoadU(d, from_up + k)),
                             hn::Mul(down, hn::LoadU(d, from_down + k))));
    };
    const auto relaxed = [&](auto value, auto want, const float* inverse) {
      const auto target = hn::Mul(want, hn::LoadU(d, inverse + k));
      return hn::Add(value, hn::Mul(factor, hn::Sub(target, value)));
    };
    const auto cross = hn::LoadU(d, row.cross + k), v = hn::LoadU(d, row.v + k);
    const auto sum_u =
        hn::Add(hn::LoadU(d, row.want_u + k), around(row.u_left, row.u_up, row.u_down));
    const auto u =
        relaxed(hn::LoadU(d, row.u + k), hn::Sub(sum_u, hn::Mul(cross, v)), row.inverse_u);
    const auto sum_v =
        hn::Add(hn::LoadU(d, row.want_v + k), around(row.v_left, row.v_up, row.v_down));
    hn::StoreU(u, d, row.u + k);
    hn::StoreU(relaxed(v, hn::Sub(sum_v, hn::Mul(cross, u)), row.inverse_v), d, row.v + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(smoothness_row);
HWY_EXPORT(between_row);
HWY_EXPORT(system_row);
HWY_EXPORT(split_row);
HWY_EXPORT(join_row);
HWY_EXPORT(relax_row);

constexpr int kRefineRows = 32;  // rows of a part that a thread writes systems for
constexpr int kBeyond = 32;      // elements after a row that vectors may touch

// Writes the systems of successive rows.
class SystemRows {
 public:
  SystemRows(const RefineRequest& request, const Field& field, RefineSpace& space)
      : request_(request),
        field_(field),
        space_(space),
        width_(field.u.width()),
        height_(field.u.height()) {
    rows_.resize(width_ + kBeyond, kRows);
  }

  void run(int first, int last) {
    if (first == 0) {
      std::fill_n(down(-1) - 1, width_ + kBeyond, 0.0F);
    } else {
      find_smoothness(first - 1);
    }
    find_smoothness(first);
    if (first > 0) find_down(first - 1);
    for (int y = first; y < last; ++y) {
      if (y + 1 < height_) find_smoothness(y + 1);
      find_down(y);
      find_right(y);
      find_systems(y);
    }
  }

 private:
  enum Row {
    kSmooth,
    kSmoothNext,
    kDownBefore,
    kDownHere,
    kRight,
    kCross,
    kU,
    kV,
    kIU,
    kIV,
    kRows
  };
  float* smooth(int y) { return rows_.row(kSmooth + (y & 1)); }
  float* down(int y) { return rows_.row(kDownBefore + (y & 1)); }

  // The field's margins repeat its border.
  void find_smoothness(int y) {
    const int below = std::min(y + 1, height_ - 1);
    HWY_DYNAMIC_DISPATCH(smoothness_row)
    ({.u = field_.u.row(y),
      .v = field_.v.row(y),
      .u_below = field_.u.row(below),
      .v_below = field_.v.row(below)},
     width_, request_.energy.alpha, smooth(y));
    if (request_.first.masked()) mend_smoothness(y, below);
  }
  // Where the mask has a border, the flow beyond it does not count.
  void mend_smoothness(int y, int below) {
    const std::uint8_t *row = request_.first.mask.row(y), *lower = request_.first.mask.row(below);
    for (int x = 0; x < width_; ++x) {
      const int next = std::min(x + 1, width_ - 1);
      const bool counts = row[x] != 0, right = row[next] != 0, down = lower[x] != 0;
      if (counts == right && counts == down) continue;
      const float u = field_.u.row(y)[x], v = field_.v.row(y)[x];
      smooth(y)[x] = refine::smoothness(refine::joined(counts, right, field_.u.row(y)[next] - u),
                                        refine::joined(counts, down, field_.u.row(below)[x] - u),
                                        refine::joined(counts, right, field_.v.row(y)[next] - v),
                                        refine::joined(counts, down, field_.v.row(below)[x] - v),
                                        request_.energy.alpha);
    }
  }
  void find_down(int y) {
    if (y == height_ - 1) {
      std::fill_n(down(y) - 1, width_ + kBeyond, 0.0F);
      return;
    }
    HWY_DYNAMIC_DISPATCH(between_row)
    ({.smooth = smooth(y),
      .smooth_there = smooth(y + 1),
      .gray = request_.first.gray.row(y),
      .gray_there = request_.first.gray.row(y + 1)},
     width_, request_.energy.edge, down(y));
    if (request_.first.masked())
      separate(request_.first.mask.row(y), request_.first.mask.row(y + 1), width_, down(y));
  }
  void find_right(int y) {
    float *right = rows_.row(kRight), *here = smooth(y);
    const float* gray = request_.first.gray.row(y);
    HWY_DYNAMIC_DISPATCH(between_row)
    ({.smooth = here, .smooth_there = here + 1, .gray = gray, .gray_there = gray + 1}, width_,
     request_.energy.edge, right);
    if (request_.first.masked()) {
      const std::uint8_t* counts = request_.first.mask.row(y);
      separate(counts, counts + 1, width_ - 1, right);
    }
    right[-1] = 0;
    std::fill_n(right + width_ - 1, kBeyond, 0.0F);
  }
  static void separate(const std::uint8_t* here, const std::uint8_t* there, int count,
                       float* weights) {
    for (int x = 0; x < count; ++x)
      weights[x] = refine::joined(here[x] != 0, there[x] != 0, weights[x]);
  }
  std::array<const float*, 5> around(const Plane<float>& plane, int y) const {
    std::array<const float*, 5> rows{};
    for (int k = -2; k <= 2; ++k) rows[k + 2] = plane.row(lk::clamped(y + k, height_));
    return rows;
  }
  void find_systems(int y) {
    const SystemInput in{.dx = around(space_.dx, y),
                         .dy = around(space_.dy, y),
                         .difference = around(space_.difference, y),
                         .valid = space_.valid.row(y),
                         .u0 = space_.base.u.row(y),
                         .v0 = space_.base.v.row(y),
                         .u = field_.u.row(y),
                         .v = field_.v.row(y),
                         .right = rows_.row(kRight),
                         .down = down(y),
                         .up = down(y - 1)};
    HWY_DYNAMIC_DISPATCH(system_row)
    (in, width_, request_.energy,
     {.cross = rows_.row(kCross),
      .want_u = rows_.row(kU),
      .want_v = rows_.row(kV),
      .inverse_u = rows_.row(kIU),
      .inverse_v = rows_.row(kIV)});
    std::fill_n(down(y) + width_, kBeyond, 0.0F);
    for (const Row row : {kCross, kU, kV, kIU, kIV})
      std::fill_n(rows_.row(row) + width_, kBeyond, 0.0F);
    split(field_.u.row(y), Boards::kU, y);
    split(field_.v.row(y), Boards::kV, y);
    split(rows_.row(kRight), Boards::kRight, y);
    split(down(y), Boards::kDown, y);
    split(rows_.row(kCross), Boards::kCross, y);
    split(rows_.row(kU), Boards::kWantU, y);
    split(rows_.row(kV), Boards::kWantV, y);
    split(rows_.row(kIU), Boards::kInverseU, y);
    split(rows_.row(kIV), Boards::kInverseV, y);
  }
  void split(const float* row, Boards::Which which, int y) {
    Board& board = space_.boards.board[which];
    float *even = board.color[y & 1].row(y), *odd = board.color[1 - (y & 1)].row(y);
    HWY_DYNAMIC_DISPATCH(split_row)(row, board.color[0].width(), even, odd);
    even[-1] = odd[-1] = 0;
  }

  const RefineRequest& request_;
  const Field& field_;
  RefineSpace& space_;
  const int width_, height_;
  Plane<float> rows_;
};

void repeat_flow_border(Field& field, const Exec& exec) {
  const int width = field.u.width();
  parallel_for(exec, field.u.height(), kRefineRows, [&](std::int64_t first, std::int64_t last) {
    for (Plane<float>* plane : {&field.u, &field.v})
      for (int y = static_cast<int>(first); y < last; ++y)
        std::fill_n(plane->row(y) + width, kBeyond / 2, plane->row(y)[width - 1]);
  });
}

// Relaxes one color of a row.
class RowRelaxer {
 public:
  RowRelaxer(Boards& boards, float omega)
      : boards_(boards),
        omega_(omega),
        half_(boards.board[0].color[0].width()),
        height_(boards.board[0].color[0].height()),
        zero_(static_cast<std::size_t>(half_) + kBeyond) {}

  void run(int color, int y) const {
    const auto own = [&](Boards::Which which) { return boards_.board[which].color[color].row(y); };
    // Red pixels of even rows, and black ones of odd rows, have an even column: the pixel to their
    // left is the odd one before.
    const int before = ((y + color) & 1) == 0 ? -1 : 0;
    const auto other = [&](Boards::Which which, int at) {
      return boards_.board[which].color[1 - color].row(at);
    };
    const int up = std::max(y - 1, 0), down = std::min(y + 1, height_ - 1);
    HWY_DYNAMIC_DISPATCH(relax_row)
    ({.u = own(Boards::kU),
      .v = own(Boards::kV),
      .cross = own(Boards::kCross),
      .want_u = own(Boards::kWantU),
      .want_v = own(Boards::kWantV),
      .inverse_u = own(Boards::kInverseU),
      .inverse_v = own(Boards::kInverseV),
      .weight_left = other(Boards::kRight, y) + before,
      .weight_right = own(Boards::kRight),
      .weight_up = y > 0 ? other(Boards::kDown, up) : zero_.data(),
      .weight_down = own(Boards::kDown),
      .u_left = other(Boards::kU, y) + before,
      .u_up = other(Boards::kU, up),
      .u_down = other(Boards::kU, down),
      .v_left = other(Boards::kV, y) + before,
      .v_up = other(Boards::kV, up),
      .v_down = other(Boards::kV, down)},
     half_, omega_);
  }

 private:
  Boards& boards_;
  const float omega_;
  const int half_, height_;
  std::vector<float> zero_;
};

}  // namespace

void refine_systems(const RefineRequest& request, Field& field, RefineSpace& space,
                    const Exec& exec) {
  const int width = field.u.width(), height = field.u.height();
  space.boards.resize(width, height);
  repeat_flow_border(field, exec);
  parallel_for(exec, height, kRefineRows, [&](std::int64_t first, std::int64_t last) {
    SystemRows(request, field, space).run(static_cast<int>(first), static_cast<int>(last));
  });
}

// Half a relaxation of a row needs the one before of the rows around it. Bands shrink by a row with
// each half; then the gaps between bands grow by as much.
void relax_boards(Boards& boards, int relaxations, float omega, const Exec& exec) {
  const int height = boards.board[0].color[0].height(), halves = 2 * relaxations;
  const int least = std::max(64, 2 * halves);
  const int rows = thread_count(exec) == 1 ? height : least;
  const int bands = std::max(height / rows, 1);
  const RowRelaxer relaxer(boards, omega);
  const auto begin = [&](int band) { return band < bands ? band * rows : height; };
  parallel_for(exec, bands, 1, [&](std::int64_t first, std::int64_t last) {
    for (int band = static_cast<int>(first); band < last; ++band) {
      const int top = begin(band), bottom = begin(band + 1);
      for (int t = top; t < bottom + halves; ++t)
        for (int h = 0; h < halves; ++h) {
          const int y = t - h;
          if (y < (top > 0 ? top + h : 0) || y >= (bottom < height ? bottom - h : height)) continue;
          relaxer.run(h & 1, y);
        }
    }
  });
  parallel_for(exec, bands - 1, 1, [&](std::int64_t first, std::int64_t last) {
    for (int band = static_cast<int>(first); band < last; ++band) {
      const int middle = begin(band + 1);
      for (int h = 1; h < halves; ++h)
        for (int y = middle - h; y < middle + h; ++y) relaxer.run(h & 1, y);
    }
  });
}

void refine_level(const RefineRequest& request, Field& field, RefineSpace& space,
                  const Exec& exec) {
  const int width = field.u.width(), height = field.u.height();
  space.base.resize(width, height);
  space.median.resize(width, height);
  for (int warp = 0; warp < request.work.warps; ++warp) {
    copy(std::as_const(field.u).view(), space.base.u.view());
    copy(std::as_const(field.v).view(), space.base.v.view());
    refine_warp(request, space, exec);
    for (int k = 0; k < request.work.fixed; ++k) {
      refine_systems(request, field, space, exec);
      relax_boards(space.boards, request.work.relaxations, request.energy.omega, exec);
      parallel_for(exec, height, kRefineRows, [&](std::int64_t first, std::int64_t last) {
        for (int y = static_cast<int>(first); y < last; ++y)
          for (const bool across : {true, false}) {
            const Board& board = space.boards.board[across ? Boards::kU : Boards::kV];
            HWY_DYNAMIC_DISPATCH(join_row)
            ({board.color[y & 1].row(y), board.color[1 - (y & 1)].row(y)},
             (across ? space.base.u : space.base.v).row(y), board.color[0].width(),
             (across ? field.u : field.v).row(y));
          }
      });
    }
    if (request.work.median == 0) continue;
    median(field.u, space.median.u, request.work.median, exec);
    median(field.v, space.median.v, request.work.median, exec);
    std::swap(field, space.median);
  }
  if (!request.work.mend) return;
  mend_level(request, field, space, exec);
  std::swap(field, space.median);
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
