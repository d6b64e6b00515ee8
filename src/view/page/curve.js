// Curves of an evaluation as numbers: axes with ticks, places of points, and which point is meant.
// Pure functions. A point is [threshold, x, y, ...figures].

const finite = (values) => values.filter((value) => Number.isFinite(value));

// An axis over all values, drawn on `length` pixels from `start`: {place(value), ticks: [{at, text}]}.
export function axisOf(values, {log}, start, length) {
  const usable = finite(values).filter((value) => !log || value > 0);
  let low = Math.min(...usable), high = Math.max(...usable);
  if (usable.length === 0) [low, high] = log ? [0.1, 1] : [0, 1];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  const ticks = log ? logTicks(low, high) : linearTicks(low, high);
  if (!log) [low, high] = [Math.min(low, ticks[0]), Math.max(high, ticks.at(-1))];
  const share = log ? (value) => Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  return {place: (value) => start + length * share(value),
    ticks: ticks.map((value) => ({at: start + length * share(value), text: tickText(value)}))};
}

export function linearTicks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const ticks = [];
  for (let i = Math.floor(low / step + 1e-9); i * step < high + step * (1 - 1e-9); ++i) ticks.push(i * step);
  return ticks;
}

// 1, 2 and 5 of each power of ten, or the powers alone where there are many.
export function logTicks(low, high) {
  const ticks = [], powers = Math.log10(high / low);
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const factor of powers > 2 ? [1] : [1, 2, 5]) {
      const value = factor * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  return ticks.length > 0 ? ticks : [low, high];
}

export const tickText = (value) => String(Number(value.toPrecision(3)));

export function pathOf(points, x, y) {
  const drawn = points.filter(([, ...place]) => Number.isFinite(place[0]) && Number.isFinite(place[1]));
  return drawn.map((point, i) => `${i ? 'L' : 'M'}${x.place(point[1]).toFixed(1)} ${y.place(point[2]).toFixed(1)}`).join('');
}

// The point nearest to a place of the drawing.
export function nearest(points, x, y, place) {
  const distance = (point) => {
    const value = Math.hypot(x.place(point[1]) - place.x, y.place(point[2]) - place.y);
    return Number.isFinite(value) ? value : Infinity;
  };
  return points.reduce((best, point, i) => distance(point) < distance(points[best]) ? i : best, 0);
}

// The point of a threshold: the one nearest to it.
export function pointOf(points, threshold) {
  return points.reduce((best, [value], i) => Math.abs(value - threshold) < Math.abs(points[best][0] - threshold) ? i : best, 0);
}

// Whether something is a mistake at a threshold.
export function isMistake({above = null, up_to: upTo = null}, threshold) {
  if (threshold === null) return true;
  return (above === null || threshold > above) && (upTo === null || threshold <= upTo);
}

// The mistakes to list, by kind in the order of their first: [{kind, mistakes: [{number, ...mistake}]}].
export function listed(mistakes, {curve, threshold, cell}) {
  const kinds = new Map();
  mistakes.forEach((mistake, number) => {
    if (mistake.curve !== curve || !isMistake(mistake, threshold)) return;
    if (cell && (mistake.truth !== cell.truth || mistake.predicted !== cell.predicted)) return;
    if (!kinds.has(mistake.kind)) kinds.set(mistake.kind, []);
    kinds.get(mistake.kind).push({number, ...mistake});
  });
  return [...kinds].map(([kind, some]) => ({kind, mistakes: some}));
}

// "miss rate 5.13 %" of "miss rate (%)" and 5.1282.
export function figureText(title, value) {
  const [, name, unit] = /^(.*?)(?: \((.*)\))?$/.exec(title);
  if (!Number.isFinite(value)) return `${name} not known`;
  return `${name} ${Number(value.toPrecision(3))}${unit ? ` ${unit}` : ''}`;
}
