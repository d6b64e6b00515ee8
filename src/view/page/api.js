// Talks to the program: the session, its requests, and runs with their states.

export class ApiError extends Error {}
const kGone = 'The program does not answer. Is fovea view still running?';

async function checked(response) {
  if (response.ok) return response;
  let reason = `The program answered ${response.status}.`;
  try {
    reason = (await response.json()).error ?? reason;
  } catch { /* the answer was no JSON */ }
  throw Object.assign(new ApiError(reason), {status: response.status});
}

async function reach(address, settings = {}) {
  let response;
  try {
    response = await fetch(address, {credentials: 'same-origin', ...settings});
  } catch {
    throw new ApiError(kGone);
  }
  return checked(response);
}

export async function getJson(address) {
  return (await reach(address)).json();
}

export async function getBytes(address) {
  return new Uint8Array(await (await reach(address)).arrayBuffer());
}

export async function postJson(address, body) {
  return (await reach(address, {method: 'POST', body: JSON.stringify(body)})).json();
}

// Exchanges the token in the address for a cookie, and removes it from the address and the history.
export async function openSession() {
  const token = location.hash.slice(1);
  if (!token) return;
  await reach('session', {method: 'POST', body: token});
  history.replaceState(null, '', location.pathname + location.search);
}

// The name of this page, whose newest run stops the one before. A page that is loaded again has its name from the one that goes, so that
// its first run does not work beside a run that nobody wants any more. Only a page that goes leaves its name: a copy of a tab has another.
export function clientName() {
  const kept = (work) => {
    try {
      return work(sessionStorage);
    } catch {
      return null;  // a browser may refuse to keep anything
    }
  };
  const take = () => kept((store) => {
    const name = store.getItem('fovea client');
    store.removeItem('fovea client');
    return name;
  });
  // By getRandomValues, because randomUUID exists only where the page comes from this machine or by https.
  const name = take() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  addEventListener('pagehide', () => kept((store) => store.setItem('fovea client', name)));
  addEventListener('pageshow', ({persisted}) => persisted && take());
  return name;
}

// Sends a file, or the header and the samples of a cube, and returns the input. `onBytes` is told how many bytes have been sent.
export async function uploadFiles([file, samples], onBytes) {
  let address = `inputs?name=${encodeURIComponent(file.name)}`;
  if (samples) address += `&samples=${encodeURIComponent(samples.name)}&header_bytes=${file.size}`;
  const body = samples ? new Blob([file, samples]) : file;
  const request = new XMLHttpRequest();  // which, unlike fetch(), says how much has been sent
  request.upload.onprogress = ({loaded}) => onBytes(loaded);
  const ended = new Promise((resolve) => { request.onloadend = resolve; });
  request.open('POST', address);
  request.send(body);
  await ended;
  if (request.status === 0) throw new ApiError(kGone);
  return (await checked(new Response(request.response, {status: request.status}))).json();
}

// A WebSocket of the program. Addresses are relative to the page, which a proxy may give in a folder and by https.
export function socketTo(path) {
  const address = new URL(path, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  return new WebSocket(address);
}

// Starts a job, such as a run, and follows it. `onState` gets each state; returns {done, stop}: a promise
// of its id, or of null where it was stopped, and a function that stops it.
export function startJob(address, request, onState = () => {}) {
  let socket = null, stopped = false;
  const stop = () => {
    stopped = true;
    if (socket?.readyState === WebSocket.OPEN) socket.send('stop');
  };
  const follow = (id) => new Promise((resolve, reject) => {
    socket = socketTo(`jobs/${id}`);
    let ended = false;
    socket.onopen = () => stopped && socket.send('stop');
    socket.onmessage = ({data}) => {
      const state = JSON.parse(data);
      onState(state);
      ended = ['done', 'failed', 'stopped'].includes(state.state);
      if (state.state === 'failed') reject(new ApiError(state.error));
      else if (ended) resolve(state.state === 'done' ? id : null);
    };
    socket.onclose = () => ended || reject(new ApiError('The connection to the program was lost.'));
  });
  const done = postJson(address, request).then(({job}) => follow(job));
  return {done, stop};
}
