// What the page shows, as its address says it, so that a reload, a bookmark, another tab and the browser's Back show the same; and
// changes that can be taken back. A place is {input, copy, frame, system, model, options, box, second, why: {x, y} or {face}, evaluation}.

const kOption = 'option.';  // before the names of options
const kMostAddress = 4000;  // characters; the program takes few more
const kRest = 50;           // milliseconds without a change, after which an address is written

const numbersIn = (text) => (text ?? '').split(',').map(Number);

// The address of a place: the part from the question mark on.
export function addressOf({input, copy, frame, system, model, options, box, second, why, evaluation}) {
  const words = new URLSearchParams();
  const put = (name, value) => value && words.set(name, value);
  put('input', input);
  if (copy > 1) put('copy', copy);
  put('frame', frame);
  put('system', system);
  put('model', model);
  for (const [name, value] of Object.entries(options ?? {})) words.set(kOption + name, value);
  put('box', box?.join());
  put('second', second);
  if (why) put(...'face' in why ? ['face', String(why.face)] : ['why', `${why.x},${why.y}`]);
  if (evaluation !== null && evaluation >= 0) put('evaluation', String(evaluation));
  return `?${words}`.replaceAll('%2F', '/').replaceAll('%2C', ',');
}

// The place of an address; null where it says nothing.
export function placeIn(address) {
  const words = new URLSearchParams(address);
  if ([...words].length === 0) return null;
  const options = [...words].filter(([name]) => name.startsWith(kOption)).map(([name, value]) => [name.slice(kOption.length), value]);
  const box = numbersIn(words.get('box')), [x, y] = numbersIn(words.get('why')), face = words.get('face');
  return {input: words.get('input'), copy: Number(words.get('copy') ?? 1), frame: Math.max(0, Math.trunc(Number(words.get('frame'))) || 0),
    system: words.get('system'), model: words.get('model'), options: Object.fromEntries(options),
    box: box.length === 4 && box.every(Number.isInteger) ? box : null, second: words.get('second'),
    why: face ? {face: Number(face)} : Number.isFinite(x) && Number.isFinite(y) ? {x, y} : null,
    evaluation: words.has('evaluation') ? Number(words.get('evaluation')) : null};
}

// The visits of the browser's history.
export class Visits {
  // `onPlace(place)` is called when the user goes back or on.
  constructor(onPlace) {
    this.pending = null;
    addEventListener('popstate', () => {
      clearTimeout(this.timer);
      this.pending = null;
      this.left = false;
      onPlace(placeIn(location.search));
    });
  }

  // What is noted from here on belongs to another visit; Back returns to the one that was noted last.
  leave() {
    this.write();
    this.left = location.search !== '';
  }

  // The change of a visit is done: what is noted from here on belongs to it, even where its address could not be written.
  arrive() { this.left = false; }

  // Takes what the page shows now; it is written at once for a new visit, else once nothing has changed for a moment.
  note(place) {
    this.pending = addressOf(place);
    clearTimeout(this.timer);
    if (this.left) this.write();
    else this.timer = setTimeout(() => this.write(), kRest);
  }

  write() {
    const address = this.pending;
    this.pending = null;
    const fits = address && address.length < kMostAddress && !/%[01]/.test(address);
    if (!fits || address === location.search) return;
    if (this.left) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.left = false;
  }
}

// States that follow each other, among which one goes back and on again.
export class Steps {
  constructor() { Object.assign(this, {texts: [], at: -1, key: null}); }

  // Adds a state that is not the one before. Those of one key, as while a slider moves, are one step.
  add(state, key = null) {
    const text = JSON.stringify(state);
    if (text === this.texts[this.at]) return;
    if (key === null || key !== this.key) ++this.at;
    this.texts.splice(this.at, Infinity, text);
    this.key = key;
  }

  // The state so many steps on, which is then the present one; null where there is none.
  go(by) {
    const text = this.texts[this.at + by];
    if (text === undefined) return null;
    this.at += by;
    this.key = null;
    return JSON.parse(text);
  }
}
