// Runs Python: takes {id, question, given} and answers {id, answer} or {id, error}. It dies by itself where Python does.
// It runs from a blob, so HERE, the address of the playground, comes with it.
import createPyodideModule from "../node_modules/pyodide/pyodide.asm.mjs";
import { loadPyodide } from "../node_modules/pyodide/pyodide.mjs";
import { eventReader } from "./libyaml.js";

const here = globalThis.HERE;
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

// Writes the files of dralint: a line of JSON has their names and sizes, their contents follow. In JavaScript, because
// Python needs more time to unpack an archive than to import it.
function write(files, pack) {
  let at = pack.indexOf(10) + 1;
  const folders = new Set();
  for (const [name, size] of JSON.parse(new TextDecoder().decode(pack.subarray(0, at)))) {
    const path = `/app/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) files.mkdirTree(folder);
    folders.add(folder);
    files.writeFile(path, pack.subarray(at, (at += size)));
  }
}

async function start() {
  const whole = (name) => unpacked(name).then((stream) => new Response(stream).arrayBuffer());
  const app = whole("app.pack");
  const libyaml = whole("libyaml.wasm").then(eventReader);
  const python = await loadPyodide({
    indexURL: here,
    createPyodideModule,
    lockFileContents: JSON.stringify({ info: LOCKED, packages: {} }),
    packageBaseUrl: here,
  });
  write(python.FS, new Uint8Array(await app));
  globalThis.readEvents = await libyaml;
  python.runPython("import sys; sys.path.insert(0, '/app'); sys.setrecursionlimit(1000)");
  const bridge = python.pyimport("bridge");
  return bridge.ask;
}

const ready = start();
ready.then(
  () => postMessage({ ready: true }),
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
