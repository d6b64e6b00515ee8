// Talks to the program: the session, its requests, and runs with their states.

export class ApiError extends Error {}

async function checked(response) {
  if (response.ok) return response;
  let reason = `The program answered ${response.status}.`;
  try {
    reason = (await response.json()).error ?? reason;
  } catch { /* the answer was no JSON */ }
  throw new ApiError(reason);
}

async function reach(address, settings = {}) {
  let response;
  try {
    response = await fetch(address, {credentials: 'same-origin', ...settings});
  } catch {
    throw new ApiError('The program does not answer. Is fovea view still running?');
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
  await reach('/session', {method: 'POST', body: token});
  history.replaceState(null, '', location.pathname);
}

// Sends a file, or the header and the samples of a cube, and returns the input.
export async function uploadFiles([file, samples]) {
  let address = `/inputs?name=${encodeURIComponent(file.name)}`;
  if (samples) address += `&samples=${encodeURIComponent(samples.name)}&header_bytes=${file.size}`;
  const body = samples ? new Blob([file, samples]) : file;
  return (await reach(address, {method: 'POST', body})).json();
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
    socket = new WebSocket(`ws://${location.host}/jobs/${id}`);
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
