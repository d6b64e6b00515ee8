// OpenCV's color trackers as rivals of `fovea emd track`.
#pragma once
#include <span>

#include "operations/rivals/rival_table.h"

std::span<const FoveaRivalTracker> opencv_trackers();
