// Which boxes of an earlier result are shown, and how. Pure functions.
// A box is {box, label, score, confidence, group, truth}; `file` has what was chosen: {shown, threshold, group}.

const kTruth = '#5fd35f';
// Of what was found, by the order in which files and models come; the boxes of now are orange, the truth is green.
const kFound = [{name: 'blue', color: '#38b6ff'}, {name: 'purple', color: '#c08bff'}, {name: 'turquoise', color: '#2fe0c8'},
  {name: 'yellow', color: '#f2ee5f'}, {name: 'brown', color: '#c98f5a'}];

// The models whose boxes or events a file has; '' where it does not say.
export const groupsOf = ({boxes = [], events = []}) =>
  [...new Set([...boxes, ...events].filter(({truth}) => !truth).map(({group}) => group ?? ''))].sort();

// Gives files their numbers, and those of one name in several folders names that differ: a.json, a (2).json.
export const numbered = (files) => files.map((file, number) => {
  const before = files.slice(0, number).filter(({name}) => name === file.name).length;
  return {...file, number, name: before > 0 ? file.name.replace(/(\.[^.]*)?$/, ` (${before + 1})$1`) : file.name};
});

// Gives each file, by its number, and each model in it a color of its own, which it keeps.
export class FoundColors {
  constructor() { this.keys = []; }
  of(file, group = '') {
    const key = JSON.stringify([file, group]);
    if (!this.keys.includes(key)) this.keys.push(key);
    return kFound[this.keys.indexOf(key) % kFound.length];
  }
}

// Truth stays; what was found is shown from the threshold on, and only that of the chosen model.
export function isShown(box, {threshold, group}) {
  if (box.truth) return true;
  if (group && box.group && box.group !== group) return false;
  return box.score === undefined || threshold === null || box.score >= threshold;
}

// Where boxes are not alone, `namesGroups`, their labels say whose they are.
export function marksOf(boxes, file, colors, namesGroups = false) {
  if (!file.shown) return [];
  return boxes.filter((box) => isShown(box, file)).map((box) => ({box: box.box, color: box.truth ? kTruth : colors.of(file.number, box.group).color,
    below: true, dash: box.truth ? [6, 4] : [], label: labelOf(box, namesGroups ? box.group || stemOf(file.name) : '')}));
}

const stemOf = (name) => name.split('/').pop().replace(/\.[^.]*$/, '');

function labelOf({label, score, confidence, truth}, whose) {
  if (truth) return label;
  const words = [whose, label, score === undefined ? '' : score.toFixed(2),
    confidence === undefined ? '' : `(${Math.round(100 * confidence)} %)`];
  return words.filter((word) => word !== '').join(' ');
}

// The events of all files that are shown, as bars of a time line.
export function spansOf(said, files) {
  return said.flatMap(({file, events = []}) => files[file].shown ? events.filter((event) => isShown(event, files[file])).map((event) => ({
    name: `${event.name} (${event.truth ? 'true' : 'earlier'})`, first: event.first, last: event.last,
    text: event.score === undefined ? `from ${files[file].name}` : `score ${event.score.toFixed(2)}, from ${files[file].name}`})) : []);
}

export function countText(boxes, file) {
  const found = boxes.filter(({truth}) => !truth), true_ = boxes.length - found.length;
  const shown = found.filter((box) => isShown(box, file)).length;
  const texts = [];
  if (found.length > 0 || true_ === 0) texts.push(`${shown} of ${found.length} boxes are shown.`);
  if (true_ > 0) texts.push(`${true_} true ${true_ === 1 ? 'box is' : 'boxes are'} green and dashed.`);
  return texts.join(' ');
}

export const countOf = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

// What a file says of an input that is not there: 'street.jpg: 3 boxes, scores up to 1.25'.
export function missingText({name, text, boxes, events, greatest}) {
  const words = [text.replace(/\.$/, ''), boxes > 0 ? countOf(boxes, 'box', 'boxes') : '', events > 0 ? countOf(events, 'event') : '',
    greatest === undefined ? '' : `scores up to ${greatest.toFixed(2)}`].filter(Boolean);
  return words.length > 0 ? `${name}: ${words.join(', ')}` : name;
}

// Which inputs of which files are not there, in sentences.
export function lackText(files) {
  return files.filter(({missing}) => missing.length > 0).map(({name, missing}) =>
    `${name} is about ${countOf(missing.length, 'input')} that cannot be found: ${missing.slice(0, 3).map((each) => each.name).join(', ')}${
      missing.length > 3 ? ' and others' : ''}.`).join(' ');
}

// A step that gives some hundred places of the slider.
export function stepOf({least, greatest}) {
  const range = greatest - least;
  return range > 0 ? 10 ** Math.floor(Math.log10(range / 100)) : 0.01;
}
