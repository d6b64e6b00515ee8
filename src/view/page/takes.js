// Which systems work on which inputs, and why others do not. An input may have `film`, that of which it is a frame: what is for videos
// opens that.

const kInputs = {image: ['images', 'videos'], video: ['videos'], mesh: ['meshes'], cube: ['multispectral cubes']};
const kThis = {image: 'an image', video: 'a video', mesh: 'a mesh', cube: 'a cube', live: 'live'};

export function takes(system, input) {
  if (input.kind === 'live') return system.streams;
  return system.takes === input.kind || (system.takes === 'image' && input.kind === 'video');
}

// 'street.jpg is an image; "Tracking" is for videos and live inputs.'; nothing where the system takes the input, or there is none.
export function whyOff(system, input) {
  if (!input || takes(system, input) || (input.film && takes(system, input.film.input))) return '';
  const inputs = [...kInputs[system.takes], ...system.streams ? ['live inputs'] : []];
  const words = [inputs.slice(0, -1).join(', '), inputs.at(-1)].filter(Boolean).join(' and ');
  return `${input.name.split('/').pop()} is ${kThis[input.kind]}; "${system.title}" is for ${words}.`;
}
