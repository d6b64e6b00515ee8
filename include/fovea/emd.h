#pragma once
// Everything of one system: Earth Mover's Distances, maps and tracking.
#include <fovea/emd/detect.h>
#include <fovea/emd/ground.h>
#include <fovea/emd/map.h>
#include <fovea/emd/signature.h>
#include <fovea/emd/solver.h>
#include <fovea/emd/track.h>
