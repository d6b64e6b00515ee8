// OpenCV's stereo as a rival: block matching, and semi-global matching with five or eight paths,
// with the settings of OpenCV's own sample program.
#pragma once
#include "operations/rivals/rival_table.h"

FoveaRivalWork fovea_opencv_stereo_bm(const FoveaRivalShape* shape, int threads);
FoveaRivalWork fovea_opencv_stereo_sgbm(const FoveaRivalShape* shape, int threads);
FoveaRivalWork fovea_opencv_stereo_sgbm_hh(const FoveaRivalShape* shape, int threads);
