// Listeners that hear before any of the page's. document.open(), which writing into a loaded document does, too, takes all listeners of window and
// document away (HTML, 8.4.1 "document open steps", 8 and 9); these come again.
(window, patch) => {
  const {addEventListener} = window.EventTarget.prototype, {apply} = window.Reflect;
  const kept = [];
  const add = (given) => apply(addEventListener, given.target, [given.type, given.heard, true]);
  for (const name of ['open', 'write', 'writeln']) {
    patch.method(window.Document?.prototype, name, (self, args, original) => {
      const result = apply(original, self, args);
      if (self === window.document) kept.forEach(add);
      return result;
    });
  }
  return (target, type, heard) => {
    const given = {target, type, heard};
    add(given);
    if (target === window || target === window.document) kept.push(given);
  };
}
