// Calls into C libraries that leave by longjmp when they fail.
#pragma once
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <exception>

namespace fovea::io {

// The target of a library's jump, and the library's message. Callbacks that fill it use plain C
// code only, because no object with a destructor may be alive between the jump and its target.
struct LongJump {
  std::jmp_buf target{};
  std::array<char, 256> message{};
  int error_number = 0;            // errno at the jump
  std::exception_ptr exception{};  // thrown in a callback, since it cannot pass through C code

  [[noreturn]] void jump() {
    error_number = errno;
    std::longjmp(target, 1);
  }
};

// Calls body() and returns whether it returned normally. The body must hold no object with a
// destructor while it calls the library.
template <class Body>
bool returns(LongJump& failure, Body body) {
  if (setjmp(failure.target) != 0) return false;
  body();
  return true;
}

}  // namespace fovea::io
