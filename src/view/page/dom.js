// Makes elements. Texts are always text, never HTML.

export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'hidden' || key === 'open' || key === 'checked') node[key] = Boolean(value);
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== ''));
  return node;
}

// The same for pictures of lines.
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const byId = (id) => document.getElementById(id);

// A color, and the name by which texts speak of it.
export function swatch(color, name, dashed = false) {
  const box = el('i', {class: dashed ? 'swatch dashed' : 'swatch'});
  box.style.setProperty('--color', color);
  return el('span', {class: 'named'}, box, name);
}

// A row with a switch: its title, what else stands beside it, and a text below. `set(on)` is called when it is switched.
export function switchRow({title, on, text = '', beside = ''}, set) {
  const box = el('input', {type: 'checkbox', checked: on});
  box.addEventListener('change', () => set(box.checked));
  return el('div', {}, el('label', {}, box, title, beside), text ? el('small', {}, ...[text].flat()) : '');
}
