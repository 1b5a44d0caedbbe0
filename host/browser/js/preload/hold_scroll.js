// Runs before the page's first script, when a page is opened with hold_scroll: arrow keys and Space do not scroll it, so that what a key changes is the
// game's doing. Scrolling is what a browser does last with a key that no listener has taken: arrows with keydown, Space with keypress
// (https://www.w3.org/TR/uievents/#event-type-keydown). Where a key is typed or moves a caret it is left alone.
(() => {
  const TAKES = 'input,textarea,select,[contenteditable],audio,video';
  const SCROLLS = {
    keydown: {codes: /^Arrow(Up|Down|Left|Right)$/, spares: TAKES},
    keypress: {codes: /^Space$/, spares: TAKES + ',button,summary'},
  };
  const hold = (event) => event.preventDefault();
  for (const [type, {codes, spares}] of Object.entries(SCROLLS)) {
    addEventListener(type, (event) => {
      const at = event.composedPath()[0];
      if (!codes.test(event.code) || at instanceof Element && at.closest(spares)) return;
      // As the last listener: all of the page's have been asked before.
      addEventListener(type, hold, {once: true});
    }, true);
  }
})()
