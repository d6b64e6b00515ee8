// The connection to the program: what it tells all of its pages, and what is done where it breaks.
import {getJson, socketTo} from './api.js';

const kLeastWait = 500, kMostWait = 5000;  // milliseconds between two attempts

// What a user can do about a program that cannot be reached, or that does not know the page any more.
export function lostText({status}, {port, pathname}) {
  if (status === 401) return 'fovea view was started anew: open the address that it has printed, and this page goes on.';
  const flag = port && pathname === '/' ? ` --port ${port}` : '';
  return `The program cannot be reached: run fovea view${flag} with the same inputs and open the address that it prints; this page then goes on.`;
}

export class Connection {
  // `on` has functions: inputs(count), how many the program has; and lost(text) while it cannot be reached,
  // with null once the same program can be reached again.
  constructor(on) {
    this.on = on;
    this.lost = false;
    this.open();
  }

  open() {
    const socket = socketTo('inputs');
    socket.onmessage = ({data}) => {
      const {program, inputs} = JSON.parse(data);
      this.program ??= program;
      // Another program may have other inputs and results; the address says what the page has shown.
      if (program !== this.program) return location.reload();
      this.pause = kLeastWait;
      if (this.lost) this.on.lost(null);
      this.lost = false;
      this.on.inputs(inputs);
    };
    socket.onclose = () => this.wait();
  }

  wait() {
    this.pause = Math.min(kMostWait, 2 * (this.pause ?? kLeastWait));
    setTimeout(() => this.tryAgain(), this.pause);
  }

  async tryAgain() {
    try {
      await getJson('inputs?from=999999');
    } catch (error) {
      this.lost = true;
      this.on.lost(lostText(error, location));
      return this.wait();
    }
    this.open();
  }
}
