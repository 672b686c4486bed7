// Starts Python with the files of dralint; the worker and the build of the site do it in the same way.
import { loadPyodide } from "../node_modules/pyodide/pyodide.mjs";
import { later } from "./files.js";

// An archive without files, in the place of Python's library.
export const EMPTY = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(18));

// `lists` has lists of files [[path, size], ...], `read` returns the contents of a path.
export async function start({ here, locked, stdLibURL, createPyodideModule, lists, read, readEvents }) {
  const python = await loadPyodide({
    indexURL: here,
    createPyodideModule(settings) {
      settings.thisProgram = "dralint"; // the same everywhere, so that the same functions run
      return createPyodideModule(settings);
    },
    lockFileContents: JSON.stringify({ info: locked, packages: {} }),
    packageBaseUrl: here,
    stdLibURL,
    fsInit: async (FS) => {
      for (const list of await lists) later(FS, list, read);
    },
  });
  globalThis.readEvents = await readEvents;
  // The collection of garbage runs at moments of its own, and functions of the rest.
  python.runPython("import gc, sys; gc.disable(); sys.path.insert(0, '/app'); sys.setrecursionlimit(1000)");
  return python;
}

