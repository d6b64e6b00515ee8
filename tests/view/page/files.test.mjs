// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {chosenFolders, droppedFolders, groupFiles, refusalText} from '../../../src/view/page/files.js';

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
const fileEntry = (name, fails = null) => ({name, fullPath: `/photos/${name}`, isFile: true, isDirectory: false,
  file: (resolve, reject) => fails ? reject(new Error(fails)) : resolve({name})});
const itemOf = (entry) => ({kind: 'file', webkitGetAsEntry: () => entry, getAsFile: () => null});
function folderEntry(fullPath, ...entries) {
  const createReader = () => {
    const rest = [...entries];
    return {readEntries: (resolve) => resolve(rest.splice(0, 2))};
  };
  return {name: fullPath.split('/').pop(), fullPath, isFile: false, isDirectory: true, createReader};
}

test('a folder that is dropped is opened, with the folders in it', async () => {
  const folder = folderEntry('/photos', fileEntry('c.png'), folderEntry('/photos/old', fileEntry('z.png')), fileEntry('a.png'), fileEntry('b.png'));
  const items = [{kind: 'string'}, itemOf(folder),
    {kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => ({name: 'alone.png'})}];
  assert.deepEqual(await droppedFolders(items), [{files: [{name: 'alone.png'}]},
    {folder: '/photos', files: [{name: 'a.png'}, {name: 'b.png'}, {name: 'c.png'}], refused: []},
    {folder: '/photos/old', files: [{name: 'z.png'}], refused: []}]);
});

test('what cannot be read is named, and loses nothing else', async () => {
  const broken = {...folderEntry('/photos/broken'), createReader: () => ({readEntries: (resolve, reject) => reject(new Error('no entry'))})};
  const folder = folderEntry('/photos', fileEntry('a.png', 'no file'), broken, fileEntry('b.png'));
  const dropped = await droppedFolders([itemOf(folder)]);
  assert.deepEqual(dropped.flatMap(({files}) => files), [{name: 'b.png'}]);
  assert.deepEqual(dropped.flatMap(({refused}) => refused),
    ['photos/a.png cannot be read: no file', 'photos/broken cannot be read: no entry']);
});

test('files of a folder come in the order of their numbers, whether it is dropped or chosen, and without hidden ones', async () => {
  const folder = folderEntry('/photos', fileEntry('10.png'), fileEntry('.9.png'), folderEntry('/photos/.git', fileEntry('1.png')), fileEntry('2.png'));
  const [dropped, ...more] = await droppedFolders([itemOf(folder)]);
  assert.deepEqual(dropped.files.map(({name}) => name), ['2.png', '10.png']);
  assert.deepEqual(more, []);
  const paths = ['photos/10/10.png', 'photos/10/2.png', 'photos/2/a.png', 'photos/.git/1.png', 'photos/10/.9.png', 'photos/a/.b/c/1.png'];
  const chosen = chosenFolders(paths.map((path) => ({name: path.split('/').pop(), webkitRelativePath: path})));
  assert.deepEqual(chosen.flatMap(({files}) => files.map((file) => file.webkitRelativePath)), ['photos/2/a.png', 'photos/10/2.png', 'photos/10/10.png']);
  assert.equal(chosenFolders([{name: 'a.png', webkitRelativePath: '.thumbnails/a.png'}]).length, 1, 'a hidden folder may be chosen itself');
});

test('refused files are named, and many are counted', () => {
  assert.equal(refusalText(['a', 'b']), 'a\nb');
  assert.equal(refusalText(['a', 'b', 'c', 'd'], 2), 'a\nb\n2 more files are refused.');
  assert.equal(refusalText([]), '');
});
