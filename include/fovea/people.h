#pragma once
// People in images and video: detecting them, training and evaluating detectors.
#include <fovea/core/options.h>
#include <fovea/people/annotations.h>
#include <fovea/people/cascade.h>
#include <fovea/people/channels.h>
#include <fovea/people/detection.h>
#include <fovea/people/detector.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/fuse.h>
#include <fovea/people/hog.h>
#include <fovea/people/measure.h>
#include <fovea/people/model.h>
#include <fovea/people/scan.h>
#include <fovea/people/show.h>
#include <fovea/people/train.h>
