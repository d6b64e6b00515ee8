// Stacks of their own for functions that hand over to each other on one thread of the host.
#pragma once
#include <cstddef>

// Keeps the registers that a call preserves on the stack that runs, notes in *suspended where they
// lie, and goes on where `next` was noted.
extern "C" void emulator_switch(void** suspended, void* next);

namespace emulator {

constexpr std::size_t kStackBytes = 256 << 10, kGuardBytes = 64 << 10;

// A stack lies above a guard, which nobody can read or write. Returned ones are taken again.
char* take_stack();
void return_stack(char* stack);

// What to switch to so that `body`, which never returns, begins on a stack. Stacks of different
// numbers begin at different distances from a page: otherwise all would fall on the same lines of
// the cache.
void* begin_at(char* stack, unsigned number, void (*body)());

}  // namespace emulator
