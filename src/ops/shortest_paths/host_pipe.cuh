// Copies results to the host piece by piece: while one piece is copied and taken there, the device
// computes the next.
#pragma once
#include <cstddef>

#include "ops/shortest_paths/travel_slot.cuh"

namespace fovea::cuda {

class HostPipe {
 public:
  // Pieces have at most so many floats and are computed after what is on the stream now.
  HostPipe(std::size_t floats, cudaStream_t after) : slots_{{floats, kWhat}, {floats, kWhat}} {
    Event now;
    now.record(after);
    for (const TravelSlot& slot : slots_) now.hold(slot.stream);
  }

  // fill(piece, slot, floats on the device, stream) enqueues the computation of a piece and returns
  // how many floats it has; take(piece, floats on the host) gets the pieces in order.
  template <class Fill, class Take>
  void run(int pieces, Fill fill, Take take) {
    for (int piece = 0; piece <= pieces; ++piece) {
      if (piece < pieces) {
        TravelSlot& slot = slots_[piece % 2];
        const std::size_t floats = fill(piece, piece % 2, slot.device.data(), slot.stream);
        slot.to_host(slot.device.data(), floats);
        slot.done.record(slot.stream);
      }
      if (piece == 0) continue;
      const TravelSlot& before = slots_[(piece - 1) % 2];
      before.done.wait(kWhat);
      take(piece - 1, before.host.data());
    }
  }

 private:
  static constexpr const char* kWhat = "copying distances";

  TravelSlot slots_[2];
};

}  // namespace fovea::cuda
