// Files that the user adds: those that are chosen or dropped, and those of folders.
import {postJson, uploadFiles} from './api.js';
import {byId} from './dom.js';
import {chosenFolders, droppedFolders, groupFiles, refusalText} from './files.js';

const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);

// Listens for files. `on` has functions: limits(), which gives {limit, extensions}: the most bytes of one upload, and what the names
// of inputs end in; say(text), while files are sent; and added(inputs, refused), with a text about those that were refused, or ''.
export class Adding {
  constructor(on) {
    this.on = on;
    for (const id of ['choose', 'choose-folder'])
      byId(id).addEventListener('change', ({target}) => {
        this.add(id === 'choose' ? [{files: [...target.files]}] : chosenFolders([...target.files]));
        target.value = '';  // so that the same file can be chosen again
      });
    let depth = 0;
    const over = (change) => (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      depth += change;
      document.body.classList.toggle('drops', depth > 0);
    };
    addEventListener('dragenter', over(1));
    addEventListener('dragleave', over(-1));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', async (event) => {
      event.preventDefault();
      depth = 0;
      document.body.classList.remove('drops');
      if (!event.dataTransfer.types.includes('Files')) return;
      try {
        await this.add(await droppedFolders([...event.dataTransfer.items]));
      } catch ({message}) {
        this.on.added([], message);
      }
    });
  }

  // Sends files, which stand in {folder, files, refused}; of a folder only what may be an input.
  async add(folders) {
    const {limit, extensions} = this.on.limits(), added = [], refused = folders.flatMap((each) => each.refused ?? []);
    const groups = folders.flatMap(({folder, files}) => groupFiles(files, folder ? extensions : null).map((group) => ({folder, ...group})));
    const inputs = new Map();  // that came of each folder
    const sizes = groups.map(({files = []}) => files.reduce((sum, {size}) => sum + size, 0)), all = sizes.reduce((sum, size) => sum + size, 0);
    let sent = 0;
    for (const [i, {folder, files, missing}] of groups.entries()) {
      if (missing) {
        refused.push(missing);
        continue;
      }
      const [{name}] = files, place = groups.length > 1 ? `, ${i + 1} of ${groups.length}` : '';
      const say = (bytes) => this.on.say(`Adding ${name}${place}, ${Math.floor(100 * Math.min(1, (sent + bytes) / Math.max(1, all)))} %`);
      say(0);
      try {
        if (sizes[i] > limit)
          throw new Error(`${name} has ${mebibytes(sizes[i])} MiB; at most ${mebibytes(limit)} can be added here. Name it on the command line.`);
        const input = await uploadFiles(files, say);
        added.push(input);
        if (folder) inputs.set(folder, [...inputs.get(folder) ?? [], input]);
      } catch ({message}) {
        refused.push(message);
      }
      sent += sizes[i];
    }
    for (const [folder, some] of inputs) await this.makeFilm(folder, some.filter(({kind}) => kind === 'image')).catch(({message}) => refused.push(message));
    this.on.say('');
    if (groups.length === 0 && refused.length === 0) refused.push('The folder has no image, video, mesh or cube.');
    this.on.added(added, refusalText(refused));
  }

  // The program decides whether images of a folder are the frames of a film, which is one more input then.
  async makeFilm(folder, images) {
    if (images.length > 2) await postJson('films', {name: folder.split('/').filter(Boolean).at(-1) ?? '', inputs: images.map(({id}) => id)});
  }
}
