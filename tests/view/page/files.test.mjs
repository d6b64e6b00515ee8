// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {droppedFolders, groupFiles, refusalText} from '../../../src/view/page/files.js';

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

test('of a folder only what may be an input is sent', () => {
  const names = ['a.JPG', 'notes.txt', 'data.csv', 'Makefile', 'scene.hdr', 'scene.img'];
  const sent = groupFiles(names.map((name) => ({name})), ['jpg', 'hdr']).map(({files}) => files.map(({name}) => name));
  assert.deepEqual(sent, [['scene.hdr', 'scene.img'], ['a.JPG']]);
});

// What a browser gives of a folder that is dropped: at most two entries at a time, in any order.
const fileEntry = (name) => ({name, isFile: true, isDirectory: false, file: (resolve) => resolve({name})});
function folderEntry(fullPath, ...entries) {
  const createReader = () => {
    const rest = [...entries];
    return {readEntries: (resolve) => resolve(rest.splice(0, 2))};
  };
  return {name: fullPath.split('/').pop(), fullPath, isFile: false, isDirectory: true, createReader};
}

test('a folder that is dropped is opened, with the folders in it', async () => {
  const folder = folderEntry('/photos', fileEntry('c.png'), folderEntry('/photos/old', fileEntry('z.png')), fileEntry('a.png'), fileEntry('b.png'));
  const items = [{kind: 'string'}, {kind: 'file', webkitGetAsEntry: () => folder, getAsFile: () => null},
    {kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => ({name: 'alone.png'})}];
  assert.deepEqual(await droppedFolders(items), [{files: [{name: 'alone.png'}]},
    {folder: '/photos', files: [{name: 'a.png'}, {name: 'b.png'}, {name: 'c.png'}]}, {folder: '/photos/old', files: [{name: 'z.png'}]}]);
});

test('refused files are named, and many are counted', () => {
  assert.equal(refusalText(['a', 'b']), 'a\nb');
  assert.equal(refusalText(['a', 'b', 'c', 'd'], 2), 'a\nb\n2 more files are refused.');
  assert.equal(refusalText([]), '');
});
