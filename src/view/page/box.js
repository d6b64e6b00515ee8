// Fields for a box in pixels of the picture, for those who do not draw it.
import {el} from './dom.js';
import {boxFrom} from './geometry.js';

const kNames = ['x', 'y', 'width', 'height'];

export class BoxFields {
  // `onBox(box)` is called when all four fields make a box.
  constructor(room, onBox) {
    Object.assign(this, {room, onBox, picture: null});
    this.fields = kNames.map((name) => el('input', {type: 'number', id: `box-${name}`, step: 1, min: 0, inputmode: 'numeric'}));
    room.replaceChildren(el('legend', {}, 'Box'), ...kNames.map((name, i) =>
      el('div', {}, el('label', {for: `box-${name}`}, name), this.fields[i])));
    for (const field of this.fields) field.addEventListener('change', () => this.read(field));
  }

  // Shows a box of a picture, or empty fields; without a picture, nothing.
  show(picture, box) {
    this.picture = picture;
    this.room.hidden = !picture;
    this.fields.forEach((field, i) => {
      field.setCustomValidity('');
      field.value = box?.[i] ?? '';
    });
  }

  read(changed) {
    for (const field of this.fields) field.setCustomValidity('');
    if (this.fields.some(({value}) => value === '')) return;
    const {box, wrong} = boxFrom(this.fields.map(({value}) => Number(value)), this.picture);
    if (box) return this.onBox(box);
    changed.setCustomValidity(wrong);
    changed.reportValidity();
  }
}
