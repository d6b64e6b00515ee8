// The inputs as a strip of thumbnails, which load when they come into sight.
import {el} from './dom.js';

export class Strip {
  // `onChoose(input)` is called when the user picks one.
  constructor(list, onChoose) {
    this.list = list;
    this.onChoose = onChoose;
    this.inputs = [];
    this.buttons = new Map();
    this.sight = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries) {
        if (!isIntersecting) continue;
        this.sight.unobserve(target);
        target.src = target.dataset.src;
      }
    }, {rootMargin: '300px'});
  }

  add(input) {
    const live = input.kind === 'live';
    const image = live ? el('canvas', {width: 160, height: 96}) : this.thumbnail(input);
    const name = live ? input.name : input.name.split('/').pop();
    const button = el('button', {type: 'button', title: input.name, 'aria-label': `${input.kind} ${name}`}, image,
      el('span', {class: 'name'}, name), el('span', {class: 'kind'}, input.kind));
    button.addEventListener('click', () => this.onChoose(input));
    this.inputs.push(input);
    this.buttons.set(input.id, button);
    this.list.append(el('li', {}, button));
  }

  thumbnail(input) {
    const image = el('img', {alt: '', width: 160, height: 96, 'data-src': `/inputs/${input.id}/thumbnail`});
    image.addEventListener('error', () => image.replaceWith(el('span', {class: 'blank'})));
    this.sight.observe(image);
    return image;
  }

  // Draws the thumbnail of a live input, of which only the page has seen a frame.
  drawLive(input, bitmap) {
    const canvas = this.buttons.get(input.id).querySelector('canvas');
    const scale = Math.min(canvas.width / bitmap.width, canvas.height / bitmap.height);
    const width = bitmap.width * scale, height = bitmap.height * scale;
    canvas.getContext('2d').drawImage(bitmap, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  }

  // Marks the chosen input, and the one that a pair takes as its second.
  mark(input, second) {
    for (const [id, button] of this.buttons) {
      button.setAttribute('aria-current', String(id === input.id));
      button.classList.toggle('second', second !== null && id === second?.id);
    }
    this.buttons.get(input.id)?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  // The input that follows, of the same kind; null at the end.
  after(input, step = 1) {
    return this.inputs[this.inputs.findIndex(({id}) => id === input.id) + step] ?? null;
  }
}
