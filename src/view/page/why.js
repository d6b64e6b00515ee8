// Shows why a result is what it is at a place: sentences, reasons for and against, heat over the
// picture, tables.
import {byId, el, swatch} from './dom.js';

// The first and the last color of a layer, of signed values and of others, and how they are called.
const kSigned = [['#123780', 'blue'], ['#72111b', 'red']], kPlain = [['#020105', 'dark'], ['#fffcc5', 'bright']];

const format = (value) => {
  const size = Math.abs(value);
  return size !== 0 && (size < 0.01 || size >= 1e5) ? value.toExponential(1) : value.toFixed(size < 10 ? 3 : 1);
};

// For each column of a table 'number', which stands on the right with its title, or null.
function columnKinds({columns, rows}) {
  const isNumber = (text) => /^[-+−]?[0-9]/.test(text) || /^[-–−]?$/.test(text);
  return columns.map((_, i) => rows.length > 0 && rows.every((row) => isNumber(row[i])) ? 'number' : null);
}

export class Why {
  constructor(view) {
    this.view = view;
    this.room = byId('why');
    this.shapes = [];
  }

  hide() {
    this.room.hidden = true;
    this.view.setWhy(null);
  }

  // `query` names the place of the result, and `frame` is the one that is shown.
  show(why, {address, why_pictures: pictures, video, width, height}, query, frame) {
    this.shapes = why.shapes;
    const within = ([left, top, wide, high]) => !video && left >= 0 && top >= 0 && left + wide <= width && top + high <= height;
    this.shown = {place: why.box ?? null, shapes: [], heat: null, spot: null};
    this.room.hidden = false;
    byId('why-title').textContent = why.title;
    byId('why-body').replaceChildren(el('p', {}, why.summary),
      ...pictures.map((picture) => this.picture(picture, address, query)), this.reasons(why, address, within), this.layers(why, address, query),
      ...why.tables.map((table) => this.table(table)));
    this.setFrame(frame);
  }

  // Shapes belong to one frame of a video, or to all.
  setFrame(frame) {
    if (this.room.hidden) return;
    this.shown.shapes = this.shapes.filter((shape) => shape.frame === undefined || shape.frame === frame);
    this.view.setWhy(this.shown);
  }

  picture({name, title, text}, address, query) {
    return el('figure', {class: 'chart'}, el('img', {src: `${address}/why/${name}?${query}`, alt: `${title}: ${text}`}),
      el('figcaption', {}, `${title}. ${text}`));
  }

  // A reason that is somewhere in the picture is shown by that part of it; not where the picture is a frame of many, nor where it
  // reaches into the margin around it.
  reasons(why, address, within) {
    const most = Math.max(1e-12, ...why.reasons.map(({value}) => Math.abs(value)));
    const rows = why.reasons.map((reason) => {
      const bar = el('span', {class: `fill ${reason.value < 0 ? 'against' : 'for'}`});
      const width = 50 * Math.abs(reason.value) / most;
      bar.style.width = `${width}%`;
      bar.style.left = reason.value < 0 ? `${50 - width}%` : '50%';
      const patch = reason.box && within(reason.box) ? el('img', {class: 'patch', src: `${address}/patch/${reason.box}`, alt: reason.name, title: reason.name}) : null;
      const text = patch ? `${reason.name}: ${reason.text}` : reason.text;
      const row = el('button', {type: 'button', class: 'reason'}, patch ?? el('span', {}, reason.name), el('span', {class: 'track'}, bar),
        el('span', {class: 'value'}, format(reason.value)), text ? el('small', {}, text) : '');
      const point = (place) => { this.shown.spot = place; this.view.draw(); };
      if (reason.box) {
        for (const event of ['pointerenter', 'focus']) row.addEventListener(event, () => point(reason.box));
        for (const event of ['pointerleave', 'blur']) row.addEventListener(event, () => point(null));
      }
      return row;
    });
    if (rows.length === 0) return '';
    const rest = Math.abs(why.rest) > 1e-9 * most ? el('p', {}, `All other reasons together: ${format(why.rest)}.`) : '';
    const total = why.total_name ? el('p', {}, el('b', {}, `${why.total_name}: ${format(why.total)}`)) : '';
    return el('div', {role: 'group', 'aria-label': 'Reasons, for and against'}, ...rows, rest, total);
  }

  layers(why, address, query) {
    if (why.layers.length === 0) return '';
    const figures = why.layers.map((layer, i) => {
      const image = el('img', {src: `${address}/heat/${i}?${query}`, alt: `${layer.name}: ${layer.text}`, width: 150});
      const choose = el('button', {type: 'button', 'aria-pressed': String(i === 0)}, 'Over the picture');
      const put = () => { this.shown.heat = {image, place: layer.box}; this.view.draw(); };
      image.addEventListener('load', () => this.view.draw());
      if (i === 0) put();
      choose.addEventListener('click', () => {
        const on = choose.getAttribute('aria-pressed') !== 'true';
        for (const other of this.room.querySelectorAll('figure button')) other.setAttribute('aria-pressed', 'false');
        choose.setAttribute('aria-pressed', String(on));
        this.shown.heat = null;
        if (on) put();
        this.view.draw();
      });
      const ends = (layer.diverging ? kSigned : kPlain).map(([color, name], end) =>
        swatch(color, `${name}: ${format([layer.low, layer.high][end])}`));
      return el('figure', {}, image, el('figcaption', {}, `${layer.name}. ${layer.text}`), el('div', {class: 'swatches'}, ...ends), choose);
    });
    return el('div', {}, ...figures);
  }

  table(table) {
    const kinds = columnKinds(table);
    // The caption stands outside of what is scrolled, so that it is never cut.
    return el('div', {}, table.caption ? el('p', {class: 'caption'}, table.caption) : '',
      el('div', {class: 'scroll', tabindex: 0}, el('table', {'aria-label': table.caption || null},
        el('thead', {}, el('tr', {}, ...table.columns.map((column, i) => el('th', {scope: 'col', class: kinds[i]},
          column.unit ? `${column.title} (${column.unit})` : column.title)))),
        el('tbody', {}, ...table.rows.map((row) => el('tr', {}, ...row.map((cell, i) => el('td', {class: kinds[i]}, cell))))))));
  }
}
