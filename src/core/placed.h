// Images where a computation needs them. Data stays where it lies if the device can read it there;
// otherwise a copy is made in memory that grows as needed and is kept from call to call. One object
// serves one device, so that after a change of device it is made again with its engine (Resident).
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include "core/backend.h"
#include "core/dispatch.h"

namespace fovea::detail {

// Whether data in one memory can be used as if it lay in the other. Pinned memory is host memory.
inline bool same_side(Memory a, Memory b) { return (a == Memory::kCuda) == (b == Memory::kCuda); }

// The memory for a result that lies where its input does. A result beside a pinned input lies in
// ordinary host memory, because nothing is pinned unless the caller asks for it.
inline Memory memory_beside(Memory input) {
  return input == Memory::kCuda ? Memory::kCuda : Memory::kHost;
}

// The memory that a resolved device works in.
inline Memory memory_of(Device device) {
  return device.kind == DeviceKind::kCuda ? Memory::kCuda : Memory::kHost;
}

// Brings one image or stack of an operation, input or output, to the side of `memory`.
template <class T>
class Placed {
 public:
  // An input: the view itself, or a copy of it that lives until the next call. The copy is made in
  // the order of exec.stream, so that what the stream still computes is waited for.
  StackView<const T> bring(StackView<const T> from, Memory memory, const Exec& exec) {
    if (same_side(from.memory, memory)) return from;
    require_transfer("copy between host and GPU", from);
    const cuda::ScopedDevice here(exec.device);  // whose default stream is waited for
    const StackView<T> there = room(from, memory);
    copy(from, there, exec);
    return there;
  }
  ImageView<const T> bring(ImageView<const T> from, Memory memory, const Exec& exec) {
    return bring(StackView<const T>(from), memory, exec).plane(0);
  }

  // For an output: returns the view itself, or memory of its shape, which give_back() copies into
  // it. An output without data is one that nobody wants, and is returned as it is.
  ImageView<T> prepare(ImageView<T> to, Memory memory) {
    to_ = {};
    if (to.data == nullptr || same_side(to.memory, memory)) return to;
    require_transfer("copy between host and GPU", to);
    to_ = to;
    return there_ = room(StackView<T>(to), memory).plane(0);
  }
  void give_back(const Exec& exec) {
    if (to_.data == nullptr) return;
    const cuda::ScopedDevice here(exec.device);
    copy(there_, to_, exec);
  }

 private:
  template <class View>
  StackView<T> room(const View& like, Memory memory) {
    const std::ptrdiff_t stride = padded_stride(like.width, like.channels, sizeof(T));
    const std::size_t elements = element_count(stride, like.height, like.count);
    if (kept_.size() < elements || kept_.memory() != memory) {
      kept_ = {};  // frees its memory before more is allocated
      kept_ = Array<T>(elements, memory);
    }
    return {kept_.data(),  like.width, like.height,          like.count,
            like.channels, stride,     stride * like.height, memory};
  }

  Array<T> kept_{};
  ImageView<T> there_{}, to_{};  // set while an output that lies elsewhere is computed
};

}  // namespace fovea::detail
