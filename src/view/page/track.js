// Where a target was seen in the frames that have played, so that the time line goes back into its track.

const kMostFrames = 20000;

export class Track {
  #input = null;
  #newest = -1;
  #frames = new Map();  // in their order

  // Another target, or another input.
  clear() {
    this.#frames.clear();
    this.#newest = -1;
  }

  // What was found in a frame of an input; frames from there on that were found before are of another way that it might have gone.
  add(input, frame, {summary, marks}) {
    if (input !== this.#input) this.clear();
    this.#input = input;
    if (frame <= this.#newest)
      for (const each of [...this.#frames.keys()]) each >= frame && this.#frames.delete(each);
    this.#newest = frame;
    if (marks.length === 0) return;
    this.#frames.set(frame, {summary, marks, layers: [], scores: [], timings: []});
    if (this.#frames.size > kMostFrames) this.#frames.delete(this.#frames.keys().next().value);
  }

  // What was found there, as a frame that passes has it; nothing where the track did not come.
  at(input, frame) {
    return input === this.#input ? this.#frames.get(frame) ?? null : null;
  }
}
