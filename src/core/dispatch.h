// What every operation does before it chooses a twin.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/memory.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace fovea::detail {

// Where one image of an operation lies and how its rows are laid out. It is a memory alone where
// there is no image yet.
struct Placement {
  Placement(Memory where) : memory(where) {}
  template <class View>
  Placement(const View& view) requires requires {
    view.stride;
  } : memory(view.memory),
      data(view.data),
      stride(view.stride),
      width(view.width),
      height(view.height),
      channels(view.channels) {
  }

  std::int64_t row_elements() const { return static_cast<std::int64_t>(width) * channels; }

  Memory memory;
  const void* data = nullptr;
  std::ptrdiff_t stride = 0;
  int width = 0;
  int height = 0;
  int channels = 1;
};

// Returns the settings to run with: the device is resolved and checked against the place of the
// data. With `auto` the work goes to the GPU that holds the data. Throws an InvalidArgument that
// names the operation where data lies on a GPU but the CPU or another GPU was requested, where data
// lies on two GPUs, and where rows overlap or have more elements than an int counts.
Exec resolve_exec(const char* operation, const Exec& exec, std::initializer_list<Placement> data);

// For an object that chose its device when it was made: holds `chosen`, which is resolved, against
// where the data of a call lies. It throws what resolve_exec() does. Where the caller had `asked`
// for `auto`, the message names the device that was chosen.
void require_chosen(const char* operation, const Exec& chosen, Device asked,
                    std::initializer_list<Placement> data);

// The settings for work that only the CPU does, on data that it brings to the host by itself. The
// rule of resolve_exec() holds where data lies on a GPU; elsewhere any device may be asked for.
Exec resolve_host_exec(const char* operation, const Exec& exec,
                       std::initializer_list<Placement> data);

// InvalidArgument for rows that cannot be copied between host and GPU, since they lie in reverse
// order.
void require_transfer(const char* operation, const Placement& image);

inline bool on_cuda(const Exec& exec) { return exec.device.kind == DeviceKind::kCuda; }

// Throws InvalidArgument where data that only the CPU can use lies on a GPU. `name` begins with its
// article: "<operation>: the mask lies in GPU memory, expected host memory; clone() it first".
void require_host(const char* operation, const char* name, Memory memory);

// Throws InvalidArgument: "<operation>: <name> is 3x4x1, expected 5x4x1".
[[noreturn]] void throw_wrong_shape(const char* operation, const char* name, const std::string& is,
                                    const std::string& expected);

// Throws unless an output has the size that the operation will fill.
template <class View>
void require_shape(const char* operation, const char* name, const View& view, int width, int height,
                   int channels) {
  if (view.width == width && view.height == height && view.channels == channels) return;
  View expected = view;
  expected.width = width;
  expected.height = height;
  expected.channels = channels;
  throw_wrong_shape(operation, name, shape_text(view), shape_text(expected));
}

}  // namespace fovea::detail
