// The fields of what the mesh system gives.
#include <fovea/core/record.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/segment.h>

namespace fovea::mesh {

void describe(FieldVisitor& visit, MeshInfo& info) {
  visit.record("MeshInfo", "what is worth knowing about a mesh");
  visit("format", info.format, "of the file");
  visit("vertices", info.vertices, "how many there are");
  visit("faces", info.faces, "how many triangles there are");
  visit("edges", info.edges, "how many there are");
  visit("file_faces", info.file_faces, "faces of the file, whose polygons were cut into triangles");
  visit("components", info.components, "groups of faces that are connected by edges");
  visit("closed", info.closed, "whether every edge has two faces");
  visit("border_edges", info.border_edges, "edges with one face");
  visit("non_manifold_edges", info.non_manifold_edges, "edges with three faces or more");
  visit("flipped_edges", info.flipped_edges, "edges along which both faces run the same way");
  visit("degenerate_faces", info.degenerate_faces, "faces without area");
  visit("duplicate_faces", info.duplicate_faces, "faces with the corners of an earlier face");
  visit("isolated_vertices", info.isolated_vertices, "vertices that no face uses");
  visit("area", info.area, "of all faces");
  visit("volume", info.volume, "inside a closed mesh; it means little for an open one");
  visit("low", info.low, "the least corner of the bounding box");
  visit("high", info.high, "the greatest corner of the bounding box");
}

void describe(FieldVisitor& visit, HierarchyNode& node) {
  visit.record("HierarchyNode", "a part in the tree of divisions into two");
  visit("parent", node.parent, "the node that was divided; -1 for a root");
  visit("level", node.level, "divisions above it");
  visit("children", node.children, "the nodes of its halves; -1 where it was not divided");
  visit("part", node.part, "the label of the part that it is, or of the first part inside it");
  visit("representative", node.representative, "the face that represents it");
  visit("faces", node.faces, "how many faces belong to it");
  visit("area", node.area, "its share of the mesh's area");
  visit("apart", node.apart, "the distance between the representatives of its children");
}

void describe(FieldVisitor& visit, Segmentation& result) {
  visit.record("Segmentation", "the parts of a mesh");
  visit("faces", result.faces, "how many faces the mesh has");
  visit("parts", result.count, "how many parts there are");
  visit("pieces", result.piece_count,
        "how many connected pieces the parts have; a part may have several");
  visit("chosen", result.chosen, "whether the number of parts was chosen");
  visit("cut_value", result.cut_value, "what the minimum cuts cost");
  visit("engine", result.engine, "what found shortest paths; empty where nothing did",
        {.compared = false});
  visit("graph_seconds", result.graph_seconds, "time to make the graph of the faces",
        {.unit = "seconds", .timing = true});
  visit("distance_seconds", result.distance_seconds, "time to find shortest paths",
        {.unit = "seconds", .timing = true});
  visit("cluster_seconds", result.cluster_seconds, "time to group the faces",
        {.unit = "seconds", .timing = true});
  visit("cut_seconds", result.cut_seconds, "time to move borders into valleys",
        {.unit = "seconds", .timing = true});
  visit("labels", result.labels, "one per face: the part that it belongs to, from 0",
        {.printed = false});
  visit("face_pieces", result.pieces, "one per face: the connected piece of a part, from 0",
        {.printed = false});
  visit("representatives", result.representatives, "one face per part", {.printed = false});
  visit("membership", result.membership, "one per face: how surely it belongs to its part, up to 1",
        {.printed = false});
  visit("memberships", result.memberships,
        "one row per face, one column per part: how much it belongs to each; a row adds up to 1",
        {.printed = false});
  visit("hierarchy", result.hierarchy, "the tree of divisions of a hierarchical division",
        {.printed = false});
}

void describe(FieldVisitor& visit, SegmentationReport& report) {
  visit.record("SegmentationReport", "how much segmentations differ; 0 for equal ones");
  visit("rand", report.rand,
        "share of pairs of faces, by area, that are together here and apart there");
  visit("cut_discrepancy", report.cut_discrepancy,
        "mean distance from borders to borders, relative to the size of the mesh");
  visit("hamming", report.hamming, "mean of the two below");
  visit("hamming_missing", report.hamming_missing, "area of parts that is missing here");
  visit("hamming_false", report.hamming_false, "area of parts that is too much here");
  visit("global_consistency", report.global_consistency,
        "how far neither segmentation refines the other");
  visit("local_consistency", report.local_consistency, "the same, decided anew for every face");
}

}  // namespace fovea::mesh
