// How much the page draws each time that it paints (see preload/draw_tap.js), as of the paints since it was last asked, or the last known; runs in the
// page's world. args {}; returns a number, or null where nothing was drawn yet.
() => {
  const read = globalThis.__qa_draw_tap;
  return typeof read === 'function' ? read() : null;
}
