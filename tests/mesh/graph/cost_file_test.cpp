#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/npy.h>
#include <fovea/mesh/arc_costs.h>
#include <gmock/gmock.h>

#include <map>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;
using testing::HasSubstr;

class CostFile : public testing::Test {
 protected:
  CostFile() : graph_(dual_graph(test::fold(0.5F))) {
    for (std::size_t i = 0; i < graph_.arcs.size(); ++i)
      costs_.push_back(0.5F + static_cast<float>(i));
  }
  std::vector<float> read(const std::string& text, std::optional<double> absent = {}) {
    test::save(folder_ / "costs.txt", text);
    return read_arc_costs(folder_ / "costs.txt", graph_, absent);
  }
  template <class Bad = FormatError>
  std::string failure(const std::string& text) {
    return message_of<Bad>([&] { read(text); });
  }
  std::string pairs(const char* header, bool vertices, const char* mark) {
    std::string text = header;
    for (std::size_t i = graph_.arcs.size(); i-- > 0;) {  // in another order, the larger first
      const DualArc& arc = graph_.arcs[i];
      text += fmt::format("{}{}{}{}{}\n", vertices ? arc.high : arc.b, mark,
                          vertices ? arc.low : arc.a, mark, costs_[i]);
    }
    return text;
  }
  test::TempFolder folder_;
  DualGraph graph_;
  std::vector<float> costs_;
};

TEST_F(CostFile, EveryFormGivesTheSameCosts) {
  ASSERT_EQ(graph_.arcs.size(), 3U);
  EXPECT_EQ(read("0.5\n1.5\n2.5\n"), costs_);
  EXPECT_EQ(read("# three\ncost\n0.5\n\n1.5\n2.5\n"), costs_);
  EXPECT_EQ(read(pairs("", false, " ")), costs_);
  EXPECT_EQ(read(pairs("", false, ",")), costs_);
  EXPECT_EQ(read(pairs("face_a;face_b;cost\n", false, ";")), costs_);
  EXPECT_EQ(read(pairs("vertex_a,vertex_b,cost\r\n", true, ",")), costs_);
  EXPECT_EQ(read(pairs("vertex_b\tvertex_a\tcost\n", true, "\t")), costs_);
  const std::size_t plain[] = {3};
  io::write_array(folder_ / "a.npy", io::DType::kFloat32, plain, costs_.data());
  EXPECT_EQ(read_arc_costs(folder_ / "a.npy", graph_), costs_);
  std::vector<double> rows;
  for (std::size_t i = 0; i < 3; ++i)
    rows.insert(rows.end(), {static_cast<double>(graph_.arcs[i].a),
                             static_cast<double>(graph_.arcs[i].b), double{costs_[i]}});
  const std::size_t table[] = {3, 3};
  io::write_array(folder_ / "b.npy", io::DType::kFloat64, table, rows.data());
  EXPECT_EQ(read_arc_costs(folder_ / "b.npy", graph_), costs_);
}

TEST_F(CostFile, WhatIsWrittenIsReadBack) {
  write_arc_costs(folder_ / "arcs.csv", graph_, costs_);
  EXPECT_EQ(read_arc_costs(folder_ / "arcs.csv", graph_), costs_);
  EXPECT_THAT(test::load(folder_ / "arcs.csv"),
              HasSubstr("face_a,face_b,vertex_a,vertex_b,geodesic,angle,concave,edge,cost"));
}

TEST_F(CostFile, FacesMayShareSeveralEdges) {
  io::TriangleMesh mesh = test::fold(0.5F);
  mesh.vertices.push_back({0.5F, 0.5F, -1});
  mesh.faces.push_back({0, 2, 6});  // a flap of two faces that share two edges
  mesh.faces.push_back({6, 2, 0});
  const DualGraph graph = dual_graph(mesh);
  std::vector<float> costs;
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) costs.push_back(static_cast<float>(i));
  std::map<std::pair<int, int>, int> pairs;
  for (const DualArc& arc : graph.arcs) ++pairs[{arc.a, arc.b}];
  ASSERT_LT(pairs.size(), graph.arcs.size());
  write_arc_costs(folder_ / "arcs.csv", graph, costs);
  EXPECT_EQ(read_arc_costs(folder_ / "arcs.csv", graph), costs);
}

TEST_F(CostFile, ArcsThatAreLeftOutGetACostOrAreMissed) {
  const std::string one = fmt::format("{} {} 9\n", graph_.arcs[1].a, graph_.arcs[1].b);
  EXPECT_EQ(read(one, 4), (std::vector<float>{4, 9, 4}));
  EXPECT_THAT(failure(one), HasSubstr("no cost for 2 of 3 arcs"));
  EXPECT_THROW(read(one, -1), InvalidArgument);
}

TEST_F(CostFile, BadFilesAreOneLineWithTheirPlace) {
  EXPECT_THAT(failure("0.5\n1.5\n"), HasSubstr("2 costs; expected 3"));
  EXPECT_THAT(failure("0.5\nnan\n1\n"), HasSubstr("line 2: the cost is nan"));
  EXPECT_THAT(failure("0.5\n-1\n1\n"), HasSubstr("line 2: the cost is -1"));
  EXPECT_THAT(failure("0.5\ninf\n1\n"), HasSubstr("line 2: the cost is inf"));
  EXPECT_THAT(failure("0.5\nx\n1\n"), HasSubstr("line 2: 'x' is not a number"));
  EXPECT_THAT(failure("0 1\n"), HasSubstr("line 1: 2 columns"));
  EXPECT_THAT(failure("0 2 1\n"), HasSubstr("faces 0 and 2 share no edge"));
  EXPECT_THAT(failure("0 1 1\n0 1\n"), HasSubstr("line 2: 2 columns; expected 3"));
  EXPECT_THAT(failure("0.5 1 1\n"), HasSubstr("0.5 is not a number of one of the faces"));
  EXPECT_THAT(failure("0 1 1\n1 0 2\n"), HasSubstr("have the cost 2 here and 1 before"));
  EXPECT_THAT(failure("a,b,cost\n0,1,1\n"), HasSubstr("the columns are a,b,cost"));
  EXPECT_THAT(failure("face_a,face_b\n0,1\n"), HasSubstr("no column is named cost"));
  EXPECT_THAT(failure("\n"), HasSubstr("has no costs"));
  EXPECT_THROW(read_arc_costs(folder_ / "none.csv", graph_), IoError);
  const std::vector<float> four(4, 1.0F);
  const std::size_t shape[] = {2, 2};
  io::write_array(folder_ / "c.npy", io::DType::kFloat32, shape, four.data());
  EXPECT_THAT(message_of<FormatError>([&] { read_arc_costs(folder_ / "c.npy", graph_); }),
              HasSubstr("the shape is (2, 2)"));
}

}  // namespace
}  // namespace fovea::mesh
