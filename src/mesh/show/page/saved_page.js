// The page that model_page() writes: the mesh, a legend of its parts, and a slider of levels.
import {readParts, readShape} from './mesh_model.js';
import {MeshView} from './mesh_view.js';

const one = (selector) => document.querySelector(selector), all = (selector) => [...document.querySelectorAll(selector)];
const dataOf = (id) => JSON.parse(one(`#${id}`).textContent);
const parts = readParts(dataOf('parts')), buttons = all('.legend button');
let pinned = -1;

// Shows the name and share of a part, or nothing for -1.
function name(part) {
  one('.caption').textContent = part < 0 ? '' :
    `${[...buttons[part].querySelectorAll('span,small')].map(({textContent}) => textContent).join(', ')} of the area`;
  buttons.forEach((button, i) => button.classList.toggle('near', i === part));
}

function pin(part) {
  pinned = part;
  view.pin(part);
  buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === part));
  name(part);
}

function hover(part) {
  view.hover(part);
  name(part < 0 ? pinned : part);
}

function openLevel(level) {
  const {shown, areas} = parts.levels[level], count = new Set(shown).size;
  view.setLevel(level);
  buttons.forEach((button, i) => {
    button.parentElement.hidden = shown[i] !== i;
    button.querySelector('small').textContent = `${areas[i].toFixed(1)} %`;
  });
  one('.levels output').textContent = `${level} of ${parts.levels.length - 1}, ${count} ${count === 1 ? 'part' : 'parts'}`;
  pin(-1);
}

const view = new MeshView(one('.stage'), readShape(dataOf('shape')), parts, {
  pick: (face) => pin(view.partOf(face) === pinned ? -1 : view.partOf(face)),
  hover: (face) => name(face < 0 ? pinned : view.partOf(face)),
  turning: (on) => { one('.turning').textContent = on ? 'Stop' : 'Turn'; },
  unaided: () => { one('.without').hidden = false; },
});
buttons.forEach((button, i) => {
  button.addEventListener('click', () => pin(pinned === i ? -1 : i));
  for (const kind of ['mouseenter', 'focus']) button.addEventListener(kind, () => hover(i));
  for (const kind of ['mouseleave', 'blur']) button.addEventListener(kind, () => hover(-1));
});
if (parts.levels.length > 1) {
  const slider = one('.levels input');
  slider.value = parts.levels.length - 1;
  slider.addEventListener('input', () => openLevel(Number(slider.value)));
  one('.levels').hidden = false;
  openLevel(parts.levels.length - 1);
}
one('.turning').addEventListener('click', () => view.setTurning(!view.turning));
one('.reset').addEventListener('click', () => {
  view.reset();
  pin(-1);
});
one('.stage').addEventListener('keydown', ({key}) => key === 'Escape' && pin(-1));
one('.tools').hidden = false;
view.setTurning(!matchMedia('(prefers-reduced-motion: reduce)').matches);
