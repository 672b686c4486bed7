// Takes out of Emscripten's JavaScript what a module does not import: drawing, sound, and other libraries.
import { transformSync } from "esbuild";
import { minify_sync } from "terser";

const ROW = /^    (\w+) = (?:Module\["\w+"\] = )?wasmExports2\["([^"]+)"\].*;\n/gm; // an export, and its variable
const SIGNED = /^    wasmExports2\["(\w+)"\] = makeWrapper_\w+\(.*;\n/gm; // an export that returns an address
const NAMED = /^  Module\["(\w+)"\] = \w+;\n/gm; // a function that others may call
const PROPERTY = /^  (\w+)\.(?:sig|isAsync|isNonblocking) = .*;\n/gm; // how a function is called by a module that comes later

function counts(text) {
  const found = new Map();
  for (const word of text.match(/[\w$]+/g)) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

// Returns the text, and the names of the exports of WebAssembly that it uses. `loader` is what else uses them, `imported`
// the names that the module imports.
export function pruned(glue, loader, imported) {
  let text = transformSync(glue).code;
  const rows = [...text.matchAll(ROW)].map(([, variable, name]) => ({ variable, name }));
  const list = new RegExp(`^  var (${rows[0].variable}, .*);\n`, "m");
  const words = counts(text.replace(ROW, "").replace(list, "").replace(NAMED, "").replace(SIGNED, "") + loader);
  const used = new Set(rows.filter(({ variable }) => words.has(variable)).map(({ name }) => name));
  const unused = new Set(rows.filter(({ name }) => !used.has(name)).map(({ variable }) => variable));
  text = text
    .replace(ROW, (row, _, name) => (used.has(name) ? row : ""))
    .replace(SIGNED, (row, name) => (used.has(name) ? row : ""))
    .replace(list, (_, all) => `  var ${all.split(", ").filter((each) => !unused.has(each)).join(", ")};\n`)
    .replace(NAMED, (row, name) => (loader.includes(`.${name}`) || text.includes(`Module.${name}`) || text.split(`"${name}"`).length > 2 ? row : ""));
  text = text.replace(/^  var wasmImports = \{(.*)\};\n/m, (_, all) => {
    const kept = all.split(", ").filter((each) => imported.has(each.split(":")[0]));
    return `  var wasmImports = { ${kept.join(", ")} };\n`;
  });
  text = text.replace(PROPERTY, (row, name) => (imported.has(name) || imported.has(name.slice(1)) ? row : ""));
  // An address that only what is taken out would use.
  text = text.replace("} else if (!value2) {", "} else if (!value2) {\n entry.value = 0; continue;");
  const exports = [...used, "memory", "__indirect_function_table", "__stack_pointer", "__wasm_call_ctors", "main", "__main_argc_argv", "run_main_promising", "_pyproxy_apply_promising", "_Py_Version"];
  return { text: minify_sync(text, { module: true, compress: { passes: 2 }, mangle: false }).code, exports };
}
