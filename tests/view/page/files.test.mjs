// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {groupFiles} from '../../../src/view/page/files.js';

const groups = (...names) => groupFiles(names.map((name) => ({name}))).map(({files, missing}) => missing ?? files.map(({name}) => name));

test('a header goes with its samples', () => {
  assert.deepEqual(groups('a.jpg', 'scene.img', 'scene.hdr'), [['scene.hdr', 'scene.img'], ['a.jpg']]);
  assert.deepEqual(groups('scene.img.hdr', 'scene.img'), [['scene.img.hdr', 'scene.img']]);
  assert.deepEqual(groups('SCENE.HDR', 'scene.dat'), [['SCENE.HDR', 'scene.dat']]);
  assert.deepEqual(groups('scene', 'scene.hdr'), [['scene.hdr', 'scene']]);
});

test('an image beside a header is no samples', () => {
  const [first, second] = groups('scene.hdr', 'scene.jpg');
  assert.match(first, /scene\.hdr is the header of a cube; add/);
  assert.deepEqual(second, ['scene.jpg']);
});

test('samples alone are told to need a header', () => {
  assert.match(groups('scene.bsq')[0], /add its header, scene\.hdr, together/);
});

test('other files go one by one', () => {
  assert.deepEqual(groups('a.png', 'b.mp4', 'c.mat'), [['a.png'], ['b.mp4'], ['c.mat']]);
});
