// The page on which a mesh is rotated by hand, and what its scripts read. It contains the vertices
// as 16-bit numbers. An image of the mesh is shown until the scripts have drawn it, if scripts are
// off, and on paper.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/version.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "mesh/graph/mesh_edges.h"
#include "mesh/show/page_files.h"
#include "mesh/show/show_ball.h"
#include "report/page_style.h"
#include "report/png_text.h"
#include "report/svg.h"

namespace fovea::mesh {
namespace {

// Encodes an array for the scripts: little-endian numbers in base64, in quotes.
template <class T>
std::string array_json(const std::vector<T>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, bits = static_cast<decltype(bits)>(bits >> 8U))
      bytes += static_cast<char>(bits & 0xffU);
  }
  return fmt::format("\"{}\"", report::base64(bytes));
}

// Returns vertices scaled to -32767 to 32767, which the corner farthest from the middle reaches.
std::vector<std::int16_t> places_of(const io::TriangleMesh& mesh) {
  constexpr double kMost = 32767;
  const ShowBall ball = show_ball(mesh);
  std::vector<std::int16_t> places;
  places.reserve(3 * mesh.vertices.size());
  for (const io::Vertex& vertex : mesh.vertices)
    for (const double x : (kMost / ball.radius) * (wide(vertex) - ball.middle))
      places.push_back(static_cast<std::int16_t>(std::lround(std::clamp(x, -kMost, kMost))));
  return places;
}

std::vector<std::uint32_t> corners_of(const io::TriangleMesh& mesh) {
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * mesh.faces.size());
  for (const io::Triangle& face : mesh.faces)
    for (const std::int32_t corner : face) corners.push_back(static_cast<std::uint32_t>(corner));
  return corners;
}

// For each level the part that each part is shown as. Without a hierarchy there is one level.
using Levels = std::vector<std::vector<std::int32_t>>;
Levels levels_of(std::span<const HierarchyNode> hierarchy, std::size_t parts) {
  Levels levels;
  const int count = hierarchy_levels(hierarchy);
  for (int level = 0; level < count; ++level) {
    levels.push_back(parts_at_level(hierarchy, level));
    if (levels.back().size() != parts)
      throw InvalidArgument(
          fmt::format("a hierarchy of {} parts for labels of {}; expected those "
                      "of one segmentation",
                      levels.back().size(), parts));
  }
  if (levels.empty()) {
    levels.emplace_back(parts);
    for (std::size_t part = 0; part < parts; ++part)
      levels[0][part] = static_cast<std::int32_t>(part);
  }
  return levels;
}

// The edges between faces of different parts: first those that are seams at level 0, then those
// that the next level adds, and so on. What is apart at one level is apart at all that follow.
struct Seams {
  std::vector<std::uint32_t> ends{};   // two vertices per edge
  std::vector<std::uint32_t> sides{};  // two faces per edge, of different parts
  std::vector<std::size_t> up_to{};    // the number of ends up to each level
};
Seams seams_of(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
               const Levels& levels) {
  const MeshEdges edges(mesh);
  std::vector<Seams> by_level(levels.size());
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const auto faces = edges.faces(e);
    const auto label = [&](const EdgeFace& at, std::size_t level) {
      return levels[level][static_cast<std::size_t>(labels[static_cast<std::size_t>(at.face)])];
    };
    const auto other_side = [&](std::size_t level) {
      return std::find_if(faces.begin(), faces.end(), [&](const EdgeFace& at) {
        return label(at, level) != label(faces.front(), level);
      });
    };
    if (other_side(levels.size() - 1) == faces.end()) continue;
    std::size_t first = 0;
    while (other_side(first) == faces.end()) ++first;
    Seams& seams = by_level[first];
    for (const auto end : {edges.low(e), edges.high(e)})
      seams.ends.push_back(static_cast<std::uint32_t>(end));
    for (const auto face : {faces.front().face, other_side(first)->face})
      seams.sides.push_back(static_cast<std::uint32_t>(face));
  }
  Seams all;
  for (const Seams& some : by_level) {
    all.ends.insert(all.ends.end(), some.ends.begin(), some.ends.end());
    all.sides.insert(all.sides.end(), some.sides.begin(), some.sides.end());
    all.up_to.push_back(all.ends.size());
  }
  return all;
}

// The slider that opens the levels; the script shows it.
std::string level_slider(std::size_t levels) {
  if (levels < 2) return {};
  return fmt::format(
      "<div class=\"levels\" hidden><label>Level <input type=\"range\" min=\"0\" max=\"{0}\" "
      "value=\"{0}\" step=\"1\"/></label> <output></output></div>\n",
      levels - 1);
}

// `shares` are those of the final parts; each level has the sums of what it joins, in percent.
std::string levels_json(const Levels& levels, const std::vector<std::size_t>& counts,
                        const std::vector<double>& shares) {
  std::string json = "[";
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<double> sums(shares.size(), 0);
    for (std::size_t part = 0; part < shares.size(); ++part)
      sums[static_cast<std::size_t>(levels[level][part])] += 100 * shares[part];
    json +=
        fmt::format("{}{{\"seams\":{},\"shown\":[{}],\"areas\":[{:.1f}]}}", level == 0 ? "" : ",",
                    counts[level], fmt::join(levels[level], ","), fmt::join(sums, ","));
  }
  return json + "]";
}

// Returns shares of the whole area by label.
std::vector<double> area_shares(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                                std::size_t count) {
  std::vector<double> shares(count);
  double whole = 0;
  for (std::size_t f = 0; f < labels.size(); ++f) {
    const Vector a = corner(mesh, f, 0);
    const double area = length(cross(corner(mesh, f, 1) - a, corner(mesh, f, 2) - a));
    shares[static_cast<std::size_t>(labels[f])] += area;
    whole += area;
  }
  for (double& share : shares) share = whole > 0 ? share / whole : 0;
  return shares;
}

std::string legend(const std::vector<report::Color>& colors, const std::vector<double>& shares,
                   const ModelPageOptions& options) {
  std::string html = "<ul class=\"legend\" aria-label=\"Parts\">\n";
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const std::string name =
        i < options.names.size() ? options.names[i] : fmt::format("part {}", i);
    html += fmt::format(
        "<li><button type=\"button\" aria-pressed=\"false\"><i style=\"background:{}\"></i>"
        "<span>{}</span> <small>{:.1f} %</small></button></li>\n",
        report::hex(colors[i]), report::escaped(name), 100 * shares[i]);
  }
  return html + "</ul>\n";
}

// Throws InvalidArgument where labels are no labels of the mesh, and returns how many there are.
std::size_t checked_labels(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels) {
  if (mesh.faces.empty() || labels.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("{} labels for a mesh of {} faces; expected one each",
                                      labels.size(), mesh.faces.size()));
  constexpr std::int32_t kMostLabels = 65536;
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= kMostLabels)
      throw InvalidArgument(fmt::format("label {}; a page shows 0 to {}", label, kMostLabels - 1));
  }
  return static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1;
}

std::vector<report::Color> colors_of_parts(std::size_t count) {
  std::vector<std::int32_t> each(count);
  std::iota(each.begin(), each.end(), 0);
  return part_colors(each);
}

// The modules as one script, in which nothing has to be imported any more.
std::string joined_modules() {
  std::string script;
  for (const char* name : {"mesh_model.js", "mesh_drawing.js", "mesh_view.js", "saved_page.js"}) {
    std::string_view rest = find_page_file(name)->text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
      if (!line.starts_with("import ")) script += line;
      rest.remove_prefix(line.size());
    }
  }
  return script;
}

std::string json_script(const char* id, const std::string& json) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, json);
}

}  // namespace

std::string_view model_module(std::string_view name) {
  const PageFile* file = name.starts_with("mesh_") ? find_page_file(name) : nullptr;
  return file == nullptr ? std::string_view{} : file->text;
}

std::string shape_json(const io::TriangleMesh& mesh) {
  return fmt::format("{{\"places\":{},\"corners\":{}}}", array_json(places_of(mesh)),
                     array_json(corners_of(mesh)));
}

std::string parts_json(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                       std::span<const HierarchyNode> hierarchy) {
  const std::size_t count = checked_labels(mesh, labels);
  const Levels levels = levels_of(hierarchy, count);
  const Seams seams = seams_of(mesh, labels, levels);
  std::string colors;
  for (const report::Color& c : colors_of_parts(count))
    colors += fmt::format("{}[{},{},{}]", colors.empty() ? "" : ",", c.r, c.g, c.b);
  return fmt::format("{{\"labels\":{},\"seams\":{},\"sides\":{},\"levels\":{},\"colors\":[{}]}}",
                     array_json(std::vector<std::uint16_t>(labels.begin(), labels.end())),
                     array_json(seams.ends), array_json(seams.sides),
                     levels_json(levels, seams.up_to, area_shares(mesh, labels, count)), colors);
}

void describe(OptionVisitor& visit, ModelPageOptions& options) {
  visit("title", options.title, "the title of the page");
  visit("text", options.text, "a line below the title");
  visit("names", options.names, "the names of the parts, in the order of their labels");
}

std::string model_page(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                       const ModelPageOptions& options) {
  const std::string parts = parts_json(mesh, labels, options.hierarchy);
  const auto colors = colors_of_parts(checked_labels(mesh, labels));
  const auto levels = static_cast<std::size_t>(hierarchy_levels(options.hierarchy));
  const auto picture = render(mesh, part_colors(labels), {.size = {800, 600}, .supersample = 2});
  const std::string title = report::escaped(options.title.empty() ? "Mesh" : options.title);
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta "
      "name=\"generator\" content=\"fovea " FOVEA_VERSION
      "\"/>\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<div class=\"sheet\">\n<h1>{}"
      "</h1>\n",
      title, report::page_style(), find_page_file("saved_page.css")->text, title);
  if (!options.text.empty())
    html += fmt::format("<p class=\"lead\">{}</p>\n", report::escaped(options.text));
  html += fmt::format(
      "<div class=\"model\">\n<div class=\"view\">\n<div class=\"stage\" tabindex=\"0\" "
      "role=\"img\" aria-label=\"{} in {} parts, to be turned\"><img src=\"{}\" alt=\"\"/></div>\n"
      "<p class=\"caption\" role=\"status\"></p>\n{}<div class=\"tools\" hidden>"
      "<button type=\"button\" class=\"turning\">Stop</button>"
      "<button type=\"button\" class=\"reset\">Reset</button></div>\n</div>\n",
      title, colors.size(), report::png_data_uri(picture), level_slider(levels));
  html += legend(colors, area_shares(mesh, labels, colors.size()), options);
  html +=
      "</div>\n<p class=\"hint\">Drag or use the arrow keys to turn, with Shift or two fingers to "
      "move, wheel, pinch or + and - to zoom, space to let it turn, 0 to begin again. Point at a "
      "name to see where the part is, click to keep it.</p>\n<p class=\"hint without\" "
      "hidden>WebGL is missing or has failed here: the mesh is drawn by the "
      "processor.</p>\n<noscript><p class=\"hint\">Without scripts the mesh does not "
      "turn.</p></noscript>\n";
  html += json_script("shape", shape_json(mesh)) + json_script("parts", parts);
  return html + "<script type=\"module\">\n" + joined_modules() +
         "</script>\n</div>\n</body>\n</html>\n";
}

}  // namespace fovea::mesh
