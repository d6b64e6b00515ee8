#pragma once
// Everything of one system: what people do in video.
#include <fovea/actions/classify.h>
#include <fovea/actions/curves.h>
#include <fovea/actions/evaluate.h>
#include <fovea/actions/evaluate_stream.h>
#include <fovea/actions/explain.h>
#include <fovea/actions/match.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/model.h>
#include <fovea/actions/points.h>
#include <fovea/actions/recognize.h>
#include <fovea/actions/select_points.h>
#include <fovea/actions/show.h>
#include <fovea/actions/timeline.h>
#include <fovea/actions/train.h>
#include <fovea/core/options.h>
