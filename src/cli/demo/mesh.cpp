// The gallery's section on meshes: bodies made of rounded limbs are segmented into these limbs
// again.
#include <fovea/io/sink.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/demo/demo.h"
#include "cli/demo/mesh_shapes.h"

namespace fovea::cli {
namespace {

using namespace report;

struct Shape {
  std::string name;
  int parts;  // 0 to choose the number
  io::TriangleMesh mesh;
};

mesh::SegmentOptions segment_options(const DemoRun& run, int parts) {
  mesh::SegmentOptions options;
  options.parts = parts;
  options.exec = run.exec;
  return options;
}

mesh::RenderOptions view_of(const DemoRun& run, std::span<const std::int32_t> parts) {
  return {.size = {270, 250}, .elevation = 15, .parts = parts, .exec = run.exec};
}

Image<std::uint8_t> parts_picture(const DemoRun& run, const io::TriangleMesh& mesh,
                                  const std::vector<std::int32_t>& labels) {
  return mesh::render(mesh, mesh::part_colors(labels), view_of(run, labels));
}

Figure montage_of(const std::vector<Image<std::uint8_t>>& pictures,
                  const std::vector<std::string>& titles, FigureText text) {
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < pictures.size(); ++i)
    tiles.push_back({pictures[i].view(), titles[i]});
  return Figure::picture(montage(tiles, {.columns = static_cast<int>(tiles.size())}),
                         std::move(text));
}

// The parts of every shape, and a page on which each can be rotated.
void add_parts(Page& page, const DemoRun& run, const std::vector<Shape>& shapes) {
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<std::string> titles;
  for (const Shape& shape : shapes) {
    const auto found = mesh::segment(shape.mesh, segment_options(run, shape.parts));
    pictures.push_back(parts_picture(run, shape.mesh, found.labels));
    titles.push_back(
        fmt::format("{}, {} parts{}", shape.name, found.count, found.chosen ? " (chosen)" : ""));
    io::FileSink file(fmt::format("{}/{}.html", run.folder, shape.name));
    file.write(mesh::model_page(
        shape.mesh, found.labels,
        {.title = "A " + shape.name,
         .text = fmt::format("{} faces in {} parts", shape.mesh.faces.size(), found.count)}));
    file.commit();
  }
  page.figure(montage_of(
      pictures, titles,
      {"The number of parts was given for the dog, the hand and the pipe and chosen for the "
       "teapot. The pipe has no valleys, so that its borders lie anywhere.",
       "fovea mesh segment dog.off -k 11 -o parts.ply --picture parts.png "
       "--page dog.html"}));
  for (const Shape& shape : shapes)
    page.link(fmt::format("The {} to be turned by hand", shape.name), shape.name + ".html");
}

void add_halves(Page& page, const DemoRun& run, const io::TriangleMesh& dog) {
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<std::string> titles;
  for (const int depth : {1, 2, 3}) {
    mesh::SegmentOptions options = segment_options(run, 0);
    options.division = mesh::Division::kHierarchical;
    options.hierarchy.depth = depth;
    const auto found = mesh::segment(dog, options);
    pictures.push_back(parts_picture(run, dog, found.labels));
    titles.push_back(fmt::format("depth {}, {} parts", depth, found.count));
  }
  page.figure(montage_of(pictures, titles,
                         {"Each part is divided into two, once, twice and three times.",
                          "fovea mesh segment dog.off --division hierarchical --hierarchy-depth 3 "
                          "-o halves.ply"}));
}

void add_fields(Page& page, const DemoRun& run, const io::TriangleMesh& hand) {
  const auto found = mesh::segment(hand, segment_options(run, 6));
  const Graph graph = mesh::path_graph(mesh::dual_graph(hand), {.alpha = 1});
  // Distances start from the highest face.
  const auto top = [&](const io::Triangle& face) {
    return hand.vertices[static_cast<std::size_t>(face[0])][1];
  };
  const auto source = static_cast<std::int32_t>(
      std::max_element(hand.faces.begin(), hand.faces.end(),
                       [&](const auto& a, const auto& b) { return top(a) < top(b); }) -
      hand.faces.begin());
  const Image<float> row = distances_from(graph, {&source, 1}, {.exec = run.exec});
  const std::span<const float> distances(row.row(0), hand.faces.size());
  const std::vector<std::int32_t> whole(hand.faces.size(), 0);
  const auto shown = [&](std::span<const float> values, std::span<const std::int32_t> parts,
                         const char* title) {
    return mesh::with_value_bar(
        mesh::render(hand, mesh::value_colors(values, ColorMap::kTide), view_of(run, parts)),
        values, title);
  };
  page.figures(
      {Figure::picture(shown(found.membership, found.labels, "membership"),
                       {"How surely each face belongs to its part. Where that is in doubt, a "
                        "minimum cut places the border.",
                        "fovea mesh segment hand.off -k 6 --show membership "
                        "--picture sure.png"}),
       Figure::picture(shown(distances, whole, "distance"),
                       {"The distance over the surface from the tip of a finger.",
                        fmt::format("fovea mesh distances hand.off --from {} --alpha 1 --picture "
                                    "far.png",
                                    source)})},
      2);
}

}  // namespace

void add_demo_mesh(Page& page, const DemoRun& run) {
  constexpr int kCells = 56;
  const std::vector<Shape> shapes{{"dog", 11, demo_surface(demo_dog(), kCells)},
                                  {"hand", 6, demo_surface(demo_hand(), kCells)},
                                  {"teapot", 0, demo_surface(demo_teapot(), kCells)},
                                  {"pipe", 3, demo_surface(demo_pipe(), kCells)}};
  for (const Shape& shape : shapes)
    io::write_mesh(fmt::format("{}/{}.off", run.folder, shape.name), shape.mesh);
  page.paragraph(
      "These bodies of rounded limbs are divided into parts. A step from face to face is read as "
      "an "
      "electrical resistance that is high across valleys, and faces between which little current "
      "flows belong to different parts. The meshes lie beside this page. Bodies made by code are "
      "no "
      "measure of accuracy; `docs/mesh.md` reports results on the Princeton benchmark.");
  add_parts(page, run, shapes);
  add_halves(page, run, shapes[0].mesh);
  add_fields(page, run, shapes[1].mesh);
}

}  // namespace fovea::cli
