// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {lostText} from '../../../src/view/page/connection.js';

test('a page whose program has gone says what to run', () => {
  assert.match(lostText({}, {port: '8123', pathname: '/'}), /run fovea view --port 8123 with the same inputs/);
  assert.match(lostText({status: 401}, {port: '8123', pathname: '/'}), /open the address that it has printed/);
});

test('behind a proxy the port of the page is not that of the program', () => {
  assert.doesNotMatch(lostText({}, {port: '8888', pathname: '/proxy/8123/'}), /--port/);
});
