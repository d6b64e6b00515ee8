// The gallery's section on meshes: bodies made of rounded limbs are segmented into these limbs
// again.
#include <fovea/io/sink.h>
#include <fovea/mesh/explain.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/shape_diameter.h>
#include <fovea/mesh/show.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "demo/demo.h"
#include "demo/figures.h"
#include "demo/mesh_shapes.h"

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

void write_page(const std::string& path, const io::TriangleMesh& mesh,
                const mesh::Segmentation& found, const mesh::ModelPageOptions& options) {
  io::FileSink file(path);
  file.write(mesh::model_page(mesh, found.labels, options));
  file.commit();
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
    write_page(fmt::format("{}/{}.html", run.folder, shape.name), shape.mesh, found,
               {.title = "A " + shape.name,
                .text = fmt::format("{} faces in {} parts", shape.mesh.faces.size(), found.count)});
  }
  run.show("mesh: parts that people would name",
           montage(std::vector<Tile>{{pictures[0].view(), {}}, {pictures[2].view(), {}}}),
           Overview::Fit::kWhole);
  page.figure(Figure::picture(
      sheet(pictures, 0, titles),
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
    if (depth == 3)
      write_page(run.folder + "/halves.html", dog, found,
                 {.title = "The dog in halves",
                  .text = fmt::format("{} parts, level by level", found.count),
                  .hierarchy = found.hierarchy});
  }
  page.figure(
      Figure::picture(sheet(pictures, 0, titles),
                      {"Each part is divided into two, once, twice and three times.",
                       "fovea mesh segment dog.off --division hierarchical --hierarchy-depth 3 "
                       "--page halves.html --tree halves.json -o halves.ply"}));
  page.link("The dog in halves, opened level by level", "halves.html");
}

// Draws values of faces with lines between parts.
Image<std::uint8_t> values_picture(const DemoRun& run, const io::TriangleMesh& mesh,
                                   std::span<const float> values,
                                   std::span<const std::int32_t> parts, const char* title) {
  return mesh::with_value_bar(
      mesh::render(mesh, mesh::value_colors(values, ColorMap::kTide), view_of(run, parts)), values,
      title);
}

// The highest face and the lowest one.
std::vector<std::int32_t> far_faces(const io::TriangleMesh& mesh) {
  const auto height = [&](const io::Triangle& face) {
    return mesh.vertices[static_cast<std::size_t>(face[0])][1];
  };
  const auto [low, high] =
      std::minmax_element(mesh.faces.begin(), mesh.faces.end(),
                          [&](const auto& a, const auto& b) { return height(a) < height(b); });
  return {static_cast<std::int32_t>(high - mesh.faces.begin()),
          static_cast<std::int32_t>(low - mesh.faces.begin())};
}

// How much each face belongs to its own part, and to one of all parts.
void add_memberships(Page& page, const DemoRun& run, const io::TriangleMesh& hand) {
  mesh::SegmentOptions options = segment_options(run, 6);
  options.keep_memberships = true;
  const auto found = mesh::segment(hand, options);
  // The part with most faces, which touches all others.
  std::vector<std::size_t> faces(static_cast<std::size_t>(found.count));
  for (const std::int32_t label : found.labels) ++faces[static_cast<std::size_t>(label)];
  const auto most =
      static_cast<std::size_t>(std::max_element(faces.begin(), faces.end()) - faces.begin());
  std::vector<float> in_it(found.labels.size());
  for (std::size_t i = 0; i < in_it.size(); ++i)
    in_it[i] = found.memberships[i * faces.size() + most];
  page.figures(
      {Figure::picture(values_picture(run, hand, found.membership, found.labels, "membership"),
                       {"How surely each face belongs to its part. Where that is in doubt, a "
                        "minimum cut places the border.",
                        "fovea mesh segment hand.off -k 6 --show membership "
                        "--picture sure.png"}),
       Figure::picture(values_picture(run, hand, in_it, found.labels, "membership"),
                       {fmt::format("How much each face belongs to part {}; the file has this for "
                                    "every part.",
                                    most),
                        "fovea mesh segment hand.off -k 6 --memberships hand.npy"})},
      2);
}

// Why a face near the border of a finger belongs to its part.
void add_why(Page& page, const DemoRun& run, const io::TriangleMesh& hand) {
  const mesh::SegmentExplanation why = mesh::explain(hand, segment_options(run, 6));
  // The face in doubt whose two best memberships differ least.
  std::int64_t face = 0;
  double least = 2;
  for (std::int64_t i = 0; i < std::ssize(why.doubt); ++i) {
    if (why.doubt[static_cast<std::size_t>(i)] < 0) continue;
    const double margin = std::abs(mesh::explain_face(why, i).margin);
    if (margin >= least) continue;
    least = margin;
    face = i;
  }
  const report::Explanation whole = mesh::present(why);
  const report::Explanation one = mesh::present(why, mesh::explain_face(why, face));
  const auto& parts = why.segmentation.labels;
  page.figures(
      {why_figure(values_picture(run, hand, whole.surface[1].values, parts, "capacity"), whole,
                  "fovea mesh segment hand.off -k 6 --explain"),
       why_figure(values_picture(run, hand, one.surface[0].values, parts, "membership"), one,
                  fmt::format("fovea mesh segment hand.off -k 6 --explain-face {} "
                              "--explain-picture why.png",
                              face))},
      2);
}

void add_fields(Page& page, const DemoRun& run, const io::TriangleMesh& hand) {
  const Graph graph = mesh::path_graph(mesh::dual_graph(hand), {.alpha = 1});
  const std::vector<std::int32_t> sources = far_faces(hand);
  const NearestSource nearest = nearest_source(graph, sources, {.exec = run.exec});
  mesh::ShapeDiameterOptions diameter;
  diameter.exec = run.exec;
  const std::vector<float> diameters = mesh::shape_diameters(hand, diameter);
  const std::vector<std::int32_t> whole(hand.faces.size(), 0);
  page.figures(
      {Figure::picture(
           values_picture(run, hand, nearest.distance, nearest.source, "distance"),
           {"The distance over the surface from the tip of a finger or from the lowest face, "
            "whichever is nearer.",
            fmt::format("fovea mesh distances hand.off --from {},{} --nearest --alpha 1 --picture "
                        "far.png",
                        sources[0], sources[1])}),
       Figure::picture(values_picture(run, hand, diameters, whole, "diameter"),
                       {"How thick the body is behind each face: its shape diameter.",
                        "fovea mesh arcs hand.off --diameters thick.ply"})},
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
  add_memberships(page, run, shapes[1].mesh);
  add_why(page, run, shapes[1].mesh);
  add_fields(page, run, shapes[1].mesh);
}

}  // namespace fovea::cli
