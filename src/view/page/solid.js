// A mesh on the page: it is turned by hand, colored by parts or by values, and asked about by faces.
import {getBytes, getJson} from './api.js';
import {el} from './dom.js';
import {onePart, readParts, readShape} from './mesh_model.js';
import {MeshView} from './mesh_view.js';

const kGray = [176, 182, 190];

export class Solid {
  // The mesh is drawn in `room`; `tools` gets the choice of colors, levels and parts. `on` has functions:
  // pick(face), with -1 beside the mesh, zoom(share), and failed(error).
  constructor(room, tools, on) {
    Object.assign(this, {room, tools, on, input: null, view: null, opened: null, chosen: 'parts', earlier: []});
  }

  get shown() { return this.input !== null; }

  // Shows the mesh of an input; null shows none.
  show(input) {
    if (input?.id === this.input?.id) return;
    this.input = input;
    this.view?.remove();
    this.view = null;
    this.room.hidden = !input;
    this.earlier = [];
    this.clear();
    this.opened = input ? this.open(input).catch(this.on.failed) : null;
  }

  async open(input) {
    const shape = readShape(await getJson(`inputs/${input.id}/shape.json`));
    if (input !== this.input) return;
    const stage = el('div', {class: 'stage', tabindex: 0, role: 'img', 'aria-label': `The mesh ${input.name}, to be turned`});
    this.room.append(stage);
    this.shape = shape;
    this.view = new MeshView(stage, shape, onePart(shape, kGray), {pick: (face) => this.on.pick(face), zoom: this.on.zoom,
      hover: (face) => this.namePart(this.view.partOf(face))});
    this.on.zoom(1);
  }

  // Takes the parts of the last result off.
  clear() {
    this.result = this.wanted = null;
    this.reasons = [];
    this.tools.hidden = true;
    this.view?.setParts(onePart(this.shape, kGray));
  }

  async showResult(result) {
    this.wanted = result;
    const parts = readParts(await getJson(`${result.address}/parts.json`));
    await this.opened;
    if (!this.view || this.wanted !== result) return;
    this.result = result;
    this.reasons = [];
    this.view.setParts(parts);
    this.view.stage.setAttribute('aria-label', `${result.summary} Arrow keys turn it, Enter asks about the face in the middle.`);
    this.legend = this.legendOf(parts);
    this.colors = el('select', {id: 'colors'});
    this.colors.addEventListener('change', () => this.color(this.colors.value));
    this.colorText = el('small', {});
    this.tools.replaceChildren(el('label', {}, 'Colors', this.colors), this.colorText, this.levelsOf(parts), this.legend);
    this.tools.hidden = false;
    this.showColors();
  }

  // Marks the face that a click asks about, and offers the values that explain it as colors.
  showWhy(face, why, address, query) {
    this.view?.pick(face);
    this.reasons = why.surface.map(({name, text}, i) => ({name: `why-${i}`, title: `Why: ${name}`, text,
      load: () => getBytes(`${address}/faces/${i}?${query}`)}));
    this.showColors();
  }
  hideWhy() {
    this.view?.pick(-1);
    this.reasons = [];
    if (this.result) this.showColors();
  }

  // All colorings: each may have a function that loads red, green and blue of each face.
  get colorings() {
    const {result, shape} = this;
    return [{name: 'parts', title: 'Parts', text: 'Each part has a color.'},
      {name: 'shade', title: 'Shade', text: 'The surface alone.', load: () => Uint8Array.from(shape.corners, (_, i) => kGray[i % 3])},
      ...result.surfaces.map((surface) => ({...surface, load: () => getBytes(`${result.address}/surface/${surface.name}`)})),
      ...this.earlier, ...this.reasons];
  }

  // Colorings of earlier results. One that is shown at first, as the parts that the file itself holds, is chosen when it comes.
  setEarlier(colorings) {
    const first = colorings.find(({shown}) => shown);
    if (first && !this.earlier.some(({name}) => name === first.name)) this.chosen = first.name;
    this.earlier = colorings;
    if (this.result) this.showColors();
  }

  showColors() {
    this.colors.replaceChildren(...this.colorings.map(({name, title}) => el('option', {value: name}, title)));
    this.color(this.chosen);
  }

  // Colors the mesh by the coloring of a name, or by parts where there is none any more.
  async color(wanted) {
    const colorings = this.colorings, coloring = colorings.find(({name}) => name === wanted) ?? colorings[0];
    this.chosen = this.colors.value = coloring.name;
    this.colorText.textContent = coloring.text;
    this.legend.hidden = coloring.name !== 'parts';
    try {
      const colors = await (coloring.load?.() ?? null);
      if (this.chosen === coloring.name) this.view?.setSurface(colors);
    } catch (error) {
      this.on.failed(error);
    }
  }

  // A slider for the levels of a hierarchy, where there are several.
  levelsOf(parts) {
    const last = parts.levels.length - 1;
    if (last < 1) return '';
    const slider = el('input', {type: 'range', min: 0, max: last, step: 1, value: last});
    const count = el('output', {});
    const open = (level) => {
      const {shown, areas} = parts.levels[level], number = new Set(shown).size;
      count.textContent = `${number} ${number === 1 ? 'part' : 'parts'}`;
      this.view.setLevel(level);
      [...this.legend.children].forEach((row, i) => {
        row.hidden = shown[i] !== i;
        row.querySelector('small').textContent = `${areas[i].toFixed(1)} %`;
      });
    };
    slider.addEventListener('input', () => open(Number(slider.value)));
    count.textContent = `${parts.colors.length} parts`;
    return el('label', {class: 'levels'}, 'Level', slider, count);
  }

  // The parts by color and share of the area; pointing at one shows it alone, a click keeps it so.
  legendOf(parts) {
    const rows = parts.colors.map((color, part) => {
      const swatch = el('i', {});
      swatch.style.background = `rgb(${color})`;
      const share = parts.levels.at(-1).areas[part];
      const button = el('button', {type: 'button', 'aria-pressed': 'false'}, swatch, el('span', {}, `part ${part}`),
        el('small', {}, `${share.toFixed(1)} %`));
      button.addEventListener('click', () => this.pin(button.getAttribute('aria-pressed') === 'true' ? -1 : part));
      for (const kind of ['pointerenter', 'focus']) button.addEventListener(kind, () => this.view?.hover(part));
      for (const kind of ['pointerleave', 'blur']) button.addEventListener(kind, () => this.view?.hover(-1));
      return el('li', {}, button);
    });
    return el('ul', {class: 'legend', 'aria-label': 'Parts'}, ...rows);
  }

  pin(part) {
    this.view?.pin(part);
    this.legend.querySelectorAll('button').forEach((button, i) => button.setAttribute('aria-pressed', String(i === part)));
  }

  // Marks the row of the part that the mouse points at.
  namePart(part) {
    this.legend?.querySelectorAll('button').forEach((button, i) => button.classList.toggle('near', this.result && i === part));
  }

  zoom(word) {
    if (word === 'in') this.view?.zoomBy(1.25);
    if (word === 'out') this.view?.zoomBy(1 / 1.25);
    if (word === 'fit') this.view?.reset();
  }
  askMiddle() {
    if (this.view) this.on.pick(this.view.faceUnder());
  }
  // The canvas with the mesh as it is seen now.
  snapshot() { return this.view?.drawNow() ?? null; }
}
