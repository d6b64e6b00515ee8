// The picture on a canvas: tiles of layers, boxes with labels, zoom and pan to the pixel.
import {readableOn} from './color.js';
import {boxOf, fit, freePlace, held, levelFor, toPicture, toScreen, visibleTiles, zoomed} from './geometry.js';

const kMostTiles = 400;
const kLabel = 18;  // height of a label in pixels of the screen
const kColors = ['#ffb000', '#38b6ff', '#ff5c8a', '#5fd35f'];
// How boxes look, by what the truth says about them; dashed ones belong to the truth itself.
export const kMarkStyles = {
  plain: {color: '#ffb000'}, hit: {color: '#5fd35f'}, false: {color: '#ff7a6b'}, ignored: {color: '#b9c2d0'},
  true: {color: '#ffffff', dash: [4, 4]}, missed: {color: '#ff8af0', dash: [8, 4]},
};

const styleOf = ({kind}) => kMarkStyles[kind ?? 'plain'];
const colorOf = (mark) => mark.color ?? styleOf(mark).color;

export class PictureView {
  // `on` has functions: click(point, with Shift), zoom(scale), box(box).
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.tiles = new Map();
    this.layers = [];
    this.marks = [];
    this.earlier = {marks: [], layers: []};
    this.hiddenMarks = new Set();  // kinds that are switched off
    this.shapes = [];
    this.picture = null;
    this.divider = null;
    this.drawsBoxes = false;
    this.box = null;
    this.pointers = new Map();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.listen();
    this.resize();
  }

  get screen() { return {width: this.canvas.clientWidth, height: this.canvas.clientHeight}; }

  // Shows another picture: {width, height, levels, tile(level, x, y)}, or a bitmap instead of tiles. Keeps the camera where the size stays.
  // A picture may have loaded() and missing(address), which are called for each tile that comes, and for each that does not. Null shows
  // nothing.
  show(picture) {
    if (!picture) this.letGo();
    const same = picture && this.picture && this.picture.width === picture.width && this.picture.height === picture.height;
    this.picture = picture;
    if (!same) this.fit();
    this.draw();
  }

  // What the user was doing with the picture ends.
  letGo() {
    this.pointers.clear();
    this.box = this.corner = null;
    this.canvas.classList.remove('moves');
  }

  // Layers are {width, height, levels, tile or bitmap, shown, opacity}.
  setLayers(layers) { this.layers = layers; this.draw(); }
  setMarks(marks) { this.marks = marks; this.draw(); }
  // What earlier results draw beside that: marks and layers.
  setEarlier(earlier) { this.earlier = earlier; this.draw(); }
  // Shapes of the frame that is shown, as an explanation has them.
  setShapes(shapes) { this.shapes = shapes; this.draw(); }
  // What an explanation draws: {place, shapes, heat: {image, place}}.
  setWhy(why) { this.why = why; this.draw(); }

  fit() {
    if (!this.picture) return;
    this.fitted = true;
    this.setCamera(fit(this.picture, this.screen, 8));
  }
  setCamera(camera) {
    this.camera = held(camera, this.picture);
    // A finger moves the page where there is no more of the picture to see.
    this.canvas.classList.toggle('whole', this.isWhole());
    this.on.zoom(this.camera.scale);
    this.draw();
  }
  isWhole() { return this.camera.scale <= 1.001 * fit(this.picture, this.screen, 8).scale; }
  // Shows a box with what is around it.
  lookAt([x, y, width, height]) {
    if (!this.picture) return;
    this.fitted = false;
    const {scale} = fit({width: 3.5 * width, height: 3.5 * height}, this.screen);
    this.setCamera({x: x + width / 2, y: y + height / 2, scale: Math.min(4, Math.max(scale, fit(this.picture, this.screen, 8).scale))});
  }
  zoomBy(factor, about = {x: this.screen.width / 2, y: this.screen.height / 2}) {
    if (!this.picture) return;
    this.fitted = false;
    this.setCamera(zoomed(this.camera, this.screen, factor, about));
  }
  panBy(x, y) {
    if (!this.picture) return;
    this.fitted = false;
    this.setCamera({...this.camera, x: this.camera.x - x / this.camera.scale, y: this.camera.y - y / this.camera.scale});
  }
  // By arrows, where it has the focus; returns whether it does.
  panByKeys([x, y], byPixel) {
    if (document.activeElement !== this.canvas || !this.picture) return false;
    const size = byPixel ? this.camera.scale : 60;
    this.panBy(x * size, y * size);
    return true;
  }
  zoom(word) {
    if (word === 'in') this.zoomBy(1.5);
    if (word === 'out') this.zoomBy(1 / 1.5);
    if (word === 'fit') this.fit();
    if (word === 'one' && this.picture) this.zoomBy(1 / this.camera.scale);
  }
  resize() {
    const dots = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * dots));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * dots));
    if (this.fitted) this.fit();
    this.draw();
  }

  // The canvas as it is seen now.
  snapshot() { return this.canvas; }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint(this.canvas.getContext('2d'), window.devicePixelRatio || 1, this.camera, this.screen);
    });
  }

  paint(context, dots, camera, screen) {
    context.setTransform(dots, 0, 0, dots, 0, 0);
    context.clearRect(0, 0, screen.width, screen.height);
    if (!this.picture || !camera) return;
    this.paintSource(context, this.picture, 1, camera, screen);
    context.save();
    if (this.divider !== null) {
      context.beginPath();
      context.rect(this.divider * screen.width, 0, screen.width, screen.height);
      context.clip();
    }
    for (const layer of [...this.layers, ...this.earlier.layers])
      if (layer.shown) this.paintSource(context, layer, layer.opacity, camera, screen);
    const marks = [...this.earlier.marks, ...this.marks].filter(({kind}) => !this.hiddenMarks.has(kind));
    for (const mark of marks) this.paintBox(context, mark.box, colorOf(mark), camera, screen, mark.dash ?? styleOf(mark).dash);
    this.paintMarkLabels(context, marks.filter(({label}) => label), camera, screen);  // which no box hides
    for (const shape of this.shapes) this.paintShape(context, shape, camera, screen);
    context.restore();
    if (this.why) this.paintWhy(context, camera, screen);
    if (this.box) this.paintBox(context, this.box, '#38b6ff', camera, screen, [6, 4]);
  }

  paintSource(context, source, opacity, camera, screen) {
    if (source.bitmap) this.paintBitmap(context, source.bitmap, opacity, camera, screen);
    else this.paintTiles(context, source, opacity, camera, screen);
  }

  // Coarser tiles stand in for those that have not come yet.
  paintTiles(context, source, opacity, camera, screen) {
    const best = levelFor(camera.scale * (window.devicePixelRatio || 1), source.levels);
    context.globalAlpha = opacity;
    context.imageSmoothingEnabled = camera.scale < 1;
    const coarsest = source.levels - 1;
    const complete = visibleTiles(camera, screen, source, best).every((tile) => this.tile(source, tile)?.complete);
    const levels = complete || opacity < 1 ? [best] : [coarsest, best];
    for (const level of new Set(levels))
      for (const tile of visibleTiles(camera, screen, source, level)) {
        const image = this.tile(source, tile);
        if (!image || !image.complete || !image.naturalWidth) continue;
        const at = toScreen(camera, screen, {x: tile.left, y: tile.top});
        const end = toScreen(camera, screen, {x: tile.left + tile.width, y: tile.top + tile.height});
        const x = Math.round(at.x), y = Math.round(at.y);
        context.drawImage(image, x, y, Math.max(1, Math.round(end.x) - x), Math.max(1, Math.round(end.y) - y));
      }
    context.globalAlpha = 1;
  }

  // A whole picture at once, stretched over the one that is shown. One that was closed is no longer seen.
  paintBitmap(context, bitmap, opacity, camera, screen) {
    if (bitmap.width === 0) return;
    const {width, height} = this.picture;
    const a = toScreen(camera, screen, {x: 0, y: 0}), b = toScreen(camera, screen, {x: width, y: height});
    context.globalAlpha = opacity;
    context.imageSmoothingEnabled = camera.scale < 1;
    context.drawImage(bitmap, a.x, a.y, b.x - a.x, b.y - a.y);
    context.globalAlpha = 1;
  }

  // A tile's image, which is asked for when it is first needed.
  tile(source, {level, x, y}) {
    const address = source.tile(level, x, y);
    let image = this.tiles.get(address);
    if (image) {
      this.tiles.delete(address);  // the last used stands last
    } else {
      image = new Image();
      image.decoding = 'async';
      image.onload = () => {
        source.loaded?.();
        this.draw();
      };
      image.onerror = () => source.missing?.(address);
      image.src = address;
      while (this.tiles.size > kMostTiles) this.tiles.delete(this.tiles.keys().next().value);
    }
    this.tiles.set(address, image);
    return image;
  }

  paintBox(context, [x, y, width, height], color, camera, screen, dash = []) {
    const a = toScreen(camera, screen, {x, y}), b = toScreen(camera, screen, {x: x + width, y: y + height});
    context.setLineDash(dash);
    for (const [style, line] of [['#000b', 4], [color, 2]]) {
      context.strokeStyle = style;
      context.lineWidth = line;
      context.strokeRect(a.x, a.y, b.x - a.x, b.y - a.y);
    }
    context.setLineDash([]);
  }

  // Above their boxes, or below them; further away where another label is, and then a line leads to the box.
  paintMarkLabels(context, marks, camera, screen) {
    const places = [];
    for (const mark of marks) {
      const {x, y: top} = toScreen(camera, screen, {x: mark.box[0], y: mark.box[1]});
      const edge = mark.below ? top + mark.box[3] * camera.scale : top;
      const usual = {x, y: mark.below ? Math.min(edge + kLabel, screen.height) : Math.max(edge, kLabel), width: this.labelWidth(context, mark.label)};
      const place = freePlace(usual, places, mark.below ? kLabel : -kLabel, kLabel, screen.height);
      places.push(place);
      if (place.y !== usual.y) this.paintLead(context, x, place.y - kLabel / 2, edge, colorOf(mark));
    }
    marks.forEach((mark, i) => this.paintLabel(context, mark.label, places[i].x, places[i].y, colorOf(mark)));
  }

  paintLead(context, x, from, to, color) {
    for (const [style, line] of [['#000b', 3], [color, 1]]) {
      context.strokeStyle = style;
      context.lineWidth = line;
      context.beginPath();
      context.moveTo(x, from);
      context.lineTo(x, to);
      context.stroke();
    }
  }

  labelWidth(context, text) {
    context.font = '600 12px system-ui, sans-serif';
    return context.measureText(text).width + 8;
  }

  paintLabel(context, text, x, y, color) {
    const width = this.labelWidth(context, text);
    context.fillStyle = color;
    context.fillRect(x - 2, y - kLabel, width, kLabel);
    context.fillStyle = readableOn(color);
    context.fillText(text, x + 2, y - 5);
  }

  paintWhy(context, camera, screen) {
    const {heat, place, shapes} = this.why;
    if (heat?.place && heat.image.complete && heat.image.naturalWidth) {
      const a = toScreen(camera, screen, {x: heat.place[0], y: heat.place[1]});
      const b = toScreen(camera, screen, {x: heat.place[0] + heat.place[2], y: heat.place[1] + heat.place[3]});
      context.globalAlpha = 0.6;
      context.imageSmoothingEnabled = false;
      context.drawImage(heat.image, a.x, a.y, b.x - a.x, b.y - a.y);
      context.globalAlpha = 1;
    }
    if (place) this.paintBox(context, place, kColors[1], camera, screen);
    for (const shape of shapes) this.paintShape(context, shape, camera, screen);
    if (this.why.spot) this.paintBox(context, this.why.spot, kColors[2], camera, screen, [5, 3]);
  }

  paintShape(context, shape, camera, screen) {
    const points = [];
    for (let i = 0; i + 1 < shape.points.length; i += 2)
      points.push(toScreen(camera, screen, {x: shape.points[i], y: shape.points[i + 1]}));
    if (points.length === 0) return;
    context.strokeStyle = context.fillStyle = shape.color;
    context.lineWidth = 1 + 3 * Math.min(1, Math.abs(shape.weight));
    if (shape.kind === 'dots') {
      for (const {x, y} of points) {
        context.beginPath();
        context.arc(x, y, 3 + 3 * Math.min(1, Math.abs(shape.weight)), 0, 7);
        context.fill();
      }
    } else if (shape.kind === 'box' && points.length === 2) {
      context.strokeRect(points[0].x, points[0].y, points[1].x - points[0].x, points[1].y - points[0].y);
    } else {
      context.beginPath();
      points.forEach(({x, y}, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      if (shape.kind === 'polygon') context.closePath();
      context.stroke();
      if (shape.kind === 'arrow' && points.length === 2) this.paintHead(context, points[0], points[1]);
    }
    if (shape.name) this.paintLabel(context, shape.name, points[0].x + 4, points[0].y, shape.color);
  }

  paintHead(context, from, to) {
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const size = Math.min(12, Math.hypot(to.x - from.x, to.y - from.y));
    context.beginPath();
    context.moveTo(to.x, to.y);
    for (const side of [2.6, -2.6]) context.lineTo(to.x + size * Math.cos(angle + side), to.y + size * Math.sin(angle + side));
    context.fill();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), this.place(event));
    }, {passive: false});
    canvas.addEventListener('pointerdown', (event) => {
      if (!this.picture || event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.place(event));
      this.moved = this.pointers.size > 1;
      this.corner = this.drawsBoxes && this.pointers.size === 1 ? toPicture(this.camera, this.screen, this.place(event)) : null;
    });
    canvas.addEventListener('pointermove', (event) => this.onMove(event));
    const end = (event) => {
      if (!this.pointers.delete(event.pointerId)) return;
      canvas.classList.remove('moves');
      const point = toPicture(this.camera, this.screen, this.place(event));
      if (this.corner && this.moved) this.on.box(boxOf(this.corner, point, this.picture));
      else if (!this.moved && event.type === 'pointerup') this.on.click(point, event.shiftKey);
      this.corner = null;
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  }

  onMove(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.place(event);
    if (!this.moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
    this.moved = true;
    if (this.corner) {
      this.box = boxOf(this.corner, toPicture(this.camera, this.screen, now), this.picture);
      return this.draw();
    }
    if (event.pointerType === 'touch' && this.pointers.size === 1 && this.isWhole()) return;
    this.canvas.classList.add('moves');
    if (this.pointers.size === 2) {  // pinch
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const factor = Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      this.zoomBy(factor, {x: (now.x + other.x) / 2, y: (now.y + other.y) / 2});
    }
    this.panBy((now.x - before.x) / this.pointers.size, (now.y - before.y) / this.pointers.size);
    this.pointers.set(event.pointerId, now);
  }
}
