// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {barOf, cursorOf, rowsWithoutOverlap} from '../../../src/view/page/timeline.js';

const span = (name, first, last) => ({name, first, last});

test('each name has a row, in the order of time', () => {
  const rows = rowsWithoutOverlap([span('walk', 40, 60), span('run', 0, 20), span('walk', 70, 80)]);
  assert.deepEqual(rows.map(({name, spans}) => [name, spans.length]), [['run', 1], ['walk', 2]]);
  assert.deepEqual(rowsWithoutOverlap([]), []);
});

test('spans that overlap get rows of their own', () => {
  const rows = rowsWithoutOverlap([span('wave', 0, 30), span('wave', 10, 20), span('wave', 31, 40), span('bend', 5, 9)]);
  assert.deepEqual(rows.map(({name, spans}) => [name, ...spans.map(({first}) => first)]), [['wave', 0, 31], ['wave', 10], ['bend', 5]]);
});

test('bars lie where their frames are and can always be seen', () => {
  assert.deepEqual(barOf(span('a', 25, 49), 100), {left: 25, width: 25});
  assert.equal(barOf(span('a', 0, 0), 100000).width, 0.5);
  assert.equal(barOf(span('a', 90, 120), 100).width, 10);
});

test('the cursor stays on the line', () => {
  assert.equal(cursorOf(0, 50), 1);
  assert.equal(cursorOf(5000, 50), 100);
});
