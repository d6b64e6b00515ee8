import assert from 'node:assert/strict';
import test from 'node:test';
import {axisOf, figureText, isMistake, linearTicks, listed, logTicks, nearest, pathOf, pointOf} from '../../../src/view/page/curve.js';

test('linear axes begin and end at round numbers', () => {
  assert.deepEqual(linearTicks(0, 1).map((tick) => Number(tick.toFixed(6))), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  const axis = axisOf([0.1, 0.9, NaN, null], {log: false}, 10, 100);
  assert.equal(axis.place(0), 10);
  assert.equal(axis.place(1), 110);
  assert.deepEqual(axis.ticks.map(({text}) => text), ['0', '0.2', '0.4', '0.6', '0.8', '1']);
});

test('logarithmic axes put what is not positive at their low end', () => {
  const axis = axisOf([0, 0.01, 1], {log: true}, 0, 100);
  assert.equal(axis.place(0.01), 0);
  assert.equal(axis.place(0), 0);
  assert.ok(Math.abs(axis.place(0.1) - 50) < 1e-9);
  assert.deepEqual(logTicks(0.01, 1), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
  assert.deepEqual(logTicks(0.001, 10), [0.001, 0.01, 0.1, 1, 10]);
});

test('axes of one value, or of none, can be drawn', () => {
  for (const log of [false, true])
    for (const values of [[], [3]])
      for (const {at} of axisOf(values, {log}, 0, 100).ticks) assert.ok(Number.isFinite(at));
});

const points = [[2, 0, 100], [1, 0.5, 50], [0, 1, 0]];
const x = axisOf([0, 1], {log: false}, 0, 100), y = axisOf([0, 100], {log: false}, 100, -100);

test('a click takes the nearest point, and a threshold its own', () => {
  assert.equal(nearest(points, x, y, {x: 45, y: 60}), 1);
  assert.equal(nearest(points, x, y, {x: 99, y: 99}), 2);
  assert.equal(pointOf(points, 1.1), 1);
  assert.equal(pointOf(points, -7), 2);
});

test('what cannot be drawn leaves the curve', () => {
  assert.equal(pathOf([[0, 0, 100], [1, null, 5], [2, 1, 0]], x, y), 'M0.0 0.0L100.0 100.0');
});

test('figures carry their unit', () => {
  assert.equal(figureText('miss rate (%)', 5.1282), 'miss rate 5.13 %');
  assert.equal(figureText('score', 11.5), 'score 11.5');
  assert.equal(figureText('oracle (px)', null), 'oracle not known');
});

test('a threshold decides what is a mistake', () => {
  assert.ok(isMistake({up_to: 0.5}, 0.5));       // a false positive of score 0.5
  assert.ok(!isMistake({up_to: 0.5}, 0.6));
  assert.ok(!isMistake({above: 0.5}, 0.5));      // a person who is found with a score of 0.5
  assert.ok(isMistake({above: 0.5}, 0.6));
  assert.ok(isMistake({}, 0.6) && isMistake({above: 0.5}, null));
});

test('mistakes are listed by kind, of one model and one cell', () => {
  const mistakes = [{kind: 'a', curve: 0, truth: 0, predicted: 1}, {kind: 'b', curve: 0, truth: 1, predicted: 0}, {kind: 'a', curve: 1},
    {kind: 'a', curve: 0, above: 3}];
  const all = listed(mistakes, {curve: 0, threshold: 1, cell: null});
  assert.deepEqual(all.map(({kind, mistakes: some}) => [kind, some.map(({number}) => number)]), [['a', [0]], ['b', [1]]]);
  assert.deepEqual(listed(mistakes, {curve: 0, threshold: null, cell: {truth: 1, predicted: 0}}).map(({kind}) => kind), ['b']);
});
