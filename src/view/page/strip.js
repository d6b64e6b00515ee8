// The inputs as a strip of thumbnails, which load when they come into sight.
import {el} from './dom.js';

export class Strip {
  // `onChoose(input)` is called when the user picks one.
  constructor(list, onChoose) {
    this.list = list;
    this.onChoose = onChoose;
    this.inputs = [];
    this.buttons = new Map();
    this.marked = [];
    // What leaves the sight is forgotten, and asked for no longer where it has not come yet.
    this.sight = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries)
        if (isIntersecting) target.src = target.dataset.src;
        else target.removeAttribute('src');
    }, {root: list.parentElement, rootMargin: '300px'});
  }

  // Adds one input or many.
  add(...inputs) {
    this.list.append(...inputs.map((input) => this.item(input)));
  }

  item(input) {
    const image = el('img', {alt: '', width: 160, height: 96, 'data-src': `/inputs/${input.id}/thumbnail`});
    image.addEventListener('error', () => image.replaceWith(el('span', {class: 'blank'})));
    const name = input.name.split('/').pop();
    const button = el('button', {type: 'button', title: input.name, 'aria-label': `${input.kind} ${name}`}, image,
      el('span', {class: 'name'}, name), el('span', {class: 'kind'}, input.kind));
    button.addEventListener('click', () => this.onChoose(input));
    this.inputs.push(input);
    this.buttons.set(input.id, button);
    this.sight.observe(image);
    return el('li', {}, button);
  }

  // Marks the chosen input, and the one that a pair takes as its second.
  mark(input, second) {
    for (const button of this.marked) {
      button.removeAttribute('aria-current');
      button.classList.remove('second');
    }
    const current = this.buttons.get(input.id), other = this.buttons.get(second?.id);
    current?.setAttribute('aria-current', 'true');
    other?.classList.add('second');
    this.marked = [current, other].filter(Boolean);
    current?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  // The input that follows, of the same kind; null at the end.
  after(input, step = 1) {
    return this.inputs[this.inputs.findIndex(({id}) => id === input.id) + step] ?? null;
  }
}
