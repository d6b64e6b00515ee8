// A running time line: one row per name, one bar per event, the newest at the right.
import {el} from './dom.js';

const kSpan = 30;  // seconds that are seen
const kMostEvents = 500;

// Rows in the order in which their names first came, with bars in shares of the line.
export function rowsOfLastSeconds(events, now, span = kSpan) {
  const rows = new Map();
  const share = (seconds) => Math.min(1, Math.max(0, 1 - (now - seconds) / span));
  for (const {name, start, end, score} of events) {
    if (!rows.has(name)) rows.set(name, []);
    const left = share(start), right = share(end);
    if (right > 0 && left < 1) rows.get(name).push({left, width: Math.max(right - left, 0.005), score, start, end});
  }
  return [...rows].map(([name, bars]) => ({name, bars}));
}

const percent = (value) => `${(100 * value).toFixed(2)}%`;

function barOf({left, width, score, start, end}, name) {
  const bar = el('span', {class: 'event', title: `${name}, ${start.toFixed(1)} to ${end.toFixed(1)} s, score ${score.toFixed(2)}`});
  bar.style.left = percent(left);
  bar.style.width = percent(width);
  return bar;
}

export class EventLine {
  constructor(room) {
    this.room = room;
    this.clear();
  }

  clear() {
    this.events = [];
    this.room.hidden = true;
  }

  // Takes events that have become certain, and the time of the frame that is shown.
  add(events, now) {
    this.events.push(...events);
    this.events.splice(0, this.events.length - kMostEvents);
    this.room.hidden = this.events.length === 0;
    if (this.room.hidden) return;
    this.room.replaceChildren(el('h3', {}, `The last ${kSpan} seconds`), ...rowsOfLastSeconds(this.events, now).map(({name, bars}) =>
      el('div', {class: 'row'}, el('span', {class: 'name'}, name), el('span', {class: 'line'}, ...bars.map((bar) => barOf(bar, name))))));
  }
}
