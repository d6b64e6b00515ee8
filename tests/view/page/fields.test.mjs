// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {isChanged, sliderRange, sliderStep} from '../../../src/view/page/fields.js';

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

test('steps are whole for whole numbers and fine for others', () => {
  assert.equal(sliderStep({kind: 'optional whole'}, {least: 0, greatest: 20}), 1);
  assert.equal(sliderStep({kind: 'number'}, {least: 0, greatest: 1}), 0.01);
});
