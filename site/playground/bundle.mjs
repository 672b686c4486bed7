// Makes what the browser loads of a folder of Python files: node bundle.mjs SOURCES OUT
//
// SOURCES/app has the packages, OUT gets
//   main.js        the page with the editor
//   python.js      what starts the worker, while the browser still reads the editor
//   worker.js.z    what runs Python, with the loader of Pyodide
//   python.wasm.z  Pyodide's Python
//   libyaml.wasm.z what reads YAML
//   stdlib.zip.z   its standard library, without what dralint never imports, compiled
//   app.pack.z     dralint and what it imports, compiled
// A name that ends in .z is compressed by deflate, because not every server compresses what it sends.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";

const here = dirname(fileURLToPath(import.meta.url));
const [sources, out] = process.argv.slice(2);
const pyodide = dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
const lock = JSON.parse(readFileSync(join(pyodide, "pyodide-lock.json"), "utf-8"));
mkdirSync(out, { recursive: true });

const python = await loadPyodide();
python.FS.mkdirTree("/sources");
python.FS.mount(python.FS.filesystems.NODEFS, { root: sources }, "/sources");
python.FS.writeFile("/stdlib.zip", new Uint8Array(readFileSync(join(pyodide, "python_stdlib.zip"))));
python.runPython(readFileSync(join(here, "compile.py"), "utf-8"));

const pack = (name, bytes) => writeFileSync(join(out, name), deflateSync(bytes, { level: 9 }));
pack("stdlib.zip.z", python.FS.readFile("/made-stdlib.zip"));
pack("app.pack.z", python.FS.readFile("/made-app.pack"));
pack("libyaml.wasm.z", readFileSync(join(here, "libyaml", "events.wasm")));
pack("python.wasm.z", readFileSync(join(pyodide, "pyodide.asm.wasm")));

const common = { absWorkingDir: here, bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "linked" };
await build({ ...common, entryPoints: ["src/main.js"], outdir: out, external: ["./python.js"] });
await build({ ...common, entryPoints: ["src/python.js"], outdir: out });
const worker = await build({ ...common, entryPoints: ["src/worker.js"], outdir: out, write: false, external: ["node:*"], define: { LOCKED: JSON.stringify(lock.info) }, legalComments: "none" });
pack("worker.js.z", worker.outputFiles[0].contents);

process.exit(0);
