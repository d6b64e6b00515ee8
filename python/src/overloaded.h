// A function object with one case per kind, for std::visit.
#pragma once

namespace fovea::python {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce it by itself

}  // namespace fovea::python
