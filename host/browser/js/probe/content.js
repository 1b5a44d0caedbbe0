// The frame as text. args {format = "html" | "text"}; returns a string. "text" is what a reader sees: open shadow roots
// included, hidden parts left out, one line a block.
(args) => {
  const LIMIT = 8000000;
  if (!args || args.format !== 'text') {
    const type = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>\n' : '';
    return (type + (document.documentElement ? document.documentElement.outerHTML : '')).slice(0, LIMIT);
  }
  const parts = [];
  let length = 0;
  const put = (text) => {
    parts.push(text);
    length += text.length;
  };
  const walk = (node, shown) => {
    if (length > LIMIT) return;
    if (node.nodeType === 3) {
      if (shown) put(node.data.replace(/\s+/g, ' '));
      return;
    }
    if (node.nodeType !== 1 && node.nodeType !== 11) return;
    if (node.nodeType === 11) return node.childNodes.forEach((child) => walk(child, shown));
    if (/^(script|style|noscript|template|iframe|head)$/i.test(node.tagName)) return;
    const style = getComputedStyle(node);
    if (style.display === 'none' || parseFloat(style.opacity) <= 0.05) return;
    if (node.tagName === 'BR') return put('\n');
    const block = !/^(inline|contents)/.test(style.display);
    const seen = style.visibility === 'visible';
    if (block) put('\n');
    if (seen && node.tagName === 'INPUT' && /^(button|submit|reset|text|number)$/.test(node.type)) put(node.value);
    if (node.shadowRoot)
      walk(node.shadowRoot, seen);
    else if (node.tagName === 'SLOT' && node.assignedNodes().length)
      node.assignedNodes().forEach((child) => walk(child, seen));
    else
      node.childNodes.forEach((child) => walk(child, seen));
    if (block) put('\n');
  };
  if (document.body) walk(document.body, true);
  return parts.join('')
      .replace(/[ \t]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{2,}/g, '\n')
      .trim()
      .slice(0, LIMIT);
}
