// Clusters of blocks, whose shared memory all of their threads can reach.
#pragma once
#include <type_traits>

#include "cuda_runtime.h"

namespace cooperative_groups {

class cluster_group {
 public:
  void sync() const { emulator::sync_cluster(); }
  unsigned block_rank() const { return emulator::cluster_rank(); }
  unsigned num_blocks() const { return emulator::cluster_blocks(); }
  template <class T>
  T* map_shared_rank(T* here, unsigned rank) const {
    return static_cast<T*>(
        emulator::shared_of_rank(const_cast<std::remove_const_t<T>*>(here), rank));
  }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
