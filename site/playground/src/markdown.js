// The little Markdown that hovers have, as nodes: paragraphs, lists, code, bold text. Text stays text; nothing is HTML.
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)/g;

function inline(text) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(last, match.index));
    const node = document.createElement(match[1] ? "code" : match[2] ? "strong" : "span");
    node.textContent = match[1] ?? match[2] ?? match[3];
    nodes.push(node);
    last = match.index + match[0].length;
  }
  return [...nodes, text.slice(last)];
}

export function markdown(text) {
  const nodes = [];
  const parts = text.split(/^```\w*\n([\s\S]*?)^```$/m);
  parts.forEach((part, at) => {
    if (at % 2) {
      const pre = document.createElement("pre");
      pre.textContent = part.replace(/\n$/, "");
      nodes.push(pre);
      return;
    }
    for (const block of part.split(/\n{2,}/).filter((each) => each.trim())) {
      const lines = block.trim().split("\n");
      if (lines.every((line) => /^[-*] /.test(line))) {
        const list = document.createElement("ul");
        for (const line of lines) {
          const item = document.createElement("li");
          item.append(...inline(line.slice(2)));
          list.append(item);
        }
        nodes.push(list);
      } else {
        const paragraph = document.createElement("p");
        lines.forEach((line, number) => {
          if (number) paragraph.append(document.createElement("br"));
          paragraph.append(...inline(line.replace(/^#+ /, "")));
        });
        nodes.push(paragraph);
      }
    }
  });
  return nodes;
}
