// The end of a video that has fewer frames than it states, or states none.
import {getBytes} from './api.js';

// The frame before which a video ends, as an error says it.
export function endIn(message) {
  return Number(/ ends before frame (\d+)$/.exec(message)?.[1] ?? Infinity);
}

async function hasFrame(input, levels, frame) {
  try {
    await getBytes(`inputs/${input.id}/tile/${frame}/${levels - 1}/0/0`);
    return true;
  } catch {
    return false;
  }
}

// Narrows `range` = {seen, bound}, a frame that is there and one that is not, until one follows the other; ends early where
// `isWanted()` says that nobody wants to know any more.
export async function findEnd(input, levels, range, isWanted) {
  while (range.bound > range.seen + 1) {
    const middle = (range.seen + range.bound) >> 1, there = await hasFrame(input, levels, middle);
    if (!isWanted()) return;
    if (there) range.seen = Math.max(range.seen, middle);
    else range.bound = Math.min(range.bound, middle);
  }
}
