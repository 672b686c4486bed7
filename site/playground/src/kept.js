// Keeps what is written in this browser: one's own texts, and the changes to texts of links. A window that is loaded
// again has its own texts; a new window has those that were written last.
import { known } from "./share.js";

const OWN = "dralint.playground";
const LINKED = "dralint.playground.links";
const MOST_LINKED = 8;

function read(name, store) {
  try {
    return JSON.parse(store().getItem(name));
  } catch {
    return null;
  }
}

function write(name, value, store) {
  try {
    store().setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function drop(name, store) {
  try {
    store().removeItem(name);
  } catch {
    // a browser that keeps nothing
  }
}

const local = () => localStorage;
const session = () => sessionStorage;

function checked(state) {
  try {
    return state && known(state);
  } catch {
    return null;
  }
}

export function own() {
  return checked(read(OWN, session) ?? read(OWN, local));
}

// Says whether it is kept: a browser may keep nothing, and none keeps many megabytes.
export function keepOwn(state) {
  const here = write(OWN, state, session);
  if (!here) drop(OWN, session); // what is too large leaves an older text there, which would win
  return write(OWN, state, local) || here;
}

export function linked(fragment) {
  const found = (read(LINKED, local) ?? []).find((each) => each?.fragment === fragment);
  return checked(found?.state);
}

export function keepLinked(fragment, state) {
  const others = (read(LINKED, local) ?? []).filter((each) => each?.fragment !== fragment);
  for (let most = MOST_LINKED; most > 0; most = Math.floor(most / 2))
    if (write(LINKED, [{ fragment, state }, ...others].slice(0, most), local)) return true;
  return false;
}
