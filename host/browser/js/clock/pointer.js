// A pointer that rests: after loading and after each change of layout the browser sends moves of its own, to where the pointer is already, at a moment
// of real time. They are left out.
({window, document = window.document, listen}) => {
  if (!document) return;
  const at = {mousemove: [0, 0], pointermove: [0, 0]};
  const rests = ([x, y], event) => event.clientX === x && event.clientY === y;
  for (const type of ['mousemove', 'pointermove']) {
    listen(window, type, (event) => {
      if (!event.isTrusted) return;
      if (rests(at[type], event) && event.buttons === 0) event.stopImmediatePropagation();
      at[type] = [event.clientX, event.clientY];
    });
  }
  // A true move is told by these first, while the position is still the last one.
  for (const name of ['over', 'out', 'enter', 'leave']) {
    for (const kind of ['mouse', 'pointer']) {
      listen(window, kind + name, (event) => {
        if (event.isTrusted && rests(at[kind + 'move'], event)) event.stopImmediatePropagation();
      });
    }
  }
}
