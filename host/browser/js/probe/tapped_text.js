// What the page has written on its visible canvases (see preload/text_tap.js); runs in the page's world. args {}.
(args, frame) => {
  const read = globalThis.__qa_text_tap;
  return typeof read === 'function' ? read((frame && frame.x) || 0, (frame && frame.y) || 0) : [];
}
