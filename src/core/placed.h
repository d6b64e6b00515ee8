// Images where a computation needs them. Data stays where it lies if the device can read it there;
// otherwise a copy is made in memory that is kept from call to call.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

namespace fovea::detail {

// Whether what lies in one memory can be used as if it lay in the other: pinned memory is host
// memory.
inline bool same_side(Memory a, Memory b) { return (a == Memory::kCuda) == (b == Memory::kCuda); }

// The memory that a device works in.
inline Memory memory_of(Device device) {
  return device.kind == DeviceKind::kCuda ? Memory::kCuda : Memory::kHost;
}

// One image of an operation, input or output, on the side of `memory`.
template <class T>
class Placed {
 public:
  // An input: the view itself, or a copy of it that lives until the next call.
  ImageView<const T> bring(ImageView<const T> from, Memory memory, const Exec& exec) {
    if (same_side(from.memory, memory)) return from;
    const ImageView<T> there = room(from, memory);
    copy(from, there, exec);
    return there;
  }

  // An output: the view itself, or memory of its shape, which give_back() copies into it.
  ImageView<T> prepare(ImageView<T> to, Memory memory) {
    to_ = to;
    return same_side(to.memory, memory) ? to : room(to, memory);
  }
  void give_back(const Exec& exec) {
    if (there_.width() > 0 && !same_side(to_.memory, there_.view().memory))
      copy(ImageView<const T>(there_.view()), to_, exec);
    to_ = {};
  }

 private:
  template <class View>
  ImageView<T> room(const View& like, Memory memory) {
    const ImageView<T> had = there_.view();
    if (had.width != like.width || had.height != like.height || had.channels != like.channels ||
        had.memory != memory) {
      there_ = {};  // before the new one is asked for
      there_ = Image<T>(like.width, like.height, like.channels, memory);
    }
    return there_.view();
  }

  Image<T> there_{};
  ImageView<T> to_{};
};

}  // namespace fovea::detail
