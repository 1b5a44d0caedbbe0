// Gives keyboard focus to the game without a click: the largest visible canvas where it can take focus, else the
// document around it. args {}; returns {focused, tag, area}. Attributes stay as the page set them. It runs in every
// frame, so a child frame takes the focus only when it shows a canvas worth playing on.
() => {
  let best = null, area = 0;
  for (const el of dom.elements()) {
    if (el.tagName !== 'CANVAS' || !dom.is_rendered(el)) continue;
    const box = el.getBoundingClientRect();
    if (box.width * box.height > area) [best, area] = [el, box.width * box.height];
  }
  const child = window !== window.top;
  if (child && area < 10000) return {focused: false, tag: '', area};
  if (!child && !best && document.activeElement && document.activeElement.tagName === 'IFRAME') {
    return {focused: false, tag: 'iframe', area};
  }
  window.focus();
  if (best) best.focus({preventScroll: true});
  if (best && document.activeElement !== best && document.activeElement && document.activeElement.blur) {
    // A button or field that keeps the focus would swallow Space and Enter.
    if (document.activeElement !== document.body) document.activeElement.blur();
  }
  if (!best && document.body) document.body.focus({preventScroll: true});
  const active = document.activeElement;
  return {focused: document.hasFocus(), tag: active ? active.tagName.toLowerCase() : '', area};
}
