// An evaluation as a page: curves on which a threshold is chosen, what was measured there, tables,
// classes that are confused, and the worst mistakes, each of which opens in the view.
import {getJson} from './api.js';
import {axisOf, figureText, listed, nearest, pathOf, pointOf} from './curve.js';
import {byId, el, svg} from './dom.js';

const kSize = {width: 640, height: 360, left: 64, right: 16, top: 14, bottom: 48};
const kListed = 24;  // mistakes of a kind, before the button that shows more

export class EvaluationPage {
  // `openMistake(target)` shows an input in the view: {ids, frame, box, text, system, option,
  // threshold, curve, file}.
  // `visit(change)` makes a change to which the browser's Back returns.
  constructor(openMistake, visit) {
    Object.assign(this, {openMistake, visit});
    this.room = byId('evaluation');
    this.button = byId('show-evaluation');
    this.button.addEventListener('click', () => visit(() => this.toggle(this.room.hidden)));
  }

  // The number of the evaluation that is seen; -1 where none is.
  get number() { return this.room.hidden ? -1 : this.all.indexOf(this.shown); }

  // Shows an evaluation by its number; any other number shows none.
  open(number) {
    if (this.all[number] && this.shown !== this.all[number]) this.show(this.all[number]);
    this.toggle(number in this.all);
  }

  // Reads the evaluations among the files of earlier results; returns whether there are any.
  async begin(files) {
    const numbers = files.flatMap((file, number) => file.evaluation ? [number] : []);
    this.all = await Promise.all(numbers.map(async (file) => ({file, title: files[file].name, ...await getJson(`evaluations/${file}`)})));
    this.button.hidden = this.all.length === 0;
    if (this.all.length > 0) this.show(this.all[0]);
    return this.all.length > 0;
  }

  // Opens an evaluation that has come, where one has.
  async openNew(files) {
    const before = this.all.length;
    await this.begin(files);
    if (this.all.length > before) this.visit(() => this.open(this.all.length - 1));
  }

  toggle(on) {
    this.room.hidden = !on;
    document.body.classList.toggle('evaluates', on);
    this.button.setAttribute('aria-pressed', String(on));
    if (on) this.room.focus({preventScroll: true});
  }

  show(shown) {
    this.shown = shown;
    const {evaluation} = shown;
    const chosen = evaluation.charts[0]?.curves[0]?.chosen;
    this.state = {curve: 0, threshold: chosen ?? null, cell: null};
    this.mistakes = el('div', {id: 'mistakes'});
    this.charts = evaluation.charts.map((chart, i) => new Chart(chart, i === 0 ? (curve, threshold) => this.choose(curve, threshold) : () => {}));
    this.room.replaceChildren(this.files(), el('h2', {}, evaluation.title), el('p', {}, evaluation.summary),
      el('dl', {}, ...evaluation.facts.flatMap(({name, value}) => [el('dt', {}, name), el('dd', {}, value)])),
      ...this.charts.map(({node}) => node), ...(evaluation.tables ?? []).map(tableOf), this.confusion(evaluation), this.mistakes);
    this.list();
  }

  files() {
    if (this.all.length < 2) return '';
    const select = el('select', {'aria-label': 'Evaluation'}, ...this.all.map(({title}, i) => el('option', {value: i}, title)));
    select.value = this.all.indexOf(this.shown);
    select.addEventListener('change', () => this.visit(() => this.show(this.all[Number(select.value)])));
    return select;
  }

  choose(curve, threshold) {
    Object.assign(this.state, {curve, threshold});
    this.list();
  }

  list() {
    const {evaluation} = this.shown;
    const kinds = listed(evaluation.mistakes, this.state);
    this.mistakes.replaceChildren(...kinds.map((kind) => this.kind(kind)));
    if (kinds.length === 0 && evaluation.mistakes.length > 0) this.mistakes.append(el('p', {}, 'None of the listed mistakes is one here.'));
  }

  kind({kind, mistakes}) {
    const list = el('ol', {class: 'mistakes'}, ...mistakes.slice(0, kListed).map((mistake) => this.mistake(mistake)));
    const rest = mistakes.slice(kListed);
    const more = rest.length > 0 ? el('button', {type: 'button'}, `Show ${rest.length} more`) : '';
    if (more) more.addEventListener('click', () => {
      list.append(...rest.map((mistake) => this.mistake(mistake)));
      more.remove();
    });
    return el('section', {}, el('h3', {}, `${kind}, the worst first`), list, more);
  }

  mistake(mistake) {
    const {file, names, evaluation} = this.shown;
    const input = evaluation.inputs[mistake.input], name = names[mistake.input];
    const missing = input.files.length === 0;
    const picture = missing ? el('span', {class: 'blank'})
      : el('img', {src: `evaluations/${file}/mistakes/${mistake.number}`, alt: '', loading: 'lazy', width: 128, height: 128});
    const button = el('button', {type: 'button', disabled: missing ? '' : null, 'aria-label': `${mistake.text}, ${name}`,
      title: missing ? `${name} cannot be opened` : `Open ${name}`}, picture, el('span', {}, mistake.text), el('small', {}, name));
    button.addEventListener('click', () => this.openMistake({ids: input.files, frame: input.frame ?? 0, box: mistake.box ?? null, text: mistake.text, file,
      system: evaluation.system, option: evaluation.charts[0]?.option ?? '', threshold: this.state.threshold,
      curve: evaluation.charts[0]?.curves[this.state.curve]?.name ?? null}));
    return el('li', {}, button);
  }

  // Rows are true classes. A click on a cell lists only its mistakes, and another one all of them.
  confusion({classes, confusion}) {
    if (!classes) return '';
    const cell = (truth, predicted) => {
      const count = confusion[truth * classes.length + predicted];
      if (truth === predicted || count === 0) return el('td', {class: truth === predicted ? 'number right' : 'number'}, count ? String(count) : '');
      const button = el('button', {type: 'button', 'aria-pressed': 'false',
        'aria-label': `${count} of ${classes[truth]} were classified as ${classes[predicted]}`}, String(count));
      button.addEventListener('click', () => this.chooseCell(button, {truth, predicted}));
      return el('td', {class: 'number'}, button);
    };
    return el('div', {class: 'scroll', tabindex: 0}, el('table', {id: 'confusion'},
      el('caption', {}, 'Rows are true classes, columns are predicted ones. Click a number to list its mistakes.'),
      el('thead', {}, el('tr', {}, el('th', {}), ...classes.map((name) => el('th', {scope: 'col', class: 'number'}, name)))),
      el('tbody', {}, ...classes.map((name, truth) => el('tr', {}, el('th', {scope: 'row'}, name),
        ...classes.map((_, predicted) => cell(truth, predicted)))))));
  }

  chooseCell(button, cell) {
    const on = button.getAttribute('aria-pressed') !== 'true';
    for (const other of this.room.querySelectorAll('#confusion button')) other.setAttribute('aria-pressed', 'false');
    button.setAttribute('aria-pressed', String(on));
    this.state.cell = on ? cell : null;
    this.list();
  }
}

// Columns of numbers stand at the right.
function tableOf({caption, columns, rows}) {
  const attributes = columns.map((_, i) => rows.every((row) => /^[-−–∞\d.e\s]*$/.test(row[i])) ? {class: 'number'} : {});
  return el('div', {class: 'scroll', tabindex: 0}, el('table', {}, el('caption', {}, caption),
    el('thead', {}, el('tr', {}, ...columns.map(({title, unit}, i) => el('th', {scope: 'col', ...attributes[i]}, unit ? `${title} (${unit})` : title)))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((text, i) => el('td', attributes[i], text)))))));
}

// One chart: its curves, and the point that is chosen by a click or by the slider below it.
class Chart {
  // `onChoose(curve, threshold)` is called when another point is chosen.
  constructor(chart, onChoose) {
    this.chart = chart;
    this.onChoose = onChoose;
    const points = chart.curves.flatMap((curve) => curve.points);
    this.drawn = 3 + (chart.lines ?? 0);  // numbers of a point up to the last figure that is drawn
    this.x = axisOf(points.map((point) => point[1]), chart.x, kSize.left, kSize.width - kSize.left - kSize.right);
    this.y = axisOf(points.flatMap((point) => point.slice(2, this.drawn)), chart.y, kSize.height - kSize.bottom, kSize.top + kSize.bottom - kSize.height);
    this.figures = el('p', {class: 'figures', role: 'status'});
    this.slider = el('input', {type: 'range', min: 0, step: 1, 'aria-label': `${chart.threshold}, along the curve`});
    this.slider.addEventListener('input', () => this.choose(this.curve, Number(this.slider.value)));
    this.dot = svg('circle', {r: 6, class: 'dot'});
    this.drawing = this.draw();
    this.node = el('figure', {class: 'chart'}, el('figcaption', {}, chart.title), this.legend(), this.drawing, this.slider, this.figures,
      chart.caption ? el('p', {}, chart.caption) : '');
    const first = chart.curves[0];
    if (!first || first.points.length === 0) return;
    this.mark(0, first.chosen === undefined ? 0 : pointOf(first.points, first.chosen));
  }

  legend() {
    if (this.chart.curves.length < 2) return '';
    this.names = this.chart.curves.map(({name, summary}, i) => {
      const button = el('button', {type: 'button', class: `series-${i % 4}`}, el('span', {class: 'swatch'}), summary ? `${name} ${summary}` : name);
      button.addEventListener('click', () => this.choose(i, pointOf(this.chart.curves[i].points, this.threshold)));
      return button;
    });
    return el('div', {class: 'legend', role: 'group', 'aria-label': 'Curves'}, ...this.names);
  }

  draw() {
    const {chart, x, y} = this;
    const bottom = kSize.height - kSize.bottom, right = kSize.width - kSize.right;
    const grid = [
      ...x.ticks.flatMap(({at, text}) => [svg('line', {x1: at, x2: at, y1: kSize.top, y2: bottom}),
        svg('text', {x: at, y: bottom + 18, 'text-anchor': 'middle'}, text)]),
      ...y.ticks.flatMap(({at, text}) => [svg('line', {x1: kSize.left, x2: right, y1: at, y2: at}),
        svg('text', {x: kSize.left - 8, y: at + 4, 'text-anchor': 'end'}, text)])];
    const titles = [svg('text', {x: (kSize.left + right) / 2, y: kSize.height - 8, 'text-anchor': 'middle'}, chart.x.title),
      svg('text', {transform: `translate(14 ${(kSize.top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}, chart.y.title)];
    const curves = chart.curves.flatMap((curve, i) => Array.from({length: this.drawn - 2}, (_, line) => svg('path', {
      d: pathOf(curve.points.map((point) => [point[0], point[1], point[2 + line]]), x, y), class: `series-${i % 4}`,
      ...(line > 0 ? {'stroke-dasharray': '5 4'} : {})})));
    const drawing = svg('svg', {viewBox: `0 0 ${kSize.width} ${kSize.height}`, role: 'img', 'aria-label': `${chart.y.title} over ${chart.x.title}`},
      svg('g', {class: 'grid'}, ...grid), svg('g', {class: 'titles'}, ...titles), ...curves, this.dot);
    drawing.addEventListener('click', (event) => this.onClick(event));
    return drawing;
  }

  // Takes the nearest point of the chosen curve.
  onClick(event) {
    const box = this.drawing.getBoundingClientRect();
    const place = {x: (event.clientX - box.left) * kSize.width / box.width, y: (event.clientY - box.top) * kSize.height / box.height};
    const {points} = this.chart.curves[this.curve] ?? {points: []};
    if (points.length > 0) this.choose(this.curve, nearest(points, this.x, this.y, place));
  }

  choose(curve, index) {
    this.mark(curve, index);
    this.onChoose(curve, this.threshold);
  }

  mark(curve, index) {
    this.curve = curve;
    const {points, name} = this.chart.curves[curve];
    const [threshold, x, y, ...figures] = points[index];
    this.threshold = threshold;
    this.slider.max = points.length - 1;
    this.slider.value = index;
    this.dot.setAttribute('cx', this.x.place(x));
    this.dot.setAttribute('cy', this.y.place(y));
    this.names?.forEach((button, i) => button.setAttribute('aria-pressed', String(i === curve)));
    const texts = [[this.chart.threshold, threshold], [this.chart.x.title, x], [this.chart.y.title, y],
      ...this.chart.figures.map((title, i) => [title, figures[i]])].filter(([title]) => title)
      .map(([title, value]) => figureText(title, value));
    const text = `${this.names ? `${name}: ` : ''}${texts.join(' · ')}`;
    this.figures.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
  }
}
