// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {clientName} from '../../../src/view/page/api.js';

function browser(entries = new Map()) {
  const heard = {};
  Object.assign(globalThis, {
    sessionStorage: {getItem: (key) => entries.get(key) ?? null, setItem: (key, value) => entries.set(key, value),
      removeItem: (key) => entries.delete(key)},
    addEventListener: (name, work) => { heard[name] = work; },
  });
  return {entries, heard};
}

test('a page that is loaded again keeps its name, and a copy of its tab has another', () => {
  const {entries, heard} = browser();
  const name = clientName();
  assert.match(name, /^[0-9a-f]{32}$/);
  browser(new Map(entries));  // a copy has what the tab keeps
  assert.notEqual(clientName(), name);
  browser(entries);
  heard.pagehide();
  assert.equal(clientName(), name);
});

test('a page that a browser has kept and shows again takes its name back', () => {
  const {entries, heard} = browser();
  const name = clientName();
  heard.pagehide();
  heard.pageshow({persisted: true});
  browser(entries);
  assert.notEqual(clientName(), name);
});

test('a browser that keeps nothing gives a new name each time', () => {
  browser();
  globalThis.sessionStorage = {get getItem() { throw new Error('refused'); }};
  assert.match(clientName(), /^[0-9a-f]{32}$/);
});
