#pragma once
// The mesh system: segments surface meshes into parts, evaluates segmentations and draws them.
#include <fovea/core/options.h>
#include <fovea/mesh/dual_graph.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>
