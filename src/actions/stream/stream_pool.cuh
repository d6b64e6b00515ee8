// Device memory for the pieces of a stream's steps: the newest is added, and the oldest is
// forgotten.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>

#include "core/kept_buffer.cuh"

namespace fovea::actions::cuda {

template <class T>
class StreamPool {
 public:
  // Makes room for the piece of a step. Steps are numbered without gaps. Where the pool has to
  // grow, pieces move, and `moved` is called with number and distance of each; work on the stream
  // must be complete.
  template <class Moved>
  std::int64_t take(std::int64_t number, std::int64_t size, cudaStream_t stream,
                    const Moved& moved) {
    size = std::max<std::int64_t>(size, 1);
    if (!fits(size)) grow(size, stream, moved);
    if (pieces_.empty()) head_ = 0;
    else if (head_ + size > capacity()) head_ = 0;
    pieces_.push_back({number, head_, size});
    head_ += size;
    return pieces_.back().at;
  }
  void forget_before(std::int64_t number) {
    while (!pieces_.empty() && pieces_.front().number < number) pieces_.pop_front();
  }
  T* data() { return array_.data(); }

 private:
  struct Piece {
    std::int64_t number, at, size;
  };
  std::int64_t capacity() const { return static_cast<std::int64_t>(array_.size()); }
  bool fits(std::int64_t size) const {
    if (pieces_.empty()) return size <= capacity();
    const std::int64_t tail = pieces_.front().at;
    if (head_ > tail) return head_ + size <= capacity() || size <= tail;
    return head_ + size <= tail;
  }
  template <class Moved>
  void grow(std::int64_t size, cudaStream_t stream, const Moved& moved) {
    std::int64_t live = 0;
    for (const Piece& piece : pieces_) live += piece.size;
    Array<T> larger(static_cast<std::size_t>(std::max(live + live / 2 + size, 4 * size)),
                    Memory::kCuda);
    head_ = 0;
    for (Piece& piece : pieces_) {
      fovea::cuda::check(cudaMemcpyAsync(larger.data() + head_, array_.data() + piece.at,
                                         static_cast<std::size_t>(piece.size) * sizeof(T),
                                         cudaMemcpyDeviceToDevice, stream),
                         "match: more memory for a stream");
      moved(piece.number, head_ - piece.at);
      piece.at = head_;
      head_ += piece.size;
    }
    fovea::cuda::check(cudaStreamSynchronize(stream), "match: more memory for a stream");
    array_ = std::move(larger);
  }

  Array<T> array_;
  std::deque<Piece> pieces_;
  std::int64_t head_ = 0;
};

}  // namespace fovea::actions::cuda
