// Divides WebAssembly of Emscripten into a part that is needed at once and a part that comes later.
//
// `counted` makes a module that notes which of its functions run. `divided` makes two modules of those notes: the first
// has the functions that ran, the rest has the others. Each has all functions at their numbers, so no instruction changes:
// in the place of a function of the other module stands a stub, which calls it through a table that both share. A stub of
// the first part calls the last entry of the table before, until the flag says that the rest is there.
const I32 = 0x7f;
const FUNCREF = 0x70;
const END = 0x0b;
const [TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, CODE] = [1, 2, 3, 4, 5, 6, 7, 9, 10];
const TAG = 13;
const OF_FUNCTION = 0;
const OF_TABLE = 1;
const OF_MEMORY = 2;
const OF_GLOBAL = 3;
const OF_TAG = 4;
const [DATA, COUNT] = [11, 12];
const ORDER = [0, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, TAG, GLOBAL, EXPORT, ELEMENT, COUNT, CODE, DATA];

function number(value, isSigned = false) {
  const out = [];
  for (;;) {
    const byte = value & 127;
    value = isSigned ? value >> 7 : value >>> 7;
    const isLast = isSigned ? (value === 0 && !(byte & 64)) || (value === -1 && byte & 64) : value === 0;
    out.push(isLast ? byte : byte | 128);
    if (isLast) return out;
  }
}

export function importedNames(wasm) {
  return new Set(read(wasm).imports.map(({ value }) => value.name[1]));
}

const constant = (value) => [0x41, ...number(value, true)];
const text = (words) => [...number(words.length), ...Buffer.from(words)];

class Reader {
  constructor(bytes, at = 0) {
    Object.assign(this, { bytes, at });
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }

  take(size) {
    return this.bytes.subarray(this.at, (this.at += size));
  }

  text() {
    return Buffer.from(this.take(this.number())).toString();
  }

  // Reads the rows of a section: what `row` returns, with the bytes of each.
  rows(row) {
    return Array.from({ length: this.number() }, () => {
      const from = this.at;
      const value = row();
      return { value, bytes: this.bytes.subarray(from, this.at) };
    });
  }

  limits() {
    const flags = this.number();
    this.number();
    if (flags & 1) this.number();
  }

  // Reads an expression that is a single constant.
  constant() {
    while (this.byte() !== END) this.number();
  }
}

function read(wasm) {
  const reader = new Reader(wasm, 8);
  const sections = new Map();
  while (reader.at < wasm.length) {
    const id = reader.byte();
    const bytes = reader.take(reader.number());
    if (id || !sections.has(0)) sections.set(id, bytes); // the first of those with a name says how to link
  }
  const at = (id) => new Reader(sections.get(id));
  let one = at(TYPE);
  const types = one.rows(() => {
    one.byte();
    return { params: one.take(one.number()).length, results: one.take(one.number()).length };
  });
  one = at(IMPORT);
  const imports = one.rows(() => {
    const name = [one.text(), one.text()];
    const kind = one.byte();
    if (kind === OF_FUNCTION) return { name, kind, type: one.number() };
    if (kind !== OF_GLOBAL) throw new Error(`the module imports ${name}, which is neither a function nor a global`);
    return { name, kind, type: one.take(2) };
  });
  one = at(FUNCTION);
  const functions = one.rows(() => one.number());
  one = at(TABLE);
  const tables = one.rows(() => (one.byte(), one.limits()));
  one = at(TAG);
  const tags = one.rows(() => (one.byte(), one.number()));
  one = at(GLOBAL);
  const globals = one.rows(() => {
    const [, mutable] = one.take(2);
    one.constant();
    return { mutable };
  });
  one = at(EXPORT);
  const exports = one.rows(() => ({ name: one.text(), kind: one.byte(), index: one.number() }));
  one = at(CODE);
  const bodies = one.rows(() => one.take(one.number())).map((row) => row.value);
  const importedFunctions = imports.filter(({ value }) => value.kind === OF_FUNCTION).length;
  const importedGlobals = imports.length - importedFunctions;
  return { sections, types, imports, functions, tables, tags, globals, exports, bodies, importedFunctions, importedGlobals };
}

function joined(parts) {
  return Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : Uint8Array.from(part))));
}

const rows = (list) => joined([number(list.length), ...list]);
const sized = (bytes) => joined([number(bytes.length), bytes]);

function written(sections) {
  const parts = [[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]];
  for (const id of ORDER) if (sections.has(id)) parts.push([id], sized(sections.get(id)));
  return joined(parts);
}

const exported = (name, kind, index) => joined([text(name), [kind], number(index)]);
const bytesOf = (list) => list.map((row) => row.bytes);

// Returns the module with a global "ran<number>" for each function, which is 1 after the function ran.
export function counted(wasm) {
  const module = read(wasm);
  const first = module.importedGlobals + module.globals.length;
  const globals = module.bodies.map(() => [I32, 1, ...constant(0), END]);
  const exports = module.bodies.map((_, at) => exported(`ran${at}`, OF_GLOBAL, first + at));
  const bodies = module.bodies.map((body, at) => {
    const reader = new Reader(body);
    reader.rows(() => (reader.number(), reader.byte()));
    return sized(joined([body.subarray(0, reader.at), constant(1), [0x24], number(first + at), body.subarray(reader.at)]));
  });
  const sections = new Map(module.sections);
  sections.set(GLOBAL, rows([...bytesOf(module.globals), ...globals]));
  sections.set(EXPORT, rows([...bytesOf(module.exports), ...exports]));
  sections.set(CODE, rows(bodies));
  return written(sections);
}

// Divides the contents of memory: the first list has what is outside of the ranges, the second what is inside.
function dividedData(section, ranges) {
  const reader = new Reader(section);
  const parts = [[], []];
  const add = (part, from, bytes) => bytes.length && parts[part].push(joined([[0], constant(from), [END], number(bytes.length), bytes]));
  reader.rows(() => {
    if (reader.number() !== 0 || reader.byte() !== 0x41) throw new Error("a piece of memory has no place");
    const from = reader.number(); // below 2^31, with enough bytes to be read without a sign
    reader.byte();
    const bytes = reader.take(reader.number());
    let at = from;
    const end = from + bytes.length;
    for (const [low, high] of [...ranges, [end, end]]) {
      const [start, stop] = [Math.min(Math.max(low, at), end), Math.min(Math.max(high, at), end)];
      add(0, at, bytes.subarray(at - from, start - from));
      add(1, start, bytes.subarray(start - from, stop - from));
      at = stop;
    }
  });
  return parts;
}

// Returns the first part and the rest. `ran` says of the number of a function whether it is in the first part. `used` has
// the names of the exports that somebody uses. `ranges` are parts of memory that only functions of the rest read.
export function divided(wasm, ran, used, ranges) {
  const module = read(wasm);
  const { importedFunctions, importedGlobals, functions, bodies, types, tables, tags, globals } = module;
  const shared = tables.length; // the number of the table that both share
  const flag = importedGlobals + globals.length;
  const plain = types.findIndex(({ value }) => !value.params && !value.results);
  const call = (at, type) => [...constant(at), 0x11, ...number(type), ...number(shared)];
  const load = [0x23, ...number(flag), 0x45, 0x04, 0x40, ...call(bodies.length, plain), END];
  const stub = (at, before) => {
    const type = functions[at].value;
    const params = Array.from({ length: types[type].value.params }, (_, param) => [0x20, ...number(param)]).flat();
    return sized(joined([[0], before, params, call(at, type), [END]]));
  };
  const elements = (isHere) => {
    const list = bodies.map((_, at) => at).filter((at) => isHere(at));
    return list.map((at) => joined([[2], number(shared), constant(at), [END, 0], number(1), number(importedFunctions + at)]));
  };
  const table = [FUNCREF, 0, ...number(bodies.length + 1)];
  const isLater = (at) => !ran(at);

  const first = new Map(module.sections);
  first.set(TABLE, rows([...bytesOf(tables), table]));
  first.set(GLOBAL, rows([...bytesOf(globals), [I32, 1, ...constant(0), END]]));
  const own = [
    ...tables.map((_, at) => exported(`table${at}`, OF_TABLE, at)),
    exported("shared", OF_TABLE, shared),
    ...tags.map((_, at) => exported(`tag${at}`, OF_TAG, at)),
    ...globals.flatMap(({ value }, at) => (value.mutable ? [exported(`global${at}`, OF_GLOBAL, importedGlobals + at)] : [])),
    exported("rest", OF_GLOBAL, flag),
  ];
  first.set(EXPORT, rows([...bytesOf(module.exports.filter(({ value }) => used.has(value.name))), ...own]));
  const elementRows = new Reader(module.sections.get(ELEMENT));
  const count = elementRows.number();
  const here = elements(ran);
  first.set(ELEMENT, joined([number(count + here.length), elementRows.bytes.subarray(elementRows.at), ...here]));
  first.set(CODE, rows(bodies.map((body, at) => (ran(at) ? sized(body) : stub(at, load)))));
  const [early, late] = dividedData(module.sections.get(DATA), ranges);
  first.set(COUNT, Uint8Array.from(number(early.length)));
  first.set(DATA, rows(early));

  // Globals that change are imported, and come first; those that do not are there twice.
  const mutable = globals.findIndex(({ value }) => !value.mutable);
  if (globals.slice(mutable).some(({ value }) => value.mutable)) throw new Error("globals that change stand behind others");
  const outer = (name, kind, type) => joined([text("first"), text(name), [kind], type]);
  const rest = new Map();
  for (const id of [TYPE, FUNCTION]) rest.set(id, module.sections.get(id));
  const limits = new Reader(module.sections.get(MEMORY));
  limits.number();
  rest.set(
    IMPORT,
    rows([
      ...bytesOf(module.imports),
      ...tables.map(({ bytes }, at) => outer(`table${at}`, OF_TABLE, bytes)),
      outer("shared", OF_TABLE, table),
      outer("memory", OF_MEMORY, limits.bytes.subarray(limits.at)),
      ...tags.map(({ bytes }, at) => outer(`tag${at}`, OF_TAG, bytes)),
      ...globals.slice(0, mutable).map(({ bytes }, at) => outer(`global${at}`, OF_GLOBAL, bytes.subarray(0, 2))),
    ]),
  );
  rest.set(GLOBAL, rows(bytesOf(globals.slice(mutable))));
  rest.set(ELEMENT, rows(elements(isLater)));
  rest.set(CODE, rows(bodies.map((body, at) => (isLater(at) ? sized(body) : stub(at, [])))));
  rest.set(DATA, rows(late));
  return [written(first), written(rest)];
}
