// What is under way in real time: game time waits for it, so that a frame finds the same things loaded in every world. Each entry is held from the
// call until its listeners have run.
({window, clock, realm, patch, native}) => {
  const {apply} = native.Reflect;
  const {document, Element, EventTarget, WeakSet, Set} = window;
  const {addEventListener} = EventTarget.prototype;
  const listen = (target, types, then) => types.forEach((type) => apply(addEventListener, target, [type, then]));

  // ---- promises
  const held_promise = (owner, name, what) =>
      patch.method(owner, name, (self, args, original) => clock.hold_promise(what, () => apply(original, self, args)));
  held_promise(window, 'fetch', 'fetch');
  for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) held_promise(window.Response?.prototype, name, 'the body of a response');
  for (const name of ['arrayBuffer', 'bytes', 'text']) held_promise(window.Blob?.prototype, name, 'a blob');
  for (const name of ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']) held_promise(window.WebAssembly, name, 'WebAssembly');
  held_promise(window, 'createImageBitmap', 'an image bitmap');
  held_promise(window.OffscreenCanvas?.prototype, 'convertToBlob', 'the blob of a canvas');
  held_promise(window.HTMLImageElement?.prototype, 'decode', 'an image');
  held_promise(window.FontFace?.prototype, 'load', 'a font');
  held_promise(window.FontFaceSet?.prototype, 'load', 'a font');
  held_promise(window.BaseAudioContext?.prototype, 'decodeAudioData', 'a sound');
  held_promise(window.OfflineAudioContext?.prototype, 'startRendering', 'an OfflineAudioContext');
  held_promise(window.Worklet?.prototype, 'addModule', 'a worklet');

  // ---- targets of events
  const held_until = (owner, name, types, what, is_held = () => true) => patch.method(owner, name, (self, args, original) => {
    if (!is_held(self)) return apply(original, self, args);
    const release = clock.hold(what);
    try {
      const result = apply(original, self, args);
      listen(result instanceof EventTarget ? result : self, types, release);
      return result;
    } catch (error) {
      release();
      throw error;
    }
  });
  const synchronous = new WeakSet();
  patch.method(window.XMLHttpRequest?.prototype, 'open', (self, args, original) => {
    args.length > 2 && !args[2] ? synchronous.add(self) : synchronous.delete(self);
    return apply(original, self, args);
  });
  held_until(window.XMLHttpRequest?.prototype, 'send', ['loadend'], 'an XMLHttpRequest', (request) => !synchronous.has(request));
  for (const name of ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText'])
    held_until(window.FileReader?.prototype, name, ['loadend'], 'a FileReader');
  for (const name of ['open', 'deleteDatabase']) held_until(window.IDBFactory?.prototype, name, ['success', 'error', 'blocked'], 'IndexedDB');
  // A transaction ends after all of its requests, also those that follow from answers; a page may wait for that alone.
  held_until(window.IDBDatabase?.prototype, 'transaction', ['complete', 'abort'], 'IndexedDB');
  patch.method(window.HTMLCanvasElement?.prototype, 'toBlob', (self, [callback, ...args], original) => {
    if (typeof callback !== 'function') return apply(original, self, [callback, ...args]);
    const release = clock.hold('the blob of a canvas');
    return apply(original, self, [(blob) => {
      release();
      callback(blob);
    }, ...args]);
  });

  // ---- the document: images, fonts, and what is inserted later
  if (!document) return;
  const images = new Set();
  const watch_image = (image) => images.add(image);
  patch.accessor(window.HTMLImageElement.prototype, 'src', null, (image, url, set) => {
    set(url);
    watch_image(image);
  });
  patch.accessor(window.HTMLImageElement.prototype, 'srcset', null, (image, urls, set) => {
    set(urls);
    watch_image(image);
  });
  patch.method(Element.prototype, 'setAttribute', (self, args, original) => {
    const result = apply(original, self, args);
    if (self instanceof window.HTMLImageElement && /^src(set)?$/i.test(args[0])) watch_image(self);
    return result;
  });
  const is_awaited = (image) => !image.complete && image.loading !== 'lazy';

  const inserted = new window.WeakMap();
  const settled = (event) => {
    inserted.get(event.target)?.();
    inserted.delete(event.target);
  };
  // On the window the page's own listeners of the element are still to come; release() waits for them.
  for (const type of ['load', 'error']) apply(addEventListener, document, [type, settled, true]);
  const see = (node) => {
    const is_script = node instanceof window.HTMLScriptElement && node.src && (!node.type || /module|javascript|ecmascript/i.test(node.type));
    const is_style = node instanceof window.HTMLLinkElement && node.href && /(^| )stylesheet( |$)/i.test(node.rel) && !node.disabled;
    const is_frame = node instanceof window.HTMLIFrameElement && node.src && node.loading !== 'lazy';
    if (is_frame) clock.part();
    const what = is_script ? 'a script' : is_style ? 'a stylesheet' : is_frame ? 'a frame' : null;
    if (what && !inserted.has(node)) inserted.set(node, clock.hold(what));
  };
  // While the document is parsed, its own load event waits for what is in it.
  new window.MutationObserver((records) => {
    if (document.readyState !== 'complete') return;
    for (const {addedNodes} of records) addedNodes.forEach((node) => node.nodeType === 1 && see(node));
  }).observe(document, {childList: true, subtree: true});

  clock.add_gate(realm, (waiting) => {
    if (document.readyState !== 'complete') waiting.push('the document');
    if (document.fonts.status === 'loading') waiting.push('fonts');
    for (const image of images) is_awaited(image) ? waiting.push('an image') : images.delete(image);
    const {images: shown} = document;
    for (let i = 0; i < shown.length; ++i) if (is_awaited(shown[i]) && !images.has(shown[i])) waiting.push('an image');
  });
}
