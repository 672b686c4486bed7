// Runs Python: takes {id, question, given} and answers {id, answer} or {id, error}. It dies by itself where Python does.
// It runs from a blob, so HERE, the address of the playground, comes with it.
import createPyodideModule from "../node_modules/pyodide/pyodide.asm.mjs";
import { loadPyodide } from "../node_modules/pyodide/pyodide.mjs";

const here = globalThis.HERE;
const began = performance.now();
let loaded = 0;

// Fetches a file that is kept compressed, and says how far it is.
async function unpacked(name) {
  const response = await ask(`${here}${name}.z`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const counting = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  return response.body.pipeThrough(counting).pipeThrough(new DecompressionStream("deflate"));
}

const ask = fetch.bind(globalThis);
const inPlace = { "pyodide.asm.wasm": ["python.wasm", "application/wasm"], "python_stdlib.zip": ["stdlib.zip", ""] };
globalThis.fetch = async (url, options) => {
  const [name, type] = inPlace[String(url.url ?? url).split("/").pop()] ?? [];
  if (!name) return ask(url, options);
  return new Response(await unpacked(name), { headers: type ? { "Content-Type": type } : {} });
};

async function start() {
  const app = unpacked("app.zip").then((stream) => new Response(stream).arrayBuffer());
  const python = await loadPyodide({
    indexURL: here,
    createPyodideModule,
    lockFileContents: JSON.stringify({ info: LOCKED, packages: {} }),
    packageBaseUrl: here,
  });
  python.unpackArchive(await app, "zip", { extractDir: "/app" });
  python.runPython("import sys; sys.path.insert(0, '/app'); sys.setrecursionlimit(1000)");
  const bridge = python.pyimport("bridge");
  return bridge.ask;
}

const ready = start();
ready.then(
  () => postMessage({ ready: performance.now() - began }),
  (error) => postMessage({ dead: String(error) }),
);

onmessage = async ({ data: { id, question, given } }) => {
  try {
    const answer = (await ready)(question, JSON.stringify(given));
    postMessage({ id, answer: JSON.parse(answer) });
  } catch (error) {
    // What Python raised leaves it as it was; anything else (a stack or a memory that is exhausted) may not.
    if (error?.name === "PythonError" && !/RecursionError|MemoryError/.test(error.message)) postMessage({ id, error: error.message });
    else postMessage({ id, dead: String(error?.message ?? error) });
  }
};
