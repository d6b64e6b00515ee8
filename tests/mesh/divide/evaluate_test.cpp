// Covers: cut_discrepancy
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/mesh/evaluate.h>

#include <cmath>

#include "mesh/shapes.h"
#include "reference/segmentation_errors.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;
using Labels = std::vector<std::int32_t>;

Labels random_labels(std::size_t faces, std::uint32_t count, std::uint64_t seed) {
  Random random(seed);
  Labels labels(faces);
  for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(count)) * 7 - 3;
  return labels;
}

TEST(CompareSegmentations, EqualOnesHaveNoError) {
  const io::TriangleMesh mesh = test::star(2);
  const Labels labels = random_labels(mesh.faces.size(), 5, 1);
  const SegmentationReport errors = compare_segmentations(mesh, labels, labels);
  EXPECT_NEAR(errors.rand, 0, 1e-12);
  EXPECT_EQ(errors.cut_discrepancy, 0);
  EXPECT_NEAR(errors.hamming, 0, 1e-12);
  EXPECT_NEAR(errors.global_consistency, 0, 1e-12);
  EXPECT_NEAR(errors.local_consistency, 0, 1e-12);
}

TEST(CompareSegmentations, AgreesWithLoopsOverPairsOfFaces) {
  const io::TriangleMesh mesh = test::star(2);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Labels a = random_labels(mesh.faces.size(), 2 + static_cast<std::uint32_t>(seed), seed);
    const Labels b = random_labels(mesh.faces.size(), 4, seed + 100);
    const SegmentationReport errors = compare_segmentations(mesh, a, b);
    const reference::SegmentationErrors slow = reference::segmentation_errors(mesh, a, b);
    EXPECT_NEAR(errors.rand, slow.rand, 1e-9);
    EXPECT_NEAR(errors.global_consistency, slow.global_consistency, 1e-9);
    EXPECT_NEAR(errors.local_consistency, slow.local_consistency, 1e-9);
    EXPECT_NEAR(errors.hamming_missing, slow.hamming_missing, 1e-9);
    EXPECT_NEAR(errors.hamming_false, slow.hamming_false, 1e-9);
  }
}

// Halves against the whole: of all ordered pairs half lie apart in one and together in the other.
TEST(CompareSegmentations, HalvesAgainstTheWhole) {
  const io::TriangleMesh mesh = test::sheet(16);
  Labels halves(mesh.faces.size(), 0);
  for (std::size_t face = 0; face < halves.size() / 2; ++face) halves[face] = 1;
  const Labels whole(mesh.faces.size(), 4);
  const SegmentationReport errors = compare_segmentations(mesh, halves, whole);
  EXPECT_NEAR(errors.rand, 0.5 / (1 - 1 / 512.0), 1e-9);
  EXPECT_NEAR(errors.hamming_missing, 0.5, 1e-9);
  EXPECT_NEAR(errors.hamming_false, 0, 1e-9);
  EXPECT_NEAR(errors.hamming, 0.25, 1e-9);
  EXPECT_NEAR(errors.global_consistency, 0, 1e-9);  // one refines the other
  EXPECT_EQ(errors.cut_discrepancy, 1);             // there is no cut to be near to
}

// Cuts along two parallel lines of a sheet, two squares apart.
TEST(CompareSegmentations, DistanceOfTwoCuts) {
  const io::TriangleMesh mesh = test::sheet(16);
  const auto below = [&](std::size_t rows) {
    Labels labels(mesh.faces.size(), 0);
    for (std::size_t face = 0; face < rows * 32; ++face) labels[face] = 1;
    return labels;
  };
  double radius = 0;
  for (const io::Triangle& face : mesh.faces) {
    double x = 0;
    double y = 0;
    for (const std::int32_t vertex : face) {
      x += static_cast<double>(mesh.vertices[static_cast<std::size_t>(vertex)][0]) / 3;
      y += static_cast<double>(mesh.vertices[static_cast<std::size_t>(vertex)][1]) / 3;
    }
    radius += std::hypot(x - 8, y - 8) / static_cast<double>(mesh.faces.size());
  }
  const SegmentationReport errors = compare_segmentations(mesh, below(6), below(8));
  EXPECT_NEAR(errors.cut_discrepancy, 2 / radius, 1e-5);
}

TEST(CompareToPeople, IsTheMean) {
  const io::TriangleMesh mesh = test::star(2);
  const Labels ours = random_labels(mesh.faces.size(), 3, 1);
  const std::vector<Labels> people = {random_labels(mesh.faces.size(), 4, 2), ours};
  const SegmentationReport both = evaluate_segmentation(mesh, ours, people);
  const SegmentationReport one = compare_segmentations(mesh, ours, people[0]);
  EXPECT_NEAR(both.rand, one.rand / 2, 1e-12);
  EXPECT_NEAR(both.cut_discrepancy, one.cut_discrepancy / 2, 1e-12);
  EXPECT_NEAR(both.hamming, one.hamming / 2, 1e-12);
}

TEST(LabelFiles, HaveTheNameOfTheMesh) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "7");
  for (const char* name : {"7.seg", "7_2.seg", "7_10.seg", "70.seg", "7.txt", "7/any.seg"})
    test::save(folder / name, "0\n");
  EXPECT_EQ(label_files("meshes/7.off", folder.path()),
            (std::vector<std::string>{folder / "7/any.seg", folder / "7.seg", folder / "7_2.seg",
                                      folder / "7_10.seg"}));
  EXPECT_TRUE(label_files("meshes/8.off", folder / "none").empty());
}

TEST(CompareToPeople, RefusesLabelsThatDoNotFit) {
  const io::TriangleMesh mesh = test::cube();
  const Labels labels(12, 0);
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { compare_segmentations(mesh, labels, Labels(11, 0)); }),
      "evaluate: 11 labels to compare with for 12 faces; expected one each");
  EXPECT_EQ(message_of<InvalidArgument>([&] { evaluate_segmentation(mesh, labels, {}); }),
            "evaluate: no segmentation to compare with");
}

}  // namespace
}  // namespace fovea::mesh
