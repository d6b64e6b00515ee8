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
// that says which file lacks its other half.
export function groupFiles(files) {
  const taken = new Set(), groups = [];
  for (const header of files.filter(({name}) => kHeader.test(name))) {
    const samples = samplesOf(header, files);
    taken.add(header);
    if (samples) taken.add(samples);
    groups.push(samples ? {files: [header, samples]} :
      {missing: `${header.name} is the header of a cube; add the file with its samples together with it.`});
  }
  for (const file of files.filter((each) => !taken.has(each)))
    groups.push(kSamples.test(file.name) ?
      {missing: `${file.name} may be the samples of a cube; add its header, ${file.name.replace(kSamples, '.hdr')}, together with it.`} :
      {files: [file]});
  return groups;
}
