#pragma once
// Everything of one system: motion between frames.
#include <fovea/flow/block_matching.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/lucas_kanade.h>
#include <fovea/flow/show.h>
