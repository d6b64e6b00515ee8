// Copies results to the host piece by piece: while one piece is copied and taken there, the device
// computes the next.
#pragma once
#include <fovea/core/memory.h>

#include <cstddef>

#include "core/event.cuh"
#include "core/on_device.cuh"

namespace fovea::cuda {

class HostPipe {
 public:
  // Pieces have at most so many floats and are computed after what is on the stream now.
  HostPipe(std::size_t floats, cudaStream_t after) : slots_{Slot(floats), Slot(floats)} {
    Event now;
    now.record(after);
    for (const Slot& slot : slots_) now.hold(slot.stream);
  }

  // fill(piece, slot, floats on the device, stream) enqueues the computation of a piece and returns
  // how many floats it has; take(piece, floats on the host) gets the pieces in order.
  template <class Fill, class Take>
  void run(int pieces, Fill fill, Take take) {
    for (int piece = 0; piece <= pieces; ++piece) {
      if (piece < pieces) {
        Slot& slot = slots_[piece % 2];
        const std::size_t floats = fill(piece, piece % 2, slot.device.data(), slot.stream);
        check(cudaMemcpyAsync(slot.host.data(), slot.device.data(), floats * sizeof(float),
                              cudaMemcpyDeviceToHost, slot.stream),
              kWhat);
        slot.done.record(slot.stream);
      }
      if (piece == 0) continue;
      const Slot& before = slots_[(piece - 1) % 2];
      before.done.wait(kWhat);
      take(piece - 1, before.host.data());
    }
  }

 private:
  static constexpr const char* kWhat = "copying distances";

  struct Slot {
    explicit Slot(std::size_t floats)
        : device(floats, Memory::kCuda), host(floats, Memory::kPinned) {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), kWhat);
    }
    ~Slot() {
      cudaStreamSynchronize(stream);  // nothing may still write to memory that is freed now
      cudaStreamDestroy(stream);
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    Array<float> device;
    Array<float> host;
    cudaStream_t stream = nullptr;
    Event done;
  };
  Slot slots_[2];
};

}  // namespace fovea::cuda
