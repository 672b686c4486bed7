// Makes a function of libyaml's WebAssembly (libyaml/events.c): it takes a text and returns the events of its first
// document, as bytes. libyaml/yaml/_yaml.py reads them.
export async function eventReader(wasm) {
  const { instance } = await WebAssembly.instantiate(wasm);
  const { memory, room_for, read, answer, _initialize } = instance.exports;
  const encoder = new TextEncoder();
  _initialize();
  return (text) => {
    const input = encoder.encode(text);
    const place = room_for(input.length);
    new Uint8Array(memory.buffer, place, input.length).set(input);
    const size = read(input.length);
    return new Uint8Array(memory.buffer, answer(), size).slice();
  };
}
