// Run by node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import {addressOf, placeIn, Steps, Visits} from '../../../src/view/page/address.js';

test('an address says a place, and gives it back', () => {
  const place = {input: 'photos/a street, 50 %+.jpg', copy: 2, frame: 7, system: 'people', model: 'channels', options: {threshold: '-2', text: 'a=b&c'},
    box: [1, 2, 30, 40], second: 'photos/b.jpg', why: {x: 3.25, y: 0}, evaluation: 0};
  assert.deepEqual(placeIn(addressOf(place)), place);
  assert.match(addressOf(place), /input=photos\/a/, 'it can be read');
  const face = {...place, copy: 1, frame: 0, options: {}, box: null, second: null, why: {face: 0}, evaluation: null};
  assert.deepEqual(placeIn(addressOf(face)), face);
});

test('an address that says nothing is no place, and nonsense is none either', () => {
  assert.equal(placeIn(''), null);
  const place = placeIn('?input=a.jpg&frame=x&box=1,2&why=1,b');
  assert.deepEqual([place.frame, place.box, place.why], [0, null, null]);
});

test('steps go back and on, and a slider that moves is one step', () => {
  const steps = new Steps();
  for (const [state, key] of [[{a: 0}], [{a: 1}, 'slider 0'], [{a: 2}, 'slider 0'], [{a: 2}, 'slider 1'], [{a: 3}, 'slider 2']]) steps.add(state, key);
  assert.equal(steps.go(1), null);
  assert.deepEqual(steps.go(-1), {a: 2});
  assert.deepEqual(steps.go(-1), {a: 0});
  assert.equal(steps.go(-1), null);
  assert.deepEqual(steps.go(1), {a: 2});
  steps.add({a: 9}, 'slider 2');
  assert.equal(steps.go(1), null, 'what was taken back is gone once something else was chosen');
  assert.deepEqual(steps.go(-1), {a: 2});
});

// A browser's history: what was pushed and what was replaced.
function visitsIn(browser) {
  const go = (kind) => (state, title, address) => {
    browser.search = address;
    browser.calls.push([kind, address]);
  };
  Object.assign(globalThis, {addEventListener() {}, location: browser, history: {pushState: go('push'), replaceState: go('replace')}});
  return new Visits(() => {});
}

test('a visit that changes nothing leaves no mark on what follows it', () => {
  const browser = {search: '?input=a', calls: []}, visits = visitsIn(browser);
  visits.leave();
  visits.note({input: 'a'});
  visits.arrive();
  visits.note({input: 'a', frame: 3});
  visits.write();
  assert.deepEqual(browser.calls, [['replace', '?input=a&frame=3']]);
  visits.leave();
  visits.note({input: 'b'});
  visits.arrive();
  visits.note({input: 'b', frame: 1});
  visits.write();
  assert.deepEqual(browser.calls.slice(1), [['push', '?input=b'], ['replace', '?input=b&frame=1']]);
});
