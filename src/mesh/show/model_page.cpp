// The page on which a mesh is rotated by hand. It contains the vertices as 16-bit numbers. An image
// of the mesh is shown until the script has drawn it, if scripts are off, and on paper.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/version.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "mesh/graph/mesh_edges.h"
#include "mesh/show/model_page_script.h"
#include "mesh/show/show_ball.h"
#include "report/page_style.h"
#include "report/png_text.h"
#include "report/svg.h"

namespace fovea::mesh {
namespace {

// Encodes an array for the script: little-endian numbers in base64.
template <class T>
std::string data_script(const char* id, const std::vector<T>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, bits = static_cast<decltype(bits)>(bits >> 8U))
      bytes += static_cast<char>(bits & 0xffU);
  }
  return fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id,
                     report::base64(bytes));
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
Levels levels_of(const ModelPageOptions& options, std::size_t parts) {
  Levels levels;
  const int count = hierarchy_levels(options.hierarchy);
  for (int level = 0; level < count; ++level) {
    levels.push_back(parts_at_level(options.hierarchy, level));
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

// Returns both ends of every edge between faces of different parts: first those that are seams at
// level 0, then those that the next level adds, and so on. `counts` gets the number of ends up to
// each level. What is apart at one level is apart at all that follow.
std::vector<std::uint32_t> seams_of(const io::TriangleMesh& mesh,
                                    std::span<const std::int32_t> labels, const Levels& levels,
                                    std::vector<std::size_t>& counts) {
  const MeshEdges edges(mesh);
  std::vector<std::vector<std::uint32_t>> by_level(levels.size());
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const auto faces = edges.faces(e);
    const auto label = [&](const EdgeFace& at, std::size_t level) {
      return levels[level][static_cast<std::size_t>(labels[static_cast<std::size_t>(at.face)])];
    };
    const auto is_seam = [&](std::size_t level) {
      return std::any_of(faces.begin(), faces.end(), [&](const EdgeFace& at) {
        return label(at, level) != label(faces.front(), level);
      });
    };
    if (!is_seam(levels.size() - 1)) continue;
    std::size_t first = 0;
    while (!is_seam(first)) ++first;
    by_level[first].insert(by_level[first].end(), {static_cast<std::uint32_t>(edges.low(e)),
                                                   static_cast<std::uint32_t>(edges.high(e))});
  }
  std::vector<std::uint32_t> ends;
  for (const std::vector<std::uint32_t>& some : by_level) {
    ends.insert(ends.end(), some.begin(), some.end());
    counts.push_back(ends.size());
  }
  return ends;
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

}  // namespace

void describe(OptionVisitor& visit, ModelPageOptions& options) {
  visit("title", options.title, "the title of the page");
  visit("text", options.text, "a line below the title");
  visit("names", options.names, "the names of the parts, in the order of their labels");
}

std::string model_page(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                       const ModelPageOptions& options) {
  if (mesh.faces.empty() || labels.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("{} labels for a mesh of {} faces; expected one each",
                                      labels.size(), mesh.faces.size()));
  constexpr std::int32_t kMostLabels = 65536;
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= kMostLabels)
      throw InvalidArgument(fmt::format("label {}; a page shows 0 to {}", label, kMostLabels - 1));
  }
  const std::int32_t most = *std::max_element(labels.begin(), labels.end());
  std::vector<std::int32_t> each(static_cast<std::size_t>(most) + 1);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i);
  const auto colors = part_colors(each);
  const Levels levels = levels_of(options, each.size());
  std::string color_list;
  for (const report::Color& c : colors)
    color_list += fmt::format("{}[{},{},{}]", color_list.empty() ? "" : ",", c.r, c.g, c.b);
  const auto picture = render(mesh, part_colors(labels), {.size = {800, 600}, .supersample = 2});
  const std::string title = report::escaped(options.title.empty() ? "Mesh" : options.title);
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta "
      "name=\"generator\" content=\"fovea " FOVEA_VERSION
      "\"/>\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<div class=\"sheet\">\n<h1>{}"
      "</h1>\n",
      title, report::page_style(), kModelStyle, title);
  if (!options.text.empty())
    html += fmt::format("<p class=\"lead\">{}</p>\n", report::escaped(options.text));
  html += fmt::format(
      "<div class=\"model\">\n<div class=\"view\">\n<div class=\"stage\" tabindex=\"0\" "
      "role=\"img\" aria-label=\"{} in {} parts, to be turned\"><img src=\"{}\" alt=\"\"/></div>\n"
      "<p class=\"caption\" role=\"status\"></p>\n{}<div class=\"tools\" hidden>"
      "<button type=\"button\" class=\"turning\">Stop</button>"
      "<button type=\"button\" class=\"reset\">Reset</button></div>\n</div>\n",
      title, colors.size(), report::png_data_uri(picture), level_slider(levels.size()));
  const std::vector<double> shares = area_shares(mesh, labels, colors.size());
  html += legend(colors, shares, options);
  html +=
      "</div>\n<p class=\"hint\">Drag or use the arrow keys to turn, wheel, pinch or + and - to "
      "zoom, "
      "space to let it turn, 0 to begin again. Point at a name to see where the part is, click to "
      "keep it.</p>\n<p class=\"hint without\" hidden>WebGL is missing or has failed here: the "
      "mesh "
      "is drawn by the processor.</p>\n<noscript><p class=\"hint\">Without scripts the mesh does "
      "not "
      "turn.</p></noscript>\n";
  html += data_script("places", places_of(mesh));
  html += data_script("corners", corners_of(mesh));
  html += data_script("labels", std::vector<std::uint16_t>(labels.begin(), labels.end()));
  std::vector<std::size_t> counts;
  html += data_script("seams", seams_of(mesh, labels, levels, counts));
  html += fmt::format("<script type=\"application/json\" id=\"levels\">{}</script>\n",
                      levels_json(levels, counts, shares));
  html +=
      fmt::format("<script type=\"application/json\" id=\"colors\">[{}]</script>\n", color_list);
  return html + "<script>" + kModelScript + "</script>\n</div>\n</body>\n</html>\n";
}

}  // namespace fovea::mesh
