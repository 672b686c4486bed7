// Reads what is compressed by xz, with the WebAssembly of the package xz-decompress (XZ in the base64 of its file).
let made;

// Returns a function that takes compressed bytes, and returns what they give, as a list of pieces.
export function reader() {
  made ??= new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(atob(XZ), (each) => each.charCodeAt(0)))).exports;
  const { memory, create_context, supply_input, get_next_output, destroy_context } = made;
  const context = create_context();
  const fields = () => new Uint32Array(memory.buffer, context, 6); // size of both buffers; input: address, place, end; output: address, place
  const [size, input, , , output] = fields();
  let isOpen = true;
  return (bytes) => {
    const pieces = [];
    for (let at = 0; isOpen && at < bytes.length; at += size) {
      const part = bytes.subarray(at, at + size);
      new Uint8Array(memory.buffer, input, part.length).set(part);
      supply_input(context, part.length);
      for (let isMore = true; isOpen && isMore; ) {
        const result = get_next_output(context);
        if (result > 1) throw new Error(`what was loaded is damaged (${result})`);
        const [, , place, end, , written] = fields();
        if (written) pieces.push(new Uint8Array(memory.buffer, output, written).slice());
        fields()[5] = 0;
        isMore = place < end || written === size;
        if (result === 1) {
          isOpen = false;
          destroy_context(context);
        }
      }
    }
    return pieces;
  };
}

export function stream() {
  const read = reader();
  return new TransformStream({
    transform(chunk, controller) {
      for (const piece of read(chunk)) controller.enqueue(piece);
    },
  });
}

export function whole(bytes) {
  return joined(reader()(bytes));
}

export function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
