// Makes what the browser loads of a folder of Python files: node bundle.mjs SOURCES OUT TEXT ...
//
// SOURCES/app has the packages, OUT gets
//   main.js        the page with the editor
//   python.js      what starts the worker, while the browser still reads the editor
//   worker.js.z    what runs Python, with the loader of Pyodide; compressed by deflate, which a page can read
//   first.wasm     the functions of Pyodide's Python that run until the first finding
//   first.pack     the files that are read until then: a line of JSON, the libyaml of the browser, files of Python
//   rest.pack      all other functions, then all other files
// bundle.py compresses the last three. What belongs to the first parts is measured: dralint checks the texts here. OUT also
// gets findings.json, what `check` answers about the first text.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { pruned } from "./glue.mjs";
import { counted, divided, importedNames } from "./parts.mjs";
import { places } from "./src/files.js";
import { eventReader } from "./src/libyaml.js";
import { EMPTY, start } from "./src/start.js";

const here = dirname(fileURLToPath(import.meta.url));
const [sources, out, ...texts] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const pyodide = dirname(require.resolve("pyodide/package.json"));
const lock = JSON.parse(readFileSync(join(pyodide, "pyodide-lock.json"), "utf-8"));
const { version } = JSON.parse(readFileSync(join(pyodide, "package.json"), "utf-8"));
const wasm = readFileSync(join(pyodide, "pyodide.asm.wasm"));
const libyaml = readFileSync(join(here, "libyaml", "events.wasm"));
mkdirSync(out, { recursive: true });

// Tables that only functions of the rest read, by their addresses in this version of Pyodide: those of the codecs of East
// Asia, of unicodedata, and of iconv.
const TABLES = { "314.0.7": [[0xc4000, 0x150000], [0x158000, 0x1c3000], [0x2b3000, 0x2cf000]] }[version] ?? [];

// All files of Python, compiled.
const compiler = await loadPyodide();
compiler.FS.mkdirTree("/sources");
compiler.FS.mount(compiler.FS.filesystems.NODEFS, { root: sources }, "/sources");
compiler.FS.writeFile("/stdlib.zip", new Uint8Array(readFileSync(join(pyodide, "python_stdlib.zip"))));
compiler.runPython(readFileSync(join(here, "compile.py"), "utf-8"));
const made = compiler.FS.readFile("/made.pack");
const line = made.indexOf(10);
const files = JSON.parse(new TextDecoder().decode(made.subarray(0, line)));
const contents = places(files, made, line + 1);

// What runs and is read until the first finding.
const instantiate = WebAssembly.instantiate;
let counting;
WebAssembly.instantiate = async (bytes, imports) => {
  if (bytes.length !== wasm.length) return instantiate(bytes, imports);
  const answer = await instantiate(counted(wasm), imports);
  counting = answer.instance.exports;
  return answer;
};
const opened = new Set();
writeFileSync(join(out, "empty.zip"), EMPTY);
const python = await start({
  here: `${pyodide}/`,
  locked: lock.info,
  createPyodideModule,
  stdLibURL: join(out, "empty.zip"),
  lists: [files],
  read(path) {
    opened.add(path);
    return contents.get(path);
  },
  readEvents: eventReader(libyaml),
});
const ask = python.pyimport("bridge").ask;
let findings;
for (const text of texts.reverse())
  for (const more of ["\n", ""]) {
    ask("state", JSON.stringify({ files: [["claim.yaml", readFileSync(text, "utf-8") + more]] }));
    findings = ask("check", "{}");
    python.runPython("import gc; gc.collect()"); // otherwise it runs at moments of its own
  }
writeFileSync(join(out, "findings.json"), findings);
rmSync(join(out, "empty.zip"));
const ran = (at) => counting[`ran${at}`].value === 1;

const glue = pruned(readFileSync(join(pyodide, "pyodide.asm.mjs"), "utf-8"), readFileSync(join(pyodide, "pyodide.mjs"), "utf-8"), importedNames(wasm));
const [first, rest] = divided(wasm, ran, new Set(glue.exports), TABLES);
const isFirst = ([path]) => opened.has(path);
const parts = { first: files.filter(isFirst), rest: files.filter((file) => !isFirst(file)) };
const of = (list) => list.map(([path]) => contents.get(path));
const head = `${JSON.stringify({ ...parts, libyaml: libyaml.length, wasm: rest.length })}\n`;
writeFileSync(join(out, "first.wasm"), first);
writeFileSync(join(out, "first.pack"), Buffer.concat([Buffer.from(head), libyaml, ...of(parts.first)]));
writeFileSync(join(out, "rest.pack"), Buffer.concat([rest, ...of(parts.rest)]));

const common = { absWorkingDir: here, bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "linked" };
await build({ ...common, entryPoints: ["src/main.js"], outdir: out, external: ["./python.js"] });
await build({ ...common, entryPoints: ["src/python.js"], outdir: out });
const [, xz] = /data:application\/wasm;base64,([\w+/=]+)/.exec(readFileSync(require.resolve("xz-decompress"), "utf-8"));
const smaller = { name: "glue", setup: (plugin) => plugin.onLoad({ filter: /pyodide\.asm\.mjs$/ }, () => ({ contents: glue.text, loader: "js" })) };
const define = { LOCKED: JSON.stringify(lock.info), XZ: JSON.stringify(xz) };
const worker = await build({ ...common, entryPoints: ["src/worker.js"], outdir: out, write: false, external: ["node:*"], define, plugins: [smaller], legalComments: "none" });
writeFileSync(join(out, "worker.js.z"), deflateSync(worker.outputFiles[0].contents, { level: 9 }));

process.exit(0);
