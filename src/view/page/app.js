// The page: what the user has chosen, and what follows from it.
import {placeIn, Steps, Visits} from './address.js';
import {Adding} from './adding.js';
import {clientName, getJson, openSession, startJob} from './api.js';
import {PictureView} from './canvas.js';
import {BoxFields} from './box.js';
import {Connection} from './connection.js';
import {Controls} from './controls.js';
import {Divider} from './divider.js';
import {byId} from './dom.js';
import {lackText} from './saved_boxes.js';
import {SavedResults} from './saved_results.js';
import {EvaluationPage} from './evaluation.js';
import {endIn, findEnd} from './film_end.js';
import {listenToKeys} from './keys.js';
import {Player} from './live.js';
import {Message} from './message.js';
import {Pair} from './pair.js';
import {showPassing, showResult} from './result.js';
import {Solid} from './solid.js';
import {Strip} from './strip.js';
import {Tabs} from './tabs.js';
import {takes, whyOff} from './takes.js';
import {Track} from './track.js';
import {VideoResults} from './video.js';
import {Why} from './why.js';

const kClient = clientName();
const state = {systems: [], system: null, input: null, facts: null, frame: 0, options: {}, boxes: {}, run: null, question: null, result: null,
  kept: null, limits: {}, endedAt: null, seen: 0, bound: 1, steps: {}, asked: null, wanted: null};
// Of a video: `seen` is the last frame that is known to be there, and none is there from `bound` on.
// `steps` has what the options of each system were, `asked` the place or face that is explained, and `wanted` the one that will be.
let timer = 0;  // of the next run
const track = new Track();
let boxFields, controls, earlier, evaluations, message, pair, player, solid, strip, tabs, video, view, visits, why;

const tell = (text) => message.tell(text), remark = (text) => message.remark(text);

// Runs a piece of work and shows what goes wrong.
async function guarded(work) {
  try {
    return await work();
  } catch (error) {
    tell(error.message);
    return null;
  }
}

// Marks the result that is shown as one from before a change, until another one is there.
function setOutdated(is) {
  document.body.classList.toggle('outdated', is && Boolean(state.result));
}

// What the address says.
function note() {
  const {system, input, frame} = state;
  document.title = [input?.name.split('/').pop(), system?.title, 'Fovea'].filter(Boolean).join(' – ');
  visits.note({input: input?.name, copy: input && strip.copyOf(input), frame: input?.kind === 'video' ? frame : 0, system: system?.name,
    ...system && chosenOptions(), box: system?.needs_box && input ? state.boxes[input.id] : null,
    second: pair.second?.name, why: state.asked ?? state.wanted,
    evaluation: evaluations?.number});
}

// Makes a change to which the browser's Back returns.
function visit(change) {
  visits.leave();
  change();
  note();
  visits.arrive();
}

// Shows what an address says, as far as it is there; the newest one counts.
let places = 0;
async function openPlace(place) {
  const {name, copy, options, box, second, why: wanted} = {...place, name: place?.input};
  const named = strip.named(name, copy), input = named ?? strip.inputs[0];
  const number = ++places;
  evaluations.open(place?.evaluation);
  const system = state.systems.find((each) => each.name === place?.system);
  if (system) {
    state.system = system;
    const known = Object.entries(options).filter(([option]) => system.controls.some((control) => control.name === option));
    state.options[system.name] = Object.fromEntries(known);
    controls.chooseModel(system, place.model ?? system.models[0]);
  }
  if (named && box) state.boxes[named.id] = box;
  if (named && second) pair.put(named, strip.named(second, 1)?.id);
  if (input) await chooseInput(input, named ? place.frame : 0);
  else if (system) chooseSystem(system);
  if (number !== places) return;
  if (name && !named) remark(`${name} is not among the inputs: name it on the command line, or drop it here.`);
  if (!named || state.input !== named || !state.facts) return;
  state.wanted = wanted;
  note();
}

const chosenOptions = () => ({model: controls.modelOf(state.system), options: state.options[state.system.name]});

// Puts other options in place of those of the shown system.
function changeOptions(options, model) {
  if (!state.system || !options) return;
  state.options[state.system.name] = options;
  controls.put(state.system, options, model);
  onOptions();
}

function onOptions(key = null) {
  state.steps[state.system.name].add(chosenOptions(), key);
  setOutdated(true);
  requestRun(key === null ? 0 : 40);
}

// Takes changes of the shown system's options back, or makes them again.
function goSteps(by) {
  const to = state.system && state.steps[state.system.name].go(by);
  if (to) changeOptions(to.options, to.model);
}

// Takes what was picked on the strip: an input, or with Shift the second image of a pair.
function onPick(input, isSecond) {
  if (!isSecond || !pair.take(input)) openInput(input);
}

const showSystems = () => tabs.show(state.system, (system) => whyOff(system, state.input));

function chooseSystem(system) {
  state.system = system;
  state.options[system.name] ??= {};
  byId('system-text').textContent = system.text;
  controls.show(system, state.options[system.name]);
  (state.steps[system.name] ??= new Steps()).add(chosenOptions());
  byId('controls-room').hidden = byId('reset').hidden = false;
  showSystems();
  dropRun();
  if (!system.streams) player.stop();
  kOnPlayer.changed();
  view.drawsBoxes = system.needs_box;
  view.canvas.classList.toggle('draws', system.needs_box);
  view.box = system.needs_box ? state.boxes[state.input?.id] ?? null : null;
  boxFields.show(system.needs_box ? state.facts : null, view.box);
  pair.show(state.system, state.input);
  clearResult();
  if (!state.input) sayWelcome();
  showFrame();
  requestRun(0);
}

function sayWelcome() {
  earlier.showAlone();
  byId('summary').textContent = 'Add an image, a video, a mesh or a cube to begin.';
  byId('welcome-missing').textContent = lackText(earlier.files);
}

// Stops a run whose result nobody wants any more.
function dropRun() {
  clearTimeout(timer);
  state.run?.stop();
  if (state.run) byId('state').textContent = '';
  state.run = null;
  byId('stop').hidden = true;
}

// What follows keeps its place until the next result is there.
function clearResult() {
  byId('found').style.minHeight = `${byId('found').offsetHeight}px`;
  state.wanted = null;
  closeWhy();
  state.result = state.kept = null;
  setOutdated(false);
  solid.clear();
  showResult(null, view);
  video.show(null);
}

async function chooseInput(input, frame = 0) {
  remark(null);
  state.input = input;
  state.facts = null;
  Object.assign(state, {frame, endedAt: null, seen: 0, bound: 1});
  strip.mark(input, null);
  dropRun();
  player.stop();
  clearResult();
  solid.show(input.kind === 'mesh' ? input : null);
  byId('stage').classList.toggle('solid', solid.shown);
  earlier.clear();
  byId('welcome').hidden = true;
  byId('zoom').hidden = false;
  const facts = await guarded(() => getJson(`inputs/${input.id}`));
  if (state.input !== input) return;
  if (!facts) return showUnread(input);
  state.facts = facts;
  if (!facts.width) view.show(null);  // a live source, of which nothing is known before its first frame
  state.bound = facts.frames < 0 ? Infinity : facts.frames ?? 1;
  showTimeline();
  if (!state.system || !takes(state.system, input)) state.system = state.systems.find((system) => takes(system, input)) ?? null;
  showFrame();
  if (state.system) chooseSystem(state.system);
  else letGo();
}

// Of an input that cannot be read nothing is shown but what is wrong with it, which was told.
function showUnread(input) {
  const text = `${input.name.split('/').pop()} cannot be shown.`;
  view.show(null);
  view.canvas.setAttribute('aria-label', text);
  boxFields.show(null, null);
  pair.show(null, null);
  earlier.showAlone();
  byId('timeline').hidden = byId('zoom').hidden = true;
  byId('summary').textContent = text;
  showSystems();
  note();
  letGo();
}

// What follows the result comes to where it belongs.
function letGo() {
  byId('found').style.minHeight = '';
}

// Chooses an input for the user, who then wants to see it.
function openInput(input) {
  let opened;
  visit(() => {
    evaluations?.toggle(false);
    opened = chooseInput(input);
  });
  return opened;
}

// Opens a mistake of an evaluation: its input, with the system and the threshold at which it is one.
async function openMistake({ids, frame, box, text, system: name, option, threshold, curve, file}) {
  const input = strip.inputs.find(({id}) => id === ids[0]);
  const system = state.systems.find((each) => each.name === name);
  let opened;
  visit(() => {
    if (system) {
      state.system = system;
      state.options[name] = option && threshold !== null ? {[option]: String(Number(threshold.toFixed(4)))} : {};
      controls.chooseModel(system, curve);
    }
    earlier.choose(file, option ? threshold : null, curve);
    evaluations.toggle(false);
    opened = chooseInput(input, frame);
  });
  await opened;
  if (!box || state.input !== input) return;
  view.lookAt(box);
  earlier.point(box, text);
}

// Shows the chosen input, or another one of the same size: the first of a pair.
function showFrame(input = state.input) {
  const {facts, frame} = state;
  if (!facts?.width || solid.shown || player.open || input.kind === 'live') return;
  view.show({width: facts.width, height: facts.height, levels: facts.levels,
    tile: (level, x, y) => `inputs/${input.id}/tile/${frame}/${level}/${x}/${y}`,
    loaded: () => { if (state.input === input) state.seen = Math.max(state.seen, frame); },
    missing: (address) => missFrame(input, frame, address)});
  byId('stage').style.setProperty('--aspect', facts.width / facts.height);
  view.canvas.setAttribute('aria-label', `${input.name}, ${facts.width} by ${facts.height} pixels`);
}

function showTimeline() {
  const frames = state.facts.frames ?? 0, live = state.input.kind === 'live';
  const endless = live || frames < 0;  // a camera, or a video that does not say how long it is
  byId('timeline').hidden = frames >= 0 && frames < 2 && !live;
  byId('timeline').classList.toggle('live', endless);
  byId('frame').max = Math.max(0, frames - 1);
  setFrame(state.frame, false);
}

function setFrame(number, run = true) {
  if (run) player.stop();
  const moves = run && number !== state.frame;
  if (moves && !state.system?.runs) clearResult();  // it was about the frame that was paused
  showFrameNumber(number);
  if (!run) return;
  note();
  showFrame();
  if (moves && !state.system?.whole_video) setOutdated(true);
  if (!state.system?.whole_video || !state.run) requestRun(60);
}

// A video may have said that it has fewer frames than come.
function showFrameNumber(number) {
  state.frame = Math.min(Math.max(0, number), Math.max(0, state.bound - 1));
  if (state.facts?.frames >= 0 && state.frame >= state.facts.frames) countFrames(state.frame + 1);
  byId('frame').value = state.frame;
  const seconds = state.facts?.rate ? ` · ${(state.frame / state.facts.rate).toFixed(2)} s` : '';
  byId('frame-value').textContent = `${state.frame}${seconds}`;
  if (state.input) guarded(() => earlier.show(state.input, state.frame));
  video.setFrame(state.frame);
  why.setFrame(state.frame);
}

function countFrames(frames) {
  state.facts = {...state.facts, frames};
  byId('frame').max = Math.max(0, frames - 1);
}

// Where an error says that the video has no such frame: looks for the last one that is there, shows it, and remembers the end.
// Returns whether that was so.
async function goBackAtEnd({message}) {
  const {input} = state, end = endIn(message);
  if (input?.kind !== 'video' || state.frame < end || end === 0) return false;
  if (state.frame >= state.bound) return true;  // it is looked for already
  state.bound = end;
  await findEnd(input, state.facts.levels, state, () => state.input === input);
  if (state.input !== input) return true;
  state.facts = {...state.facts, frames: state.bound};
  const isPast = state.frame >= state.bound;
  showTimeline();
  if (isPast) setFrame(state.frame);
  return true;
}

// A picture does not say why it is missing; the program does when it is asked again.
async function missFrame(input, frame, address) {
  const isOld = () => state.input !== input || state.frame !== frame || input.kind !== 'video' || player.open;
  if (isOld()) return;
  try {
    await getJson(address);
  } catch (error) {
    if (!isOld()) await goBackAtEnd(error);
  }
}

// One frame back or on. A stream that is open only goes on.
function stepFrame(by) {
  if (by > 0 && player.open) player.step();
  else if (state.input?.kind !== 'live') setFrame(state.frame + by);
}

// Starts a run soon: a slider that moves asks many times, and the newest request stops the one before.
function requestRun(delay = 40) {
  clearTimeout(timer);
  if (!state.system || !state.facts) return;
  note();
  timer = setTimeout(async () => {
    const asked = timer;
    await guarded(run);
    if (asked === timer) letGo();
  }, delay);
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
    const atEnd = state.frame > 0 && [state.facts.frames - 1, state.endedAt].includes(state.frame);
    if (atEnd && !state.system.needs_box) showFrameNumber(0);
    player.start(state.input, state.frame);
  }
  player.run(runBody([state.input]));
  byId('summary').textContent = kOnPlayer.prompt() || byId('summary').textContent;
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
    state.kept = null;
    if (input.kind === 'live') {
      state.facts = {...state.facts, width: message.width, height: message.height};
      byId('stage').style.setProperty('--aspect', message.width / message.height);
      byId('frame-value').textContent = `frame ${message.frame} · ${message.seconds.toFixed(1)} s`;
      view.canvas.setAttribute('aria-label', `${input.name}, live, ${message.width} by ${message.height} pixels`);
      strip.drawLive(input, bitmap);
    } else {
      state.seen = Math.max(state.seen, message.frame);
      state.bound = Math.max(state.bound, message.frame + 1);
      showFrameNumber(message.frame);
    }
    if (state.result && !message.kept) {
      clearResult();
      letGo();
    }
    // The target has moved on: from here it is followed when anything changes.
    const [mark] = message.result.marks;
    if (!system.needs_box || !mark) return;
    track.add(input, message.frame, message.result);
    goOnFrom(mark);
  },
  async kept({kept}) {
    state.kept = kept;
    const result = await guarded(() => getJson(`results/${kept}`));
    if (!result || state.kept !== kept) return;  // the frames went on, or something else was chosen
    closeWhy();
    controls.learn(result);
    takeResult(result, kept);
    showResult(state.result, view);
  },
  prompt() {
    return state.system.needs_box && !state.boxes[state.input.id] ? 'Draw a box around a target on the picture.' : '';
  },
  refused: tell,
  failed(error) {
    tell(error);
    byId('play').textContent = 'Try again';
  },
  ended(events) {
    state.endedAt = state.frame;
    rememberEnd();
    if (events.length > 0) byId('summary').textContent = `At its end the video has shown: ${events.map(({name}) => name).join(', ')}.`;
    if (state.input.kind === 'live') kOnPlayer.failed('The stream has ended.');
    else if (state.system.runs && (state.system.whole_video || !state.kept)) setFrame(state.frame);
    else showFrame();  // the last frame stays with its result, as one that is paused
  },
};

// A video that did not say how long it is has at least the frames that came; those after them may have been dropped.
function rememberEnd() {
  if (state.input.kind === 'live' || state.facts.frames >= 0 || state.seen === 0) return;
  countFrames(state.seen + 1);
  showTimeline();
}

// Play goes on from where the target was seen.
function goOnFrom({box}) {
  state.boxes[state.input.id] = box.map(Math.round);
  view.box = null;
}

// Shows where the target was in this frame, where it has been followed through it, with what a frame that stays has beside.
function showTrack() {
  const found = track.at(state.input, state.frame);
  if (!found) return false;
  goOnFrom(found.marks[0]);
  if (!state.result) showPassing(found, [], view);
  note();
  return true;
}

async function run() {
  const {system, input} = state;
  if (player.open || input.kind === 'live') return play();
  const inputs = pair.inputs(system, input);
  strip.mark(input, inputs.find((each) => each !== input) ?? null);
  if (!system.runs) {
    if (showTrack()) return;
    byId('summary').textContent = system.needs_box && !state.boxes[input.id] ?
      'Draw a box around a target on the picture, and press Play.' : 'Press Play.';
    return;
  }
  if (inputs.length < system.images && input.kind !== 'video') {
    byId('summary').textContent = `${system.title} needs ${system.images} images of one size; add the next one.`;
    return;
  }
  if (system.needs_box && !system.takes_pixel && !state.boxes[input.id]) {
    byId('summary').textContent = 'Draw a box around a target on the picture, or enter its numbers.';
    return;
  }
  tell(null);
  state.kept = null;
  const began = performance.now();
  const started = startJob('run', runBody(inputs), (progress) => started === state.run && showProgress(progress));
  state.run = started;
  byId('stop').hidden = false;
  byId('state').textContent = 'Working';
  try {
    const id = await started.done;
    if (started !== state.run) return;
    if (id === null) {
      byId('state').textContent = 'Stopped';
      return;
    }
    const result = await getJson(`results/${id}`);
    if (started !== state.run) return;
    takeResult(result, id);
    byId('state').textContent = `${Math.round(performance.now() - began)} ms`;
    closeWhy();
    showFrame(inputs[0]);
    controls.learn(state.result);
    showResult(state.result, view, () => solid.shown ? solid : view);
    video.show(state.result, state.frame);
    if (solid.shown) await solid.showResult(state.result);
    if (state.wanted) askWanted();
  } catch (error) {
    if (started !== state.run) return;
    byId('state').textContent = '';
    setOutdated(true);
    if (!await goBackAtEnd(error)) throw error;
  } finally {
    if (started === state.run) byId('stop').hidden = true;
  }
}

function takeResult(result, id) {
  state.result = {...result, id, address: `results/${id}`};
  setOutdated(false);
}

function showProgress({state: word, stage, done, total}) {
  const part = total > 0 ? ` ${Math.round(100 * done / total)} %` : '';
  if (word === 'running') byId('state').textContent = stage ? `${stage}${part}` : 'Working';
}

function stop() {
  state.run?.stop();
  if (!player.open) return;
  player.stop();
  if (state.input.kind !== 'live') setFrame(state.frame);
}

// Only the answer to the newest question is shown, and none once the explanation was closed.
function closeWhy() {
  state.question?.stop();
  state.question = state.asked = null;
  if (byId('state').textContent === 'Explaining') byId('state').textContent = '';
  why.hide();
  solid.hideWhy();
  note();
}

function askAt(point) {
  const {facts, frame} = state;
  if (!facts || point.x < 0 || point.y < 0 || point.x >= facts.width || point.y >= facts.height) return;
  const [x, y] = [point.x, point.y].map((value) => Math.floor(100 * value) / 100);
  ask({x, y, frame});
}

// Asks what the address asks, once there is a result that can answer.
function askWanted() {
  const {wanted} = state;
  state.wanted = null;
  if ('face' in wanted) askFace(wanted.face);
  else askAt(wanted);
}

async function askFace(face) {
  const {result} = state, reasons = await ask({face});
  if (reasons) solid.showWhy(face, reasons, result.address, `face=${face}`);
}

// Asks why, and returns the answer; null where it does not count any more.
async function ask(about) {
  const {result} = state;
  if (!result?.explains) return null;
  state.asked = about;
  note();
  state.question?.stop();
  const query = new URLSearchParams(about).toString();
  const question = startJob(`${result.address}/explain`, {client: kClient, ...about});
  state.question = question;
  byId('state').textContent = 'Explaining';
  let reasons = null;
  try {
    if (await question.done !== null) reasons = await getJson(`${result.address}/explain?${query}`);
  } catch (error) {
    if (question === state.question) tell(error.message);
  }
  if (question !== state.question) return null;
  byId('state').textContent = '';
  if (!reasons) return null;
  why.show(reasons, result, query, state.frame);
  byId('save-page').href = `${result.address}/page.html?${query}`;
  byId('why-title').scrollIntoView({block: 'nearest'});
  return reasons;
}

// A click asks why. Where a pixel may stand for a target, the first click chooses it, and one with Shift another.
function onClick(point, shifted = false) {
  const {system, input, facts} = state;
  const chooses = system?.takes_pixel && facts && (shifted || !state.boxes[input.id]);
  if (!chooses) return askAt(point);
  const inside = point.x >= 0 && point.y >= 0 && point.x < facts.width && point.y < facts.height;
  if (inside) onBox([Math.floor(point.x), Math.floor(point.y), 1, 1]);
}

function onBox(box) {
  if (!box || !state.input) return;
  track.clear();
  state.boxes[state.input.id] = box;
  view.box = box;
  view.draw();
  boxFields.show(state.facts, box);
  setOutdated(true);
  requestRun(0);
}

// Reads the files of earlier results again, after some came or inputs did that they lacked.
async function refreshEarlier() {
  await earlier.refresh();
  if (state.input) return earlier.show(state.input, state.frame);
  sayWelcome();
}

// Adds the inputs that the program has and the strip has not, whichever page has sent them.
let loading = Promise.resolve();
function loadInputs(count = Infinity) {
  loading = loading.then(() => guarded(async () => {
    if (strip.inputs.length >= count) return;
    const added = await getJson(`inputs?from=${strip.inputs.length}`);
    strip.add(...added);
    pair.show(state.system, state.input);
    if (added.length > 0 && earlier.lacksInputs) await refreshEarlier();
  }));
  return loading;
}

// Shows the first of the files that were added, and then what is wrong with others.
async function onAdded(added, refused) {
  await loadInputs();
  const results = added.filter(({id}) => id === undefined);
  if (results.length > 0) await guarded(refreshEarlier);
  const [{id: wanted} = {}] = [...added.filter(({id}) => id), ...results.map(({about}) => ({id: about}))];
  const first = strip.inputs.find(({id}) => id === wanted), newest = earlier.files.filter(({truth}) => !truth).length - 1;
  if (first && (added.some(({id}) => id) || !earlier.says(newest))) await openInput(first);
  if (results.length > 0 && evaluations?.all) await guarded(() => evaluations.openNew(earlier.files));
  if (refused) remark(refused);
}

const zoomTo = (word) => (solid.shown ? solid : view).zoom(word);
const kKeys = {
  '+': () => zoomTo('in'), '=': () => zoomTo('in'), '-': () => zoomTo('out'), 0: () => zoomTo('fit'), 1: () => zoomTo('one'),
  b: () => byId('compare').click(), ',': () => stepFrame(-1), '.': () => stepFrame(1), ' ': togglePlay,
  n: () => step(1), p: () => step(-1),
  Enter: () => solid.shown ? solid.askMiddle() : view.picture && onClick({x: view.camera.x, y: view.camera.y}),
  Escape: () => { if (byId('stop').hidden) closeWhy(); else stop(); },
};

function step(by) {
  const next = state.input && strip.after(state.input, by);
  if (next) openInput(next);
}

function showZoom(scale) {
  byId('zoom-value').textContent = `${scale < 0.1 ? (100 * scale).toFixed(1) : Math.round(100 * scale)} %`;
}

async function begin() {
  message = new Message();
  view = new PictureView(byId('canvas'), {click: onClick, box: onBox, zoom: showZoom});
  solid = new Solid(byId('model'), byId('model-tools'), {pick: askFace, zoom: showZoom, failed: (error) => tell(error.message)});
  boxFields = new BoxFields(byId('box'), onBox);
  player = new Player(view, kOnPlayer);
  controls = new Controls(byId('controls'), onOptions);
  new Adding({limits: () => state.limits, say: (text) => { byId('state').textContent = text; }, added: onAdded});
  visits = new Visits((place) => evaluations?.all && guarded(() => openPlace(place)));  // before that, the end of this function does it
  strip = new Strip(byId('strip'), onPick);
  pair = new Pair(strip, () => {
    setOutdated(true);
    requestRun(0);
  });
  why = new Why(view);
  earlier = new SavedResults(view, solid, (spans) => video.setEarlier(spans, state.facts?.frames ?? 0));
  video = new VideoResults(view, (frame) => setFrame(frame));
  await openSession();
  const {systems, upload_bytes: limit, extensions} = await getJson('systems');
  Object.assign(state, {systems, limits: {limit, extensions}});
  tabs = new Tabs(systems, (system) => visit(() => {
    evaluations?.toggle(false);  // the user may be faster than the page
    const {input} = state;
    if (!input?.film || takes(system, input)) return chooseSystem(system);
    state.system = system;
    guarded(() => chooseInput(input.film.input, input.film.frame));
  }), tell);
  showSystems();
  await loadInputs();
  new Connection({inputs: loadInputs, lost: tell});
  byId('welcome').hidden = strip.inputs.length > 0;
  new Divider(view);
  for (const button of document.querySelectorAll('[data-zoom]')) button.addEventListener('click', () => zoomTo(button.dataset.zoom));
  byId('stop').addEventListener('click', stop);
  byId('reset').addEventListener('click', () => changeOptions({}));
  byId('frame').addEventListener('input', ({target}) => setFrame(Number(target.value)));
  byId('frame-back').addEventListener('click', () => stepFrame(-1));
  byId('frame-on').addEventListener('click', () => stepFrame(1));
  byId('play').addEventListener('click', togglePlay);
  listenToKeys(kKeys, {steps: goSteps, pan: (way, byPixel) => view.panByKeys(way, byPixel)});
  await earlier.refresh();
  if (strip.inputs.length === 0) sayWelcome();
  evaluations = new EvaluationPage((mistake) => guarded(() => openMistake(mistake)), visit);
  const evaluated = await evaluations.begin(earlier.files);
  if (state.input) return;  // the user was faster
  await openPlace(placeIn(location.search) ?? {evaluation: evaluated ? 0 : null});
}

guarded(begin);
