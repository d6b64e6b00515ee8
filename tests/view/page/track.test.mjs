// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {Track} from '../../../src/view/page/track.js';

const seen = (x) => ({summary: `at ${x}`, marks: [{box: [x, 0, 5, 5]}]});

test('frames that have played keep where the target was', () => {
  const track = new Track(), film = {}, other = {};
  for (const frame of [3, 4, 6]) track.add(film, frame, seen(frame));
  assert.deepEqual(track.at(film, 4).marks, [{box: [4, 0, 5, 5]}]);
  assert.equal(track.at(film, 6).summary, 'at 6');
  assert.deepEqual(track.at(film, 6).layers, []);
  for (const frame of [0, 5, 7]) assert.equal(track.at(film, frame), null);
  assert.equal(track.at(other, 4), null);
});

test('playing on from the middle of a track replaces the rest of it', () => {
  const track = new Track(), film = {};
  for (const frame of [3, 4, 5, 6]) track.add(film, frame, seen(frame));
  track.add(film, 5, seen(50));
  assert.equal(track.at(film, 4).summary, 'at 4');
  assert.equal(track.at(film, 5).summary, 'at 50');
  assert.equal(track.at(film, 6), null);
});

test('another target and another input begin a new track', () => {
  const track = new Track(), film = {}, other = {};
  track.add(film, 3, seen(3));
  track.clear();
  assert.equal(track.at(film, 3), null);
  track.add(film, 3, seen(3));
  track.add(other, 9, seen(9));
  assert.equal(track.at(film, 3), null);
  track.add(other, 10, {summary: '', marks: []});
  assert.equal(track.at(other, 10), null);
});
