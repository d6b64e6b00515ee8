// The page on which a mesh is turned by hand. Corners lie in it as 16-bit numbers, three a face, so
// that faces are flat shaded; a picture of it stands where WebGL is missing and on paper.
#include <fovea/error.h>
#include <fovea/mesh/show.h>
#include <fovea/version.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/page_style.h"
#include "report/png_text.h"
#include "report/svg.h"

namespace fovea::mesh {
namespace {

constexpr const char* kStyle = R"(
.view{position:relative;width:100%;max-width:56rem;aspect-ratio:4/3;background:var(--fovea-paper);
border:1px solid var(--fovea-grid);border-radius:10px;overflow:hidden;touch-action:none}
.view canvas,.view img{position:absolute;inset:0;width:100%;height:100%;object-fit:contain}
.view canvas{cursor:grab}.view canvas:active{cursor:grabbing}
.view canvas:focus-visible{outline:3px solid var(--link);outline-offset:-3px}
.legend{display:flex;flex-wrap:wrap;gap:.3rem .6rem;margin:1rem 0;padding:0;list-style:none;max-width:56rem}
.legend button{display:flex;align-items:center;gap:.45rem;font:inherit;font-size:.9rem;color:inherit;
background:var(--fovea-paper);border:1px solid var(--fovea-grid);border-radius:6px;padding:.2rem .6rem;cursor:pointer}
.legend button[aria-pressed=true]{border-color:var(--fovea-ink)}
.legend i{width:.9rem;height:.9rem;border-radius:3px}
)";

// Positions and labels come as base64; dragging turns, the wheel and + - zoom, arrows turn, a
// legend's button shows one segment alone.
constexpr const char* kScript = R"(
(() => {
  const bytes = id => Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
  const canvas = document.querySelector('canvas'), gl = canvas.getContext('webgl', {antialias: true});
  if (!gl) { canvas.remove(); return; }
  const place = new Int16Array(bytes('places').buffer), label = new Uint16Array(bytes('labels').buffer);
  const colours = JSON.parse(document.getElementById('colours').textContent);
  const count = place.length / 3, normal = new Float32Array(place.length), tint = new Float32Array(place.length);
  for (let f = 0; f < count / 3; ++f) {
    const p = i => place[9 * f + i], u = [], v = [];
    for (let i = 0; i < 3; ++i) { u[i] = p(3 + i) - p(i); v[i] = p(6 + i) - p(i); }
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const l = Math.hypot(...n) || 1;
    for (let i = 0; i < 9; ++i) normal[9 * f + i] = n[i % 3] / l;
  }
  let alone = -1;
  const paint = () => {
    for (let f = 0; f < count / 3; ++f) {
      const c = alone < 0 || alone === label[f] ? colours[label[f]] : [205, 205, 205];
      for (let i = 0; i < 9; ++i) tint[9 * f + i] = c[i % 3] / 255;
    }
  };
  paint();
  const shader = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, `attribute vec3 place, normal, tint; uniform mat3 turn;
    uniform vec2 scale; varying vec3 n, c; void main() { vec3 p = turn * place; n = turn * normal; c = tint;
    gl_Position = vec4(p.xy * scale, -p.z * 0.5, 1.0); }`));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `precision mediump float; varying vec3 n, c; void main() {
    float l = abs(dot(normalize(n), normalize(vec3(-0.3, 0.4, 1.0)))); gl_FragColor = vec4(c * (0.35 + 0.65 * l), 1.0); }`));
  gl.linkProgram(program); gl.useProgram(program); gl.enable(gl.DEPTH_TEST);
  const buffers = {};
  const load = (name, data, type, scaled) => {
    buffers[name] = buffers[name] || gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]); gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, 3, type, scaled, 0, 0);
  };
  load('place', place, gl.SHORT, true); load('normal', normal, gl.FLOAT, false); load('tint', tint, gl.FLOAT, false);
  let azimuth = 0.52, elevation = 0.35, zoom = 0.92, turning = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  const draw = () => {
    const w = canvas.clientWidth * devicePixelRatio | 0, h = canvas.clientHeight * devicePixelRatio | 0;
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    gl.viewport(0, 0, w, h); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const [a, b, c, d] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
    gl.uniformMatrix3fv(gl.getUniformLocation(program, 'turn'), false, [a, -b * d, b * c, 0, c, d, -b, -a * d, a * c]);
    const side = Math.min(w, h);
    gl.uniform2f(gl.getUniformLocation(program, 'scale'), zoom * side / w, zoom * side / h);
    gl.drawArrays(gl.TRIANGLES, 0, count);
  };
  const step = () => { if (turning) azimuth += 0.006; draw(); if (turning) requestAnimationFrame(step); };
  let held = null;
  canvas.addEventListener('pointerdown', e => { turning = false; held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener('pointerup', () => { held = null; });
  const turn = (x, y) => { azimuth -= x; elevation = Math.max(-1.57, Math.min(1.57, elevation + y)); draw(); };
  canvas.addEventListener('pointermove', e => { if (!held) return;
    turn((e.clientX - held[0]) * 0.01, (e.clientY - held[1]) * 0.01); held = [e.clientX, e.clientY]; });
  const enlarge = by => { zoom = Math.max(0.2, Math.min(12, zoom * by)); draw(); };
  canvas.addEventListener('wheel', e => { e.preventDefault(); enlarge(Math.exp(-e.deltaY * 0.001)); }, {passive: false});
  canvas.addEventListener('keydown', e => { const by = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[e.key];
    turning = false; if (by) turn(...by); else if (e.key === '+') enlarge(1.1); else if (e.key === '-') enlarge(1 / 1.1); else return; e.preventDefault(); });
  document.querySelectorAll('.legend button').forEach((button, i, all) => button.addEventListener('click', () => {
    alone = alone === i ? -1 : i; all.forEach((b, j) => b.setAttribute('aria-pressed', j === alone));
    paint(); load('tint', tint, gl.FLOAT, false); draw(); }));
  addEventListener('resize', draw);
  document.querySelector('.view img').style.visibility = 'hidden';
  step();
})();
)";

template <class T>
std::string base64_of(const std::vector<T>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) {
    const auto bits = static_cast<std::uint16_t>(value);
    bytes += static_cast<char>(bits & 0xffU);
    bytes += static_cast<char>(bits >> 8U);
  }
  return report::base64(bytes);
}

// Corners of all faces from -32767 to 32767, the farthest of them from the middle at the end.
std::vector<std::int16_t> places_of(const io::TriangleMesh& mesh) {
  std::array<double, 3> low{}, high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const io::Triangle& face : mesh.faces) {
    for (const std::int32_t corner : face) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = mesh.vertices[static_cast<std::size_t>(corner)][i];
        low[i] = std::min(low[i], x);
        high[i] = std::max(high[i], x);
      }
    }
  }
  double farthest = 0;
  const auto offset = [&](std::int32_t corner, std::size_t i) {
    return mesh.vertices[static_cast<std::size_t>(corner)][i] - (low[i] + high[i]) / 2;
  };
  for (const io::Triangle& face : mesh.faces)
    for (const std::int32_t corner : face)
      farthest =
          std::max(farthest, std::hypot(offset(corner, 0), offset(corner, 1), offset(corner, 2)));
  const double scale = farthest > 0 ? 32767 / farthest : 0;
  std::vector<std::int16_t> places;
  places.reserve(9 * mesh.faces.size());
  for (const io::Triangle& face : mesh.faces)
    for (const std::int32_t corner : face)
      for (std::size_t i = 0; i < 3; ++i)
        places.push_back(static_cast<std::int16_t>(std::lround(scale * offset(corner, i))));
  return places;
}

std::string legend(const std::vector<report::Colour>& colours, const ModelView& view) {
  std::string html = "<ul class=\"legend\" aria-label=\"Segments\">\n";
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::string name = i < view.names.size() ? view.names[i] : std::to_string(i);
    html += fmt::format(
        "<li><button type=\"button\" aria-pressed=\"false\"><i style=\"background:{}\"></i>{}"
        "</button></li>\n",
        report::hex(colours[i]), report::escaped(name));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string model_page(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                       const ModelView& view) {
  if (mesh.faces.empty() || labels.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("{} labels for a mesh of {} faces; expected one each",
                                      labels.size(), mesh.faces.size()));
  const std::int32_t most = *std::max_element(labels.begin(), labels.end());
  constexpr std::int32_t kMostLabels = 65536;
  if (most >= kMostLabels || *std::min_element(labels.begin(), labels.end()) < 0)
    throw InvalidArgument(fmt::format("label {}; a page shows 0 to {}", most, kMostLabels - 1));
  std::vector<std::int32_t> each(static_cast<std::size_t>(most) + 1);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i);
  const auto colours = segment_colours(each);
  std::string colour_list;
  for (const report::Colour& c : colours)
    colour_list += fmt::format("{}[{},{},{}]", colour_list.empty() ? "" : ",", c.r, c.g, c.b);
  const auto picture =
      render(mesh, segment_colours(labels), {.width = 800, .height = 600, .supersample = 2});
  const std::string title = report::escaped(view.title.empty() ? "Mesh" : view.title);
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta "
      "name=\"generator\" content=\"fovea " FOVEA_VERSION
      "\"/>\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<div class=\"sheet\">\n<h1>{}"
      "</h1>\n",
      title, report::page_style(), kStyle, title);
  if (!view.text.empty())
    html += fmt::format("<p class=\"lead\">{}</p>\n", report::escaped(view.text));
  html += fmt::format(
      "<div class=\"view\"><img src=\"{}\" alt=\"{} in {} segments\"/><canvas tabindex=\"0\" "
      "aria-label=\"Turn by dragging or with the arrow keys, zoom with the wheel or + and "
      "-\"></canvas></div>\n",
      report::png_data_uri(picture), title, colours.size());
  html += legend(colours, view);
  html += "<p>Drag to turn, wheel to zoom; a segment's button shows it alone.</p>\n";
  html += fmt::format("<script type=\"text/plain\" id=\"places\">{}</script>\n",
                      base64_of(places_of(mesh)));
  html += fmt::format("<script type=\"text/plain\" id=\"labels\">{}</script>\n",
                      base64_of(std::vector<std::int32_t>(labels.begin(), labels.end())));
  html +=
      fmt::format("<script type=\"application/json\" id=\"colours\">[{}]</script>\n", colour_list);
  return html + "<script>" + kScript + "</script>\n</div>\n</body>\n</html>\n";
}

}  // namespace fovea::mesh
