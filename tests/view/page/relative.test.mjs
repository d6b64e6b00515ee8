// The page works in a folder of another server and by https: its addresses are relative. Run by node --test.
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import test from 'node:test';

const kPage = new URL('../../../src/view/page/', import.meta.url);

test('no file of the page asks for an address from the root', () => {
  for (const name of readdirSync(kPage)) {
    const found = /[`'"(]\/(page|session|systems|inputs|run|results|jobs|streams|earlier|evaluations)\b/.exec(readFileSync(new URL(name, kPage), 'utf8'));
    assert.equal(found, null, `${name}: ${found}`);
  }
});

test('a WebSocket has the folder of the page, and is as safe as the page', async () => {
  const asked = [];
  globalThis.location = {href: 'https://hub.example.org/user/ann/proxy/8000/?input=a.jpg#b'};
  globalThis.WebSocket = class { constructor(address) { asked.push(String(address)); } };
  const {socketTo} = await import('../../../src/view/page/api.js');
  socketTo('jobs/7');
  globalThis.location = {href: 'http://127.0.0.1:8000/'};
  socketTo('inputs');
  assert.deepEqual(asked, ['wss://hub.example.org/user/ann/proxy/8000/jobs/7', 'ws://127.0.0.1:8000/inputs']);
});
