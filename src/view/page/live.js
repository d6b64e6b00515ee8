// Plays an input on the page: a video at its own pace, or a camera or network stream.
import {byId} from './dom.js';
import {EventLine} from './events.js';
import {showPassing} from './result.js';
import {Rate, Stream} from './stream.js';

const kNothing = {summary: '', marks: [], layers: [], events: [], scores: [], timings: []};
const nextPaint = () => new Promise((resolve) => requestAnimationFrame(resolve));

// "12.5 frames/s · 84 ms from capture to screen · 3 dropped".
export function numbersOf(rate, {latency, dropped}, live) {
  const words = [];
  if (rate !== null) words.push(`${rate.toFixed(rate < 10 ? 1 : 0)} frames/s`);
  if (latency !== undefined) words.push(`${Math.round(1000 * latency)} ms ${live ? 'from capture to screen' : 'late'}`);
  words.push(`${dropped} dropped`);
  return words.join(' · ');
}

export class Player {
  // `on` has functions: frame(message) for each, kept(message) for one that stays, ended(events), failed(error),
  // refused(error), changed() when it begins, pauses or ends; prompt() gives what to say while nothing works on the frames.
  constructor(view, on) {
    this.view = view;
    this.on = on;
    this.stream = null;
    this.playing = false;
    this.bitmaps = [];
    this.line = new EventLine(byId('passing'));
  }

  get open() { return this.stream !== null; }

  start(input, frame) {
    this.stop();
    this.live = input.kind === 'live';
    this.rate = new Rate();
    this.line.clear();
    const stream = new Stream(input, frame, {frame: (message, bitmaps) => this.show(message, bitmaps),
      state: (message) => stream === this.stream && this.hear(message),
      lost: () => stream === this.stream && this.end(() => this.on.failed('The connection to the program was lost.'))});
    this.stream = stream;
    this.setPlaying(true);
  }

  // What works on the frames; may change while they come.
  run(body) {
    this.system = body.system;
    this.stream.say(JSON.stringify(body));
  }

  toggle() {
    this.stream.say(this.playing ? 'pause' : 'play');
    this.setPlaying(!this.playing);
  }

  step() {
    if (this.playing) this.toggle();
    else this.stream.say('step');
  }

  stop() {
    if (!this.stream) return;
    this.stream.close();
    this.end(() => {});
  }

  end(then) {
    this.stream = null;
    this.setPlaying(false);
    byId('live').hidden = true;
    byId('state').textContent = '';
    then();
  }

  setPlaying(playing) {
    this.playing = playing;
    this.on.changed();
  }

  hear({state, error, events}) {
    if (state === 'opening') byId('state').textContent = 'Opening';
    if (state === 'refused') this.on.refused(error);
    if (state === 'failed') this.end(() => this.on.failed(error));
    if (state !== 'ended') return;
    this.line.add(events, this.seconds ?? 0);
    this.end(() => this.on.ended(events));
  }

  // The next frame comes when this one is on the screen, and not while the user draws a box on it.
  async show(message, bitmaps) {
    const {view} = this;
    if (message.system !== this.system) message.result = {...kNothing, summary: this.on.prompt()};  // another one was chosen meanwhile, or a box is missing
    if (byId('state').textContent === 'Opening') byId('state').textContent = '';
    this.seconds = message.seconds;
    view.show({width: message.width, height: message.height, levels: 1, bitmap: bitmaps[0]});
    this.on.frame(message, bitmaps[0]);
    this.line.add(message.result.events, message.seconds);
    if (message.kept) this.on.kept(message);
    else showPassing(message.result, bitmaps.slice(1), view);
    this.bitmaps.splice(0, this.bitmaps.length, ...bitmaps).forEach((old) => old.close());
    this.showNumbers(message);
    do await nextPaint(); while (view.corner);
  }

  showNumbers(message) {
    const now = performance.now();
    this.rate.add(now);
    byId('live').hidden = false;
    if (now - (this.told ?? 0) < 250) return;
    this.told = now;
    byId('live').textContent = numbersOf(this.playing ? this.rate.perSecond : null, message, this.live);
  }
}
