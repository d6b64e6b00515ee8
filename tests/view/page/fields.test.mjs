// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {isChanged, knownOf, sliderRange, sliderStep} from '../../../src/view/page/fields.js';

test('numbers are compared as numbers', () => {
  const field = {kind: 'number', value: '1.05'};
  assert.equal(isChanged(field, '1.050'), false);
  assert.equal(isChanged(field, '1.1'), true);
  assert.equal(isChanged({kind: 'optional number', value: ''}, '0'), true);
  assert.equal(isChanged({kind: 'optional number', value: ''}, ''), false);
  assert.equal(isChanged({kind: 'choice', value: 'fast'}, 'best'), true);
});

test('a slider has the range of the field, or one around the default', () => {
  assert.deepEqual(sliderRange({kind: 'number', value: '1.05', least: 1.01, greatest: 4}), {least: 1.01, greatest: 4, start: 1.05});
  const wide = sliderRange({kind: 'number', value: '40', least: 0, greatest: 1e6});
  assert.deepEqual(wide, {least: 0, greatest: 200, start: 40});
  assert.equal(sliderRange({kind: 'whole', value: '268435456', least: 0}), null);
  assert.equal(sliderRange({kind: 'optional whole', value: '', least: 0, greatest: 1e6}), null);
});

test('a threshold goes around the model\'s own, up to the highest score that was seen', () => {
  const field = {kind: 'optional number', value: ''};
  assert.equal(sliderRange(field), null, 'of a model that nobody has used nothing is known');
  const result = {facts: [{name: 'threshold', value: '-3'}, {name: "model's threshold", value: '10.24'}], marks: [{label: '359.5'}, {label: ''}]};
  const known = knownOf(result);
  assert.deepEqual(known, {threshold: {own: 10.24, most: 359.5}});
  assert.deepEqual(sliderRange(field, known.threshold), {least: -6, greatest: 360, start: 10.24});
  assert.equal(knownOf({...result, marks: [{label: '20.1 false'}]}, known).threshold.most, 359.5, 'the range does not shrink');
  assert.deepEqual(sliderRange(field, {own: 0.2, most: 0.7}), {least: -1.3, greatest: 1.7, start: 0.2});
});

test('steps are whole for whole numbers and fine for others', () => {
  assert.equal(sliderStep({kind: 'optional whole'}, {least: 0, greatest: 20}), 1);
  assert.equal(sliderStep({kind: 'number'}, {least: 0, greatest: 1}), 0.01);
});
