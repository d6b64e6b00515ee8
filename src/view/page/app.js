// The page: what the user has chosen, and what follows from it.
import {getJson, openSession, startRun, upload} from './api.js';
import {PictureView} from './canvas.js';
import {Controls} from './controls.js';
import {byId, el} from './dom.js';
import {Player} from './live.js';
import {showResult} from './result.js';
import {Strip} from './strip.js';
import {Why} from './why.js';

// By getRandomValues, because randomUUID exists only where the page comes from this machine or by https.
const kClient = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const state = {systems: [], system: null, input: null, facts: null, frame: 0, options: {}, boxes: {}, run: null, result: null, limit: 0};
let controls, player, strip, view, why;

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

function takes(system, input) {
  if (input.kind === 'live') return system.streams;
  if (system.takes === 'video') return input.kind === 'video';
  return (system.takes === 'mesh') === (input.kind === 'mesh');
}

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
  dropRun();
  if (!system.streams) player.stop();
  kOnPlayer.changed();
  view.drawsBoxes = system.needs_box;
  view.canvas.classList.toggle('draws', system.needs_box);
  view.box = system.needs_box ? state.boxes[state.input?.id] ?? null : null;
  clearResult();
  showFrame();
  requestRun(0);
}

// Stops a run whose result nobody wants any more.
function dropRun() {
  state.run?.stop();
  state.run = null;
  byId('stop').hidden = true;
}

function clearResult() {
  closeWhy();
  state.result = null;
  showResult(null, view);
}

async function chooseInput(input) {
  tell(null);
  state.input = input;
  state.facts = null;
  state.frame = 0;
  dropRun();
  player.stop();
  clearResult();
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
  if (!facts?.width || player.open || input.kind === 'live') return;
  view.show({width: facts.width, height: facts.height, levels: facts.levels,
    tile: (level, x, y) => `/inputs/${input.id}/tile/${frame}/${level}/${x}/${y}`});
  byId('stage').style.setProperty('--aspect', facts.width / facts.height);
  view.canvas.setAttribute('aria-label', `${input.name}, ${facts.width} by ${facts.height} pixels`);
}

function showTimeline() {
  const frames = state.facts.frames ?? 0, live = state.input.kind === 'live';
  byId('timeline').hidden = frames < 2 && !live;
  byId('timeline').classList.toggle('live', live);
  byId('frame').max = Math.max(0, frames - 1);
  setFrame(0, false);
}

function setFrame(number, run = true) {
  if (run) player.stop();
  showFrameNumber(number);
  if (!run) return;
  showFrame();
  requestRun(60);
}

function showFrameNumber(number) {
  const frames = state.facts?.frames ?? 1;
  state.frame = Math.min(Math.max(0, number), Math.max(0, frames - 1));
  byId('frame').value = state.frame;
  const seconds = state.facts?.rate ? ` · ${(state.frame / state.facts.rate).toFixed(2)} s` : '';
  byId('frame-value').textContent = `${state.frame}${seconds}`;
}

// One frame back or on. A stream that is open only goes on.
function stepFrame(by) {
  if (by > 0 && player.open) player.step();
  else if (state.input?.kind !== 'live') setFrame(state.frame + by);
}

// Starts a run soon: a slider that moves asks many times, and the newest request stops the one before.
let timer = 0;
function requestRun(delay = 40) {
  clearTimeout(timer);
  if (!state.system || !state.facts) return;
  timer = setTimeout(() => guarded(run), delay);
}

function runBody(inputs) {
  const {system, input} = state;
  return {client: kClient, system: system.name, inputs: inputs.map(({id}) => id), frame: state.frame,
    model: controls.modelOf(system), options: state.options[system.name], box: system.needs_box ? state.boxes[input.id] ?? [] : []};
}

// Plays the input, or goes on with other options where it plays already.
function play() {
  tell(null);
  strip.mark(state.input, null);
  if (!player.open) {
    dropRun();
    const atEnd = state.frame > 0 && state.frame === state.facts.frames - 1;
    if (atEnd && !state.system.needs_box) showFrameNumber(0);
    player.start(state.input, state.frame);
  }
  player.run(runBody([state.input]));
  if (state.system.needs_box && !state.boxes[state.input.id]) byId('summary').textContent = 'Draw a box around a target on the picture.';
}

function togglePlay() {
  if (byId('timeline').hidden || !state.system?.streams) return;
  if (player.open) player.toggle();
  else play();
}

const kOnPlayer = {
  changed() {
    const streams = Boolean(state.system?.streams);
    byId('play').disabled = !streams;
    byId('play').textContent = player.playing ? 'Pause' : 'Play';
    byId('stop').hidden = !player.open;
  },
  frame(message, bitmap) {
    const {input, system} = state;
    if (input.kind === 'live') {
      state.facts = {...state.facts, width: message.width, height: message.height};
      byId('stage').style.setProperty('--aspect', message.width / message.height);
      byId('frame-value').textContent = `frame ${message.frame} · ${message.seconds.toFixed(1)} s`;
      view.canvas.setAttribute('aria-label', `${input.name}, live, ${message.width} by ${message.height} pixels`);
      strip.drawLive(input, bitmap);
    } else {
      showFrameNumber(message.frame);
    }
    if (state.result && !message.kept) clearResult();
    // The target has moved on: from here it is followed when anything changes.
    const [mark] = message.result.marks;
    if (!system.needs_box || !mark) return;
    state.boxes[input.id] = mark.box.map(Math.round);
    view.box = null;
  },
  async kept({kept}) {
    state.kept = kept;
    const result = await guarded(() => getJson(`/results/${kept}`));
    if (!result || !player.open || player.playing || state.kept !== kept) return;
    closeWhy();
    state.result = {...result, id: kept, address: `/results/${kept}`};
    showResult(state.result, view);
  },
  refused: tell,
  failed(error) {
    tell(error);
    byId('play').textContent = 'Try again';
  },
  ended(events) {
    if (events.length > 0) byId('summary').textContent = `At its end the video has shown: ${events.map(({name}) => name).join(', ')}.`;
    if (state.input.kind === 'live') kOnPlayer.failed('The stream has ended.');
    else if (state.system.runs) setFrame(state.frame);
    else showFrame();  // what was found on the way stays
  },
};

async function run() {
  const {system, input} = state;
  if (player.open || input.kind === 'live') return play();
  const inputs = chosenInputs();
  strip.mark(input, inputs.find((each) => each !== input) ?? null);
  if (!system.runs) {
    byId('summary').textContent = system.needs_box && !state.boxes[input.id] ?
      'Draw a box around a target on the picture, and press Play.' : 'Press Play.';
    return;
  }
  if (inputs.length < system.images && input.kind !== 'video') {
    byId('summary').textContent = `${system.title} needs ${system.images} images of one size; add the next one.`;
    return;
  }
  if (system.needs_box && !state.boxes[input.id]) {
    byId('summary').textContent = 'Draw a box around a target on the picture.';
    return;
  }
  tell(null);
  const began = performance.now();
  const started = startRun(runBody(inputs), (progress) => started === state.run && showProgress(progress));
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
    showResult(state.result, view);
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
  if (!player.open) return;
  player.stop();
  if (state.input.kind !== 'live') setFrame(state.frame);
}

// Only the answer to the newest question is shown, and none once the explanation was closed.
let questions = 0;
function closeWhy() {
  ++questions;
  if (byId('state').textContent === 'Explaining') byId('state').textContent = '';
  why.hide();
}

async function ask(point) {
  const {result, facts} = state;
  if (!result?.explains || !facts || point.x < 0 || point.y < 0 || point.x >= facts.width || point.y >= facts.height) return;
  const query = `x=${point.x.toFixed(2)}&y=${point.y.toFixed(2)}`;
  const question = ++questions;
  byId('state').textContent = 'Explaining';
  let reasons = null;
  try {
    reasons = await getJson(`${result.address}/explain?${query}`);
  } catch (error) {
    if (question === questions && result === state.result) tell(error.message);
  }
  if (question !== questions || result !== state.result) return;
  byId('state').textContent = '';
  if (!reasons) return;
  why.show(reasons, result.address, query);
  byId('save-page').href = `${result.address}/page.html?${query}`;
  byId('why').scrollIntoView({block: 'nearest'});
}

function onBox(box) {
  if (!box || !state.input) return;
  state.boxes[state.input.id] = box;
  view.box = box;
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
  if (!view.picture) return;
  if (word === 'in') view.zoomBy(1.5);
  if (word === 'out') view.zoomBy(1 / 1.5);
  if (word === 'fit') view.fit();
  if (word === 'one') view.zoomBy(1 / view.camera.scale);
}

const kKeys = {
  '+': () => zoomTo('in'), '=': () => zoomTo('in'), '-': () => zoomTo('out'), 0: () => zoomTo('fit'), 1: () => zoomTo('one'),
  b: () => byId('compare').click(), ',': () => stepFrame(-1), '.': () => stepFrame(1), ' ': togglePlay,
  n: () => step(1), p: () => step(-1),
  Enter: () => view.picture && ask({x: view.camera.x, y: view.camera.y}),
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

async function begin() {
  view = new PictureView(byId('canvas'), {click: (point) => ask(point), box: onBox,
    zoom: (scale) => { byId('zoom-value').textContent = `${scale < 0.1 ? (100 * scale).toFixed(1) : Math.round(100 * scale)} %`; }});
  player = new Player(view, kOnPlayer);
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
  byId('frame-back').addEventListener('click', () => stepFrame(-1));
  byId('frame-on').addEventListener('click', () => stepFrame(1));
  byId('play').addEventListener('click', togglePlay);
  addEventListener('keydown', onKey);
  if (strip.inputs.length > 0) await chooseInput(strip.inputs[0]);
}

guarded(begin);
