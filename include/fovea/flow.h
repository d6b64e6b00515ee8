#pragma once
// Everything about one system: the motion between two images or along a video.
#include <fovea/core/options.h>
#include <fovea/flow/block_matching.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/explain.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/follow.h>
#include <fovea/flow/lucas_kanade.h>
#include <fovea/flow/quality.h>
#include <fovea/flow/segment.h>
#include <fovea/flow/show.h>
#include <fovea/flow/stereo.h>
