#include "operations/operation.h"
#include "operations/systems.h"

namespace fovea::operations {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      people_detect(), flow_lk(),      flow_bm(),     flow_stereo(),
      flow_segment(),  mesh_segment(), mesh_info(),   mesh_distances(),
      mesh_arcs(),     ops_gradient(), ops_resize(),  ops_blur(),
      ops_convolve(),  ops_integral(), ops_pyramid(), ops_histogram()};
  return all;
}

}  // namespace fovea::operations
