// The keys of the page, where no field or button takes them.

const kPan = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

// `keys` has functions by the names of keys; steps(by) takes changes of options back or on; and pan([x, y], one), by so many
// steps or pixels, returns whether the picture takes the arrows.
export function listenToKeys(keys, {steps, pan}) {
  // Not while somebody types into a field, which the browser takes back.
  const onStep = (event) => {
    const by = {z: event.shiftKey ? 1 : -1, y: 1}[event.key.toLowerCase()], {target} = event;
    if (!by || event.altKey || (target.matches('input') && target.value !== target.defaultValue && !/range|checkbox/.test(target.type))) return;
    event.preventDefault();
    steps(by);
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey) return onStep(event);
    if (event.altKey) return;
    if (event.target.closest('input, select, pre') && event.key !== 'Escape') return;
    if (event.target.closest('button, a, summary') && [' ', 'Enter'].includes(event.key)) return;
    if (kPan[event.key] && pan(kPan[event.key], event.shiftKey)) event.preventDefault();
    else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}
