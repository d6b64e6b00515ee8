// Which of the files that a user adds belong together. Pure functions.

const kHeader = /\.hdr$/i;
const kSamples = /\.(img|dat|raw|bin|bsq|bil|bip|cube)$/i;

const stem = (name) => name.replace(/\.[^.]*$/, '').toLowerCase();

// The samples of a header: a.img of a.hdr, or a.img of a.img.hdr.
function samplesOf(header, files) {
  const wanted = stem(header.name);
  return files.find((file) => file !== header && !kHeader.test(file.name) && file.name.toLowerCase() === wanted) ??
    files.find((file) => (kSamples.test(file.name) || !file.name.includes('.')) && stem(file.name) === wanted);
}

// Files as they are sent: {files: [file]}, {files: [header, samples]} of a cube, or {missing} with a sentence
// that says which file lacks its other half. Of a folder, other files count only if their names end in one of the `extensions`.
export function groupFiles(files, extensions = null) {
  const taken = new Set(), groups = [];
  for (const header of files.filter(({name}) => kHeader.test(name))) {
    const samples = samplesOf(header, files);
    taken.add(header);
    if (samples) taken.add(samples);
    groups.push(samples ? {files: [header, samples]} :
      {missing: `${header.name} is the header of a cube; add the file with its samples together with it.`});
  }
  const mayBe = ({name}) => !extensions || extensions.includes(/\.([^.]*)$/.exec(name)?.[1].toLowerCase());
  for (const file of files.filter((each) => !taken.has(each) && mayBe(each)))
    groups.push(kSamples.test(file.name) ?
      {missing: `${file.name} may be the samples of a cube; add its header, ${file.name.replace(kSamples, '.hdr')}, together with it.`} :
      {files: [file]});
  return groups;
}

// Numbers in names count as numbers: 2 comes before 10.
const inOrder = (a, b) => a.localeCompare(b, undefined, {numeric: true});
const byName = (a, b) => inOrder(a.name, b.name);

// Below the folder that was chosen, which the user has named.
const isHidden = (path) => /[^/]\/\./.test(path);

// What the browser lists of a folder, by the folders in it, without hidden files and folders.
export function chosenFolders(files) {
  const folders = new Map();
  for (const file of files.filter(({webkitRelativePath: path}) => !isHidden(path))) {
    const folder = file.webkitRelativePath.replace(/[^/]*$/, '');
    folders.set(folder, [...folders.get(folder) ?? [], file]);
  }
  return [...folders].sort(([a], [b]) => inOrder(a, b)).map(([folder, some]) => ({folder, files: some.sort(byName)}));
}

// One sentence or a list of them, of which the first few are told.
export function refusalText(refused, most = 8) {
  const rest = refused.length - most;
  return [...refused.slice(0, most), ...rest > 0 ? [`${rest} more ${rest === 1 ? 'file is' : 'files are'} refused.`] : []].join('\n');
}

const entriesIn = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

// The files of a folder and of the folders in it, as {folder, files, refused} in the order of their names, without hidden ones.
// What cannot be read is `refused`, by a sentence for each.
async function foldersIn(entry) {
  const reader = entry.createReader(), found = [], refused = [];
  const refuse = ({fullPath}, {message}) => { refused.push(`${fullPath.slice(1)} cannot be read: ${message}`); };
  try {
    for (let some; (some = await entriesIn(reader)).length > 0;) found.push(...some);  // it gives a part at a time
  } catch (error) {
    refuse(entry, error);
  }
  const seen = found.filter(({name}) => !name.startsWith('.')).sort(byName);
  const files = await Promise.all(seen.filter(({isFile}) => isFile).map((file) => fileOf(file).catch((error) => refuse(file, error))));
  const inner = await Promise.all(seen.filter(({isDirectory}) => isDirectory).map(foldersIn));
  return [{folder: entry.fullPath, files: files.filter(Boolean), refused}, ...inner.flat()];
}

// What was dropped: single files, as {files}, and the folders. The items know their entries only while they are being dropped.
export async function droppedFolders(items) {
  const dropped = items.filter(({kind}) => kind === 'file').map((item) => ({entry: item.webkitGetAsEntry(), file: item.getAsFile()}));
  const folders = dropped.filter(({entry}) => entry?.isDirectory);
  const files = dropped.filter((each) => !folders.includes(each)).map(({file}) => file);
  return [...files.length > 0 ? [{files}] : [], ...(await Promise.all(folders.map(({entry}) => foldersIn(entry)))).flat()];
}
