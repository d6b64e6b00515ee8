// Frames of an input through a WebSocket, each with what a system found in it.
import {socketTo} from './api.js';

// The parts of a message: JSON, and the bytes of the pictures that it announces.
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0);
  const message = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  const pictures = (message.pictures ?? []).map((bytes) => new Uint8Array(buffer, (at += bytes) - bytes, bytes));
  return {message, pictures};
}

// How many frames a second have come lately; null until that is known.
export class Rate {
  constructor(span = 2000) {
    this.span = span;
    this.times = [];
  }

  add(now) {
    this.times.push(now);
    while (this.times[0] < now - this.span) this.times.shift();
  }

  get perSecond() {
    const passed = this.times.at(-1) - this.times[0];
    return passed > 0 ? 1000 * (this.times.length - 1) / passed : null;
  }
}

const isPng = (bytes) => bytes[0] === 0x89;
const decoded = (bytes) => createImageBitmap(new Blob([bytes], {type: isPng(bytes) ? 'image/png' : 'image/jpeg'}));

export class Stream {
  // `on` has functions: frame(message, bitmaps) shows one and returns a promise that it is on the screen;
  // state(message) gets all other messages; lost() is called where the program has gone.
  constructor(input, frame, on) {
    this.on = on;
    this.waiting = [];
    this.socket = socketTo(`streams/${input.id}?frame=${frame}`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.waiting.splice(0).forEach((text) => this.socket.send(text));
    this.socket.onmessage = ({data}) => this.receive(data);
    this.socket.onclose = () => this.closed || this.on.lost();
  }

  say(text) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.waiting.push(text);
  }

  close() {
    this.closed = true;
    this.socket.close();
  }

  async receive(buffer) {
    const {message, pictures} = unpack(buffer);
    if (message.state !== 'frame') {
      if (message.state === 'ended' || message.state === 'failed') this.closed = true;
      this.on.state(message);
      return;
    }
    const bitmaps = await Promise.all(pictures.map(decoded));
    if (this.closed) return;
    await this.on.frame(message, bitmaps);
    this.say('shown');
  }
}
