// The little Markdown that hovers have, as nodes: paragraphs, lists, code, bold text. Text stays text; nothing is HTML.
// A code span ends with as many backticks as it begins with; &#42; is how text of a manifest has a character of Markdown.
const INLINE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)/g;

const decoded = (text) => text.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)));

function inline(text) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(decoded(text.slice(last, match.index)));
    const node = document.createElement(match[1] ? "code" : match[3] ? "strong" : "span");
    node.textContent = match[1] ? match[2].replace(/^ (.*) $/, "$1") : decoded(match[3] ?? match[4]);
    nodes.push(node);
    last = match.index + match[0].length;
  }
  return [...nodes, decoded(text.slice(last))];
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
