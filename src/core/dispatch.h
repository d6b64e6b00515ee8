// What every operation does before it chooses a twin.
#pragma once
#include <fovea/exec.h>
#include <fovea/memory.h>

#include <initializer_list>
#include <string>

namespace fovea::detail {

// The settings to run with: the device resolved and held against where the data lies. Data on a GPU
// takes `auto` there; asking for the CPU with data on a GPU is an InvalidArgument that names the
// operation.
Exec resolve_exec(const char* operation, const Exec& exec, std::initializer_list<Memory> data);

inline bool on_cuda(const Exec& exec) { return exec.device.kind == DeviceKind::kCuda; }

// Throws InvalidArgument: "<operation>: <name> is 3x4x1, expected 5x4x1".
[[noreturn]] void throw_wrong_shape(const char* operation, const char* name, const std::string& is,
                                    const std::string& expected);

// An output must have the size it is going to be filled with.
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
