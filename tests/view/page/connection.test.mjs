// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {Connection, lostText} from '../../../src/view/page/connection.js';

test('a page whose program has gone says what to run', () => {
  assert.match(lostText({}, {port: '8123', pathname: '/'}), /run fovea view --port 8123 with the same inputs/);
  assert.match(lostText({status: 401}, {port: '8123', pathname: '/'}), /open the address that it has printed/);
});

test('behind a proxy the port of the page is not that of the program', () => {
  assert.doesNotMatch(lostText({}, {port: '8888', pathname: '/proxy/8123/'}), /--port/);
});

test('a connection that breaks is opened again, and only another program loads the page anew', async () => {
  const sockets = [], waits = [], heard = [];
  let reloads = 0, answers = true;
  Object.assign(globalThis, {
    location: {href: 'http://127.0.0.1:8123/', port: '8123', pathname: '/', reload: () => ++reloads},
    WebSocket: class { constructor() { sockets.push(this); } },
    setTimeout: (work) => waits.push(work),
    fetch: async () => {
      if (!answers) throw new Error('gone');
      return {ok: true, json: async () => []};
    },
  });
  new Connection({inputs: (count) => heard.push(count), lost: (text) => heard.push(text)});
  const say = (program, inputs) => sockets.at(-1).onmessage({data: JSON.stringify({program, inputs})});
  const breakOff = () => {
    sockets.at(-1).onclose();
    return waits.shift()();
  };
  say('a', 1);
  await breakOff();
  say('a', 2);
  assert.deepEqual([heard, reloads, sockets.length], [[1, 2], 0, 2]);
  answers = false;
  await breakOff();
  assert.match(heard[2], /cannot be reached/);
  answers = true;
  await waits.shift()();
  say('a', 2);
  assert.deepEqual([heard.slice(3), reloads], [[null, 2], 0], 'what was said about a lost program goes');
  await breakOff();
  say('b', 0);
  assert.deepEqual([heard.length, reloads], [5, 1]);
});
