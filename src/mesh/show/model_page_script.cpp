// The page's script. There are two ways to draw, with the same light and camera: WebGL, and a
// rasterizer with a depth buffer on a plain canvas, which takes over if WebGL is missing, fails or
// loses its context. The part under the pointer is found by a search through all faces.
#include "mesh/show/model_page_script.h"

namespace fovea::mesh {

const char* const kModelStyle = R"(
.model{display:grid;grid-template-columns:minmax(0,1fr) 14rem;gap:1rem;align-items:start}
.view{position:relative;height:min(72vh,46rem);min-height:18rem;background:var(--fovea-paper);
border:1px solid var(--fovea-grid);border-radius:10px;overflow:hidden}
.stage{position:absolute;inset:0;cursor:grab;touch-action:none;border-radius:10px}
.stage:active{cursor:grabbing}
.stage:focus-visible{outline:3px solid var(--link);outline-offset:-3px}
.stage canvas,.stage img{position:absolute;inset:0;width:100%;height:100%}
.stage img{object-fit:contain}.stage.drawn img{visibility:hidden}
.caption{position:absolute;left:.8rem;top:.7rem;margin:0;font-size:.92rem;pointer-events:none}
.levels{position:absolute;left:.8rem;bottom:.7rem;display:flex;gap:.5rem;align-items:center;
flex-wrap:wrap;max-width:70%;font-size:.9rem}.levels[hidden]{display:none}
.levels label{display:flex;gap:.5rem;align-items:center}.levels input{width:9rem}
.legend li[hidden]{display:none}
.tools{position:absolute;right:.7rem;bottom:.7rem;display:flex;gap:.4rem}
.model button{font:inherit;font-size:.9rem;color:inherit;background:var(--fovea-paper);
border:1px solid var(--fovea-grid);border-radius:6px;padding:.2rem .7rem;cursor:pointer}
.model button:hover,.model button.near{background:var(--soft)}
.model button[aria-pressed=true]{border-color:var(--fovea-ink)}
.model button:focus-visible{outline:2px solid var(--link);outline-offset:1px}
.legend{display:flex;flex-direction:column;gap:.25rem;margin:0;padding:2px;list-style:none;
max-height:min(72vh,46rem);overflow-y:auto}
.legend button{display:flex;width:100%;align-items:center;gap:.55rem;text-align:left}
.legend i{flex:none;width:.95rem;height:.95rem;border-radius:3px}
.legend span{flex:1;overflow-wrap:anywhere}
.legend small{color:var(--fovea-muted);font-variant-numeric:tabular-nums}
.hint{font-size:.88rem;color:var(--fovea-muted)}
@media (max-width:52rem){.model{grid-template-columns:1fr}.view{height:min(64vh,30rem)}
.legend{flex-direction:row;flex-wrap:wrap;max-height:none}.legend button{width:auto}}
@media print{.tools,.levels,.hint,.caption,.stage canvas{display:none}.stage.drawn img{visibility:visible}}
)";

const char* const kModelScript = R"(
(() => {
  'use strict';
  const one = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)];
  const bytes = id => Uint8Array.from(atob(one('#' + id).textContent), c => c.charCodeAt(0)).buffer;
  const place = new Int16Array(bytes('places')), corner = new Uint32Array(bytes('corners'));
  const part = new Uint16Array(bytes('labels')), label = part.slice(), seam = new Uint32Array(bytes('seams'));
  const colors = JSON.parse(one('#colors').textContent), levels = JSON.parse(one('#levels').textContent);
  let level = levels.length - 1;
  const vertices = place.length / 3, faces = label.length, unit = 1 / 32767;
  const stage = one('.stage'), caption = one('.caption'), buttons = all('.legend button');
  const dark = matchMedia('(prefers-color-scheme: dark)');

  // The normal of each corner: the mean over faces around its vertex that differ by less than 45 degrees.
  const normal = (() => {
    const flat = new Float32Array(3 * faces), size = new Float32Array(faces), first = new Uint32Array(vertices + 1);
    for (let f = 0; f < faces; ++f) {
      const [a, b, c] = [3 * corner[3 * f], 3 * corner[3 * f + 1], 3 * corner[3 * f + 2]];
      const ux = place[b] - place[a], uy = place[b + 1] - place[a + 1], uz = place[b + 2] - place[a + 2];
      const vx = place[c] - place[a], vy = place[c + 1] - place[a + 1], vz = place[c + 2] - place[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx, l = Math.hypot(x, y, z) || 1;
      flat[3 * f] = x / l; flat[3 * f + 1] = y / l; flat[3 * f + 2] = z / l; size[f] = l;
      for (let i = 0; i < 3; ++i) ++first[corner[3 * f + i] + 1];
    }
    for (let v = 0; v < vertices; ++v) first[v + 1] += first[v];
    const around = new Uint32Array(3 * faces), next = first.slice();
    for (let k = 0; k < 3 * faces; ++k) around[next[corner[k]]++] = k / 3 | 0;
    const result = new Float32Array(9 * faces);
    for (let k = 0; k < 3 * faces; ++k) {
      const f = 3 * (k / 3 | 0), n = [0, 0, 0];
      for (let i = first[corner[k]]; i < first[corner[k] + 1]; ++i) {
        const g = 3 * around[i];
        if (flat[f] * flat[g] + flat[f + 1] * flat[g + 1] + flat[f + 2] * flat[g + 2] > 0.7)
          for (let j = 0; j < 3; ++j) n[j] += size[around[i]] * flat[g + j];
      }
      const l = Math.hypot(...n) || 1;
      for (let j = 0; j < 3; ++j) result[3 * k + j] = n[j] / l;
    }
    return result;
  })();

  const start = {azimuth: 0.52, elevation: 0.35, zoom: 0.94};
  const eye = {...start};
  let pinned = -1, hovered = -1, turning = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  const shown = () => hovered >= 0 ? hovered : pinned;
  const faded = () => dark.matches ? [96, 104, 118] : [216, 219, 225];
  const light = [-0.268, 0.357, 0.894];
  // Rows: right, up, toward the viewer.
  const rows = () => {
    const [a, b, c, d] = [Math.cos(eye.azimuth), Math.sin(eye.azimuth), Math.cos(eye.elevation), Math.sin(eye.elevation)];
    return [a, 0, -b, -b * d, c, -a * d, b * c, d, a * c];
  };

  const withWebGL = canvas => {
    const gl = canvas.getContext('webgl', {antialias: true});
    if (!gl) return null;
    const program = (vertex, fragment) => {
      const made = gl.createProgram();
      [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]].forEach(([kind, text]) => {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(made, shader);
      });
      gl.linkProgram(made);
      return gl.getProgramParameter(made, gl.LINK_STATUS) ? made : null;
    };
    const solid = program(`attribute vec3 place, normal; attribute vec4 tint; uniform mat3 turn; uniform vec2 scale;
      uniform vec3 light; varying vec3 shade;
      void main() { vec3 p = turn * place, n = turn * normal; float l = abs(dot(n, light));
        float gloss = pow(abs(normalize(light + vec3(0, 0, 1)).z * n.z), 48.0) * 0.08;
        shade = tint.rgb * (0.34 + 0.66 * l) + gloss; gl_Position = vec4(p.xy * scale, -p.z * 0.5, 1); }`,
      'precision mediump float; varying vec3 shade; void main() { gl_FragColor = vec4(shade, 1); }');
    const line = program(`attribute vec3 place; uniform mat3 turn; uniform vec2 scale;
      void main() { vec3 p = turn * place; gl_Position = vec4(p.xy * scale, -p.z * 0.5 - 0.002, 1); }`,
      'precision mediump float; void main() { gl_FragColor = vec4(0, 0, 0, 0.6); }');
    if (!solid || !line) return null;
    const buffer = data => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW); return b; };
    const use = (made, name, b, size, type, scaled, stride) => { const at = gl.getAttribLocation(made, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, type, scaled, stride, 0); };
    const gather = list => { const out = new Int16Array(4 * list.length);
      for (let k = 0; k < list.length; ++k) for (let i = 0; i < 3; ++i) out[4 * k + i] = place[3 * list[k] + i];
      return out; };
    const places = buffer(gather(corner)), ends = buffer(gather(seam)), normals = buffer(normal);
    const tint = new Uint8Array(12 * faces), tints = gl.createBuffer();
    let painted = null;
    const paint = () => {
      const now = shown() + '/' + dark.matches + '/' + level;
      if (now === painted) return;
      painted = now;
      for (let f = 0; f < faces; ++f) {
        const c = shown() < 0 || shown() === label[f] ? colors[label[f]] : faded();
        for (let i = 0; i < 3; ++i) tint.set(c, 12 * f + 4 * i);
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, tints); gl.bufferData(gl.ARRAY_BUFFER, tint, gl.DYNAMIC_DRAW);
    };
    const transpose = m => [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
    return {canvas, density: () => Math.min(devicePixelRatio, 2), draw: (w, h) => {
      if (gl.isContextLost()) return take();
      paint();
      gl.viewport(0, 0, w, h); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      const set = made => { const side = eye.zoom * Math.min(w, h); gl.useProgram(made);
        gl.uniformMatrix3fv(gl.getUniformLocation(made, 'turn'), false, transpose(rows()));
        gl.uniform2f(gl.getUniformLocation(made, 'scale'), side / w, side / h); };
      set(solid); gl.uniform3fv(gl.getUniformLocation(solid, 'light'), light);
      use(solid, 'place', places, 3, gl.SHORT, true, 8); use(solid, 'normal', normals, 3, gl.FLOAT, false, 0);
      use(solid, 'tint', tints, 4, gl.UNSIGNED_BYTE, true, 0);
      gl.drawArrays(gl.TRIANGLES, 0, 3 * faces);
      for (let i = 0; i < 3; ++i) gl.disableVertexAttribArray(i);
      set(line); use(line, 'place', ends, 3, gl.SHORT, true, 8);
      gl.drawArrays(gl.LINES, 0, levels[level].seams);
    }};
  };

  // Vertices on a screen of w x h: x, y down, z toward the viewer.
  const project = (w, h) => {
    const m = rows(), s = eye.zoom * Math.min(w, h) / 2 * unit, at = new Float32Array(3 * vertices);
    for (let v = 0, i = 0; v < vertices; ++v, i += 3) {
      const x = place[i], y = place[i + 1], z = place[i + 2];
      at[i] = w / 2 + s * (m[0] * x + m[1] * y + m[2] * z);
      at[i + 1] = h / 2 - s * (m[3] * x + m[4] * y + m[5] * z);
      at[i + 2] = unit * (m[6] * x + m[7] * y + m[8] * z);
    }
    return at;
  };
  const onProcessor = canvas => {
    const pen = canvas.getContext('2d');
    let picture = null, depth = null, seen = null;
    return {canvas, density: () => turning || held.size ? 1 : 2, draw: (w, h) => {
      if (!picture || picture.width !== w || picture.height !== h) {
        picture = pen.createImageData(w, h); depth = new Float32Array(w * h); seen = new Int32Array(w * h); }
      depth.fill(-Infinity); seen.fill(-1); picture.data.fill(0);
      const at = project(w, h), m = rows(), alone = shown(), gray = faded(), out = picture.data;
      const lit = k => { const n = 3 * k, d = r => m[r] * normal[n] + m[r + 1] * normal[n + 1] + m[r + 2] * normal[n + 2];
        return 0.34 + 0.66 * Math.abs(light[0] * d(0) + light[1] * d(3) + light[2] * d(6)); };
      for (let f = 0; f < faces; ++f) {
        const a = 3 * corner[3 * f], b = 3 * corner[3 * f + 1], c = 3 * corner[3 * f + 2];
        const ax = at[a], ay = at[a + 1], bx = at[b], by = at[b + 1], cx = at[c], cy = at[c + 1];
        const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
        if (!area) continue;
        const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(w - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
        const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(h - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
        if (left > right || top > bottom) continue;
        const color = alone < 0 || alone === label[f] ? colors[label[f]] : gray;
        const la = lit(3 * f), lb = lit(3 * f + 1), lc = lit(3 * f + 2);
        for (let y = top; y <= bottom; ++y) for (let x = left; x <= right; ++x) {
          const px = x + 0.5, py = y + 0.5;
          const u = ((bx - px) * (cy - py) - (cx - px) * (by - py)) / area;
          const v = ((cx - px) * (ay - py) - (ax - px) * (cy - py)) / area, t = 1 - u - v;
          if (u < 0 || v < 0 || t < 0) continue;
          const z = u * at[a + 2] + v * at[b + 2] + t * at[c + 2], i = y * w + x;
          if (z <= depth[i]) continue;
          depth[i] = z; seen[i] = label[f];
          const l = u * la + v * lb + t * lc;
          out[4 * i] = l * color[0]; out[4 * i + 1] = l * color[1]; out[4 * i + 2] = l * color[2]; out[4 * i + 3] = 255;
        }
      }
      for (let i = 0; i + w < w * h; ++i) {
        const here = seen[i], beside = seen[i + 1], below = seen[i + w];
        if (here >= 0 && ((beside >= 0 && beside !== here) || (below >= 0 && below !== here)))
          for (let j = 0; j < 3; ++j) out[4 * i + j] *= 0.4;
      }
      pen.putImageData(picture, 0, 0);
    }};
  };

  const held = new Map();
  let drawer = null, asked = false, settle = 0;
  const draw = () => {
    const d = drawer.density(), canvas = drawer.canvas;
    const w = Math.max(1, canvas.clientWidth * d | 0), h = Math.max(1, canvas.clientHeight * d | 0);
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    drawer.draw(w, h);
    stage.classList.add('drawn');
  };
  let before = 0;
  const frame = now => {
    asked = false;
    if (turning) { eye.azimuth += Math.min(50, now - before || 16) * 0.00035; ask(); }
    before = now;
    draw();
  };
  const ask = () => { if (!asked) { asked = true; requestAnimationFrame(frame); } };
  const begin = make => {
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    const made = make(canvas);
    if (!made) return false;
    if (drawer) drawer.canvas.remove();
    stage.append(canvas); drawer = made; ask();
    return true;
  };
  // There is no way back: what fails once on a machine fails again.
  const take = () => { begin(onProcessor); one('.without').hidden = false; };
  if (location.hash === '#processor' || !begin(withWebGL)) take();
  else drawer.canvas.addEventListener('webglcontextlost', take);

  const stop = on => { turning = on; one('.turning').textContent = on ? 'Stop' : 'Turn'; ask(); };
  const turn = (x, y) => { eye.azimuth -= x; eye.elevation = Math.max(-1.57, Math.min(1.57, eye.elevation + y)); ask(); };
  const enlarge = by => { eye.zoom = Math.max(0.3, Math.min(15, eye.zoom * by)); ask(); };
  const reset = () => { Object.assign(eye, start); pin(-1); stop(false); };
  const pin = i => { pinned = i; buttons.forEach((b, j) => b.setAttribute('aria-pressed', j === i)); name_part(i); ask(); };
  const hover = i => { if (hovered !== i) { hovered = i; name_part(shown()); ask(); } };
  const name_part = i => {
    caption.textContent = i < 0 ? '' : [...buttons[i].querySelectorAll('span,small')].map(x => x.textContent).join(', ') + ' of the area';
    buttons.forEach((b, j) => b.classList.toggle('near', j === i));
  };
  const under = e => {
    const box = stage.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    const at = project(box.width, box.height);
    let best = -1, nearest = -Infinity;
    for (let f = 0; f < faces; ++f) {
      const a = 3 * corner[3 * f], b = 3 * corner[3 * f + 1], c = 3 * corner[3 * f + 2];
      const u = (at[b] - x) * (at[c + 1] - y) - (at[c] - x) * (at[b + 1] - y);
      const v = (at[c] - x) * (at[a + 1] - y) - (at[a] - x) * (at[c + 1] - y);
      const t = (at[a] - x) * (at[b + 1] - y) - (at[b] - x) * (at[a + 1] - y);
      if (!((u >= 0 && v >= 0 && t >= 0) || (u <= 0 && v <= 0 && t <= 0)) || !(u + v + t)) continue;
      const z = (u * at[a + 2] + v * at[b + 2] + t * at[c + 2]) / (u + v + t);
      if (z > nearest) { nearest = z; best = label[f]; }
    }
    return best;
  };

  // Parts that belong together at a level have the label, color and name of the first of them.
  const open = to => {
    level = to;
    const map = levels[to].shown, areas = levels[to].areas;
    for (let f = 0; f < faces; ++f) label[f] = map[part[f]];
    buttons.forEach((b, i) => { b.parentElement.hidden = map[i] !== i; b.querySelector('small').textContent = areas[i].toFixed(1) + ' %'; });
    const count = new Set(map).size;
    one('.levels output').textContent = to + ' of ' + (levels.length - 1) + ', ' + count + (count === 1 ? ' part' : ' parts');
    hovered = -1; pin(-1);
  };
  if (levels.length > 1) {
    const slider = one('.levels input'); slider.value = level;
    slider.addEventListener('input', () => open(+slider.value));
    one('.levels').hidden = false;
    open(level);
  }

  let moved = 0, looked = 0;
  stage.addEventListener('pointerdown', e => {
    stop(false); stage.focus({preventScroll: true}); stage.setPointerCapture(e.pointerId);
    held.set(e.pointerId, [e.clientX, e.clientY]); if (held.size === 1) moved = 0; });
  const let_go = e => {
    const was = held.delete(e.pointerId);
    if (was && !held.size && moved < 5 && e.type === 'pointerup') { const i = under(e); pin(i === pinned ? -1 : i); }
    clearTimeout(settle); settle = setTimeout(ask, 120); };
  ['pointerup', 'pointercancel'].forEach(kind => stage.addEventListener(kind, let_go));
  stage.addEventListener('pointermove', e => {
    const from = held.get(e.pointerId);
    if (!from) {
      if (e.pointerType === 'mouse' && !turning && !looked)
        looked = requestAnimationFrame(() => { looked = 0; const i = under(e); name_part(i < 0 ? pinned : i); });
      return;
    }
    const x = e.clientX - from[0], y = e.clientY - from[1];
    moved += Math.abs(x) + Math.abs(y);
    if (held.size === 1) turn(x * 0.01, y * 0.01);
    else {
      const other = [...held].find(([id]) => id !== e.pointerId)[1];
      const far = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      enlarge(far([e.clientX, e.clientY]) / far(from));
    }
    held.set(e.pointerId, [e.clientX, e.clientY]);
  });
  stage.addEventListener('pointerleave', () => name_part(pinned));
  stage.addEventListener('wheel', e => { e.preventDefault();
    enlarge(Math.exp(-e.deltaY * (e.deltaMode ? 0.03 : 0.0012))); }, {passive: false});
  stage.addEventListener('dblclick', reset);
  stage.addEventListener('keydown', e => {
    const by = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]}[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (by) { stop(false); turn(...by); }
    else if (e.key === '+' || e.key === '=') enlarge(1.1);
    else if (e.key === '-') enlarge(1 / 1.1);
    else if (e.key === ' ') stop(!turning);
    else if (e.key === '0' || e.key === 'Home') reset();
    else if (e.key === 'Escape') pin(-1);
    else return;
    e.preventDefault(); });
  buttons.forEach((button, i) => {
    button.addEventListener('click', () => pin(pinned === i ? -1 : i));
    ['mouseenter', 'focus'].forEach(kind => button.addEventListener(kind, () => hover(i)));
    ['mouseleave', 'blur'].forEach(kind => button.addEventListener(kind, () => hover(-1)));
  });
  one('.turning').addEventListener('click', () => stop(!turning));
  one('.reset').addEventListener('click', reset);
  one('.tools').hidden = false;
  stop(turning);
  dark.addEventListener('change', ask);
  new ResizeObserver(ask).observe(stage);
})();
)";

}  // namespace fovea::mesh
