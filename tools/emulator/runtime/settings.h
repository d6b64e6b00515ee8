// What the environment says about a run. It is read each time, so that a test can change it.
#pragma once

namespace emulator {

enum class Order { kForward, kReverse, kShuffle };
Order thread_order();
Order block_order();
bool streams_are_lazy();  // they work only when somebody waits for them
bool is_traced();
int most_shared();  // bytes of shared memory that a block may have
int device_count();

}  // namespace emulator
