// Runs in the page's world before its first script, when a page is opened with count_draws: counts what a game draws each time that it paints.
// A paint is all drawing on one canvas in one callback of the page. A call on a 2D canvas counts one, one of WebGL its vertices times its
// instances. Drawing itself is untouched: the methods are proxies that count and call the original.
(() => {
  const KEY = '__qa_draw_tap', MOST_PAINTS = 5, MOST_CANVASES = 16;
  if (Object.hasOwn(globalThis, KEY)) return;
  const after_callback = queueMicrotask.bind(globalThis), max = Math.max;
  // Drawing context -> {drawing: so far, paints: what the last ones drew, last: what was told of it}, in the order of their last paint.
  const canvases = new Map();
  const open = new Map();  // those of them that are painted now

  const close = () => {
    for (const [context, canvas] of open) {
      canvases.delete(context);
      canvases.set(context, canvas);
      canvas.paints.push(canvas.drawing);
      if (canvas.paints.length > MOST_PAINTS) canvas.paints.shift();
      canvas.drawing = 0;
    }
    open.clear();
    while (canvases.size > MOST_CANVASES) canvases.delete(canvases.keys().next().value);
  };
  const add = (context, n) => {
    if (open.size === 0) after_callback(close);
    let canvas = open.get(context);
    if (!canvas) open.set(context, canvas = canvases.get(context) || {drawing: 0, paints: [], last: 0});
    canvas.drawing += typeof n === 'number' && n > 0 && n < Infinity ? n : 0;
  };
  const count_in = (proto, name, size) => {
    const descriptor = proto && Object.getOwnPropertyDescriptor(proto, name);
    if (!descriptor || typeof descriptor.value !== 'function') return;
    descriptor.value = new Proxy(descriptor.value, {
      apply(original, context, args) {
        add(context, size ? size(args) : 1);
        return Reflect.apply(original, context, args);
      },
    });
    Object.defineProperty(proto, name, descriptor);
  };
  const count = (type, name, size) => count_in(globalThis[type]?.prototype, name, size);
  // Objects of extensions have prototypes that nothing else names.
  const seen = new WeakSet();
  const count_extensions = (proto) => {
    if (!proto) return;
    const {getExtension} = proto;
    proto.getExtension = new Proxy(getExtension, {
      apply(original, context, args) {
        const extension = Reflect.apply(original, context, args), methods = extension && Object.getPrototypeOf(extension);
        if (!methods || seen.has(methods)) return extension;
        seen.add(methods);
        for (const name of Object.getOwnPropertyNames(methods)) {
          if (/^(draw|multiDraw)(Arrays|Elements)/.test(name)) count_in(methods, name);
        }
        return extension;
      },
    });
  };
  for (const type of ['CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D'])
    for (const name of ['drawImage', 'fill', 'fillRect', 'fillText', 'putImageData', 'stroke', 'strokeRect', 'strokeText']) count(type, name);
  for (const type of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    count(type, 'drawArrays', ([, , vertices]) => vertices);
    count(type, 'drawElements', ([, vertices]) => vertices);
    count(type, 'drawArraysInstanced', ([, , vertices, instances]) => vertices * instances);
    count(type, 'drawElementsInstanced', ([, vertices, , , instances]) => vertices * instances);
    // A game may be made of parts that are cleared in colours.
    for (const name of ['clear', 'clearBufferfv', 'blitFramebuffer']) count(type, name);
    count_extensions(globalThis[type]?.prototype);
  }
  // Drawn elsewhere: by a worker, or as a whole picture.
  count('HTMLCanvasElement', 'transferControlToOffscreen');
  count('ImageBitmapRenderingContext', 'transferFromImageBitmap');

  // The largest of the last paints of each canvas: a game may paint its background and its figures in callbacks of their own.
  const read = () => {
    let all = null;
    for (const canvas of canvases.values()) {
      if (canvas.paints.length) canvas.last = max(...canvas.paints);
      canvas.paints = [];
      all += canvas.last;
    }
    return all;
  };
  Object.defineProperty(globalThis, KEY, {value: read, enumerable: false, configurable: false, writable: false});
})();
