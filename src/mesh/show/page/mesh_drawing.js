// Two ways to draw a mesh, with the same light and eye: WebGL, and a rasterizer with a depth buffer on a
// plain canvas, for where WebGL is missing or slow, fails or loses its context. Both draw a scene:
//   shape, normals, eye   see mesh_model.js
//   tints                 red, green and blue of each face
//   labels                part of each face; seams are dark lines between parts
//   seams, seamEnds       ends of all seams, and how many of them are drawn
//   strongSeams           ends of the seams that stand out
//   strongPart            the part around which they run; -1: none
//   version               changes whenever tints or seams do
//   moving                whether the next picture follows at once
import {faceCount, project, turnOf} from './mesh_model.js';

const kLight = [-0.268, 0.357, 0.894];
const kStrong = [1, 0.9, 0.1];
const kDots = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]];  // make a line three pixels wide

const kSolidVertex = `attribute vec3 place, normal; attribute vec4 tint; uniform mat3 turn; uniform vec2 scale, shift;
  uniform vec3 light; varying vec3 shade;
  void main() {
    vec3 p = turn * place, n = turn * normal;
    float gloss = pow(abs(normalize(light + vec3(0, 0, 1)).z * n.z), 48.0) * 0.08;
    shade = tint.rgb * (0.34 + 0.66 * abs(dot(n, light))) + gloss;
    gl_Position = vec4(p.xy * scale + shift, -p.z * 0.5, 1);
  }`;
const kSolidFragment = 'precision mediump float; varying vec3 shade; void main() { gl_FragColor = vec4(shade, 1); }';
// Lines lie a little nearer than the faces beside them.
const kLineVertex = `attribute vec3 place; uniform mat3 turn; uniform vec2 scale, shift;
  void main() { vec3 p = turn * place; gl_Position = vec4(p.xy * scale + shift, -p.z * 0.5 - 0.002, 1); }`;
const kLineFragment = 'precision mediump float; uniform vec4 ink; void main() { gl_FragColor = ink; }';

function programOf(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

function bufferOf(gl, data) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  return buffer;
}

// The places of vertices one after the other, each padded to four numbers. Cards cannot read three shorts: browsers
// would copy them into four again, and some of them (Chromium 156 with SwiftShader) do not survive that.
function gathered(places, vertices) {
  const out = new Int16Array(4 * vertices.length);
  for (let k = 0; k < vertices.length; ++k)
    for (let i = 0; i < 3; ++i) out[4 * k + i] = places[3 * vertices[k] + i];
  return out;
}

const columns = (m) => [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];

class WebGLDrawer {
  constructor(gl, solid, line, scene) {
    Object.assign(this, {gl, solid, line, scene, version: -1});
    this.places = bufferOf(gl, gathered(scene.shape.places, scene.shape.corners));
    this.normals = bufferOf(gl, scene.normals);
    this.tints = gl.createBuffer();
    this.tint = new Uint8Array(12 * faceCount(scene.shape));
  }

  get density() { return Math.min(devicePixelRatio, 2); }
  get lost() { return this.gl.isContextLost(); }

  draw(width, height) {
    const {gl, scene} = this;
    this.update();
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawFaces(width, height);
    this.drawLines(this.ends, scene.seamEnds, [0, 0, 0, 0.6], kDots.slice(0, 1), width, height);
    this.drawLines(this.strongEnds, scene.strongSeams.length, [...kStrong, 1], kDots, width, height);
  }

  // Gives what has changed to the graphics card.
  update() {
    const {gl, scene, tint} = this;
    if (this.version === scene.version) return;
    this.version = scene.version;
    for (let f = 0; f < faceCount(scene.shape); ++f)
      for (let i = 12 * f; i < 12 * f + 12; i += 4)
        for (let c = 0; c < 3; ++c) tint[i + c] = scene.tints[3 * f + c];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tints);
    gl.bufferData(gl.ARRAY_BUFFER, tint, gl.DYNAMIC_DRAW);
    for (const [name, ends] of [['ends', scene.seams], ['strongEnds', scene.strongSeams]]) {
      if (this[name]) gl.deleteBuffer(this[name]);
      this[name] = bufferOf(gl, gathered(scene.shape.places, ends));
    }
  }

  drawFaces(width, height) {
    const {gl, solid} = this;
    this.look(solid, [0, 0], width, height);
    gl.uniform3fv(gl.getUniformLocation(solid, 'light'), kLight);
    const used = [this.attribute(solid, 'place', this.places, 4, gl.SHORT, true),
      this.attribute(solid, 'normal', this.normals, 3, gl.FLOAT, false),
      this.attribute(solid, 'tint', this.tints, 4, gl.UNSIGNED_BYTE, true)];
    gl.drawArrays(gl.TRIANGLES, 0, this.scene.shape.corners.length);
    for (const at of used) gl.disableVertexAttribArray(at);
  }

  // Draws lines once per nudge, which is in pixels: WebGL's own lines have a width of one.
  drawLines(ends, count, ink, nudges, width, height) {
    const {gl, line} = this;
    if (count === 0) return;
    const at = this.attribute(line, 'place', ends, 4, gl.SHORT, true);
    for (const nudge of nudges) {
      this.look(line, nudge, width, height);
      gl.uniform4fv(gl.getUniformLocation(line, 'ink'), ink);
      gl.drawArrays(gl.LINES, 0, count);
    }
    gl.disableVertexAttribArray(at);
  }

  look(program, nudge, width, height) {
    const {gl, scene: {eye}} = this, side = Math.min(width, height);
    gl.useProgram(program);
    gl.uniformMatrix3fv(gl.getUniformLocation(program, 'turn'), false, columns(turnOf(eye)));
    gl.uniform2f(gl.getUniformLocation(program, 'scale'), eye.zoom * side / width, eye.zoom * side / height);
    gl.uniform2f(gl.getUniformLocation(program, 'shift'), (eye.x * side + 2 * nudge[0]) / width,
      (-eye.y * side + 2 * nudge[1]) / height);
  }

  attribute(program, name, buffer, size, type, scaled) {
    const {gl} = this, at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, type, scaled, 0, 0);
    return at;
  }

  // A page may have few contexts at a time.
  end() { this.gl.getExtension('WEBGL_lose_context')?.loseContext(); }
}

class ProcessorDrawer {
  constructor(pen, scene) {
    Object.assign(this, {pen, scene, picture: null});
  }

  // Twice the size at rest, so that edges are smooth.
  get density() { return this.scene.moving ? 1 : 2; }
  get lost() { return false; }
  end() {}

  draw(width, height) {
    if (this.picture?.width !== width || this.picture?.height !== height) {
      this.picture = this.pen.createImageData(width, height);
      this.pixels = new Uint32Array(this.picture.data.buffer);
      this.depth = new Float32Array(width * height);
      this.seen = new Int32Array(width * height);
    }
    this.depth.fill(-Infinity);
    this.seen.fill(-1);
    this.pixels.fill(0);
    const {shape, eye} = this.scene, at = project(shape, eye, {width, height}), m = columns(turnOf(eye));
    const light = [0, 3, 6].map((row) => m[row] * kLight[0] + m[row + 1] * kLight[1] + m[row + 2] * kLight[2]);
    for (let f = 0; f < faceCount(shape); ++f) this.drawFace(f, at, light, width, height);
    this.drawSeams(width, height);
    this.pen.putImageData(this.picture, 0, 0);
  }

  // How much light the corner k of all faces has; `light` is where it comes from, as the mesh stands.
  lit(k, light) {
    const n = this.scene.normals;
    return 0.34 + 0.66 * Math.abs(light[0] * n[3 * k] + light[1] * n[3 * k + 1] + light[2] * n[3 * k + 2]);
  }

  // Goes over the pixels in the box around a face. The shares u, v and 1 - u - v of its corners say whether a
  // pixel is inside, how near it is, and how bright; they change by the same amount from pixel to pixel.
  drawFace(f, at, light, width, height) {
    const {shape: {corners}, tints, labels} = this.scene, {depth, seen, pixels} = this;
    const a = 3 * corners[3 * f], b = 3 * corners[3 * f + 1], c = 3 * corners[3 * f + 2];
    const ax = at[a], ay = at[a + 1], bx = at[b], by = at[b + 1], cx = at[c], cy = at[c + 1];
    const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
    const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
    const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (left > right || top > bottom || area === 0) return;
    const la = this.lit(3 * f, light), lb = this.lit(3 * f + 1, light), lc = this.lit(3 * f + 2, light);
    const az = at[a + 2], bz = at[b + 2], cz = at[c + 2];
    const red = tints[3 * f], green = tints[3 * f + 1], blue = tints[3 * f + 2];
    const du = (by - cy) / area, dv = (cy - ay) / area, px = left + 0.5;
    for (let y = top; y <= bottom; ++y) {
      const py = y + 0.5;
      let u = ((bx - px) * (cy - py) - (cx - px) * (by - py)) / area;
      let v = ((cx - px) * (ay - py) - (ax - px) * (cy - py)) / area;
      for (let i = y * width + left; i <= y * width + right; ++i, u += du, v += dv) {
        const t = 1 - u - v;
        if (u < 0 || v < 0 || t < 0) continue;
        const z = u * az + v * bz + t * cz;
        if (z <= depth[i]) continue;
        depth[i] = z;
        seen[i] = labels[f];
        const bright = u * la + v * lb + t * lc;
        pixels[i] = 0xff000000 | bright * blue << 16 | bright * green << 8 | bright * red;
      }
    }
  }

  // A seam is where a pixel shows another part than the one beside or below it.
  drawSeams(width, height) {
    const {seen, picture: {data}} = this, {strongPart} = this.scene;
    for (let i = 0; i + width < width * height; ++i) {
      const here = seen[i], beside = seen[i + 1], below = seen[i + width];
      if (here < 0 || ((beside < 0 || beside === here) && (below < 0 || below === here))) continue;
      if (strongPart >= 0 && (here === strongPart || beside === strongPart || below === strongPart)) this.stamp(i, width);
      else for (let j = 0; j < 3; ++j) data[4 * i + j] *= 0.4;
    }
  }

  // A dot of a seam that stands out.
  stamp(i, width) {
    const {seen, picture: {data}} = this, reach = this.density;
    for (let y = -reach; y <= reach; ++y)
      for (let k = i + y * width - reach; k <= i + y * width + reach; ++k)
        if (seen[k] >= 0) for (let j = 0; j < 3; ++j) data[4 * k + j] = 255 * kStrong[j];
  }
}

// Whether the processor imitates a graphics card, which is slower than our own rasterizer.
function isImitated(gl) {
  const facts = gl.getExtension('WEBGL_debug_renderer_info');
  const name = gl.getParameter(facts ? facts.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

// Null where the canvas has no WebGL that is worth it.
export function webGLDrawer(canvas, scene) {
  const gl = canvas.getContext('webgl', {antialias: true, failIfMajorPerformanceCaveat: true});
  if (!gl || isImitated(gl)) return null;
  const solid = programOf(gl, kSolidVertex, kSolidFragment), line = programOf(gl, kLineVertex, kLineFragment);
  return solid && line ? new WebGLDrawer(gl, solid, line, scene) : null;
}

export function processorDrawer(canvas, scene) {
  return new ProcessorDrawer(canvas.getContext('2d'), scene);
}
