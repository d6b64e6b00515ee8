// The bank of filters for a tile of pixels in shared memory. For each size a thread computes the
// row sums of four neighbors from registers, then the responses of kTall pixels below each other,
// whose rows it reads once. The fma chains are those of bank_math.h.
#pragma once
#include "scenes/describe/describe_cuda.cuh"

namespace fovea::scenes::cuda {

// The numbers of points in shared memory: point after point, with four extra numbers each, so that
// 16-byte accesses of neighboring points are in different banks.
FOVEA_HD constexpr int point_stride(int dimensions) { return dimensions + 4; }

// What a bank needs besides images; scale and offset have one number per dimension.
struct BankJob {
  BankTables tables;
  const float* scale;
  const float* offset;
  const float* linear;  // table for sRGB bytes, for Lab
};

// Points in shared memory, kStride numbers apart, as a place to which four numbers go at a time.
template <int kStride>
struct PointRows {
  float* points;

  __device__ void put(int point, int number, float4 numbers) const {
    *reinterpret_cast<float4*>(points + point * kStride + number) = numbers;
  }
};

// Describes every pixel, in tiles of 32 x kRows pixels.
template <Color kTileColor, int kRows, int kBlockThreads, int kTall>
struct DenseFilters {
  using Tiles = SquareTiles<32, kRows>;
  using Job = BankJob;
  static constexpr Color kColor = kTileColor;
  static constexpr int kPlanes = kPlanesOf<kColor>;
  static constexpr int kDimensions = kBankFilters * kPlanes;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kPoints = Tiles::kPoints;
  static constexpr int kStride = point_stride(kDimensions);

  static constexpr int kSourceRows = kRows + 2 * kBankReach;
  static constexpr int kSourceStride = 64;  // 32 + 2 * 15, and two more
  static constexpr int kSumRow = 32;
  static constexpr int kSumPlane = kSourceRows * kSumRow;
  static constexpr int kSource = kSourceRows * kSourceStride;
  static constexpr int kWorkFloats = kPlanes * kSource + 4 * kSumPlane;
  static_assert(kRows % kTall == 0);

  // Writes the numbers of the tile's points to `points`; points beyond the grid get some finite
  // numbers. `work` has kWorkFloats. It begins and ends with all threads synchronized.
  __device__ static void describe(const Job& job, const GridEntry& entry, TileNumber tile,
                                  float* points, float* work) {
    describe_to(job, entry, tile, PointRows<kStride>{points}, work);
  }
  // The same with to.put(point, number, numbers) for each four numbers of a point.
  template <class To>
  __device__ static void describe_to(const Job& job, const GridEntry& entry, TileNumber tile,
                                     const To& to, float* work) {
    const int tiles = Tiles::across(entry.grid.columns);
    const int left = entry.grid.left + tile.of_grid % tiles * Tiles::kColumns,
              top = entry.grid.top + tile.of_grid / tiles * kRows;
    load(job, entry, left, top, work);
    __syncthreads();
    float* sums = work + kPlanes * kSource;
    for (int plane = 0; plane < kPlanes; ++plane) {
      const float* source = work + plane * kSource;
      filter<0>(job, plane, source, sums, to);
      filter<1>(job, plane, source, sums, to);
      filter<2>(job, plane, source, sums, to);
      filter<3>(job, plane, source, sums, to);
      filter<4>(job, plane, source, sums, to);
      filter<5>(job, plane, source, sums, to);
      filter<6>(job, plane, source, sums, to);
      filter<7>(job, plane, source, sums, to);
    }
  }

 private:
  // Some are read before the first of them is written, so that the loads overlap.
  __device__ static void load(const Job& job, const GridEntry& entry, int left, int top,
                              float* source) {
    constexpr int kMostTurns = kPlanes == 1 ? 8 : 5;  // as many as registers allow
    constexpr int kAllTurns = (kSource + kThreads - 1) / kThreads,
                  kBatches = (kAllTurns + kMostTurns - 1) / kMostTurns,
                  kTurns = (kAllTurns + kBatches - 1) / kBatches;
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x); first < kSource; first += kTurns * kThreads) {
      float pixels[kTurns][kPlanes];
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        const int i = first + turn * kThreads;
        read_pixel<kColor>(entry, left - kBankReach + i % kSourceStride,
                           top - kBankReach + i / kSourceStride, job.linear, pixels[turn]);
      }
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        const int i = first + turn * kThreads;
        if (i >= kSource) break;
#pragma unroll
        for (int plane = 0; plane < kPlanes; ++plane)
          source[plane * kSource + i] = pixels[turn][plane];
      }
    }
  }

  template <int kScale, class To>
  __device__ static void filter(const Job& job, int plane, const float* source, float* row_sums,
                                const To& to) {
    constexpr int kReach = bank_reach(kScale);
    const int number = plane * kBankFilters + kScale * kBankKinds;
    const float4 scales = __ldg(reinterpret_cast<const float4*>(job.scale + number));
    const float4 offsets = __ldg(reinterpret_cast<const float4*>(job.offset + number));
    sum_rows<kReach>(job.tables.scale[kScale].row, source, row_sums);
    __syncthreads();
    constexpr int kWarps = kThreads / 32;
    const int x = static_cast<int>(threadIdx.x) % 32;
    for (int group = static_cast<int>(threadIdx.x) / 32; group < kRows / kTall; group += kWarps) {
      BankColumnSums sums[kTall];
      float squares[kTall];
      const float* first = row_sums + group * kTall * kSumRow + x;
      sum_columns<kReach>(job.tables.scale[kScale].column, first, sums);
      sum_squares<kReach>(first + 3 * kSumPlane, squares);
#pragma unroll
      for (int j = 0; j < kTall; ++j) {
        const float laplacian = bank_laplacian(sums[j].bend_across, sums[j].bend_down,
                                               job.tables.scale[kScale].level, squares[j]);
        to.put((group * kTall + j) * 32 + x, number,
               make_float4(standardized(sums[j].smooth, scales.x, offsets.x),
                           standardized(laplacian, scales.y, offsets.y),
                           standardized(sums[j].across, scales.z, offsets.z),
                           standardized(sums[j].down, scales.w, offsets.w)));
      }
    }
    __syncthreads();
  }

  // Row r of the sums belongs to pixel row r - kReach of the tile: smooth, slope, bend and the
  // pixels themselves.
  template <int kReach>
  __device__ static void sum_rows(const BankWeights& w, const float* source, float* sums) {
    constexpr int kSkip = kBankReach - kReach;
    constexpr int kBegin = kSkip / 4 * 4, kLead = kSkip - kBegin;
    constexpr int kPacks = (kLead + 2 * kReach + 4 + 3) / 4;
    static_assert(28 + kBegin + kPacks * 4 <= kSourceStride);
    constexpr int kItems = (kRows + 2 * kReach) * 8;
    for (int item = static_cast<int>(threadIdx.x); item < kItems; item += kThreads) {
      const int row = item / 8, x = item % 8 * 4;
      const float* from = source + (row + kSkip) * kSourceStride + x + kBegin;
      float line[kPacks * 4];
#pragma unroll
      for (int i = 0; i < kPacks; ++i) {
        const auto pack = reinterpret_cast<const float4*>(from)[i];
        line[4 * i] = pack.x;
        line[4 * i + 1] = pack.y;
        line[4 * i + 2] = pack.z;
        line[4 * i + 3] = pack.w;
      }
      float smooth[4], slope[4], bend[4], box[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float* middle = line + kLead + kReach + j;
        smooth[j] = middle[0] * w.smooth[0];
        slope[j] = 0;
        bend[j] = middle[0] * w.bend[0];
#pragma unroll
        for (int k = 1; k <= kReach; ++k) {
          const float both = middle[-k] + middle[k], rise = middle[k] - middle[-k];
          smooth[j] = fmaf(both, w.smooth[k], smooth[j]);
          slope[j] = fmaf(rise, w.slope[k], slope[j]);
          bend[j] = fmaf(both, w.bend[k], bend[j]);
        }
      }
      box[0] = line[kLead];
#pragma unroll
      for (int i = 1; i <= 2 * kReach; ++i) box[0] += line[kLead + i];
#pragma unroll
      for (int j = 1; j < 4; ++j)
        box[j] = box[j - 1] + (line[kLead + 2 * kReach + j] - line[kLead + j - 1]);
      float* to = sums + row * kSumRow + x;
      *reinterpret_cast<float4*>(to) = make_float4(smooth[0], smooth[1], smooth[2], smooth[3]);
      to += kSumPlane;
      *reinterpret_cast<float4*>(to) = make_float4(slope[0], slope[1], slope[2], slope[3]);
      to += kSumPlane;
      *reinterpret_cast<float4*>(to) = make_float4(bend[0], bend[1], bend[2], bend[3]);
      to += kSumPlane;
      *reinterpret_cast<float4*>(to) = make_float4(box[0], box[1], box[2], box[3]);
    }
  }

  // first: the sums kReach rows above the first of kTall pixels.
  template <int kReach>
  __device__ static void sum_columns(const BankWeights& w, const float* first,
                                     BankColumnSums (&sums)[kTall]) {
    const auto at = [&](int row) {  // row 0 is that of the first pixel
      const float* from = first + (row + kReach) * kSumRow;
      return BankRowSums{from[0], from[kSumPlane], from[2 * kSumPlane]};
    };
    BankRowSums above[kTall], below[kTall];
#pragma unroll
    for (int j = 0; j < kTall; ++j) {
      const BankRowSums here = at(j);
      above[j] = below[j] = here;
      sums[j] = {here.smooth * w.smooth[0], here.slope * w.smooth[0], 0, here.bend * w.smooth[0],
                 here.smooth * w.bend[0]};
    }
#pragma unroll
    for (int k = 1; k <= kReach; ++k) {
#pragma unroll
      for (int j = kTall - 1; j > 0; --j) above[j] = above[j - 1];
      above[0] = at(-k);
#pragma unroll
      for (int j = 0; j + 1 < kTall; ++j) below[j] = below[j + 1];
      below[kTall - 1] = at(kTall - 1 + k);
#pragma unroll
      for (int j = 0; j < kTall; ++j) {
        BankColumnSums& sum = sums[j];
        const float both = above[j].smooth + below[j].smooth,
                    rise = below[j].smooth - above[j].smooth;
        sum.smooth = fmaf(both, w.smooth[k], sum.smooth);
        sum.across = fmaf(above[j].slope + below[j].slope, w.smooth[k], sum.across);
        sum.down = fmaf(rise, w.slope[k], sum.down);
        sum.bend_across = fmaf(above[j].bend + below[j].bend, w.smooth[k], sum.bend_across);
        sum.bend_down = fmaf(both, w.bend[k], sum.bend_down);
      }
    }
  }

  // Integers, which are exact in any order.
  template <int kReach>
  __device__ static void sum_squares(const float* first, float (&squares)[kTall]) {
    float even = first[0], odd = 0;
#pragma unroll
    for (int i = 1; i <= 2 * kReach; ++i) (i % 2 == 0 ? even : odd) += first[i * kSumRow];
    squares[0] = even + odd;
#pragma unroll
    for (int j = 1; j < kTall; ++j)
      squares[j] = squares[j - 1] + (first[(2 * kReach + j) * kSumRow] - first[(j - 1) * kSumRow]);
  }
};

// Single places, one warp each, which has the square of pixels around its place.
template <Color kPlaceColor, int kTilePoints, int kBlockThreads>
struct SparseFilters {
  using Tiles = RunTiles<kTilePoints>;
  struct Job {
    const BankTables* tables;  // on the device
    const float* scale;
    const float* offset;
    const float* linear;
  };
  static constexpr Color kColor = kPlaceColor;
  static constexpr int kPlanes = kPlanesOf<kColor>;
  static constexpr int kDimensions = kBankFilters * kPlanes;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kPoints = kTilePoints;
  static constexpr int kStride = point_stride(kDimensions);

  static constexpr int kSide = 2 * kBankReach + 1;
  static constexpr int kSquareStride = 33;  // odd, with one lane per row
  static constexpr int kSumRow = 32;
  static constexpr int kSquare = kSide * kSquareStride;
  static constexpr int kWarpFloats = kPlanes * kSquare + kBankScales * 4 * kSumRow;
  static constexpr int kWorkFloats = kWarpFloats * (kThreads / 32);

  __device__ static void describe(const Job& job, const GridEntry& entry, TileNumber tile,
                                  float* points, float* work) {
    constexpr int kWarps = kThreads / 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    float* mine = work + warp * kWarpFloats;
    for (int point = warp; point < kPoints; point += kWarps) {
      int column = 0, row = 0;
      float* to = points + point * kStride;
      if (!Tiles::place(entry.grid, tile.of_grid, point, column, row)) {
        for (int i = static_cast<int>(threadIdx.x) % 32; i < kDimensions; i += 32) to[i] = 0;
        continue;
      }
      const ListedPlace place = place_at(entry, column, row);
      load(job, entry, place, mine);
      __syncwarp();
      for (int plane = 0; plane < kPlanes; ++plane)
        describe_place(job, plane, mine + plane * kSquare, mine + kPlanes * kSquare,
                       to + plane * kBankFilters);
    }
    __syncthreads();
  }

 private:
  __device__ static void load(const Job& job, const GridEntry& entry, const ListedPlace& place,
                              float* squares) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane >= kSide) return;
#pragma unroll 4
    for (int row = 0; row < kSide; ++row) {
      float planes[kPlanes];
      read_pixel<kColor>(entry, place.x - kBankReach + lane, place.y - kBankReach + row, job.linear,
                         planes);
#pragma unroll
      for (int plane = 0; plane < kPlanes; ++plane)
        squares[plane * kSquare + row * kSquareStride + lane] = planes[plane];
    }
  }

  // The numbers of one plane from the pixels around the place.
  __device__ static void describe_place(const Job& job, int plane, const float* pixels, float* sums,
                                        float* to) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane < kSide) {
      const float* middle = pixels + lane * kSquareStride + kBankReach;
      for (int s = 0; s < kBankScales; ++s) {
        const int reach = job.tables->scale[s].reach;
        const BankRowSums row =
            bank_row([&](int i) { return middle[i]; }, job.tables->scale[s].row, reach);
        float box = 0;
        for (int i = -reach; i <= reach; ++i) box += middle[i];
        float* out = sums + s * 4 * kSumRow + lane;
        out[0] = row.smooth;
        out[kSumRow] = row.slope;
        out[2 * kSumRow] = row.bend;
        out[3 * kSumRow] = box;
      }
    }
    __syncwarp();
    const int scale = lane / kBankKinds, reach = job.tables->scale[scale].reach;
    const float* middle = sums + scale * 4 * kSumRow + kBankReach;
    const BankColumnSums column = bank_column(
        [&](int i) {
          return BankRowSums{middle[i], middle[kSumRow + i], middle[2 * kSumRow + i]};
        },
        job.tables->scale[scale].column, reach);
    float square = 0;
    for (int i = -reach; i <= reach; ++i) square += middle[3 * kSumRow + i];
    const float responses[kBankKinds] = {column.smooth,
                                         bank_laplacian(column.bend_across, column.bend_down,
                                                        job.tables->scale[scale].level, square),
                                         column.across, column.down};
    const int kind = lane % kBankKinds;
    const float response = kind == 0   ? responses[0]
                           : kind == 1 ? responses[1]
                           : kind == 2 ? responses[2]
                                       : responses[3];
    const int i = plane * kBankFilters + lane;
    to[lane] = standardized(response, job.scale[i], job.offset[i]);
    __syncwarp();
  }
};

}  // namespace fovea::scenes::cuda
