#pragma once
// The whole emd system: exact Earth Mover's Distances, distance maps of frames, detection in
// multispectral cubes, and a tracker.
#include <fovea/core/options.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/ground.h>
#include <fovea/emd/map.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/show.h>
#include <fovea/emd/signature.h>
#include <fovea/emd/solver.h>
#include <fovea/emd/track.h>
