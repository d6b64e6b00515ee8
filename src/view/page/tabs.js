// The systems as a list of tabs, which is one stop of the Tab key: arrows, Home and End move in it, Enter or the space bar chooses.
// One that does not take the input is off, but can be reached, and says why.
import {byId, el} from './dom.js';

export class Tabs {
  // `onChoose(system)` is called when the user chooses one, and `onOff(reason)` where that one is off. The buttons stay, so that the one that was pressed keeps the focus.
  constructor(systems, onChoose, onOff) {
    Object.assign(this, {systems, room: byId('systems'), reasons: systems.map(() => '')});
    this.tabs = systems.map((system, i) => {
      const tab = el('button', {type: 'button', role: 'tab', id: `tab-${system.name}`, title: system.text, 'aria-controls': 'controls-room',
        'data-system': system.name}, system.title);
      tab.addEventListener('click', ({detail}) => {
        if (this.reasons[i]) onOff(this.reasons[i]);
        else onChoose(system);
        if (detail > 0) tab.blur();  // by a pointer: the keys are for the picture now
      });
      return tab;
    });
    this.room.replaceChildren(...this.tabs);
    this.room.addEventListener('keydown', (event) => this.onKey(event));
  }

  // Marks the chosen one; `whyOff(system)` says why one cannot be chosen, or nothing.
  show(chosen, whyOff) {
    this.reasons = this.systems.map(whyOff);
    this.systems.forEach((system, i) => {
      this.tabs[i].setAttribute('aria-selected', String(system === chosen));
      this.tabs[i].setAttribute('aria-disabled', String(this.reasons[i] !== ''));
      this.tabs[i].title = this.reasons[i] || system.text;
    });
    const tab = this.tabs[this.systems.indexOf(chosen)];
    this.stopAt(tab ?? this.tabs[0]);
    tab?.scrollIntoView({block: 'nearest', inline: 'nearest'});
    if (tab) byId('controls-room').setAttribute('aria-labelledby', tab.id);
  }

  // The one that the Tab key reaches.
  stopAt(stop) {
    for (const tab of this.tabs) tab.tabIndex = tab === stop ? 0 : -1;
  }

  onKey(event) {
    const {tabs} = this, at = tabs.indexOf(event.target);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1}[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const tab = tabs[to % tabs.length];
    this.stopAt(tab);
    tab.focus();
  }
}
