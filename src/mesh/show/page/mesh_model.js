// A mesh as pages draw it: its arrays, normals, projection, and the face under a point. Pure functions.
// A shape is {places, corners}: three coordinates per vertex, of which 32767 is the radius of the ball
// around the mesh, and three vertices per face. Its parts are {labels, seams, sides, levels, colors}, as
// mesh::parts_json() gives them. An eye is {azimuth, elevation, zoom, x, y}: where the mesh is seen from,
// and by how much its middle is moved, in halves of the shorter side of the screen.

export const kStart = {azimuth: 0.52, elevation: 0.35, zoom: 0.94, x: 0, y: 0};
const kUnit = 1 / 32767;

function bytesOf(base64) {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

export function readShape({places, corners}) {
  return {places: new Int16Array(bytesOf(places)), corners: new Uint32Array(bytesOf(corners))};
}

export function readParts({labels, seams, sides, ...rest}) {
  return {labels: new Uint16Array(bytesOf(labels)), seams: new Uint32Array(bytesOf(seams)),
          sides: new Uint32Array(bytesOf(sides)), ...rest};
}

// The parts of a mesh that was not divided yet.
export function onePart(shape, color) {
  return {labels: new Uint16Array(faceCount(shape)), seams: new Uint32Array(0), sides: new Uint32Array(0),
          levels: [{seams: 0, shown: [0], areas: [100]}], colors: [color]};
}

export const faceCount = ({corners}) => corners.length / 3;

// The label of each face at a level: parts that belong together there have that of the first of them.
export function labelsAt(parts, level) {
  const shown = parts.levels[level].shown;
  return parts.labels.map((label) => shown[label]);
}

// The ends of the seams around a part at a level.
export function seamsAround(parts, labels, level, part) {
  const ends = [];
  for (let i = 0; i < parts.levels[level].seams; i += 2)
    if (labels[parts.sides[i]] === part || labels[parts.sides[i + 1]] === part) ends.push(parts.seams[i], parts.seams[i + 1]);
  return Uint32Array.from(ends);
}

// Of each face its unit normal and twice its area.
function flatNormals({places, corners}) {
  const faces = corners.length / 3, normals = new Float32Array(3 * faces), sizes = new Float32Array(faces);
  for (let f = 0; f < faces; ++f) {
    const a = 3 * corners[3 * f], b = 3 * corners[3 * f + 1], c = 3 * corners[3 * f + 2];
    const ux = places[b] - places[a], uy = places[b + 1] - places[a + 1], uz = places[b + 2] - places[a + 2];
    const vx = places[c] - places[a], vy = places[c + 1] - places[a + 1], vz = places[c + 2] - places[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const size = Math.sqrt(x * x + y * y + z * z) || 1;
    normals[3 * f] = x / size;
    normals[3 * f + 1] = y / size;
    normals[3 * f + 2] = z / size;
    sizes[f] = size;
  }
  return {normals, sizes};
}

// The faces around each vertex: those of vertex v are faces[first[v]] up to faces[first[v + 1]].
function facesAround({places, corners}) {
  const vertices = places.length / 3, first = new Uint32Array(vertices + 1), faces = new Uint32Array(corners.length);
  for (const vertex of corners) ++first[vertex + 1];
  for (let v = 0; v < vertices; ++v) first[v + 1] += first[v];
  const next = first.slice();
  for (let k = 0; k < corners.length; ++k) faces[next[corners[k]]++] = Math.floor(k / 3);
  return {first, faces};
}

// The normal of each corner: the mean over faces around its vertex that differ by less than 45 degrees.
export function cornerNormals(shape) {
  const {normals: flat, sizes} = flatNormals(shape), {first, faces} = facesAround(shape);
  const {corners} = shape, result = new Float32Array(3 * corners.length);
  for (let k = 0; k < corners.length; ++k) {
    const f = 3 * Math.floor(k / 3);
    let x = 0, y = 0, z = 0;
    for (let i = first[corners[k]]; i < first[corners[k] + 1]; ++i) {
      const g = 3 * faces[i], size = sizes[faces[i]];
      if (flat[f] * flat[g] + flat[f + 1] * flat[g + 1] + flat[f + 2] * flat[g + 2] <= 0.7) continue;
      x += size * flat[g];
      y += size * flat[g + 1];
      z += size * flat[g + 2];
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    result[3 * k] = x / length;
    result[3 * k + 1] = y / length;
    result[3 * k + 2] = z / length;
  }
  return result;
}

// The rotation of an eye, by rows: right, up, toward the viewer.
export function turnOf({azimuth, elevation}) {
  const a = Math.cos(azimuth), b = Math.sin(azimuth), c = Math.cos(elevation), d = Math.sin(elevation);
  return [a, 0, -b, -b * d, c, -a * d, b * c, d, a * c];
}

// Vertices on a screen: x, y down, z toward the viewer, one after the other.
export function project({places}, eye, {width, height}) {
  const m = turnOf(eye), half = Math.min(width, height) / 2, scale = eye.zoom * half * kUnit;
  const middleX = width / 2 + eye.x * half, middleY = height / 2 + eye.y * half;
  const at = new Float32Array(places.length);
  for (let i = 0; i < places.length; i += 3) {
    const x = places[i], y = places[i + 1], z = places[i + 2];
    at[i] = middleX + scale * (m[0] * x + m[1] * y + m[2] * z);
    at[i + 1] = middleY - scale * (m[3] * x + m[4] * y + m[5] * z);
    at[i + 2] = kUnit * (m[6] * x + m[7] * y + m[8] * z);
  }
  return at;
}

// The nearest face under a point of the screen; -1 where there is none. `at` comes from project().
export function faceAt({corners}, at, {x, y}) {
  let best = -1, nearest = -Infinity;
  for (let f = 0; 3 * f < corners.length; ++f) {
    const a = 3 * corners[3 * f], b = 3 * corners[3 * f + 1], c = 3 * corners[3 * f + 2];
    const u = (at[b] - x) * (at[c + 1] - y) - (at[c] - x) * (at[b + 1] - y);
    const v = (at[c] - x) * (at[a + 1] - y) - (at[a] - x) * (at[c + 1] - y);
    const t = (at[a] - x) * (at[b + 1] - y) - (at[b] - x) * (at[a + 1] - y);
    const inside = (u >= 0 && v >= 0 && t >= 0) || (u <= 0 && v <= 0 && t <= 0);
    if (!inside || u + v + t === 0) continue;
    const z = (u * at[a + 2] + v * at[b + 2] + t * at[c + 2]) / (u + v + t);
    if (z <= nearest) continue;
    nearest = z;
    best = f;
  }
  return best;
}

// Where the middle of a face is on the screen. `at` comes from project().
export function middleOf({corners}, at, face) {
  const mean = (axis) => [0, 1, 2].reduce((sum, i) => sum + at[3 * corners[3 * face + i] + axis] / 3, 0);
  return {x: mean(0), y: mean(1)};
}

// The eye after it comes nearer by a factor, while a point of the screen stays where it is.
export function zoomedEye(eye, factor, {width, height}, about) {
  const zoom = Math.max(0.3, Math.min(15, eye.zoom * factor)), half = Math.min(width, height) / 2;
  const x = (about.x - width / 2) / half, y = (about.y - height / 2) / half, by = zoom / eye.zoom;
  return {...eye, zoom, x: x - (x - eye.x) * by, y: y - (y - eye.y) * by};
}
