// The texts and choices of the playground as the fragment of a link: JSON, deflated, in URL-safe base64.
const MOST_PACKED = 400_000;
const MOST_TEXT = 4_000_000;
const NAME = /^(?:\w[\w.-]{0,60}|\.dralint\.yaml)$/;

export async function packed(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function isTooLong(fragment) {
  return fragment.length > MOST_PACKED;
}

export async function unpacked(fragment) {
  if (isTooLong(fragment)) throw new Error("the link is too long");
  const bytes = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_TEXT) throw new Error("the link holds too much text");
  }
  return known(JSON.parse(text));
}

export function isName(name) {
  return NAME.test(name);
}

// Takes from a state what the playground knows, and only in the form that it knows.
export function known(state) {
  const text = (value) => (typeof value === "string" ? value : "");
  const files = (Array.isArray(state.files) ? state.files : [])
    .filter((file) => Array.isArray(file) && isName(file[0]) && typeof file[1] === "string")
    .slice(0, 30);
  if (!files.length) throw new Error("there is no file");
  return {
    files,
    inventory: text(state.inventory),
    release: text(state.release),
    gates: text(state.gates),
    namespace: text(state.namespace),
    select: text(state.select),
    ignore: text(state.ignore),
    complete: state.complete === true,
  };
}
