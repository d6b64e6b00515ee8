// A mesh that is turned, moved and zoomed by mouse, touch and keys, and whose faces can be picked.
import {processorDrawer, webGLDrawer} from './mesh_drawing.js';
import {cornerNormals, faceAt, faceCount, kStart, labelsAt, middleOf, project, seamsAround, turnOf, zoomedEye} from './mesh_model.js';

const kPicked = [255, 236, 60];
const kKeyStep = 0.1;  // of turns, in radians, and of moves

export class MeshView {
  // Draws on a canvas that it adds to the stage. `on` may have functions: pick(face) and hover(face), with
  // -1 beside the mesh, zoom(share), turning(whether), unaided() where the processor draws.
  constructor(stage, shape, parts, on = {}) {
    Object.assign(this, {stage, on, pointers: new Map(), turning: false, pinned: -1, hovered: -1, picked: -1, surface: null});
    this.scene = {shape, normals: cornerNormals(shape), eye: {...kStart}, tints: new Uint8Array(shape.corners.length),
      strongSeams: new Uint32Array(0), strongPart: -1, version: 0, moving: false};
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.spot = document.createElement('span');
    this.spot.className = 'spot';
    this.spot.hidden = true;
    this.setParts(parts);
    this.begin(location.hash === '#processor' ? null : webGLDrawer);
    stage.append(this.spot);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(stage);
    this.repaint = () => this.paint();
    this.dark.addEventListener('change', this.repaint);
    this.listen();
  }

  get screen() { return {width: this.stage.clientWidth, height: this.stage.clientHeight}; }
  get canvas() { return this.drawing; }

  // Takes the mesh off the page.
  remove() {
    this.drawer.end();
    this.sizes.disconnect();
    this.dark.removeEventListener('change', this.repaint);
    this.turning = false;
    this.stage.remove();
  }

  setParts(parts) {
    this.parts = parts;
    this.surface = null;
    this.pinned = this.hovered = this.picked = -1;
    this.scene.seams = parts.seams;
    this.setLevel(parts.levels.length - 1);
  }

  // Joins parts that are one at a level of the hierarchy.
  setLevel(level) {
    this.level = level;
    this.scene.labels = labelsAt(this.parts, level);
    this.scene.seamEnds = this.parts.levels[level].seams;
    this.pinned = this.hovered = -1;
    this.paint();
  }

  // Red, green and blue of each face in place of the colors of parts, which null gives back.
  setSurface(colors) {
    this.surface = colors;
    this.paint();
  }

  pin(part) {
    this.pinned = part;
    this.paint();
  }
  hover(part) {
    if (part === this.hovered) return;
    this.hovered = part;
    this.paint();
  }
  // Marks a face and the seams around its part; -1 marks none.
  pick(face) {
    this.picked = face;
    this.paint();
  }

  // The color of each face: of its part or of the surface, faded where another part is shown alone.
  paint() {
    const {scene, parts, surface} = this, {labels, tints} = scene;
    const alone = this.hovered >= 0 ? this.hovered : this.pinned;
    const faded = this.dark.matches ? [96, 104, 118] : [216, 219, 225];
    for (let f = 0; f < labels.length; ++f) {
      const color = alone >= 0 && alone !== labels[f] ? faded : parts.colors[labels[f]];
      for (let c = 0; c < 3; ++c) tints[3 * f + c] = surface && alone < 0 ? surface[3 * f + c] : color[c];
    }
    if (this.picked >= 0) tints.set(kPicked, 3 * this.picked);
    scene.strongPart = this.picked >= 0 ? labels[this.picked] : -1;
    scene.strongSeams = seamsAround(parts, labels, this.level, scene.strongPart);
    ++scene.version;
    this.draw();
  }

  // There is no way back from the processor: what fails once on a machine fails again.
  begin(make) {
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    const made = make?.(canvas, this.scene) ?? null;
    if (!made && make) return this.begin(null);
    this.drawer?.end();
    this.drawing?.remove();
    this.drawer = made ?? processorDrawer(canvas, this.scene);
    this.drawing = canvas;
    this.stage.prepend(canvas);
    if (made) canvas.addEventListener('webglcontextlost', () => this.drawer === made && this.stage.isConnected && this.begin(null));
    else this.on.unaided?.();
    this.draw();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (!this.stage.isConnected) return;
      if (this.turning) {
        this.scene.eye.azimuth += Math.min(50, now - this.before || 16) * 0.00035;
        this.draw();
      }
      this.before = now;
      this.drawNow();
    });
  }

  // Draws at once, so that the canvas can be read.
  drawNow() {
    this.scene.moving = this.turning || this.pointers.size > 0;
    const dots = this.drawer.density, canvas = this.drawing;
    const width = Math.max(1, Math.floor(canvas.clientWidth * dots)), height = Math.max(1, Math.floor(canvas.clientHeight * dots));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
    this.drawer.draw(width, height);
    if (this.drawer.lost) return this.begin(null);
    this.placeSpot();
    this.stage.classList.add('drawn');
    return canvas;
  }

  // The ring around the picked face, which may be too small to be seen; fainter where the face looks away.
  placeSpot() {
    this.spot.hidden = this.picked < 0;
    if (this.spot.hidden) return;
    const {shape, eye, normals} = this.scene;
    const {x, y} = middleOf(shape, project(shape, eye, this.screen), this.picked);
    const m = turnOf(eye), n = 9 * this.picked;
    this.spot.style.transform = `translate(${x}px, ${y}px)`;
    this.spot.classList.toggle('behind', m[6] * normals[n] + m[7] * normals[n + 1] + m[8] * normals[n + 2] < 0);
  }

  setTurning(on) {
    this.turning = on;
    this.on.turning?.(on);
    this.draw();
  }
  turnBy(x, y) {
    const {eye} = this.scene;
    eye.azimuth -= x;
    eye.elevation = Math.max(-1.57, Math.min(1.57, eye.elevation + y));
    this.draw();
  }
  // In pixels of the screen.
  moveBy(x, y) {
    const {eye} = this.scene, half = Math.min(this.screen.width, this.screen.height) / 2;
    eye.x = Math.max(-eye.zoom, Math.min(eye.zoom, eye.x + x / half));
    eye.y = Math.max(-eye.zoom, Math.min(eye.zoom, eye.y + y / half));
    this.draw();
  }
  zoomBy(factor, about = {x: this.screen.width / 2, y: this.screen.height / 2}) {
    Object.assign(this.scene.eye, zoomedEye(this.scene.eye, factor, this.screen, about));
    this.on.zoom?.(this.scene.eye.zoom / kStart.zoom);
    this.draw();
  }
  reset() {
    Object.assign(this.scene.eye, kStart);
    this.on.zoom?.(1);
    this.setTurning(false);
  }

  // The face under a point of the stage; without one, under its middle.
  faceUnder(point = {x: this.screen.width / 2, y: this.screen.height / 2}) {
    return faceAt(this.scene.shape, project(this.scene.shape, this.scene.eye, this.screen), point);
  }
  partOf(face) { return face < 0 ? -1 : this.scene.labels[face]; }
  get faces() { return faceCount(this.scene.shape); }

  place(event) {
    const box = this.stage.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  listen() {
    const {stage} = this;
    stage.addEventListener('pointerdown', (event) => this.onDown(event));
    stage.addEventListener('pointermove', (event) => this.onMove(event));
    stage.addEventListener('pointerup', (event) => this.onUp(event));
    stage.addEventListener('pointercancel', (event) => this.onUp(event));
    stage.addEventListener('pointerleave', () => this.on.hover?.(-1));
    stage.addEventListener('contextmenu', (event) => event.preventDefault());
    stage.addEventListener('dblclick', () => this.reset());
    stage.addEventListener('keydown', (event) => this.onKey(event));
    stage.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.03 : 0.0012)), this.place(event));
    }, {passive: false});
  }

  onDown(event) {
    this.setTurning(false);
    this.stage.focus({preventScroll: true, focusVisible: false});
    this.stage.setPointerCapture(event.pointerId);
    if (this.pointers.size === 0) this.travelled = 0;
    this.pointers.set(event.pointerId, this.place(event));
  }

  onUp(event) {
    const held = this.pointers.delete(event.pointerId);
    if (held && this.pointers.size === 0 && this.travelled < 5 && event.type === 'pointerup' && event.button === 0)
      this.on.pick?.(this.faceUnder(this.place(event)));
    this.draw();  // in full, now that nothing moves
  }

  // One pointer turns; with Shift or the right button it moves. Two zoom and move.
  onMove(event) {
    const before = this.pointers.get(event.pointerId), now = this.place(event);
    if (!before) return this.look(event, now);
    const x = now.x - before.x, y = now.y - before.y;
    this.travelled += Math.abs(x) + Math.abs(y);
    if (this.pointers.size > 1) {
      const [, other] = [...this.pointers].find(([id]) => id !== event.pointerId);
      const far = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      this.zoomBy(far(now) / far(before), {x: (now.x + other.x) / 2, y: (now.y + other.y) / 2});
      this.moveBy(x / 2, y / 2);
    } else if (event.shiftKey || event.buttons === 2) {
      this.moveBy(x, y);
    } else {
      this.turnBy(x * 0.01, y * 0.01);
    }
    this.pointers.set(event.pointerId, now);
  }

  // Tells which face a mouse points at, at most once per picture.
  look(event, point) {
    if (!this.on.hover || event.pointerType !== 'mouse' || this.turning || this.looking) return;
    this.looking = true;
    requestAnimationFrame(() => {
      this.looking = false;
      if (this.stage.isConnected) this.on.hover(this.faceUnder(point));
    });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (arrow) this.onArrow(arrow, event.shiftKey);
    else if (event.key === '+' || event.key === '=') this.zoomBy(1.1);
    else if (event.key === '-') this.zoomBy(1 / 1.1);
    else if (event.key === ' ') this.setTurning(!this.turning);
    else if (event.key === '0' || event.key === 'Home') this.reset();
    else if (event.key === 'Enter') this.on.pick?.(this.faceUnder());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  onArrow([x, y], moves) {
    this.setTurning(false);
    if (moves) this.moveBy(x * 40, y * 40);
    else this.turnBy(x * kKeyStep, y * kKeyStep);
  }
}
