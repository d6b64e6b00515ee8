#pragma once
// Everything of one system: parts of surface meshes.
#include <fovea/mesh/dual_graph.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>
