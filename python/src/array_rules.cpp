#include "array_rules.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "systems.h"

namespace fovea::python {
namespace {

// What a call says; what it leaves open is as the call around it or the program has it.
using Said = std::pair<std::optional<bool>, std::optional<bool>>;

ArrayRules of_program;  // changed and read under Python's lock
thread_local std::optional<Said> of_call;

nb::object call_under(const Said& said, const nb::object& function, const nb::args& arguments,
                      const nb::kwargs& keywords) {
  struct Kept {
    std::optional<Said> before = of_call;
    ~Kept() { of_call = before; }
  } kept;
  const Said around = kept.before.value_or(Said{});
  of_call = Said{said.first ? said.first : around.first, said.second ? said.second : around.second};
  return function(*arguments, **keywords);
}

// Where the elements of an array lie, as rows of pixels of channels.
struct Layout {
  std::size_t rows, columns;
  std::ptrdiff_t row_step, column_step;
  std::vector<std::ptrdiff_t> channels;  // from the first element of a pixel
};

// kChannels 0 is any number.
template <std::size_t kChannels, class Word>
void gather(const Word* from, const Layout& layout, Word* to) {
  std::array<std::ptrdiff_t, std::max<std::size_t>(1, kChannels)> known{};
  if constexpr (kChannels > 0) std::copy_n(layout.channels.begin(), kChannels, known.begin());
  for (std::size_t y = 0; y < layout.rows; ++y) {
    const Word* pixel = from + static_cast<std::ptrdiff_t>(y) * layout.row_step;
    for (std::size_t x = 0; x < layout.columns; ++x, pixel += layout.column_step) {
      if constexpr (kChannels == 0)
        for (const std::ptrdiff_t channel : layout.channels) *to++ = pixel[channel];
      else
        for (const std::ptrdiff_t channel : known) *to++ = pixel[channel];
    }
  }
}

template <class Word>
void gather_words(const void* from, const Layout& layout, void* to) {
  const auto* first = static_cast<const Word*>(from);
  auto* const out = static_cast<Word*>(to);
  switch (layout.channels.size()) {
    case 1: return gather<1>(first, layout, out);
    case 3: return gather<3>(first, layout, out);
    case 4: return gather<4>(first, layout, out);
    default: return gather<0>(first, layout, out);
  }
}

Layout layout_of(const nb::ndarray<nb::ro>& array, bool turned) {
  const auto axes = array.ndim();
  Layout layout{1, 1, 0, 0, {0}};
  if (axes == 1) {
    layout.columns = array.shape(0);
    layout.column_step = static_cast<std::ptrdiff_t>(array.stride(0));
    return layout;
  }
  layout.rows = array.shape(0);
  layout.columns = array.shape(1);
  layout.row_step = static_cast<std::ptrdiff_t>(array.stride(0));
  layout.column_step = static_cast<std::ptrdiff_t>(array.stride(1));
  if (axes < 3) return layout;
  layout.channels.resize(array.shape(2));
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    layout.channels[c] = static_cast<std::ptrdiff_t>(c) * array.stride(2);
  if (turned) std::swap(layout.channels.at(0), layout.channels.at(2));
  return layout;
}

}  // namespace

ArrayRules array_rules() {
  if (!of_call) return of_program;
  return {of_call->first.value_or(of_program.bgr), of_call->second.value_or(of_program.strict)};
}

nb::ndarray<nb::ro> gathered(const nb::ndarray<nb::ro>& array, bool turned) {
  const std::size_t bytes = array.itemsize();
  auto data = std::make_unique_for_overwrite<std::uint64_t[]>((array.size() * bytes + 7) / 8);
  const Layout layout = layout_of(array, turned);
  {
    const void* from = array.data();
    void* const to = data.get();
    const nb::gil_scoped_release gil_release;
    if (bytes == 1) gather_words<std::uint8_t>(from, layout, to);
    else if (bytes == 2) gather_words<std::uint16_t>(from, layout, to);
    else if (bytes == 4) gather_words<std::uint32_t>(from, layout, to);
    else gather_words<std::uint64_t>(from, layout, to);
  }
  std::vector<std::size_t> shape;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape.push_back(array.shape(axis));
  std::uint64_t* const first = data.release();
  const nb::capsule owner(first, [](void* p) noexcept { delete[] static_cast<std::uint64_t*>(p); });
  return {first, shape.size(), shape.data(), owner, nullptr, array.dtype()};
}

void bind_array_rules(nb::module_& parent) {
  parent.def("set_array_rules", [](std::optional<bool> bgr, std::optional<bool> strict) {
    of_program = {bgr.value_or(of_program.bgr), strict.value_or(of_program.strict)};
  });
  // Those that a call has of its own: None, or (bgr, strict).
  parent.def("own_array_rules", [] { return of_call; });
  parent.def("array_rules", [] {
    const ArrayRules rules = array_rules();
    return std::pair(rules.bgr, rules.strict);
  });
  parent.def("call_under", &call_under);
  // Pixels of NumPy with blue where red was.
  parent.def("turned", [](nb::handle pixels) {
    return nb::cast(nb::ndarray<nb::numpy>(gathered(nb::cast<nb::ndarray<nb::ro>>(pixels), true)));
  });
}

}  // namespace fovea::python
