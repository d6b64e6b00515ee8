#pragma once
// The mesh system: segments surface meshes into parts, evaluates segmentations and draws them.
#include <fovea/core/options.h>
#include <fovea/mesh/arc_costs.h>
#include <fovea/mesh/dual_graph.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/explain.h>
#include <fovea/mesh/fuzzy_clusters.h>
#include <fovea/mesh/hierarchy.h>
#include <fovea/mesh/named_costs.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/shape_diameter.h>
#include <fovea/mesh/show.h>
