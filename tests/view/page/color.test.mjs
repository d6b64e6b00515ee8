// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {readableOn} from '../../../src/view/page/color.js';

test('texts are dark on light colors and light on dark ones', () => {
  assert.equal(readableOn('#ffb000'), '#10141b');
  assert.equal(readableOn('#ffffff'), '#10141b');
  assert.equal(readableOn('#1f5f3a'), '#ffffff');
});
