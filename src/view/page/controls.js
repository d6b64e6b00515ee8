// The form of a system's options: one control per field that describe() names.
import {el} from './dom.js';
import {isChanged, sliderRange, sliderStep} from './fields.js';

const kShown = 6;  // fields above the fold

export class Controls {
  // `onChange` is called when a value has changed.
  constructor(form, onChange) {
    this.form = form;
    this.onChange = onChange;
    this.values = {};
    form.addEventListener('submit', (event) => event.preventDefault());
  }

  // Shows the controls of a system; `kept` are values by name that differ from the defaults.
  show(system, kept) {
    this.values = kept;
    const fields = system.controls.map((field) => this.field(field));
    const rest = fields.slice(kShown);
    this.form.replaceChildren(this.models(system), ...fields.slice(0, kShown));
    if (rest.length === 0) return;
    const more = el('details', {class: 'more', open: system.controls.slice(kShown).some(({name}) => name in kept)},
      el('summary', {}, `${rest.length} more options`), ...rest);
    this.form.append(more);
  }

  models(system) {
    if (system.models.length === 0) return '';
    this.model ??= {};
    const select = el('select', {id: 'option-model'}, ...system.models.map((name) => el('option', {value: name}, name)));
    select.value = this.model[system.name] ?? system.models[0];
    select.addEventListener('change', () => {
      this.model[system.name] = select.value;
      this.onChange();
    });
    return el('div', {class: 'field'}, el('div', {class: 'head'}, el('label', {for: 'option-model'}, 'model')), select);
  }

  // Takes the model of this name, where the system has one.
  chooseModel(system, name) {
    if (system.models.includes(name)) this.model = {...this.model, [system.name]: name};
  }

  modelOf(system) { return this.model?.[system.name] ?? system.models[0] ?? ''; }

  field(field) {
    const id = `option-${field.name}`;
    const help = el('p', {class: 'text', id: `${id}-help`, hidden: true}, `${field.help}${field.range ? ` (${field.range})` : ''}.`);
    const undo = el('button', {type: 'button', class: 'undo', hidden: true, 'aria-label': `Reset ${field.name}`, title: 'Reset'}, '↺');
    const ask = el('button', {type: 'button', class: 'help', 'aria-expanded': 'false', 'aria-controls': help.id,
      'aria-label': `What ${field.name} does`, title: field.help}, '?');
    const entry = this.entry(field, id, (text) => this.set(field, text, box, undo));
    const label = el('label', {for: id, title: field.help}, field.name.replaceAll('-', ' '));
    const head = field.kind === 'flag' ? [entry.node, label] : [label];
    const box = el('div', {class: 'field', 'data-option': field.name}, el('div', {class: 'head'}, ...head, undo, ask), help,
      field.kind === 'flag' ? '' : entry.node);
    ask.addEventListener('click', () => {
      help.hidden = !help.hidden;
      ask.setAttribute('aria-expanded', String(!help.hidden));
    });
    undo.addEventListener('click', () => {
      entry.put(field.value);
      this.set(field, field.value, box, undo);
    });
    entry.put(this.values[field.name] ?? field.value);
    this.mark(field, box, undo);
    return box;
  }

  set(field, text, box, undo) {
    if (isChanged(field, text)) this.values[field.name] = text;
    else delete this.values[field.name];
    this.mark(field, box, undo);
    this.onChange();
  }

  mark(field, box, undo) {
    const changed = field.name in this.values;
    box.classList.toggle('changed', changed);
    undo.hidden = !changed;
  }

  // The control itself: its node, and a function that puts a text into it.
  entry(field, id, set) {
    if (field.kind === 'flag') {
      const box = el('input', {type: 'checkbox', id});
      box.addEventListener('change', () => set(String(box.checked)));
      return {node: box, put: (text) => { box.checked = text === 'true'; }};
    }
    if (field.kind === 'choice') {
      const select = el('select', {id}, ...field.choices.map((word) => el('option', {value: word}, word)));
      select.addEventListener('change', () => set(select.value));
      return {node: select, put: (text) => { select.value = text; }};
    }
    const numeric = /whole|number/.test(field.kind);
    const text = el('input', {type: numeric ? 'number' : 'text', id, class: numeric ? '' : 'wide',
      placeholder: field.absent ?? '', title: field.absent, step: numeric ? (field.kind.includes('whole') ? 1 : 'any') : null,
      min: numeric ? field.least : null, max: numeric ? field.greatest : null});
    text.addEventListener('change', () => text.checkValidity() ? set(text.value) : text.reportValidity());
    const range = numeric ? sliderRange(field) : null;
    // What an empty field means may need the whole width.
    const entry = (field.absent ?? '').length > 12 ? 'entry tall' : 'entry';
    if (!range) return {node: el('div', {class: entry}, text), put: (value) => { text.value = value; }};
    const slider = el('input', {type: 'range', min: range.least, max: range.greatest, step: sliderStep(field, range),
      'aria-label': field.name});
    slider.addEventListener('input', () => {
      text.value = slider.value;
      set(slider.value);
    });
    text.addEventListener('change', () => { slider.value = text.value === '' ? range.start : text.value; });
    return {node: el('div', {class: entry}, slider, text), put: (value) => {
      text.value = value;
      slider.value = value === '' ? range.start : value;
    }};
  }
}
