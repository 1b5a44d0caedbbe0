// A cheap fingerprint of what the DOM shows, so that two moments can be compared. args {}; returns {hash, text, count}.
// Covers visible text, classes, inline styles, sources and form values of at most 3,000 elements; not what the browser itself writes into a field.
() => {
  let hash = 0x811c9dc5, count = 0, text = '';
  const mix = (string) => {
    for (let i = 0, n = Math.min(string.length, 2000); i < n; i++) {
      hash = Math.imul(hash ^ string.charCodeAt(i), 0x01000193);
    }
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  };
  const FIELD = 'textarea,select,input:not([type=button],[type=submit],[type=reset],[type=image])';
  const SILENT = /^(script|style|noscript|template|head|meta|link)$/i;
  const visit = (el) => {
    if (count >= 3000 || SILENT.test(el.tagName)) return;
    const style = getComputedStyle(el);
    if (style.display === 'none' || style.opacity === '0') return;
    count++;
    const visible = style.visibility === 'visible';
    if (visible) {
      mix(el.tagName);
      for (const key of ['class', 'style', 'src', 'href', 'd', 'transform']) {
        const value = el.getAttribute(key);
        if (value) mix(key + value);
      }
      if (el.value !== undefined && (!el.matches(FIELD) || el.readOnly || el.disabled)) mix(String(el.value));
      if (el.disabled) mix('disabled');
    }
    for (const node of el.shadowRoot ? [...el.shadowRoot.childNodes, ...el.childNodes] : el.childNodes) {
      if (node.nodeType === 1) {
        visit(node);
      } else if (node.nodeType === 3 && visible) {
        const words = node.data.replace(/\s+/g, ' ').trim();
        if (!words) continue;
        mix(words);
        if (text.length < 2000) text += (text ? ' ' : '') + words;
      }
    }
  };
  if (document.body) visit(document.body);
  return {hash: (hash >>> 0).toString(16).padStart(8, '0'), text: text.slice(0, 2000), count};
}
