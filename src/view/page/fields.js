// What a control needs to know about a field. Pure functions.

// Whether a text differs from the default. Numbers are compared as numbers: 0.50 is 0.5.
export function isChanged(field, text) {
  if (text === field.value) return false;
  const numeric = /whole|number/.test(field.kind);
  return !(numeric && text !== '' && field.value !== '' && Number(text) === Number(field.value));
}

// The range of a slider: that of the field where it is narrow, or else around the default. Null where a
// slider helps nobody, as for a seed.
export function sliderRange(field) {
  const least = field.least ?? null, greatest = field.greatest ?? null;
  const value = field.value === '' ? null : Number(field.value);
  if (least !== null && greatest !== null && greatest - least <= 1000) return {least, greatest, start: value ?? least};
  if (value === null) return field.kind === 'optional number' ? {least: -5, greatest: 15, start: 0} : null;
  const reach = Math.max(Math.abs(value) * 4, field.kind === 'whole' ? 16 : 1);
  if (reach > 1e5) return null;
  return {least: Math.max(least ?? -reach, value - reach), greatest: Math.min(greatest ?? reach, value + reach), start: value};
}

// A step that gives some hundred places.
export function sliderStep(field, range) {
  if (field.kind.includes('whole')) return 1;
  return 10 ** Math.max(-4, Math.floor(Math.log10((range.greatest - range.least) / 100)));
}
