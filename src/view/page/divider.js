// The line between before and after, which is moved over the picture.
import {byId} from './dom.js';

const within = (share) => Math.min(1, Math.max(0, share));

export class Divider {
  constructor(view) {
    Object.assign(this, {view, line: byId('divider'), button: byId('compare')});
    this.button.addEventListener('click', () => this.put(view.divider === null ? 0.5 : null));
    this.line.addEventListener('pointerdown', ({pointerId}) => this.line.setPointerCapture(pointerId));
    this.line.addEventListener('pointermove', ({pointerId, clientX}) => {
      if (!this.line.hasPointerCapture(pointerId)) return;
      const {left, width} = byId('stage').getBoundingClientRect();
      this.put(within((clientX - left) / width));
    });
    this.line.addEventListener('keydown', (event) => {
      const step = {ArrowLeft: -0.02, ArrowRight: 0.02}[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.put(within(view.divider + step));
    });
  }

  // Puts the line at a share of the width; null takes it off.
  put(share) {
    this.view.divider = share;
    this.line.hidden = share === null;
    this.button.setAttribute('aria-pressed', String(share !== null));
    if (share !== null) {
      this.line.style.left = `${100 * share}%`;
      this.line.setAttribute('aria-valuenow', String(Math.round(100 * share)));
    }
    this.view.draw();
  }
}
