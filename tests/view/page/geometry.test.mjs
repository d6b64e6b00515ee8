// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {boxFrom, boxOf, fit, freePlace, held, levelFor, levelSize, toPicture, toScreen, visibleTiles, zoomed} from '../../../src/view/page/geometry.js';

const screen = {width: 800, height: 600};
const picture = {width: 1600, height: 600, levels: 4};

test('a fitted picture fills the screen and stands in its middle', () => {
  const camera = fit(picture, screen);
  assert.equal(camera.scale, 0.5);
  assert.deepEqual(toScreen(camera, screen, {x: 0, y: 0}), {x: 0, y: 150});
  assert.deepEqual(toScreen(camera, screen, {x: 1600, y: 600}), {x: 800, y: 450});
});

test('screen and picture are inverse to each other', () => {
  const camera = {x: 123, y: 45, scale: 3.25};
  const there = toPicture(camera, screen, toScreen(camera, screen, {x: 77.5, y: 901}));
  assert.ok(Math.abs(there.x - 77.5) < 1e-9 && Math.abs(there.y - 901) < 1e-9);
});

test('zooming keeps the point under the pointer', () => {
  const camera = fit(picture, screen), about = {x: 200, y: 320};
  const before = toPicture(camera, screen, about);
  const after = toPicture(zoomed(camera, screen, 4, about), screen, about);
  assert.ok(Math.abs(before.x - after.x) < 1e-9 && Math.abs(before.y - after.y) < 1e-9);
  assert.equal(zoomed(camera, screen, 1e9, about).scale, 64);
  assert.equal(zoomed(camera, screen, 0, about).scale, 0.005);
});

test('the middle of the screen stays within the picture', () => {
  assert.deepEqual(held({x: -5, y: 700, scale: 1}, picture), {x: 0, y: 600, scale: 1});
});

test('levels have at least the pixels of the screen', () => {
  assert.equal(levelFor(4, 4), 0);
  assert.equal(levelFor(1, 4), 0);
  assert.equal(levelFor(0.51, 4), 0);
  assert.equal(levelFor(0.5, 4), 1);
  assert.equal(levelFor(0.001, 4), 3);
  assert.deepEqual(levelSize({width: 601, height: 33}, 2), {width: 151, height: 9});
});

test('tiles cover the screen, and nothing beyond the picture', () => {
  const camera = fit(picture, screen);
  const tiles = visibleTiles(camera, screen, picture, 1);
  assert.equal(tiles.length, 4 * 2);
  const area = tiles.reduce((sum, tile) => sum + tile.width * tile.height, 0);
  assert.ok(Math.abs(area - 1600 * 600) < 1e-6);
  const near = visibleTiles({x: 10, y: 10, scale: 64}, screen, picture, 0);
  assert.deepEqual(near.map(({x, y}) => [x, y]), [[0, 0]]);
  assert.equal(visibleTiles({x: -1e6, y: 0, scale: 1}, screen, picture, 0).length, 0);
});

test('boxes have whole pixels within the picture', () => {
  assert.deepEqual(boxOf({x: 10.4, y: 20}, {x: 4.6, y: 30.2}, picture), [5, 20, 5, 10]);
  assert.deepEqual(boxOf({x: -50, y: -50}, {x: 9999, y: 9999}, picture), [0, 0, 1600, 600]);
  assert.equal(boxOf({x: 3, y: 3}, {x: 3.2, y: 90}, picture), null);
});

test('a box that was typed must lie within the picture', () => {
  assert.deepEqual(boxFrom([10, 20, 30, 40], picture), {box: [10, 20, 30, 40]});
  assert.deepEqual(boxFrom([0, 0, 1600, 600], picture), {box: [0, 0, 1600, 600]});
  for (const numbers of [[1590, 0, 20, 20], [0, 590, 20, 20], [-1, 0, 5, 5], [0, 0, 0, 5], [0.5, 0, 5, 5], [NaN, 0, 5, 5]])
    assert.match(boxFrom(numbers, picture).wrong, /box/);
});

test('a label makes way for those that are there, and stays where there is no room', () => {
  const label = {x: 10, y: 100, width: 40}, free = (taken, step = -18) => freePlace(label, taken, step, 18, 600).y;
  assert.equal(free([]), 100);
  assert.equal(free([{x: 50, y: 100, width: 40}]), 100);
  assert.equal(free([{x: 30, y: 95, width: 40}]), 64);
  assert.equal(free([{x: 30, y: 100, width: 40}], 18), 118);
  assert.equal(free([100, 82, 64, 46, 28, 10, 118, 136, 154, 172, 190].map((y) => ({x: 0, y, width: 60}))), 100);
});

test('a label goes the other way before it leaves the screen', () => {
  const free = (y, taken, step, screenHeight = 600) => freePlace({x: 10, y, width: 40}, taken.map((each) => ({x: 0, y: each, width: 60})), step, 18, screenHeight).y;
  assert.equal(free(590, [590], 18), 572);
  assert.equal(free(590, [590, 572], 18), 554);
  assert.equal(free(20, [20], -18), 38);
  assert.equal(free(582, [582], 18), 600);
  assert.equal(free(20, [20], 18, 30), 20);
});
