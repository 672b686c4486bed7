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

export class Python {
  constructor({ onLoading, onReady, onRestart }) {
    Object.assign(this, { onLoading, onReady, onRestart });
    this.number = 0;
    this.start();
  }

  // The worker comes from a blob, so that the content security policy of this page holds in it, too.
  async start() {
    this.waiting = new Map();
    this.isReady = false;
    this.worker = undefined;
    try {
      code ??= await program();
    } catch (error) {
      this.die(String(error));
      return;
    }
    this.worker = new Worker(code, { type: "module" });
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = (event) => this.die(event.message || "the worker does not start");
    this.worker.onmessageerror = () => this.die("an answer cannot be read");
  }

  take(data) {
    if (data.loaded) this.onLoading(data.loaded);
    else if (data.ready) {
      this.isReady = true;
      this.onReady(data.ready);
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
    const wasReady = this.isReady;
    for (const one of this.waiting.values()) {
      clearTimeout(one.timer);
      one.reject(new Died(reason));
    }
    if (!wasReady) {
      this.onRestart(reason, false);
      return;
    }
    this.start();
    this.onRestart(reason, true);
  }
}

export class Died extends Error {}
