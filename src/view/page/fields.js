// What a control needs to know about a field. Pure functions.

const kOwn = "model's ";  // before the name of an option, in facts

// Whether a text differs from the default. Numbers are compared as numbers: 0.50 is 0.5.
export function isChanged(field, text) {
  if (text === field.value) return false;
  const numeric = /whole|number/.test(field.kind);
  return !(numeric && text !== '' && field.value !== '' && Number(text) === Number(field.value));
}

// What a result says of options that stand for a model's own values: {own, most} by their names, where `own` is that value, from the
// facts, and `most` the highest score of a box that was seen.
export function knownOf({facts, marks}, before = {}) {
  const scores = marks.map(({label}) => parseFloat(label)).filter(Number.isFinite);
  const own = facts.filter(({name}) => name.startsWith(kOwn)).map(({name, value}) => [name.slice(kOwn.length), Number(value)]);
  return Object.fromEntries(own.map(([name, value]) => [name, {own: value, most: Math.max(value, before[name]?.most ?? value, ...scores)}]));
}

// Nobody states the bounds of scores: they go around the model's own value, and up to the highest that was seen.
function scoreRange({own, most}) {
  const reach = 1.5 * Math.max(1, Math.abs(own)), range = {least: own - reach, greatest: Math.max(own + reach, most)};
  const step = sliderStep({kind: 'number'}, range), rounded = (value) => Number((value * step).toPrecision(6));
  return {least: rounded(Math.floor(range.least / step)), greatest: rounded(Math.ceil(range.greatest / step)), start: own};
}

// The range of a slider: that of the field where it is narrow, or else around the default, or by what is `known` of its model.
// Null where a slider helps nobody, as for a seed.
export function sliderRange(field, known = null) {
  const least = field.least ?? null, greatest = field.greatest ?? null;
  const value = field.value === '' ? null : Number(field.value);
  if (least !== null && greatest !== null && greatest - least <= 1000) return {least, greatest, start: value ?? least};
  if (value === null) return known && scoreRange(known);
  const reach = Math.max(Math.abs(value) * 4, field.kind === 'whole' ? 16 : 1);
  if (reach > 1e5) return null;
  return {least: Math.max(least ?? -reach, value - reach), greatest: Math.min(greatest ?? reach, value + reach), start: value};
}

// A step that gives some hundred places.
export function sliderStep(field, range) {
  if (field.kind.includes('whole')) return 1;
  return 10 ** Math.max(-4, Math.floor(Math.log10((range.greatest - range.least) / 100)));
}
