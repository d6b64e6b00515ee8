// Colors of texts. Pure functions.

// Black or white, whichever is easier to read on a color such as #ffb000.
export function readableOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 130 ? '#10141b' : '#ffffff';
}
