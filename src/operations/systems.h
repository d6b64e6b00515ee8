// The operations of each system; each is defined in the file of its name.
#pragma once
#include "operations/operation.h"

namespace fovea::operations {

Operation people_detect();
Operation flow_lk();
Operation flow_bm();
Operation flow_stereo();
Operation flow_segment();
Operation people_show();
Operation people_track();
Operation emd_distance();
Operation emd_track();
Operation scenes_classify();
Operation scenes_words();
Operation scenes_filters();
Operation mesh_segment();
Operation mesh_info();
Operation mesh_distances();
Operation mesh_arcs();
Operation actions_classify();
Operation ops_gradient();
Operation ops_resize();
Operation ops_blur();
Operation ops_convolve();
Operation ops_integral();
Operation ops_pyramid();
Operation ops_histogram();

}  // namespace fovea::operations
