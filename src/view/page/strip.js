// The inputs as a strip of thumbnails. They stand in groups, and only groups in sight have buttons and pictures, so that ten
// thousand inputs cost no more than a few.
import {el} from './dom.js';

const kGroupSize = 20;

export class Strip {
  // `onChoose(input)` is called when the user picks one.
  constructor(list, onChoose) {
    this.list = list;
    this.onChoose = onChoose;
    this.inputs = [];
    this.places = new Map();  // of inputs in their order, by id
    this.groups = [];
    this.lives = new Map();  // canvases of live inputs, by id
    this.sight = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries)
        if (isIntersecting) this.fill(target);
        else if (!target.contains(document.activeElement)) target.replaceChildren();
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
    const group = el('li', {'data-group': this.groups.length});
    this.groups.push(group);
    this.list.append(group);
    this.sight.observe(group);
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
    const button = el('button', {type: 'button', title: input.name, 'aria-label': `${input.kind} ${name}`, 'data-id': input.id},
      image, el('span', {class: 'name'}, name), input.kind === 'image' ? '' : el('span', {class: 'kind'}, input.kind));
    button.addEventListener('click', () => this.onChoose(input));
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
    const group = this.groups[Math.floor(place / kGroupSize)];
    this.fill(group);
    for (const button of this.list.querySelectorAll('button')) this.markButton(button);
    group.children[place % kGroupSize].scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  markButton(button) {
    button.setAttribute('aria-current', String(button.dataset.id === this.marked?.current));
    button.classList.toggle('second', button.dataset.id === this.marked?.second);
  }

  // Inputs of equal names are told apart by their number among them, from 1 on.
  copyOf(input) { return this.inputs.slice(0, this.places.get(input.id) + 1).filter(({name}) => name === input.name).length; }
  named(name, copy) { return this.inputs.filter((input) => input.name === name)[copy - 1] ?? null; }

  // The input that follows; null at the end.
  after(input, step = 1) {
    return this.inputs[this.places.get(input.id) + step] ?? null;
  }
}
