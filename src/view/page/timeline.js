// Where the bars of a time line lie. Pure functions.

// Spans {name, first, last} as rows of one name each, in which none overlaps another. Rows of one name
// follow each other, and names come in the order in which they are seen first.
export function rowsWithoutOverlap(spans) {
  const rows = new Map();
  for (const span of [...spans].sort((a, b) => a.first - b.first)) {
    if (!rows.has(span.name)) rows.set(span.name, []);
    const lanes = rows.get(span.name);
    const free = lanes.find(({spans: before}) => before.at(-1).last < span.first);
    if (free) free.spans.push(span);
    else lanes.push({name: span.name, spans: [span]});
  }
  return [...rows.values()].flat();
}

// Where a span lies on a line of so many frames, in percent. Even the shortest one can be seen.
export function barOf(span, frames) {
  const left = 100 * span.first / frames;
  return {left, width: Math.max(0.5, Math.min(100 - left, 100 * (span.last - span.first + 1) / frames))};
}

// Where the middle of a frame lies, in percent.
export function cursorOf(frame, frames) {
  return Math.min(100, 100 * (frame + 0.5) / frames);
}
