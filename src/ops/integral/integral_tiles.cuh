// Integral images in one pass over memory: a block takes a tile, keeps it in registers, and writes
// it once the sums left of it and above it are known (after Emoto, Funasaka, Tokura, Honda, Nakano
// and Ito, "An optimal parallel algorithm for computing the summed area table on the GPU", 2018,
// and Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016).
//
// Sums are added in a fixed order, so that floating point gives the same bits in every run: a tile
// adds the prefix of the groups of tiles before its own and then, one after the other, the tiles of
// its group before itself. The last tile of a group publishes the prefix of the next one.
//
// A number and the flag that it is present share one word, which is written and read as a whole.
// This needs no fence, and only one trip through the second-level cache from writer to reader.
// Tiles are numbered by a counter in the order in which blocks start, and wait only for tiles with
// smaller numbers, so that the kernel ends however few blocks the device runs at once.
//
// These variants were slower on an H200: resident blocks that prefetch tiles into shared memory
// (the time above that of a copy is spent waiting for neighbors, not for loads), smaller tiles with
// more blocks, and corners that are passed down instead of across.
#pragma once
#include <bit>
#include <type_traits>

#include "core/on_device.cuh"
#include "core/pack.cuh"

namespace fovea::cuda {

template <class Acc, int kChannels>
struct TileShape {
  static constexpr int kPerLoad = 16 / static_cast<int>(sizeof(Acc));
  static constexpr int kWarps = 8;  // with 64 registers of pixels per thread, two blocks fill a
                                    // multiprocessor and keep 128 KiB in flight
  static constexpr int kThreads = 32 * kWarps;
  // Neighboring elements of one thread: whole pixels, stored 16 bytes at a time.
  static constexpr int kVector =
      kChannels == 3 ? 3 * kPerLoad : (kChannels > kPerLoad ? kChannels : kPerLoad);
  static constexpr int kChunks = kChannels == 3 ? 1 : 256 / (32 * kVector);
  static constexpr bool kPlainFloat = std::is_same_v<Acc, float> && kChannels == 1;
  static constexpr int kRowsPerWarp = kChannels == 3 || sizeof(Acc) == 8
                                          ? 4
                                          : (kPlainFloat ? 10 : 8);  // as many as fit in registers
  static constexpr int kRows = kWarps * kRowsPerWarp;
  static constexpr int kColumns = 32 * kVector * kChunks;  // elements, not pixels
  static constexpr int kRowSlots =
      (kRows + 1) * kChannels;  // the row above the tile, then its rows
  // Tiles per group. Along a row all tiles of a group run at the same time, so that few groups mean
  // few waits. Down a column they run one after the other, and the groups keep up by themselves.
  static constexpr int kGroupAcross = sizeof(Acc) == 8 || kPlainFloat ? 8 : 16;
  static constexpr int kGroupDown = 4;
};

// Pixels are read once and sums are written once. They are the first to be evicted from the
// second-level cache, so that what tiles publish stays in it.
template <class T, int kCount>
__device__ Pack<T, kCount> load_streaming(const T* from) {
  using Whole = Pack<T, kCount>;
  if constexpr (sizeof(Whole) % 16 == 0) {
    Pack<uint4, sizeof(Whole) / 16> words;
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(Whole) / 16); ++i)
      words.v[i] = __ldcs(reinterpret_cast<const uint4*>(from) + i);
    return std::bit_cast<Whole>(words);
  } else if constexpr (sizeof(Whole) == 8) {
    return std::bit_cast<Whole>(__ldcs(reinterpret_cast<const uint2*>(from)));
  } else if constexpr (sizeof(Whole) == 4) {
    return std::bit_cast<Whole>(__ldcs(reinterpret_cast<const unsigned*>(from)));
  } else {
    return *reinterpret_cast<const Whole*>(from);
  }
}
template <class T, int kCount>
__device__ void store_streaming(T* to, const Pack<T, kCount>& pack) {
  static_assert(sizeof(pack) % 16 == 0);
  const auto words = std::bit_cast<Pack<uint4, sizeof(pack) / 16>>(pack);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(pack) / 16); ++i)
    __stcs(reinterpret_cast<uint4*>(to) + i, words.v[i]);
}
// One pack of a row of `elements` elements; elements beyond the row stay as they are. kOnce means
// that the data is not read again.
template <bool kWhole, bool kOnce = true, class T, int kCount>
__device__ void load_pack(Pack<T, kCount>& pack, const T* row, int x, int elements, bool packed) {
  const auto load = [&] {
    if constexpr (kOnce) return load_streaming<T, kCount>(row + x);
    else return *reinterpret_cast<const Pack<T, kCount>*>(row + x);
  };
  if constexpr (kWhole) {
    pack = load();
  } else if (packed && x + kCount <= elements) {
    pack = load();
  } else {
#pragma unroll
    for (int e = 0; e < kCount; ++e)
      if (x + e < elements) pack.v[e] = row[x + e];
  }
}

// How a number is published. A floating-point number is its own word, and a bit pattern that no sum
// has (a certain NaN, which is replaced by another NaN when it is sent) means that nothing is there
// yet. Integers have no unused pattern, so that every 32 bits of them share a 64-bit word with a
// flag.
template <class T>
struct Slot {
  static constexpr bool kFloating = std::is_floating_point_v<T>;
  using Word = std::conditional_t<kFloating && sizeof(T) == 4, unsigned, unsigned long long>;
  static constexpr int kWords = kFloating ? 1 : sizeof(T) / 4;
  static constexpr int kEmptyByte = kFloating ? 0xFF : 0;  // every byte of a word without a number
  Word word[kWords];

  __device__ bool full() const {
    if constexpr (kFloating) return word[0] != static_cast<Word>(~Word{0});
    else if constexpr (kWords == 1) return (word[0] >> 32) != 0;
    else return (word[0] >> 32) != 0 && (word[1] >> 32) != 0;
  }
  __device__ T value() const {
    if constexpr (kFloating) return std::bit_cast<T>(word[0]);
    else if constexpr (kWords == 1) return std::bit_cast<T>(static_cast<unsigned>(word[0]));
    else return std::bit_cast<T>((word[1] << 32) | (word[0] & 0xFFFFFFFFU));
  }
  __device__ static Slot of(T value) {
    if constexpr (kFloating) {
      const Word bits = std::bit_cast<Word>(value);
      return {{bits == static_cast<Word>(~Word{0}) ? bits >> 1 : bits}};
    } else {
      constexpr Word kFlag = Word{1} << 32;
      if constexpr (kWords == 1) return {{kFlag | std::bit_cast<unsigned>(value)}};
      else {
        const Word bits = std::bit_cast<Word>(value);
        return {{kFlag | (bits & 0xFFFFFFFFU), kFlag | (bits >> 32)}};
      }
    }
  }
};
template <class T>
using Word = typename Slot<T>::Word;

template <class T>
__device__ Slot<T> peek(const Word<T>* at) {
  Slot<T> slot;
  if constexpr (sizeof(Word<T>) == 4) {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(slot.word[0]) : "l"(at) : "memory");
  } else if constexpr (Slot<T>::kWords == 1) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(slot.word[0]) : "l"(at) : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(slot.word[0]), "=l"(slot.word[1])
                 : "l"(at)
                 : "memory");
  }
  return slot;
}
template <class T>
__device__ void publish(Word<T>* at, T value) {
  const Slot<T> slot = Slot<T>::of(value);
  if constexpr (sizeof(Word<T>) == 4) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(slot.word[0]) : "memory");
  } else if constexpr (Slot<T>::kWords == 1) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(slot.word[0]) : "memory");
  } else {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(slot.word[0]),
                 "l"(slot.word[1])
                 : "memory");
  }
}
// The value at `at`. Waits for it if `slot`, which was read from there earlier, did not have it
// yet.
template <class T>
__device__ T await(Slot<T> slot, const Word<T>* at) {
  while (!slot.full()) slot = peek<T>(at);
  return slot.value();
}
// The prefix of the groups before (nullptr for the first group, which has none), followed by
// `locals` numbers of this group, `pitch` words apart. All are requested before the first one is
// awaited.
template <class T, int kGroup>
__device__ T collect(const Word<T>* prefix, const Word<T>* local, std::ptrdiff_t pitch,
                     int locals) {
  Slot<T> before{}, slots[kGroup - 1];
  if (prefix != nullptr) before = peek<T>(prefix);
#pragma unroll
  for (int i = 0; i < kGroup - 1; ++i)
    if (i < locals) slots[i] = peek<T>(local + i * pitch);
  T sum = prefix != nullptr ? await<T>(before, prefix) : T{0};
#pragma unroll
  for (int i = 0; i < kGroup - 1; ++i)
    if (i < locals) sum += await<T>(slots[i], local + i * pitch);
  return sum;
}

// What tiles share: the counter that numbers them, and what they publish. It is empty before the
// launch.
template <class Acc>
struct TileBoard {
  unsigned* next;
  Word<Acc>* rows;             // per tile: kRowSlots sums along its rows
  Word<Acc>* columns;          // per tile: kColumns two-dimensional prefixes in its last row
  Word<Acc>* row_prefixes;     // per group of tiles along a row: the sum of all before it
  Word<Acc>* column_prefixes;  // per group of tiles down a column: the sum of all above it
  int tiles_x, tiles_y, groups_x, groups_y;
};
struct TilePlace {
  int x, y, image;
};
template <class Acc>
__device__ TilePlace take_tile(const TileBoard<Acc>& board, int images, unsigned& shared_number) {
  constexpr unsigned kFirst =
      Slot<Acc>::kEmptyByte == 0 ? 0 : ~0U;  // the value of an empty counter
  if (threadIdx.x == 0) shared_number = atomicAdd(board.next, 1U) - kFirst;
  __syncthreads();
  // Tiles are numbered row by row through all images, so that the tiles to the left and above come
  // first.
  const unsigned line = shared_number / board.tiles_x;
  return {static_cast<int>(shared_number - line * board.tiles_x), static_cast<int>(line / images),
          static_cast<int>(line % images)};
}

template <class Acc>
struct IntegralTarget {
  StackView<Acc> sums;
  int image_elements;  // width times channels of the image
  int image_height;
  int sum_elements;  // elements of a row of sums
  bool exclusive;
  bool packed;  // rows of sums can be written as packs
};

// The pixels of a thread: kRowsPerWarp rows of kChunks packs. The 32 threads of a warp have
// neighboring packs.
template <class Acc, int kChannels>
class IntegralTile {
  using Shape = TileShape<Acc, kChannels>;
  static constexpr int kVector = Shape::kVector, kChunks = Shape::kChunks,
                       kRowsPerWarp = Shape::kRowsPerWarp;

 public:
  struct Shared {
    alignas(16) Acc columns[Shape::kWarps][Shape::kColumns];
    Acc row_sums[Shape::kRowSlots];
    Acc row_carries[Shape::kRowSlots];
    unsigned number;
  };

  __device__ IntegralTile(TilePlace place, Shared& shared)
      : place_(place), shared_(shared), lane_(threadIdx.x % 32), warp_(threadIdx.x / 32) {}

  template <class Source>
  __device__ void load(const Source& source) {
    const bool whole = source.packed && column(kChunks - 1, 31) + kVector <= source.elements &&
                       (place_.y + 1) * Shape::kRows <= source.height;
    if (whole) load_rows<true>(source);
    else load_rows<false>(source);
  }

  // Computes prefixes along the rows, publishes their sums, and then computes prefixes down the
  // rows of the warp.
  __device__ void scan(const TileBoard<Acc>& board) {
    Acc mine = 0;  // lane r * channels + c keeps the sum of row r, channel c
#pragma unroll
    for (int r = 0; r < kRowsPerWarp; ++r) {
      Acc sum[kChannels] = {};
#pragma unroll
      for (int k = 0; k < kChunks; ++k) scan_chunk(pixels_[r][k], sum);
#pragma unroll
      for (int c = 0; c < kChannels; ++c)
        if (lane_ == r * kChannels + c) mine = sum[c];
    }
    if (lane_ < kRowsPerWarp * kChannels) {
      const int slot = (warp_ * kRowsPerWarp + 1) * kChannels + lane_;
      publish<Acc>(row_slots(board, place_.x) + slot * Slot<Acc>::kWords, mine);
      shared_.row_sums[slot] = mine;
    }
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      Pack<Acc, kVector> last;
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
#pragma unroll
        for (int r = 1; r < kRowsPerWarp; ++r) pixels_[r][k][e] += pixels_[r - 1][k][e];
        last.v[e] = pixels_[kRowsPerWarp - 1][k][e];
      }
      *reinterpret_cast<Pack<Acc, kVector>*>(&shared_.columns[warp_][(k * 32 + lane_) * kVector]) =
          last;
    }
    __syncthreads();
  }

  // Publishes the sums down the tile, and replaces shared_.columns by what is above the rows of
  // each warp.
  __device__ void carry_down(const TileBoard<Acc>& board) {
    constexpr int kGroup = Shape::kGroupDown, kWords = Slot<Acc>::kWords;
    constexpr std::ptrdiff_t kTileWords = std::ptrdiff_t{Shape::kColumns} * kWords;
    const int group = place_.y / kGroup, member = place_.y % kGroup;
    const auto tile_at = [&](int y) {
      return board.columns + tile_index(board, place_.x, y) * kTileWords;
    };
    const auto prefix_at = [&](int g) {
      return board.column_prefixes +
             ((std::ptrdiff_t{place_.image} * board.groups_y + g) * board.tiles_x + place_.x) *
                 kTileWords;
    };
    for (int column = threadIdx.x; column < Shape::kColumns; column += Shape::kThreads) {
      const int word = column * kWords;
      Acc below = 0;
#pragma unroll
      for (int w = 0; w < Shape::kWarps; ++w) below += shared_.columns[w][column];
      publish<Acc>(tile_at(place_.y) + word, below);
      const Acc above =
          collect<Acc, kGroup>(group > 0 ? prefix_at(group) + word : nullptr,
                               tile_at(group * kGroup) + word, board.tiles_x * kTileWords, member);
      if (member == kGroup - 1 && place_.y + 1 < board.tiles_y)
        publish<Acc>(prefix_at(group + 1) + word, above + below);
      // The sum above the whole tile is the sum of its row "above", which is the corner of the
      // tiles to the right.
      if (const int c = column - (Shape::kColumns - kChannels); c >= 0) {
        publish<Acc>(row_slots(board, place_.x) + c * kWords, above);
        shared_.row_sums[c] = above;
      }
      Acc running = above;
#pragma unroll
      for (int w = 0; w < Shape::kWarps; ++w) {
        const Acc rows = shared_.columns[w][column];
        shared_.columns[w][column] = running;
        running += rows;
      }
    }
    __syncthreads();
  }

  __device__ void carry_across(const TileBoard<Acc>& board) {
    constexpr int kGroup = Shape::kGroupAcross, kWords = Slot<Acc>::kWords;
    constexpr std::ptrdiff_t kTileWords = std::ptrdiff_t{Shape::kRowSlots} * kWords;
    const int group = place_.x / kGroup, member = place_.x % kGroup;
    const auto prefix_at = [&](int g) {
      return board.row_prefixes +
             ((std::ptrdiff_t{place_.image} * board.tiles_y + place_.y) * board.groups_x + g) *
                 kTileWords;
    };
    for (int slot = threadIdx.x; slot < Shape::kRowSlots; slot += Shape::kThreads) {
      const int word = slot * kWords;
      const Acc left =
          collect<Acc, kGroup>(group > 0 ? prefix_at(group) + word : nullptr,
                               row_slots(board, group * kGroup) + word, kTileWords, member);
      if (member == kGroup - 1 && place_.x + 1 < board.tiles_x)
        publish<Acc>(prefix_at(group + 1) + word, left + shared_.row_sums[slot]);
      shared_.row_carries[slot] = left;
    }
    __syncthreads();
  }

  __device__ void store(const IntegralTarget<Acc>& target) const {
    Acc edge[kChannels];  // the sum above and to the left of a row's first pixel, including its own
                          // row
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      edge[c] = 0;
      for (int row = lane_; row <= warp_ * kRowsPerWarp; row += 32)
        edge[c] += shared_.row_carries[row * kChannels + c];
#pragma unroll
      for (int step = 16; step > 0; step /= 2) edge[c] += __shfl_xor_sync(~0U, edge[c], step);
    }
    Acc above[kChunks][kVector];
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const auto pack = *reinterpret_cast<const Pack<Acc, kVector>*>(
          &shared_.columns[warp_][(k * 32 + lane_) * kVector]);
#pragma unroll
      for (int e = 0; e < kVector; ++e) above[k][e] = pack.v[e];
    }
    const int first = place_.y * Shape::kRows + warp_ * kRowsPerWarp;
    Acc* out = target.sums.data + place_.image * target.sums.plane_stride +
               (first + target.exclusive) * target.sums.stride;
#pragma unroll
    for (int r = 0; r < kRowsPerWarp; ++r, out += target.sums.stride) {
      if (first + r >= target.image_height) break;
#pragma unroll
      for (int c = 0; c < kChannels; ++c)
        edge[c] += shared_.row_carries[(warp_ * kRowsPerWarp + r + 1) * kChannels + c];
      if (target.exclusive) store_exclusive(target, out, pixels_[r], above, edge);
      else store_inclusive(target, out, pixels_[r], above, edge);
    }
  }

  // The first row of an exclusive integral image.
  __device__ void store_zeros(const IntegralTarget<Acc>& target,
                              const TileBoard<Acc>& board) const {
    if (!target.exclusive || place_.y > 0) return;
    const int end =
        place_.x + 1 == board.tiles_x ? target.sum_elements : (place_.x + 1) * Shape::kColumns;
    Acc* out = target.sums.data + place_.image * target.sums.plane_stride;
    for (int x = place_.x * Shape::kColumns + threadIdx.x; x < end; x += Shape::kThreads)
      out[x] = 0;
  }

 private:
  using Row = Acc[kChunks][kVector];

  __device__ int column(int chunk, int lane) const {
    return place_.x * Shape::kColumns + (chunk * 32 + lane) * kVector;
  }
  __device__ std::ptrdiff_t tile_index(const TileBoard<Acc>& board, int x, int y) const {
    return (std::ptrdiff_t{place_.image} * board.tiles_y + y) * board.tiles_x + x;
  }
  __device__ Word<Acc>* row_slots(const TileBoard<Acc>& board, int x) const {
    return board.rows + tile_index(board, x, place_.y) * (Shape::kRowSlots * Slot<Acc>::kWords);
  }

  // All rows are requested before any of them is converted, so that their loads overlap.
  template <bool kWhole, class Source>
  __device__ void load_rows(const Source& source) {
    constexpr int kTogether =
        kRowsPerWarp % Source::kRowsInFlight == 0 ? Source::kRowsInFlight : kRowsPerWarp;
    const int y = place_.y * Shape::kRows + warp_ * kRowsPerWarp;
#pragma unroll
    for (int first = 0; first < kRowsPerWarp; first += kTogether) {
      typename Source::template Raw<kVector> raw[kTogether][kChunks];
#pragma unroll
      for (int r = 0; r < kTogether; ++r)
#pragma unroll
        for (int k = 0; k < kChunks; ++k) {
          raw[r][k].clear();
          if (kWhole || y + first + r < source.height)
            source.template fetch<kWhole>(raw[r][k], place_.image, y + first + r, column(k, lane_));
        }
#pragma unroll
      for (int r = 0; r < kTogether; ++r)
#pragma unroll
        for (int k = 0; k < kChunks; ++k)
          source.convert(raw[r][k], place_.image, pixels_[first + r][k]);
    }
  }

  // Prefixes of 32 packs; `sum`, the sum to the left of them in the row, advances.
  __device__ void scan_chunk(Acc (&pack)[kVector], Acc (&sum)[kChannels]) {
#pragma unroll
    for (int e = kChannels; e < kVector; ++e) pack[e] += pack[e - kChannels];
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      Acc inclusive = pack[kVector - kChannels + c];
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const Acc left = __shfl_up_sync(~0U, inclusive, step);
        if (lane_ >= step) inclusive += left;
      }
      Acc left = __shfl_up_sync(~0U, inclusive, 1);
      if (lane_ == 0) left = 0;
      left += sum[c];
      sum[c] += __shfl_sync(~0U, inclusive, 31);
#pragma unroll
      for (int e = c; e < kVector; e += kChannels) pack[e] += left;
    }
  }

  __device__ void store_pack(const IntegralTarget<Acc>& target, Acc* out, int x,
                             const Pack<Acc, kVector>& pack) const {
    if (target.packed && x + kVector <= target.sum_elements) {
      store_streaming(out + x, pack);
      return;
    }
#pragma unroll
    for (int e = 0; e < kVector; ++e)
      if (x + e < target.sum_elements) out[x + e] = pack.v[e];
  }

  __device__ void store_inclusive(const IntegralTarget<Acc>& target, Acc* out, const Row& row,
                                  const Row& above, const Acc (&edge)[kChannels]) const {
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      Pack<Acc, kVector> sums;
#pragma unroll
      for (int e = 0; e < kVector; ++e) sums.v[e] = row[k][e] + (above[k][e] + edge[e % kChannels]);
      store_pack(target, out, column(k, lane_), sums);
    }
  }

  // Sums move one pixel to the right, over from the thread to the left, so that packs stay aligned.
  __device__ void store_exclusive(const IntegralTarget<Acc>& target, Acc* out, const Row& row,
                                  const Row& above, const Acc (&edge)[kChannels]) const {
    Acc before[kChannels];  // for lane 0
#pragma unroll
    for (int c = 0; c < kChannels; ++c) before[c] = edge[c];
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      Acc sums[kVector];
      Pack<Acc, kVector> shifted;
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        sums[e] = row[k][e] + (above[k][e] + edge[e % kChannels]);
        if (e + kChannels < kVector) shifted.v[e + kChannels] = sums[e];
      }
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const Acc left = __shfl_sync(~0U, sums[kVector - kChannels + c], (lane_ + 31) % 32);
        shifted.v[c] = lane_ == 0 ? before[c] : left;
        before[c] = left;
      }
      const int x = column(k, lane_);
      store_pack(target, out, x, shifted);
      // No tile follows to take over what moved out of a full last one.
      if (k == kChunks - 1 && lane_ == 31 && x + kVector == target.image_elements) {
#pragma unroll
        for (int c = 0; c < kChannels; ++c)
          out[target.image_elements + c] = sums[kVector - kChannels + c];
      }
    }
  }

  TilePlace place_;
  Shared& shared_;
  int lane_, warp_;
  Acc pixels_[kRowsPerWarp][kChunks][kVector];
};

template <class Source, class Acc, int kChannels>
__global__ void __launch_bounds__(TileShape<Acc, kChannels>::kThreads, 2)
    integral_kernel(Source source, IntegralTarget<Acc> target, TileBoard<Acc> board) {
  using Tile = IntegralTile<Acc, kChannels>;
  __shared__ typename Tile::Shared shared;
  Tile tile(take_tile(board, target.sums.count, shared.number), shared);
  tile.load(source);
  tile.scan(board);
  tile.carry_down(board);
  tile.carry_across(board);
  tile.store_zeros(target, board);
  tile.store(target);
}

// Integral images of what `source` yields: elements of `sums.count` images, source.elements a row.
template <int kChannels, class Source, class Acc>
void launch_integral(const Source& source, StackView<Acc> sums, bool exclusive,
                     cudaStream_t stream) {
  using Shape = TileShape<Acc, kChannels>;
  TileBoard<Acc> board{};
  board.tiles_x = static_cast<int>(blocks_for(source.elements, Shape::kColumns));
  board.tiles_y = static_cast<int>(blocks_for(source.height, Shape::kRows));
  board.groups_x = static_cast<int>(blocks_for(board.tiles_x, Shape::kGroupAcross));
  board.groups_y = static_cast<int>(blocks_for(board.tiles_y, Shape::kGroupDown));
  const std::size_t images = static_cast<std::size_t>(sums.count);
  const std::size_t tiles = images * board.tiles_x * board.tiles_y;
  constexpr std::size_t kWords = Slot<Acc>::kWords, kCounterWords = 4;  // keeps pairs aligned
  const std::size_t rows = tiles * Shape::kRowSlots * kWords;
  const std::size_t columns = tiles * Shape::kColumns * kWords;
  const std::size_t row_prefixes =
      images * board.tiles_y * board.groups_x * Shape::kRowSlots * kWords;
  const std::size_t column_prefixes =
      images * board.groups_y * board.tiles_x * Shape::kColumns * kWords;

  DeviceBuffer<Word<Acc>> words(kCounterWords + rows + columns + row_prefixes + column_prefixes,
                                stream);
  words.set_bytes(Slot<Acc>::kEmptyByte);
  board.next = reinterpret_cast<unsigned*>(words.data());
  board.rows = words.data() + kCounterWords;
  board.columns = board.rows + rows;
  board.row_prefixes = board.columns + columns;
  board.column_prefixes = board.row_prefixes + row_prefixes;

  const IntegralTarget<Acc> target{sums,          source.elements,
                                   source.height, source.elements + (exclusive ? kChannels : 0),
                                   exclusive,     packs_fit<Acc, Shape::kVector>(sums)};
  integral_kernel<Source, Acc, kChannels>
      <<<static_cast<unsigned>(tiles), Shape::kThreads, 0, stream>>>(source, target, board);
}

}  // namespace fovea::cuda
