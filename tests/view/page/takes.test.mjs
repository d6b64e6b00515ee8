// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {takes, whyOff} from '../../../src/view/page/takes.js';

const people = {title: 'People', takes: 'image', streams: true}, tracking = {title: 'Tracking', takes: 'video', streams: true};
const parts = {title: 'Mesh parts', takes: 'mesh', streams: false};
const photo = {name: 'photos/street.jpg', kind: 'image'}, film = {name: 'walk.mp4', kind: 'video'}, camera = {name: 'camera:0', kind: 'live'};

test('images stand for videos, and what streams works on live inputs', () => {
  assert.deepEqual([people, tracking, parts].map((system) => takes(system, film)), [true, true, false]);
  assert.deepEqual([people, tracking, parts].map((system) => takes(system, photo)), [true, false, false]);
  assert.deepEqual([people, tracking, parts].map((system) => takes(system, camera)), [true, true, false]);
});

test('a system that is off says what it works on and what the input is', () => {
  assert.equal(whyOff(tracking, photo), 'street.jpg is an image; "Tracking" is for videos and live inputs.');
  assert.equal(whyOff(parts, camera), 'camera:0 is live; "Mesh parts" is for meshes.');
  assert.equal(whyOff(people, {name: 'ant.off', kind: 'mesh'}), 'ant.off is a mesh; "People" is for images, videos and live inputs.');
  assert.equal(whyOff(people, film), '');
  assert.equal(whyOff(people, null), '');
});

test('a frame of a film can be followed, as the film', () => {
  const track = {title: 'Tracking', takes: 'video', streams: true}, frame = {kind: 'image', name: 'walk/1.png'};
  assert.match(whyOff(track, frame), /is an image/);
  assert.equal(whyOff(track, {...frame, film: {input: {kind: 'video'}, frame: 0}}), '');
});
