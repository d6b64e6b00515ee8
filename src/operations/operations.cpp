#include "operations/operation.h"
#include "operations/systems.h"

namespace fovea::operations {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      people_detect(), people_show(),      people_track(), flow_lk(),      flow_bm(),
      flow_stereo(),   flow_segment(),     emd_distance(), emd_track(),    scenes_classify(),
      scenes_words(),  scenes_filters(),   mesh_segment(), mesh_info(),    mesh_distances(),
      mesh_arcs(),     actions_classify(), ops_gradient(), ops_resize(),   ops_blur(),
      ops_convolve(),  ops_integral(),     ops_pyramid(),  ops_histogram()};
  return all;
}

}  // namespace fovea::operations
