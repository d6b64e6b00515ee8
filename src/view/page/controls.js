// The form of a system's options: one control per field that describe() names.
import {el} from './dom.js';
import {isChanged, knownOf, sliderRange, sliderStep} from './fields.js';

const kShown = 6;  // fields above the fold

export class Controls {
  // `onChange(key)` is called when a value or the model has changed; changes of one key belong together, as while a slider moves.
  constructor(form, onChange) {
    this.form = form;
    this.onChange = onChange;
    this.values = {};
    this.drags = 0;  // of sliders
    this.known = {};  // what results have said of options, by system and model
    form.addEventListener('submit', (event) => event.preventDefault());
  }

  // Shows the controls of a system; `kept` are values by name that differ from the defaults.
  show(system, kept) {
    Object.assign(this, {system, values: kept});
    this.puts = new Map();  // functions that put what is chosen into the controls, by their names
    const fields = system.controls.map((field) => this.field(field));
    const rest = fields.slice(kShown);
    this.form.replaceChildren(this.models(system), ...fields.slice(0, kShown));
    if (rest.length === 0) return;
    const more = el('details', {class: 'more', open: system.controls.slice(kShown).some(({name}) => name in kept)},
      el('summary', {}, `${rest.length} more options`), ...rest);
    this.form.append(more);
  }

  // Puts other values and another model into the controls that are shown.
  put(system, kept, model = '') {
    this.values = kept;
    this.chooseModel(system, model);
    this.putAll();
  }

  putAll() { for (const put of this.puts.values()) put(); }

  // Takes from a result of the system that is shown what it says of its model.
  learn(result) {
    const key = this.keyNow();
    this.known[key] = {...this.known[key], ...knownOf(result, this.known[key])};
    this.putAll();
  }
  keyNow() { return `${this.system.name}/${this.modelOf(this.system)}`; }
  knownNow() { return this.known[this.keyNow()] ?? {}; }

  models(system) {
    if (system.models.length === 0) return '';
    const select = el('select', {id: 'option-model', 'aria-describedby': 'option-model-text'}, ...system.models.map((name) => el('option', {value: name}, name)));
    const text = el('p', {class: 'text', id: 'option-model-text'});
    const put = () => {
      select.value = this.modelOf(system);
      text.textContent = system.model_texts[select.value] ?? '';
    };
    this.puts.set('model', put);
    put();
    select.addEventListener('change', () => {
      for (const name of Object.keys(this.knownNow())) delete this.values[name];  // they belong to the model before
      this.chooseModel(system, select.value);
      this.putAll();
      this.onChange(null);
    });
    return el('div', {class: 'field'}, el('div', {class: 'head'}, el('label', {for: 'option-model'}, 'model')), select, text);
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
    const entry = this.entry(field, id, (text, key = null) => this.set(field, text, key));
    const label = el('label', {for: id, title: field.help}, field.name.replaceAll('-', ' '));
    const head = field.kind === 'flag' ? [entry.node, label] : [label];
    const box = el('div', {class: 'field', 'data-option': field.name}, el('div', {class: 'head'}, ...head, undo, ask), help,
      field.kind === 'flag' ? '' : entry.node);
    ask.addEventListener('click', () => {
      help.hidden = !help.hidden;
      ask.setAttribute('aria-expanded', String(!help.hidden));
    });
    undo.addEventListener('click', () => this.set(field, field.value, null));
    const put = () => {
      const changed = field.name in this.values;
      entry.put(changed ? this.values[field.name] : field.value);
      box.classList.toggle('changed', changed);
      undo.hidden = !changed;
    };
    this.puts.set(`option ${field.name}`, put);
    put();
    return box;
  }

  set(field, text, key) {
    if (isChanged(field, text)) this.values[field.name] = text;
    else delete this.values[field.name];
    this.puts.get(`option ${field.name}`)();
    this.onChange(key);
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
    text.addEventListener('change', () => {
      if (!text.checkValidity()) return text.reportValidity();
      text.defaultValue = text.value;  // so that one sees whether somebody is typing
      return set(text.value);
    });
    // What an empty field means may need the whole width.
    const entry = (field.absent ?? '').length > 12 ? 'entry tall' : 'entry';
    const slider = el('input', {type: 'range', 'aria-label': field.name});
    slider.addEventListener('input', () => set(slider.value, `${field.name} ${this.drags}`));
    slider.addEventListener('change', () => { ++this.drags; });
    return {node: el('div', {class: entry}, numeric ? slider : '', text), put: (value) => {
      if (text !== document.activeElement || text.value === text.defaultValue) text.value = text.defaultValue = value;
      const known = this.knownNow()[field.name], range = numeric ? sliderRange(field, known) : null;
      slider.hidden = !range;
      text.placeholder = known ? `${known.own}, ${field.absent}` : field.absent ?? '';
      if (range) Object.assign(slider, {min: range.least, max: range.greatest, step: sliderStep(field, range), value: value === '' ? range.start : value});
      if (known) slider.title = `From ${range.least} to ${range.greatest}: around ${field.absent} value, ${known.own}, up to the highest score so far`;
    }};
  }
}
