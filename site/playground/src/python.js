// Python in a worker: questions and answers, and a new worker where the old one dies.
const PATIENCE = 25_000;

let code;

async function program() {
  const response = await fetch(new URL("worker.js.z", import.meta.url));
  if (!response.ok) throw new Error(`worker.js.z: ${response.status}`);
  const text = await new Response(response.body.pipeThrough(new DecompressionStream("deflate"))).text();
  const here = JSON.stringify(new URL(".", import.meta.url).href);
  return URL.createObjectURL(new Blob([`globalThis.HERE=${here};`, text], { type: "text/javascript" }));
}

class Python {
  constructor() {
    this.number = 0;
    this.arrived = new Promise((resolve) => (this.arrive = resolve)); // the first start has an end, good or bad
    this.start();
  }

  // Takes what to call at the next events, and calls it now for what has happened already.
  listen({ onLoading, onReady, onRestart }) {
    Object.assign(this, { onLoading, onReady, onRestart });
    if (this.isReady) onReady();
    if (this.failed) onRestart(this.failed, false);
  }

  // The worker comes from a blob, so that the content security policy of this page holds in it, too.
  async start() {
    this.waiting = new Map();
    this.isReady = false;
    this.failed = undefined;
    this.worker = undefined;
    try {
      code ??= await program();
    } catch (error) {
      this.die(String(error));
      return;
    }
    const worker = new Worker(code, { type: "module" });
    const heard = (act) => (event) => worker === this.worker && act(event); // an old worker may have left a message
    worker.onmessage = heard(({ data }) => this.take(data));
    worker.onerror = heard((event) => this.die(event.message || "the worker does not start"));
    worker.onmessageerror = heard(() => this.die("an answer cannot be read"));
    this.worker = worker;
  }

  take(data) {
    if (data.loaded) this.onLoading?.(data.loaded);
    else if (data.ready) {
      this.isReady = true;
      this.arrive();
      this.onReady?.();
    } else if (data.dead && data.id === undefined) this.die(data.dead);
    else {
      const one = this.waiting.get(data.id);
      if (!one) return;
      this.waiting.delete(data.id);
      clearTimeout(one.timer);
      if (data.dead) {
        one.reject(new Died(data.dead));
        this.die(data.dead);
      } else if (data.error) one.reject(new Error(data.error));
      else one.resolve(data.answer);
    }
  }

  ask(question, given) {
    if (!this.isReady) return Promise.reject(new Died("Python is not there yet"));
    return new Promise((resolve, reject) => {
      const one = { id: ++this.number, resolve, reject };
      this.waiting.set(one.id, one);
      one.timer = setTimeout(() => this.die(`no answer in ${PATIENCE / 1000} seconds`), PATIENCE);
      this.worker.postMessage({ id: one.id, question, given });
    });
  }

  die(reason) {
    this.worker?.terminate();
    this.worker = undefined;
    const wasReady = this.isReady;
    for (const one of this.waiting.values()) {
      clearTimeout(one.timer);
      one.reject(new Died(reason));
    }
    if (!wasReady) {
      this.failed = reason;
      this.arrive();
      this.onRestart?.(reason, false);
      return;
    }
    this.start();
    this.onRestart(reason, true);
  }
}

export class Died extends Error {}

// It starts at once, while the browser still reads the editor.
export const python = new Python();
