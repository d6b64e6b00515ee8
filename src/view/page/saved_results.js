// Results of earlier runs, from files that are named on the command line or added: their boxes, classes and layers are shown
// beside what is computed now, from a score on that is chosen here.
import {getBytes, getJson} from './api.js';
import {byId, el, swatch} from './dom.js';
import {countOf, countText, FoundColors, groupsOf, marksOf, missingText, numbered, spansOf, stepOf} from './saved_boxes.js';
import {layerRow, scoreBars} from './result.js';

const kMistake = '#ff5c8a';
const kMostMissing = 100;  // inputs that are listed
const scoreText = (score) => score.toFixed(2).replace(/^-(0\.00)$/, '$1');

export class SavedResults {
  // `solid` shows layers of a mesh as colors of its faces; `onEvents(spans)` is called with what
  // happens in the video that is shown.
  constructor(view, solid, onEvents) {
    this.view = view;
    this.solid = solid;
    this.onEvents = onEvents;
    this.files = [];
    this.asked = 0;
    this.colors = new FoundColors();
    this.pointed = this.said = this.layers = [];
  }

  // Reads which files there are; what was chosen of those that are known already stays.
  async refresh() {
    const {files} = await getJson('earlier'), before = this.files;
    this.files = numbered(files).map((file) => {
      const known = before.find((each) => file.truth ? each.truth : !each.truth && each.number === file.number);
      return {...file, shown: known?.shown ?? true, threshold: known?.threshold ?? file.least ?? null, group: known?.group ?? null};
    });
  }

  // Whether inputs of some files are not there.
  get lacksInputs() { return this.files.some(({missing}) => missing.length > 0); }
  // Whether one of the files says something about what is shown now.
  says(file) { return this.said.some((each) => each.file === file); }

  // Chooses what is shown of a file: scores from a threshold on, and only those of one model.
  choose(file, threshold, group) {
    Object.assign(this.files[file], {shown: true, group}, threshold === null ? {} : {threshold});
  }

  // Nothing of another input stays while this one is read.
  clear() {
    ++this.asked;
    this.pointed = this.said = this.layers = [];
    this.view.setEarlier({marks: [], layers: []});
    this.onEvents([]);
  }

  // Shows what the files say about a frame of an input.
  async show(input, frame) {
    if (this.files.length === 0) return;
    if (frame !== this.frame) this.pointed = [];
    this.frame = frame;
    const asked = ++this.asked;
    const said = await getJson(`earlier/${input.id}?frame=${frame}`);
    if (asked !== this.asked) return;
    this.said = said.files;
    const mesh = input.kind === 'mesh';
    this.layers = mesh ? [] : said.layers.map((layer) => ({...layer,
      tile: (level, x, y) => `earlier/${input.id}/tile/${layer.name}/${level}/${x}/${y}`}));
    if (mesh) this.solid.setEarlier(said.layers.map((layer) => ({...layer,
      load: () => getBytes(`earlier/${input.id}/surface/${layer.name}`)})));
    byId('earlier').hidden = this.said.length === 0 && said.layers.length === 0 && this.files.every(({truth}) => truth);
    const rows = this.said.map((each) => this.fileRows(each));
    if (mesh && said.layers.length > 0) rows.push(el('p', {}, 'The colors of the mesh have the parts of an earlier result as well.'));
    if (rows.length === 0 && said.layers.length === 0) rows.push(el('p', {}, 'No file says anything about this input.'));
    byId('earlier-body').replaceChildren(...rows, ...this.layers.map((layer) => layerRow(layer, this.view)), ...this.missingRows(false));
    this.draw();
  }

  // Shows what the files say of inputs that are not there, where no other is.
  showAlone() {
    byId('earlier').hidden = !this.lacksInputs;
    byId('earlier-body').replaceChildren(...this.missingRows(true));
  }

  missingRows(open) {
    const add = () => el('p', {}, 'Add them: ', el('label', {class: 'link', for: 'choose'}, 'files'), ' or ',
      el('label', {class: 'link', for: 'choose-folder'}, 'a folder'), '. They are found by their names.');
    return this.files.filter(({missing}) => missing.length > 0).map(({name, summary, missing}) => {
      const rest = missing.length - kMostMissing;
      return el('details', {class: 'earlier-file', open}, el('summary', {}, `${name} lacks ${countOf(missing.length, 'input')}`),
        el('small', {}, summary), add(), el('ul', {}, ...missing.slice(0, kMostMissing).map((each) => el('li', {}, missingText(each))),
          rest > 0 ? el('li', {}, `and ${rest} more`) : ''));
    });
  }

  // Marks the place of a mistake, until another input or frame is shown.
  point(box, text) {
    this.pointed = [{box, label: text, color: kMistake}];
    this.draw();
  }

  draw() {
    this.onEvents(spansOf(this.said, this.files));
    const several = this.said.flatMap(groupsOf).length > 1;
    const marks = this.said.flatMap((each) => marksOf(each.boxes, this.files[each.file], this.colors, several));
    this.view.setEarlier({marks: [...marks, ...this.pointed], layers: this.layers});
  }

  fileRows(said) {
    const file = this.files[said.file];
    const box = el('input', {type: 'checkbox', checked: file.shown});
    const count = el('p', {class: 'count'}, countText(said.boxes, file));
    const changed = () => {
      count.textContent = countText(said.boxes, file);
      this.draw();
    };
    box.addEventListener('change', () => { file.shown = box.checked; changed(); });
    const groups = groupsOf(said), legend = groups.map((group) => {
      const {name, color} = this.colors.of(said.file, group);
      return swatch(color, group ? `${name}: ${group}` : name);
    });
    const head = said.boxes.length > 0 || said.events?.length > 0 ? el('label', {}, box, file.name) : el('b', {}, file.name);
    return el('div', {class: 'earlier-file'}, head, el('div', {class: 'swatches'}, ...said.boxes.length > 0 ? legend : []),
      el('small', {}, file.summary), said.text ? el('p', {}, said.text) : '',
      this.thresholdRow(said, file, changed), said.boxes.length > 0 ? count : '', ...scoreBars(said.scores.slice(0, 8)));
  }

  thresholdRow(said, file, changed) {
    if (file.least === undefined || ![...said.boxes, ...said.events ?? []].some(({score}) => score !== undefined)) return '';
    const step = stepOf(file);
    const slider = el('input', {type: 'range', min: Math.floor(file.least / step) * step, max: Math.ceil(file.greatest / step) * step, step,
      value: file.threshold, 'aria-label': `Least score of ${file.name}`});
    const value = el('output', {}, scoreText(file.threshold));
    slider.addEventListener('input', () => {
      file.threshold = Number(slider.value);
      value.textContent = scoreText(file.threshold);
      changed();
    });
    return el('div', {class: 'entry'}, el('span', {}, 'score from'), slider, value);
  }
}
