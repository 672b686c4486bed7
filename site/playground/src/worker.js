// Runs Python: takes {id, question, given} and answers {id, answer} or {id, error}. It dies by itself where Python does.
// It runs from a blob, so HERE, the address of the playground, comes with it. What is needed for the first finding is
// loaded first; the rest comes after the first answer, or when something of it is needed before.
import createPyodideModule from "../node_modules/pyodide/pyodide.asm.mjs";
import { places } from "./files.js";
import { eventReader } from "./libyaml.js";
import { EMPTY, start } from "./start.js";
import * as xz from "./xz.js";

const here = globalThis.HERE;
const LIBRARY = "python_stdlib.zip";
const REST = `${here}rest.pack.xz`;
const decoder = new TextDecoder();
const ask = fetch.bind(globalThis);
let loaded = 0;

// Fetches a file that is kept compressed, and says how far it is.
async function unpacked(name) {
  const response = await ask(`${here}${name}.xz`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const counting = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counting).pipeThrough(xz.stream()), { headers: { "Content-Type": "application/wasm" } });
}

const wasm = unpacked("first.wasm");
globalThis.fetch = async (url, options) => {
  const name = String(url.url ?? url).split("/").pop();
  return name === "pyodide.asm.wasm" ? wasm : name === LIBRARY ? new Response(EMPTY) : ask(url, options);
};

// Functions: those of the rest are called through a table, whose last entry loads them.
const streaming = WebAssembly.instantiateStreaming;
let first; // the exports of the first part
let imports;
WebAssembly.instantiateStreaming = async (response, given) => {
  const answer = await streaming(response, given);
  first = answer.instance.exports;
  imports = given;
  // A module that imports and exports a function: a table takes only functions of WebAssembly.
  const wrapper = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 5, 1, 0, 0, 0, 0, 7, 4, 1, 0, 0, 0));
  const wrapped = new WebAssembly.Instance(wrapper, { "": { "": () => join(new WebAssembly.Module(functions(rest()))) } });
  first.shared.set(first.shared.length - 1, wrapped.exports[""]);
  return answer;
};

function join(module) {
  if (first.rest.value) return;
  new WebAssembly.Instance(module, { ...imports, first });
  first.rest.value = 1;
}

// Files.
let index;
let contents = new Map();
let restBytes;

async function packed() {
  const pack = new Uint8Array(await (await unpacked("first.pack")).arrayBuffer());
  const at = pack.indexOf(10) + 1;
  index = JSON.parse(decoder.decode(pack.subarray(0, at)));
  contents = places(index.first, pack, at + index.libyaml);
  return pack.subarray(at, at + index.libyaml);
}

// Returns the rest; waits for it if it is not there yet.
function rest() {
  if (!restBytes) {
    const request = new XMLHttpRequest();
    request.open("GET", REST, false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status !== 200) throw new Error(`${REST}: ${request.status}`);
    keep(xz.whole(new Uint8Array(request.response)));
  }
  return restBytes;
}

function keep(bytes) {
  restBytes = bytes;
  for (const [path, place] of places(index.rest, bytes, index.wasm)) contents.set(path, place);
}

const functions = (bytes) => bytes.subarray(0, index.wasm);

async function fetchRest() {
  const bytes = new Uint8Array(await (await unpacked("rest.pack")).arrayBuffer());
  if (!restBytes) keep(bytes);
  join(await WebAssembly.compile(functions(restBytes)));
}

let collect; // collects garbage from now on; it runs functions of the rest

async function run() {
  const libyaml = packed();
  const python = await start({
    here,
    locked: LOCKED,
    stdLibURL: here + LIBRARY,
    createPyodideModule,
    lists: libyaml.then(() => [index.first, index.rest]),
    read(path) {
      if (!contents.has(path)) rest();
      return contents.get(path);
    },
    readEvents: libyaml.then(eventReader),
  });
  collect = python.runPython("gc.enable");
  return python.pyimport("bridge").ask;
}

const ready = run();
ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ dead: String(error) }),
);

let isFetching = false;
onmessage = async ({ data: { id, question, given } }) => {
  try {
    const answer = (await ready)(question, JSON.stringify(given));
    postMessage({ id, answer: JSON.parse(answer) });
    if (first.rest.value) collect();
  } catch (error) {
    // What Python raised leaves it as it was; anything else (a stack or a memory that is exhausted) may not.
    if (error?.name === "PythonError" && !/RecursionError|MemoryError/.test(error.message)) postMessage({ id, error: error.message });
    else postMessage({ id, dead: String(error?.message ?? error) });
  }
  if (question === "state" || isFetching) return; // the first answer is there
  isFetching = true;
  fetchRest().catch(() => {}); // it is fetched again when it is needed
};
