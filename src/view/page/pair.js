// The images of a system that takes two: the one that is shown, and the next one of the strip or another one that the user has chosen.
import {byId, el} from './dom.js';

const kMostSeconds = 500;  // images that can be chosen: all, or those around the first where there are very many

export class Pair {
  #seconds = {};  // by the ids of the first ones

  // `onChange()` is called when the user has chosen another second image.
  constructor(strip, onChange) {
    Object.assign(this, {strip, onChange, input: null});
    byId('second').addEventListener('change', ({target}) => this.choose(target.value));
  }

  // Offers second images where the system takes pairs of such an input.
  show(system, input) {
    this.input = system?.images > 1 && input?.kind === 'image' ? input : null;
    byId('pair').hidden = !this.input;
    if (!this.input) return;
    const images = this.strip.inputs.filter(({kind}) => kind === 'image');
    const first = Math.max(0, Math.min(images.indexOf(input) - kMostSeconds / 2, images.length - kMostSeconds));
    const others = images.slice(first, first + kMostSeconds).filter((each) => each !== input);
    byId('second').replaceChildren(el('option', {value: ''}, 'the next one'), ...others.map(({id, name}) => el('option', {value: id}, name)));
    byId('second').value = this.#seconds[input.id] ?? '';
  }

  choose(id) {
    this.put(this.input, id);
    byId('second').value = id;
    this.onChange();
  }

  // Takes an image of the strip as the second one, where that makes sense; returns whether it does.
  take(image) {
    const fits = Boolean(this.input) && image.kind === 'image' && image !== this.input;
    if (fits) this.choose(image.id);
    return fits;
  }

  put(input, id) { this.#seconds[input.id] = id; }
  // The one that was chosen for the input that is shown; null where none was.
  get second() { return this.input && this.strip.find(this.#seconds[this.input.id]); }

  // The inputs of a run: an image and its second one, or the last two, or a video, which gives both.
  inputs(system, input) {
    if (system.images < 2 || input.kind === 'video') return [input];
    if (this.second) return [input, this.second];
    const next = this.strip.after(input), before = this.strip.after(input, -1);
    if (next?.kind === 'image') return [input, next];
    return before?.kind === 'image' ? [before, input] : [input];
  }
}
