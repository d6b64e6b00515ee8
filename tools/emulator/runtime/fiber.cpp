#include "fiber.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "emulator/threads.h"

#if defined(__aarch64__)
// x19 to x30 and the lower halves of v8 to v15.
asm(R"(
  .text
  .balign 16
  .global emulator_switch
  .type emulator_switch, %function
emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size emulator_switch, .-emulator_switch
)");
#elif defined(__x86_64__)
// rbx, rbp, r12 to r15, and the control words of both floating-point units (System V).
asm(R"(
  .text
  .balign 16
  .global emulator_switch
  .type emulator_switch, @function
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size emulator_switch, .-emulator_switch
)");
#else
#error \
    "the emulator changes fibers on aarch64 and x86-64 only; fiber.cpp needs the assembly of this processor"
#endif

namespace emulator {
namespace {

std::vector<char*> free_stacks;

// What emulator_switch() takes off a stack that has just begun: all registers 0, and `body` to
// return to.
void* first_frame(char* top, void (*body)()) {
#if defined(__aarch64__)
  constexpr std::size_t kWords = 20, kReturn = 11;
#else
  // Above the address of `body` there is one word, as if it had been called: it finds the stack
  // pointer 8 below a multiple of 16.
  constexpr std::size_t kWords = 9, kReturn = 7;
#endif
  auto* frame = reinterpret_cast<void**>(top) - kWords;
  std::fill(frame, frame + kWords, nullptr);
  frame[kReturn] = reinterpret_cast<void*>(body);
#if defined(__x86_64__)
  std::uint32_t sse = 0;
  std::uint16_t x87 = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
  std::memcpy(frame, &sse, sizeof(sse));
  std::memcpy(reinterpret_cast<char*>(frame) + 4, &x87, sizeof(x87));
#endif
  return frame;
}

}  // namespace

char* take_stack() {
  if (!free_stacks.empty()) {
    char* stack = free_stacks.back();
    free_stacks.pop_back();
    return stack;
  }
  void* base = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED || mprotect(base, kGuardBytes, PROT_NONE) != 0)
    fail("no memory for the stacks of threads");
  return static_cast<char*>(base) + kGuardBytes;
}

void return_stack(char* stack) { free_stacks.push_back(stack); }

void* begin_at(char* stack, unsigned number, void (*body)()) {
  constexpr std::size_t kSpread = 576, kPlaces = 32;
  return first_frame(stack + kStackBytes - (number % kPlaces + 1) * kSpread, body);
}

}  // namespace emulator
