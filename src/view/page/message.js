// What is wrong, over the picture, where it is seen however far the rest is scrolled.
import {byId} from './dom.js';

export class Message {
  constructor() {
    this.remarked = null;
    byId('message-close').addEventListener('click', () => this.remark(null));
  }

  // Says what is wrong, below what was remarked; null says nothing.
  tell(message) {
    const text = [this.remarked, message].filter(Boolean).join('\n');
    if (byId('message-text').textContent !== text) byId('message-text').textContent = text;
    byId('message').hidden = !text;
  }

  // Says something about the inputs as a whole, which stays until another one is chosen.
  remark(text) {
    this.remarked = text;
    this.tell(null);
  }
}
