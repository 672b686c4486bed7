// The files of Python: some are there, the others come when one of them is read.

// Says where the files of a list [[path, size], ...] lie in bytes, from a place on.
export function places(list, bytes, at = 0) {
  const found = new Map();
  for (const [path, size] of list) found.set(path, bytes.subarray(at, (at += size)));
  return found;
}

// Makes the files of a list. `read` returns the contents of a path; it is called when the file is read.
export function later(FS, list, read) {
  const folders = new Set();
  for (const [path, size] of list) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    const node = FS.create(path, 0o644).node ?? FS.lookupPath(path).node;
    const ops = node.stream_ops;
    node.usedBytes = size;
    node.stream_ops = {
      ...ops,
      read(stream, ...rest) {
        if (node.stream_ops !== ops) {
          node.contents = read(path);
          node.stream_ops = ops;
        }
        return ops.read(stream, ...rest);
      },
    };
  }
}
