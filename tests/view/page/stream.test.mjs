// Messages of a stream, its numbers, and the time line of events.
import assert from 'node:assert/strict';
import test from 'node:test';

import {rowsOfLastSeconds} from '../../../src/view/page/events.js';
import {Rate, unpack} from '../../../src/view/page/stream.js';

function packed(message, ...pictures) {
  const json = new TextEncoder().encode(JSON.stringify(message));
  const bytes = new Uint8Array(4 + json.length + pictures.reduce((sum, {length}) => sum + length, 0));
  new DataView(bytes.buffer).setUint32(0, json.length);
  bytes.set(json, 4);
  let at = 4 + json.length;
  for (const picture of pictures) {
    bytes.set(picture, at);
    at += picture.length;
  }
  return bytes.buffer;
}

test('a message comes apart into JSON and pictures', () => {
  const {message, pictures} = unpack(packed({state: 'frame', name: 'Straße', pictures: [2, 0, 3]}, [1, 2], [], [7, 8, 9]));
  assert.equal(message.name, 'Straße');
  assert.deepEqual(pictures.map((picture) => [...picture]), [[1, 2], [], [7, 8, 9]]);
  assert.deepEqual(unpack(packed({state: 'opening'})).pictures, []);
});

test('the rate is that of the last seconds', () => {
  const rate = new Rate(1000);
  rate.add(0);
  assert.equal(rate.perSecond, null);
  for (let time = 100; time <= 500; time += 100) rate.add(time);
  assert.equal(rate.perSecond, 10);
  for (let time = 700; time <= 3000; time += 200) rate.add(time);
  assert.ok(Math.abs(rate.perSecond - 5) < 0.01);
});

test('events stand on rows by their names, the newest at the right', () => {
  const rows = rowsOfLastSeconds([{name: 'walk', start: 0, end: 2, score: 1}, {name: 'wave', start: 85, end: 100, score: 0.5},
    {name: 'walk', start: 70, end: 80, score: 1}], 100, 30);
  assert.deepEqual(rows.map(({name}) => name), ['walk', 'wave']);
  assert.equal(rows[0].bars.length, 1, 'what is long past is not drawn');
  assert.ok(Math.abs(rows[0].bars[0].width - 1 / 3) < 1e-9);
  assert.deepEqual([rows[1].bars[0].left, rows[1].bars[0].left + rows[1].bars[0].width], [0.5, 1]);
});

test('an event that reaches back beyond the line begins at its left', () => {
  const [{bars}] = rowsOfLastSeconds([{name: 'run', start: 0, end: 95, score: 1}], 100, 10);
  assert.deepEqual(bars[0].left, 0);
  assert.equal(bars[0].width, 0.5);
});
