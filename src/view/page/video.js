// What a run found in a video: a time line of what happens when, and shapes over the frame that is shown.
import {getJson} from './api.js';
import {byId, el, switchRow} from './dom.js';
import {barOf, cursorOf, rowsWithoutOverlap} from './timeline.js';

export class VideoResults {
  // `onJump(frame)` is called when the user picks something on the time line.
  constructor(view, onJump) {
    this.view = view;
    this.onJump = onJump;
    this.room = byId('events');
    this.hidden = new Set();  // layers, which keep their switches from run to run
    this.known = new Set();
    this.video = null;
    this.earlier = {spans: [], frames: 0};
  }

  // What files say about the video, in rows below those of the result; `frames` is its length.
  setEarlier(all, frames) {
    const spans = all.filter(({first}) => first < frames).map((span) => ({...span, last: Math.min(span.last, frames - 1)}));
    const same = JSON.stringify({spans, frames}) === JSON.stringify(this.earlier);
    this.earlier = {spans, frames};
    if (!same) this.rows();
  }

  rows() {
    const found = rowsWithoutOverlap(this.video?.spans ?? []).map((row) => this.row(row, this.video.frames));
    const before = rowsWithoutOverlap(this.earlier.spans).map((row) => this.row(row, this.earlier.frames));
    for (const row of before) row.classList.add('earlier');
    this.room.hidden = found.length + before.length === 0;
    this.room.replaceChildren(...found, ...before);
    this.cursor();
  }

  cursor() {
    const frames = this.video?.frames || this.earlier.frames;
    if (frames) this.room.style.setProperty('--at', `${cursorOf(this.frame ?? 0, frames)}%`);
  }

  // Shows what a result says about its video; null and results of images show nothing.
  show(result, frame) {
    this.video = result?.video ?? null;
    this.address = result?.address;
    this.view.setShapes([]);
    this.rows();
    if (!this.video) return;
    byId('layers').append(...this.video.layers.map((layer) => this.layerRow(layer)));
    this.setFrame(frame);
  }

  row({name, spans}, frames) {
    const bars = spans.map((span) => {
      const what = `${span.name}, frames ${span.first} to ${span.last}, ${span.text}`;
      const bar = el('button', {type: 'button', title: what, 'aria-label': what});
      const {left, width} = barOf(span, frames);
      bar.style.left = `${left}%`;
      bar.style.width = `${width}%`;
      bar.addEventListener('click', () => this.onJump(span.first));
      return bar;
    });
    return el('div', {class: 'row', role: 'group', 'aria-label': name}, el('span', {class: 'name', title: name}, name),
      el('div', {class: 'track'}, ...bars));
  }

  layerRow(layer) {
    if (!this.known.has(layer.name)) {
      this.known.add(layer.name);
      if (!layer.shown) this.hidden.add(layer.name);
    }
    return switchRow({title: layer.title, on: !this.hidden.has(layer.name), text: layer.text}, (on) => {
      if (on) this.hidden.delete(layer.name);
      else this.hidden.add(layer.name);
      this.draw();
    });
  }

  // Moves the cursor and asks for the shapes of a frame; only those of the newest one are drawn.
  async setFrame(frame) {
    this.frame = frame;
    const {video, address} = this;
    this.cursor();
    if (!video) return;
    let shapes = [];
    try {
      shapes = await getJson(`${address}/frame/${frame}`);
    } catch { /* the result has gone; another run shows it again */ }
    if (this.frame !== frame || this.video !== video) return;
    this.shapes = shapes;
    this.draw();
  }

  draw() {
    this.view.setShapes((this.shapes ?? []).filter(({layer}) => !this.hidden.has(layer)));
  }
}
