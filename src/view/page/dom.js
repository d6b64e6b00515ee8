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

export const byId = (id) => document.getElementById(id);
