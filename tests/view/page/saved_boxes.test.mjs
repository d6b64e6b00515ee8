import assert from 'node:assert/strict';
import test from 'node:test';
import {countText, FoundColors, groupsOf, isShown, marksOf, missingText, numbered, spansOf, stepOf} from '../../../src/view/page/saved_boxes.js';

const boxes = [{box: [1, 2, 3, 4], label: '', score: 0.25, truth: false}, {box: [5, 6, 7, 8], label: '7', score: 1, truth: false, group: 'hog'},
  {box: [1, 1, 1, 1], label: '', truth: true}];

test('a threshold keeps truth and what scores enough', () => {
  const file = {name: 'all.json', shown: true, threshold: 0.5, group: null}, colors = new FoundColors();
  assert.deepEqual(marksOf(boxes, file, colors).map(({label}) => label), ['7 1.00', '']);
  assert.deepEqual(marksOf(boxes, {...file, threshold: 0}, colors).map(({label}) => label), ['0.25', '7 1.00', '']);
  assert.deepEqual(marksOf(boxes, {...file, shown: false}, colors), []);
  assert.equal(countText(boxes, file), '1 of 2 boxes are shown. 1 true box is green and dashed.');
});

test('confidence stands behind the score', () => {
  const file = {name: 'all.json', shown: true, threshold: null, group: null};
  const [sure] = marksOf([{...boxes[1], confidence: 0.934}], file, new FoundColors());
  assert.equal(sure.label, '7 1.00 (93 %)');
});

test('boxes of two models, or of two files, differ in color and name', () => {
  const colors = new FoundColors(), names = ['both.json', 'other.json', 'other.json'];
  const files = numbered(names.map((name) => ({name, shown: true, threshold: null, group: null})));
  const two = [{box: [0, 0, 1, 1], label: '', score: 1, group: 'hog'}, {box: [0, 0, 1, 1], label: '', score: 2, group: 'channels'}];
  assert.deepEqual(groupsOf({boxes: [...two, {truth: true}]}), ['channels', 'hog']);
  const [hog, channels] = marksOf(two, files[0], colors, true);
  assert.deepEqual([hog.label, channels.label], ['hog 1.00', 'channels 2.00']);
  const [other, namesake] = files.slice(1).flatMap((file) => marksOf(boxes.slice(0, 1), file, colors, true));
  assert.deepEqual([other.label, namesake.label], ['other 0.25', 'other (2) 0.25']);
  assert.equal(new Set([hog, channels, other, namesake].map(({color}) => color)).size, 4);
  assert.equal(colors.of(0, 'hog').color, hog.color, 'a color stays');
});

test('only boxes of the chosen model are shown', () => {
  assert.ok(!isShown(boxes[1], {threshold: 0, group: 'channels'}));
  assert.ok(isShown(boxes[1], {threshold: 0, group: 'hog'}));
  assert.ok(isShown(boxes[0], {threshold: 0, group: 'channels'}));  // a file of one model does not name it
});

test('boxes without a score stay', () => {
  assert.ok(isShown({box: [], label: 'a', truth: false}, {threshold: 5, group: null}));
  assert.equal(stepOf({least: 1, greatest: 1}), 0.01);
  assert.ok(Math.abs(stepOf({least: 0, greatest: 2}) - 0.01) < 1e-12);
});

test('what is said of an input that is not there is told in a few words', () => {
  const nothing = {name: 'a.jpg', text: '', boxes: 0, events: 0};
  assert.equal(missingText(nothing), 'a.jpg');
  assert.equal(missingText({...nothing, boxes: 1, greatest: 1.255}), 'a.jpg: 1 box, scores up to 1.25');
  assert.equal(missingText({...nothing, text: 'The class is beach.', events: 2}), 'a.jpg: The class is beach, 2 events');
});

test('events become bars of a time line', () => {
  const said = [{file: 1, boxes: [], events: [{name: 'walk', first: 3, last: 9, truth: false, score: 0.5}, {name: 'wave', first: 0, last: 2, truth: true}]}, {file: 0, boxes: []}];
  const files = [{}, {name: 'e.jsonl', shown: true, threshold: 0.4, group: null}];
  assert.deepEqual(spansOf(said, files), [
    {name: 'walk (earlier)', first: 3, last: 9, text: 'score 0.50, from e.jsonl'}, {name: 'wave (true)', first: 0, last: 2, text: 'from e.jsonl'}]);
  assert.deepEqual(spansOf(said, [{}, {...files[1], threshold: 0.6}]).map(({name}) => name), ['wave (true)']);
  assert.deepEqual(spansOf(said, [{}, {...files[1], shown: false}]), []);
});
