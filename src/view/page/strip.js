// The inputs as a strip of thumbnails. They stand in groups, and only groups in sight have buttons and pictures, so that ten
// thousand inputs cost no more than a few. The strip is one stop of the Tab key, in which arrows, Home and End move; Enter or the
// space bar chooses.
import {el} from './dom.js';

const kGroupSize = 20;

export class Strip {
  // `onChoose(input, second)` is called when the user picks one, or, with Shift, the second one of a pair.
  constructor(list, onChoose) {
    this.list = list;
    this.onChoose = onChoose;
    this.inputs = [];
    this.stop = 0;  // the place that the Tab key reaches
    list.addEventListener('keydown', (event) => this.onKey(event));
    this.places = new Map();  // of inputs in their order, by id
    this.groups = [];
    this.lives = new Map();  // canvases of live inputs, by id
    this.sight = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries)
        if (isIntersecting) this.fill(target);
        else if (!target.contains(document.activeElement) && target !== this.groupOf(this.stop)) target.replaceChildren();
    }, {root: list.parentElement, rootMargin: '300px'});
  }

  // Adds one input or many.
  add(...inputs) {
    for (const input of inputs) {
      const place = this.inputs.push(input) - 1;
      this.places.set(input.id, place);
      for (const [frame, id] of (input.pictures ?? []).entries()) {
        const picture = this.inputs[this.places.get(id)];
        if (picture) picture.film = {input, frame};
      }
      if (place % kGroupSize === 0) this.addGroup();
      const group = this.groups.at(-1);
      group.style.setProperty('--count', place % kGroupSize + 1);
      if (group.childElementCount > 0) group.append(this.button(input));
    }
  }

  addGroup() {
    const group = el('li', {'data-group': this.groups.length, role: 'presentation'});
    this.groups.push(group);
    this.list.append(group);
    this.sight.observe(group);
  }

  groupOf(place) { return this.groups[Math.floor(place / kGroupSize)]; }

  // The button of a place, which is made where it is not there.
  buttonAt(place) {
    const group = this.groupOf(place);
    this.fill(group);
    return group.children[place % kGroupSize];
  }

  // Takes the place that the Tab key reaches from now on.
  stopAt(place) {
    const before = this.groupOf(this.stop)?.children[this.stop % kGroupSize];
    this.stop = place;
    if (before) this.markButton(before);
    this.markButton(this.buttonAt(place));
  }

  onKey(event) {
    const at = this.places.get(event.target.closest('button')?.dataset.id), last = this.inputs.length - 1;
    const to = {ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: last}[event.key];
    if (at === undefined || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.stopAt(Math.min(last, Math.max(0, to)));
    this.buttonAt(this.stop).focus();
  }

  fill(group) {
    if (group.childElementCount > 0) return;
    const first = Number(group.dataset.group) * kGroupSize;
    group.append(...this.inputs.slice(first, first + kGroupSize).map((input) => this.button(input)));
  }

  button(input) {
    const live = input.kind === 'live';
    const image = live ? this.liveCanvas(input) : this.thumbnail(input);
    const name = live ? input.name : input.name.split('/').pop();
    const button = el('button', {type: 'button', role: 'option', title: input.name, 'aria-label': `${input.kind} ${name}`, 'data-id': input.id,
      'aria-posinset': this.places.get(input.id) + 1},
      image, el('span', {class: 'name'}, name), input.kind === 'image' ? '' : el('span', {class: 'kind'}, input.kind));
    button.addEventListener('click', ({shiftKey}) => this.onChoose(input, shiftKey));
    this.markButton(button);
    return button;
  }

  thumbnail(input) {
    const image = el('img', {alt: '', width: 160, height: 96, src: `inputs/${input.id}/thumbnail`});
    image.addEventListener('error', () => image.replaceWith(el('span', {class: 'blank'})));
    return image;
  }

  // The thumbnail of a live input, of which only the page has seen a frame. It outlives its button.
  liveCanvas(input) {
    if (!this.lives.has(input.id)) this.lives.set(input.id, el('canvas', {width: 160, height: 96}));
    return this.lives.get(input.id);
  }

  drawLive(input, bitmap) {
    const canvas = this.liveCanvas(input);
    const scale = Math.min(canvas.width / bitmap.width, canvas.height / bitmap.height);
    const width = bitmap.width * scale, height = bitmap.height * scale;
    canvas.getContext('2d').drawImage(bitmap, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  }

  // Marks the chosen input, and the one that a pair takes as its second.
  mark(input, second) {
    this.marked = {current: input.id, second: second?.id};
    const place = this.places.get(input.id);
    if (place === undefined) return;
    this.stopAt(place);
    for (const button of this.list.querySelectorAll('button')) this.markButton(button);
    this.buttonAt(place).scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  markButton(button) {
    button.tabIndex = button.dataset.id === this.inputs[this.stop]?.id ? 0 : -1;
    button.setAttribute('aria-selected', String(button.dataset.id === this.marked?.current));
    button.setAttribute('aria-setsize', this.inputs.length);
    button.classList.toggle('second', button.dataset.id === this.marked?.second);
  }

  find(id) { return this.inputs[this.places.get(id)] ?? null; }

  // Inputs of equal names are told apart by their number among them, from 1 on.
  copyOf(input) { return this.inputs.slice(0, this.places.get(input.id) + 1).filter(({name}) => name === input.name).length; }
  named(name, copy) { return this.inputs.filter((input) => input.name === name)[copy - 1] ?? null; }

  // The input that follows; null at the end.
  after(input, step = 1) {
    return this.inputs[this.places.get(input.id) + step] ?? null;
  }
}
