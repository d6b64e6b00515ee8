// Where things are: the picture on the screen, and the tiles that show it. Pure functions.
// A camera is {x, y, scale}: the point of the picture at the middle of the screen, and screen pixels
// per pixel of the picture.

export function fit(picture, screen, margin = 0) {
  const scale = Math.min((screen.width - 2 * margin) / picture.width, (screen.height - 2 * margin) / picture.height);
  return {x: picture.width / 2, y: picture.height / 2, scale: Math.max(scale, 1e-4)};
}

export function toScreen(camera, screen, point) {
  return {x: (point.x - camera.x) * camera.scale + screen.width / 2,
          y: (point.y - camera.y) * camera.scale + screen.height / 2};
}

export function toPicture(camera, screen, point) {
  return {x: (point.x - screen.width / 2) / camera.scale + camera.x,
          y: (point.y - screen.height / 2) / camera.scale + camera.y};
}

// Zooms about a point of the screen, which stays where it is.
export function zoomed(camera, screen, factor, about) {
  const scale = Math.min(64, Math.max(0.005, camera.scale * factor));
  const fixed = toPicture(camera, screen, about);
  return {x: fixed.x - (about.x - screen.width / 2) / scale,
          y: fixed.y - (about.y - screen.height / 2) / scale, scale};
}

// Keeps the middle of the screen within the picture.
export function held(camera, picture) {
  return {...camera, x: Math.min(picture.width, Math.max(0, camera.x)), y: Math.min(picture.height, Math.max(0, camera.y))};
}

// The level whose pixels are at least as fine as those of the screen.
export function levelFor(scale, levels) {
  return Math.min(levels - 1, Math.max(0, Math.floor(Math.log2(1 / scale) + 1e-9)));
}

// The size of a level: each has half the size of the one before, rounded up.
export function levelSize(picture, level) {
  let {width, height} = picture;
  for (let i = 0; i < level; ++i) {
    width = (width + 1) >> 1;
    height = (height + 1) >> 1;
  }
  return {width, height};
}

// The tiles of a level that the screen shows, with the part of the picture that each covers.
export function visibleTiles(camera, screen, picture, level, side = 256) {
  const size = levelSize(picture, level);
  const sx = picture.width / size.width, sy = picture.height / size.height;
  const from = toPicture(camera, screen, {x: 0, y: 0});
  const to = toPicture(camera, screen, {x: screen.width, y: screen.height});
  const tiles = [];
  const first = (value, step) => Math.max(0, Math.floor(value / step / side));
  const last = (value, step, most) => Math.min(Math.ceil(most / side) - 1, Math.floor(value / step / side));
  for (let y = first(from.y, sy); y <= last(to.y, sy, size.height); ++y)
    for (let x = first(from.x, sx); x <= last(to.x, sx, size.width); ++x)
      tiles.push({level, x, y, left: x * side * sx, top: y * side * sy,
                  width: Math.min(side, size.width - x * side) * sx,
                  height: Math.min(side, size.height - y * side) * sy});
  return tiles;
}

// A box from two corners in whole pixels within the picture; null where it has no area.
export function boxOf(a, b, picture) {
  const clamp = (value, most) => Math.min(most, Math.max(0, Math.round(value)));
  const x = clamp(Math.min(a.x, b.x), picture.width), y = clamp(Math.min(a.y, b.y), picture.height);
  const width = clamp(Math.max(a.x, b.x), picture.width) - x, height = clamp(Math.max(a.y, b.y), picture.height) - y;
  return width > 0 && height > 0 ? [x, y, width, height] : null;
}

// A box that was typed: {box}, or {wrong} with what is wrong about it.
export function boxFrom(numbers, picture) {
  const [x, y, width, height] = numbers;
  if (!numbers.every(Number.isInteger)) return {wrong: 'A box has whole numbers of pixels.'};
  if (x < 0 || y < 0 || width < 1 || height < 1) return {wrong: 'A box begins at 0 or later and has at least one pixel.'};
  if (x + width > picture.width || y + height > picture.height)
    return {wrong: `The box ends outside of the picture, which has ${picture.width} x ${picture.height} pixels.`};
  return {box: numbers};
}

// Moves a label {x, y, width}, whose lower edge is at y, by steps, or else the other way, until it overlaps none of those that are
// there. It stays on the screen, and where it is if there is no room.
export function freePlace(label, taken, step, height, screenHeight, most = 6) {
  const overlaps = (y) => taken.some((other) => Math.abs(other.y - y) < height && label.x < other.x + other.width && other.x < label.x + label.width);
  const isFree = (y) => y >= height && y <= screenHeight && !overlaps(y);
  for (const way of [step, -step])
    for (let i = 0; i < most; ++i)
      if (isFree(label.y + i * way)) return {...label, y: label.y + i * way};
  return label;
}
