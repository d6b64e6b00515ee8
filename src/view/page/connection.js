// The connection to the program: what it tells all of its pages, and what is done once it has gone.
import {getJson, socketTo} from './api.js';

const kLeastWait = 500, kMostWait = 5000;  // milliseconds between two attempts

// What a user can do about a program that cannot be reached, or that does not know the page any more.
export function lostText({status}, {port, pathname}) {
  if (status === 401) return 'fovea view was started anew: open the address that it has printed, and this page goes on.';
  const flag = port && pathname === '/' ? ` --port ${port}` : '';
  return `The program cannot be reached: run fovea view${flag} with the same inputs and open the address that it prints; this page then goes on.`;
}

export class Connection {
  // `on` has functions: inputs(count), how many the program has; and lost(text) while it cannot be reached.
  constructor(on) {
    this.on = on;
    this.known = false;
    this.open();
  }

  open() {
    const socket = socketTo('inputs');
    socket.onmessage = ({data}) => {
      this.known = true;
      this.pause = kLeastWait;
      this.on.inputs(JSON.parse(data).inputs);
    };
    socket.onclose = () => this.wait();
  }

  wait() {
    this.pause = Math.min(kMostWait, 2 * (this.pause ?? kLeastWait));
    setTimeout(() => this.tryAgain(), this.pause);
  }

  // A program that is back may have other inputs and results; the address says what the page has shown.
  async tryAgain() {
    try {
      await getJson('inputs?from=999999');
    } catch (error) {
      this.on.lost(lostText(error, location));
      return this.wait();
    }
    if (this.known) location.reload();
    else this.open();
  }
}
