// Shows a result: its sentence, layers, scores, times, and the lines that give it again.
import {kMarkStyles} from './canvas.js';
import {byId, el, swatch, switchRow} from './dom.js';
import {savePicture} from './save.js';

export function layerRow(layer, view) {
  const opacity = el('input', {type: 'range', class: 'opacity', min: 0.1, max: 1, step: 0.05, value: layer.opacity,
    'aria-label': `Opacity of ${layer.title}`});
  opacity.addEventListener('input', () => { layer.opacity = Number(opacity.value); view.draw(); });
  return switchRow({title: layer.title, on: layer.shown, text: layer.text, beside: opacity}, (on) => { layer.shown = on; view.draw(); });
}

// What the rows of layers are about. Boxes keep their row while frames without any pass.
let rowsShown = '';
function rowsFor({layers, marks}) {
  const names = layers.map(({name}) => name).join();
  return marks.length > 0 || rowsShown === `${names}+boxes` ? `${names}+boxes` : names;
}

// Layers keep their switches from run to run.
function showLayers(result, view) {
  const before = new Map((view.layers ?? []).map((layer) => [layer.name, layer]));
  const layers = (result?.layers ?? []).map((layer) => ({...layer, shown: before.get(layer.name)?.shown ?? layer.shown,
    opacity: before.get(layer.name)?.opacity ?? layer.opacity,
    tile: (level, x, y) => `${result.address}/tile/${layer.name}/${level}/${x}/${y}`}));
  const rows = layers.map((layer) => layerRow(layer, view));
  rowsShown = result ? rowsFor(result) : '';
  byId('layers').replaceChildren(...markRows(result?.marks ?? [], view), ...rows);
  if (result || view.layers.length > 0) view.setLayers(layers);
  view.setMarks(result?.marks ?? []);
}

// Switches for what was found and for what is true, where both are there.
const kMarkGroups = [
  {title: 'Boxes', kinds: {plain: 'orange: found now', hit: 'green: a person is there', false: 'red: nobody is there',
    ignored: 'gray: the truth is unclear, and nothing counts'}},
  {title: 'Truth', kinds: {true: 'white: found', missed: 'pink: missed'}},
];
function markRows(marks, view) {
  const there = new Set(marks.map(({kind}) => kind ?? 'plain')), isJudged = [...there].some((kind) => kind !== 'plain');
  return kMarkGroups.filter(({kinds}) => Object.keys(kinds).some((kind) => there.has(kind))).map(({title, kinds}) => {
    const all = Object.keys(kinds), legend = all.filter((kind) => there.has(kind) || isJudged && kind !== 'plain').map((kind) =>
      swatch(kMarkStyles[kind].color, kinds[kind], Boolean(kMarkStyles[kind].dash)));
    return switchRow({title, on: !view.hiddenMarks.has(all[0]), text: el('span', {class: 'swatches'}, ...legend)}, (on) => {
      for (const kind of all) on ? view.hiddenMarks.delete(kind) : view.hiddenMarks.add(kind);
      view.draw();
    });
  });
}

export function scoreBars(scores, trueScore = '') {
  const most = Math.max(1e-9, ...scores.map(({value}) => value));
  const label = (name) => name === trueScore ? `✓ ${name}` : name;
  return scores.map(({name, value}) => el('div', {class: name === trueScore ? 'bar true' : 'bar'},
    el('span', {class: 'name', title: name === trueScore ? `${name}, which is the truth` : name}, label(name)),
    el('meter', {min: 0, max: most, value: Math.max(0, value), 'aria-label': name}), el('span', {class: 'value'}, value.toFixed(3))));
}

// How a result was made: its times, its facts and the lines that give it again, as far as it has them.
function showMade({timings, facts = [], command = '', python = ''}) {
  byId('made').hidden = timings.length === 0;
  showTimes(timings);
  byId('facts').replaceChildren(...facts.flatMap(({name, value}) => [el('dt', {}, name), el('dd', {}, value)]));
  for (const [id, text] of Object.entries({command, python})) {
    byId(id).textContent = text;
    byId(id).closest('.line').hidden = text === '';
  }
}

function showTimes(timings) {
  const sum = timings.reduce((all, {seconds}) => all + seconds, 0);
  byId('timings').tBodies[0].replaceChildren(...[...timings, {stage: 'together', seconds: sum}].map(({stage, seconds}) =>
    el('tr', {}, el('td', {}, stage), el('td', {class: 'number'}, `${(1000 * seconds).toFixed(1)} ms`))));
}

// `saved()` gives the view whose picture is saved.
export function showResult(result, view, saved = () => view) {
  byId('save').hidden = byId('made').hidden = !result;
  showLayers(result, view);
  byId('scores').replaceChildren(...scoreBars(result?.scores ?? [], result?.true_score));
  view.canvas.classList.toggle('asks', Boolean(result?.explains));
  if (!result) {
    byId('summary').textContent = '';
    return;
  }
  byId('summary').textContent = `${result.summary}${result.explains ? ` ${result.why_hint}` : ''}`;
  view.canvas.setAttribute('aria-label', result.summary);
  showMade(result);
  showFiles(result);
  byId('save-png').onclick = () => savePicture(saved(), `${result.stem}_view.png`);
}

// What the result can be saved as.
function showFiles({address, stem, files}) {
  Object.assign(byId('save-page'), {href: `${address}/page.html`, download: `${stem}.html`});
  Object.assign(byId('save-json'), {href: `${address}/result.json`, download: `${stem}.json`});
  byId('save-as').hidden = files.length === 0;
  byId('save-files').replaceChildren(...files.map(({file, help}, i) =>
    el('li', {}, el('a', {href: `${address}/save/${i}`, download: file}, file), el('p', {class: 'text'}, help))));
}

// Shows what was found in a frame that gives way to the next one. Only what differs is made anew.
export function showPassing(result, bitmaps, view) {
  const layers = result.layers.map((layer, i) => ({...layer, bitmap: bitmaps[i]}));
  if (rowsShown === rowsFor(result)) layers.forEach(({bitmap}, i) => { view.layers[i].bitmap = bitmap; });
  else showLayers({...result, layers}, view);
  view.setMarks(result.marks);
  view.canvas.classList.remove('asks');
  byId('summary').textContent = result.summary;
  byId('save').hidden = true;
  byId('scores').replaceChildren(...scoreBars(result.scores));
  showMade(result);
}

for (const button of document.querySelectorAll('[data-copy]'))
  button.addEventListener('click', async () => {
    const text = byId(button.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {  // without the right to the clipboard the text is marked, for the keys of the browser
      getSelection().selectAllChildren(byId(button.dataset.copy));
      button.textContent = 'Marked';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
