// The page: what the user has chosen, and what follows from it.
import {getJson, openSession, startRun, upload} from './api.js';
import {PictureView} from './canvas.js';
import {BoxFields} from './box.js';
import {Controls} from './controls.js';
import {byId, el} from './dom.js';
import {showResult} from './result.js';
import {Solid} from './solid.js';
import {Strip} from './strip.js';
import {Why} from './why.js';

// By getRandomValues, because randomUUID exists only where the page comes from this machine or by https.
const kClient = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const state = {systems: [], system: null, input: null, facts: null, frame: 0, options: {}, boxes: {}, run: null, result: null, limit: 0};
let boxFields, controls, solid, strip, view, why;

function tell(message) {
  byId('message').textContent = message ?? '';
  byId('message').hidden = !message;
}

// Runs a piece of work and shows what goes wrong.
async function guarded(work) {
  try {
    return await work();
  } catch (error) {
    tell(error.message);
    return null;
  }
}

const takes = (system, input) => system.takes === 'mesh' ? input.kind === 'mesh' : input.kind !== 'mesh';

// The inputs of a run: an image and the next one, or the last two, or a video, which gives both.
function chosenInputs() {
  const {system, input} = state;
  if (system.images < 2 || input.kind === 'video') return [input];
  const next = strip.after(input), before = strip.after(input, -1);
  if (next?.kind === 'image') return [input, next];
  return before?.kind === 'image' ? [before, input] : [input];
}

function showSystems() {
  byId('systems').replaceChildren(...state.systems.map((system) => {
    const fits = !state.input || takes(system, state.input);
    const tab = el('button', {type: 'button', role: 'tab', title: system.text, 'data-system': system.name,
      'aria-selected': String(system === state.system), disabled: fits ? null : ''}, system.title);
    tab.addEventListener('click', () => chooseSystem(system));
    return tab;
  }));
}

function chooseSystem(system) {
  state.system = system;
  state.options[system.name] ??= {};
  byId('system-text').textContent = system.text;
  controls.show(system, state.options[system.name]);
  byId('reset').hidden = false;
  showSystems();
  view.drawsBoxes = system.needs_box;
  view.canvas.classList.toggle('draws', system.needs_box);
  view.box = system.needs_box ? state.boxes[state.input?.id] ?? null : null;
  boxFields.show(system.needs_box ? state.facts : null, view.box);
  clearResult();
  showFrame();
  requestRun(0);
}

function clearResult() {
  closeWhy();
  state.result = null;
  solid.clear();
  showResult(null, view);
}

async function chooseInput(input) {
  tell(null);
  state.input = input;
  state.facts = null;
  state.frame = 0;
  state.run?.stop();
  state.run = null;
  byId('stop').hidden = true;
  clearResult();
  solid.show(input.kind === 'mesh' ? input : null);
  byId('stage').classList.toggle('solid', solid.shown);
  byId('welcome').hidden = true;
  const facts = await guarded(() => getJson(`/inputs/${input.id}`));
  if (!facts || state.input !== input) return;
  state.facts = facts;
  showTimeline();
  if (!state.system || !takes(state.system, input)) state.system = state.systems.find((system) => takes(system, input)) ?? null;
  showFrame();
  if (state.system) chooseSystem(state.system);
}

// Shows the chosen input, or another one of the same size: the first of a pair.
function showFrame(input = state.input) {
  const {facts, frame} = state;
  if (!facts?.width || solid.shown) return;
  view.show({width: facts.width, height: facts.height, levels: facts.levels,
    tile: (level, x, y) => `/inputs/${input.id}/tile/${frame}/${level}/${x}/${y}`});
  byId('stage').style.setProperty('--aspect', facts.width / facts.height);
  view.canvas.setAttribute('aria-label', `${input.name}, ${facts.width} by ${facts.height} pixels`);
}

function showTimeline() {
  const frames = state.facts.frames ?? 0;
  byId('timeline').hidden = frames < 2;
  byId('frame').max = Math.max(0, frames - 1);
  setFrame(0, false);
}

function setFrame(number, run = true) {
  const frames = state.facts?.frames ?? 1;
  state.frame = Math.min(Math.max(0, number), Math.max(0, frames - 1));
  byId('frame').value = state.frame;
  const seconds = state.facts?.rate ? ` · ${(state.frame / state.facts.rate).toFixed(2)} s` : '';
  byId('frame-value').textContent = `${state.frame}${seconds}`;
  if (!run) return;
  showFrame();
  requestRun(60);
}

// Starts a run soon: a slider that moves asks many times, and the newest request stops the one before.
let timer = 0;
function requestRun(delay = 40) {
  clearTimeout(timer);
  if (!state.system || !state.facts) return;
  timer = setTimeout(() => guarded(run), delay);
}

async function run() {
  const {system, input} = state;
  const inputs = chosenInputs();
  strip.mark(input, inputs.find((each) => each !== input) ?? null);
  if (inputs.length < system.images && input.kind !== 'video') {
    byId('summary').textContent = `${system.title} needs ${system.images} images of one size; add the next one.`;
    return;
  }
  if (system.needs_box && !state.boxes[input.id]) {
    byId('summary').textContent = 'Draw a box around a target on the picture, or enter its numbers.';
    return;
  }
  tell(null);
  const began = performance.now();
  const started = startRun({client: kClient, system: system.name, inputs: inputs.map(({id}) => id), frame: state.frame,
    model: controls.modelOf(system), options: state.options[system.name], box: system.needs_box ? state.boxes[input.id] : []},
  (progress) => started === state.run && showProgress(progress));
  state.run = started;
  byId('stop').hidden = false;
  try {
    const id = await started.done;
    if (started !== state.run) return;
    if (id === null) {
      byId('state').textContent = 'Stopped';
      return;
    }
    const result = await getJson(`/results/${id}`);
    if (started !== state.run) return;
    state.result = {...result, id, address: `/results/${id}`};
    byId('state').textContent = `${Math.round(performance.now() - began)} ms`;
    closeWhy();
    showFrame(inputs[0]);
    showResult(state.result, view, () => solid.shown ? solid : view);
    if (solid.shown) await solid.showResult(state.result);
  } catch (error) {
    if (started === state.run) throw error;
  } finally {
    if (started === state.run) byId('stop').hidden = true;
  }
}

function showProgress({state: word, stage, done, total}) {
  if (word !== 'running') return;
  const part = total > 0 ? ` ${Math.round(100 * done / total)} %` : '';
  byId('state').textContent = stage ? `${stage}${part}` : 'Working';
}

function stop() {
  state.run?.stop();
}

// Only the answer to the newest question is shown, and none once the explanation was closed.
let questions = 0;
function closeWhy() {
  ++questions;
  if (byId('state').textContent === 'Explaining') byId('state').textContent = '';
  why.hide();
  solid.hideWhy();
}

function askAt({x, y}) {
  const {facts} = state;
  if (facts && x >= 0 && y >= 0 && x < facts.width && y < facts.height) ask(`x=${x.toFixed(2)}&y=${y.toFixed(2)}`);
}

async function askFace(face) {
  const query = `face=${face}`, {result} = state, reasons = await ask(query);
  if (reasons) solid.showWhy(face, reasons, result.address, query);
}

// Asks why, and returns the answer; null where it does not count any more.
async function ask(query) {
  const {result} = state;
  if (!result?.explains) return null;
  const question = ++questions;
  byId('state').textContent = 'Explaining';
  let reasons = null;
  try {
    reasons = await getJson(`${result.address}/explain?${query}`);
  } catch (error) {
    if (question === questions && result === state.result) tell(error.message);
  }
  if (question !== questions || result !== state.result) return null;
  byId('state').textContent = '';
  if (!reasons) return null;
  why.show(reasons, result.address, query);
  byId('save-page').href = `${result.address}/page.html?${query}`;
  byId('why-title').scrollIntoView({block: 'nearest'});
  return reasons;
}

function onBox(box) {
  if (!box || !state.input) return;
  state.boxes[state.input.id] = box;
  view.box = box;
  view.draw();
  boxFields.show(state.facts, box);
  requestRun(0);
}

async function addFiles(files) {
  let first = null;
  for (const file of files) {
    if (file.size > state.limit) {
      tell(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; at most ${Math.round(state.limit / 2 ** 20)} can be dropped. Name it on the command line.`);
      continue;
    }
    byId('state').textContent = `Adding ${file.name}`;
    const input = await guarded(() => upload(file));
    if (!input) continue;
    strip.add(input);
    first ??= input;
  }
  byId('state').textContent = '';
  if (first) chooseInput(first);
}

function setDivider(share) {
  view.divider = share;
  const divider = byId('divider');
  divider.hidden = share === null;
  byId('compare').setAttribute('aria-pressed', String(share !== null));
  if (share !== null) {
    divider.style.left = `${100 * share}%`;
    divider.setAttribute('aria-valuenow', String(Math.round(100 * share)));
  }
  view.draw();
}

function listenForFiles() {
  byId('choose').addEventListener('change', ({target}) => addFiles([...target.files]));
  let depth = 0;
  const over = (change) => (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    depth += change;
    document.body.classList.toggle('drops', depth > 0);
  };
  addEventListener('dragenter', over(1));
  addEventListener('dragleave', over(-1));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    document.body.classList.remove('drops');
    addFiles([...event.dataTransfer.files]);
  });
}

function listenForDivider() {
  const divider = byId('divider');
  const share = (event) => {
    const box = byId('stage').getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener('pointermove', (event) => divider.hasPointerCapture(event.pointerId) && setDivider(share(event)));
  divider.addEventListener('keydown', (event) => {
    const step = {ArrowLeft: -0.02, ArrowRight: 0.02}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    setDivider(Math.min(1, Math.max(0, view.divider + step)));
  });
  byId('compare').addEventListener('click', () => setDivider(view.divider === null ? 0.5 : null));
}

function zoomTo(word) {
  if (solid.shown) return solid.zoom(word);
  if (!view.picture) return;
  if (word === 'in') view.zoomBy(1.5);
  if (word === 'out') view.zoomBy(1 / 1.5);
  if (word === 'fit') view.fit();
  if (word === 'one') view.zoomBy(1 / view.camera.scale);
}

const kKeys = {
  '+': () => zoomTo('in'), '=': () => zoomTo('in'), '-': () => zoomTo('out'), 0: () => zoomTo('fit'), 1: () => zoomTo('one'),
  b: () => byId('compare').click(), ',': () => setFrame(state.frame - 1), '.': () => setFrame(state.frame + 1),
  n: () => step(1), p: () => step(-1),
  Enter: () => solid.shown ? solid.askMiddle() : view.picture && askAt({x: view.camera.x, y: view.camera.y}),
  Escape: () => { if (byId('stop').hidden) closeWhy(); else stop(); },
};

function step(by) {
  const next = state.input && strip.after(state.input, by);
  if (next) chooseInput(next);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.closest('input, select, button, a, summary, pre');
  if (inField && event.key !== 'Escape') return;
  const pan = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
  if (pan && document.activeElement === view.canvas && view.picture) {
    const size = event.shiftKey ? view.camera.scale : 60;
    event.preventDefault();
    view.panBy(pan[0] * size, pan[1] * size);
  } else if (kKeys[event.key]) {
    event.preventDefault();
    kKeys[event.key]();
  }
}

function showZoom(scale) {
  byId('zoom-value').textContent = `${scale < 0.1 ? (100 * scale).toFixed(1) : Math.round(100 * scale)} %`;
}

async function begin() {
  view = new PictureView(byId('canvas'), {click: askAt, box: onBox, zoom: showZoom});
  solid = new Solid(byId('model'), byId('model-tools'), {pick: askFace, zoom: showZoom, failed: (error) => tell(error.message)});
  boxFields = new BoxFields(byId('box'), onBox);
  controls = new Controls(byId('controls'), () => requestRun());
  strip = new Strip(byId('strip'), chooseInput);
  why = new Why(view);
  await openSession();
  const {systems, upload_bytes: limit} = await getJson('/systems');
  Object.assign(state, {systems, limit});
  showSystems();
  for (const input of await getJson('/inputs')) strip.add(input);
  byId('welcome').hidden = strip.inputs.length > 0;
  listenForFiles();
  listenForDivider();
  for (const button of document.querySelectorAll('[data-zoom]')) button.addEventListener('click', () => zoomTo(button.dataset.zoom));
  byId('stop').addEventListener('click', stop);
  byId('reset').addEventListener('click', () => {
    state.options[state.system.name] = {};
    chooseSystem(state.system);
  });
  byId('frame').addEventListener('input', ({target}) => setFrame(Number(target.value)));
  byId('frame-back').addEventListener('click', () => setFrame(state.frame - 1));
  byId('frame-on').addEventListener('click', () => setFrame(state.frame + 1));
  addEventListener('keydown', onKey);
  if (strip.inputs.length > 0) await chooseInput(strip.inputs[0]);
}

guarded(begin);
