// The fields of what the flow system gives.
#include <fovea/core/record.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/segment.h>
#include <fovea/flow/stereo.h>
#include <fovea/flow/summary.h>

namespace fovea::flow {

void describe(FieldVisitor& visit, Flow& flow) {
  visit.record("Flow", "the motion of every pixel");
  visit("u", flow.u, "motion to the right", {.unit = "pixels"});
  visit("v", flow.v, "motion downward", {.unit = "pixels"});
  visit("confidence", flow.confidence, "from 0, a guess, to 1");
}

void describe(FieldVisitor& visit, MotionSummary& summary) {
  visit("known_share", summary.known_share, "share of the pixels whose motion is known");
  visit("mean_motion", summary.mean_motion, "length of the motion on average", {.unit = "pixels"});
  visit("longest_motion", summary.longest_motion, "length of the longest motion",
        {.unit = "pixels"});
  visit("mean_confidence", summary.mean_confidence, "of a field with a confidence, 0 to 1");
}

static void describe(FieldVisitor& visit, FlowResult::Video& video) {
  visit("frames", video.frames, "frames that were read");
  visit("dropped", video.dropped, "of a live source: frames that were not looked at");
  visit("fields", video.fields, "fields that were estimated");
  visit("interrupted", video.interrupted, "whether the run ended before the video did");
}

void describe(FieldVisitor& visit, FlowResult& report) {
  visit.record("FlowResult", "the motion between two images, or along a video");
  visit("first", report.first, "of a pair: the first image");
  visit("second", report.second, "of a pair: the second image");
  visit("input", report.input, "the video, or the first of several images");
  visit("first_frame", report.first_frame, "of two frames of a video: the number of the first");
  visit("output", report.output, "file of the field, or folder of the fields");
  visit("pictures", report.pictures, "files of pictures");
  visit("width", report.size.width, "of the images", {.unit = "pixels"});
  visit("height", report.size.height, "of the images", {.unit = "pixels"});
  visit("motion", report.motion, "of a pair", {.flat = true});
  visit("video", report.video, "of a video", {.flat = true});
  visit("working_memory_bytes", report.working_memory_bytes, "memory that the estimation took",
        {.unit = "bytes"});
  visit("estimate_seconds", report.estimate_seconds, "time that it took", {.unit = "seconds"});
  visit("peak_memory_bytes", report.peak_memory_bytes, "most memory of the process",
        {.unit = "bytes"});
}

void describe(FieldVisitor& visit, FlowErrors& errors) {
  visit.record("FlowErrors", "how far motion is from the true one, over some pixels");
  visit("pixels", errors.pixels, "how many pixels count");
  visit("endpoint_error", errors.endpoint, "mean distance between the ends of both vectors",
        {.unit = "pixels"});
  visit("angular_error", errors.angular, "mean angle between the vectors (u, v, 1)",
        {.unit = "degrees"});
  visit("r0.5", errors.r05, "share of pixels with an endpoint error above half a pixel");
  visit("r1", errors.r1, "the same above 1 pixel");
  visit("r2", errors.r2, "the same above 2 pixels");
  visit("fl", errors.fl, "share of KITTI's outliers: above 3 pixels and 5 % of the motion");
}

void describe(FieldVisitor& visit, SparsificationPoint& point) {
  visit.record("SparsificationPoint", "the error that remains when some pixels are removed");
  visit("removed", point.removed, "share of the pixels that is removed");
  visit("endpoint_error", point.endpoint, "of the rest without the least confident pixels",
        {.unit = "pixels"});
  visit("oracle", point.oracle, "of the rest without the worst pixels", {.unit = "pixels"});
}

void describe(FieldVisitor& visit, FlowReport& report) {
  visit.record("FlowReport", "how well motion agrees with the true one");
  visit("all", report.all, "over all pixels known in both");
  visit("confident", report.confident, "over those of them that are confident");
  visit("density", report.density, "share of the true pixels that the estimate knows");
  visit("confident_share", report.confident_share, "share of the pixels that are confident");
  visit("sparsification_error", report.sparsification_error,
        "how badly the confidence predicts errors; 0 is best");
  visit("curve", report.curve, "errors that remain when the least confident pixels are removed");
}

void describe(FieldVisitor& visit, MotionRegion& region) {
  visit.record("MotionRegion", "a connected region whose motion is affine");
  visit("label", region.label, "as in the image of labels");
  visit("layer", region.layer, "regions of one layer share their motion; 0 is the largest layer");
  visit("box", region.box, "around its pixels", {.unit = "pixels", .prefixed = false});
  visit("pixels", region.pixels, "how many pixels it has");
  visit("share", region.share, "of all pixels");
  visit("u", region.u, "mean motion to the right", {.unit = "pixels"});
  visit("v", region.v, "mean motion downward", {.unit = "pixels"});
  visit("residual", region.residual, "median distance between the flow and the motion",
        {.unit = "pixels"});
  visit("motion", region.motion.terms,
        "a0, a1, a2, b0, b1, b2: u = a0 + a1 x + a2 y and v = b0 + b1 x + b2 y");
}

void describe(FieldVisitor& visit, MotionSegments& segments) {
  visit.record("MotionSegments", "an image divided into regions of like motion");
  visit("labels", segments.labels, "1 and on; 0 where the motion is not known", {.printed = false});
  visit("layers", segments.layers, "number of motions");
  visit("tolerance_used", segments.tolerance, "distance between flow and motion that was allowed",
        {.unit = "pixels"});
  visit("regions", segments.regions, "the largest first");
}

void describe(FieldVisitor& visit, SegmentReport& report) {
  visit.record("SegmentReport", "how well two divisions of an image agree");
  visit("pixels", report.pixels, "how many pixels count", {.printed = false});
  visit("rand_index", report.rand_index,
        "share of pairs of pixels on which both agree whether they are together");
  visit("adjusted_rand_index", report.adjusted_rand_index,
        "the same, with 0 for chance and 1 for equal divisions");
  visit("covering", report.covering,
        "overlap of each true region with the region that fits it best, weighted by size");
}

void describe(FieldVisitor& visit, Disparity& found) {
  visit.record("Disparity", "the disparities of a rectified pair");
  visit("disparity", found.disparity, "infinite where it is not known", {.unit = "pixels"});
  visit("confidence", found.confidence, "from 0, not known or filled in, to 1");
}

void describe(FieldVisitor& visit, StereoErrors& errors) {
  visit.record("StereoErrors", "how far disparities are from the true ones, over some pixels");
  visit("pixels", errors.pixels, "how many pixels count");
  visit("mean_error", errors.mean, "mean absolute error, where the estimate is known",
        {.unit = "pixels"});
  visit("bad0.5", errors.bad05, "share of pixels with an error above half a pixel");
  visit("bad1", errors.bad1, "the same above 1 pixel");
  visit("bad2", errors.bad2, "the same above 2 pixels");
  visit("bad4", errors.bad4, "the same above 4 pixels");
  visit("unknown", errors.unknown, "share without an estimate");
}

void describe(FieldVisitor& visit, StereoReport& report) {
  visit.record("StereoReport", "how well disparities agree with the true ones");
  visit("all", report.all, "over all pixels whose true disparity is known");
  visit("visible", report.visible, "over those of them that the right image shows too");
}

}  // namespace fovea::flow
