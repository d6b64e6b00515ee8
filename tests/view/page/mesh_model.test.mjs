// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {cornerNormals, faceAt, kStart, labelsAt, middleOf, onePart, project, readParts, readShape, seamsAround, zoomedEye}
  from '../../../src/mesh/show/page/mesh_model.js';

const screen = {width: 400, height: 200};
const front = {azimuth: 0, elevation: 0, zoom: 1, x: 0, y: 0};
const base64 = (array) => Buffer.from(array.buffer).toString('base64');
// A square of two faces that looks at the viewer, and a smaller one behind it.
const far = 20000, near = 10000;
const shape = readShape({
  places: base64(Int16Array.of(-far, -far, near, far, -far, near, far, far, near, -far, far, near,
    -near, -near, -near, near, -near, -near, near, near, -near, -near, near, -near)),
  corners: base64(Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7)),
});
const parts = readParts({
  labels: base64(Uint16Array.of(0, 1, 2, 2)), seams: base64(Uint32Array.of(0, 2)), sides: base64(Uint32Array.of(0, 1)),
  levels: [{seams: 0, shown: [0, 0, 2], areas: [80, 0, 20]}, {seams: 2, shown: [0, 1, 2], areas: [40, 40, 20]}],
  colors: [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
});

test('arrays are read from base64', () => {
  assert.equal(shape.places.length, 24);
  assert.deepEqual([...shape.corners.slice(3, 6)], [0, 2, 3]);
  assert.deepEqual([...parts.labels], [0, 1, 2, 2]);
});

test('the middle of the mesh is the middle of the screen, and up is up', () => {
  const at = project(shape, front, screen);
  assert.ok(at[0] < 200 && at[1] > 100, 'the first vertex is left and below');
  assert.ok(Math.abs(at[0] + at[3] - 400) < 1e-3);
});

test('the nearest face under a point is picked, from any side', () => {
  const at = project(shape, front, screen);
  assert.equal(faceAt(shape, at, {x: 220, y: 120}), 0);
  assert.equal(faceAt(shape, at, {x: 180, y: 80}), 1);
  assert.equal(faceAt(shape, at, {x: 10, y: 100}), -1);
  const behind = project(shape, {...front, azimuth: Math.PI}, screen);
  assert.ok(faceAt(shape, behind, {x: 205, y: 110}) >= 2);
});

test('a face is picked at its middle, wherever the eye is', () => {
  for (const eye of [front, kStart, {azimuth: 0.4, elevation: -0.3, zoom: 3, x: 0.5, y: -0.2}]) {
    const at = project(shape, eye, screen);
    assert.equal(faceAt(shape, at, middleOf(shape, at, 0)), 0);
  }
});

test('zooming keeps the point under the pointer', () => {
  const about = {x: 320, y: 40}, eye = {...kStart, x: 0.1};
  const before = project(shape, eye, screen), after = project(shape, zoomedEye(eye, 2, screen, about), screen);
  for (const [axis, key] of [[0, 'x'], [1, 'y']])
    assert.ok(Math.abs((after[axis] - about[key]) - 2 * (before[axis] - about[key])) < 1e-2);
  assert.equal(zoomedEye(eye, 1e9, screen, about).zoom, 15);
});

test('normals are smooth over a flat square and have the length 1', () => {
  const normals = cornerNormals(shape);
  for (let k = 0; k < 6; ++k) assert.deepEqual([...normals.slice(3 * k, 3 * k + 3)].map(Math.round), [0, 0, 1]);
});

test('a level joins parts, and has the seams between those that are left', () => {
  assert.deepEqual([...labelsAt(parts, 0)], [0, 0, 2, 2]);
  assert.equal(seamsAround(parts, labelsAt(parts, 0), 0, 0).length, 0);
  const labels = labelsAt(parts, 1);
  assert.deepEqual([...seamsAround(parts, labels, 1, 1)], [0, 2]);
  assert.equal(seamsAround(parts, labels, 1, 2).length, 0);
});

test('a mesh that was not divided is one part', () => {
  const whole = onePart(shape, [9, 9, 9]);
  assert.deepEqual([...labelsAt(whole, 0)], [0, 0, 0, 0]);
});
