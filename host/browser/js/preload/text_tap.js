// Runs in the page's world before its first script, when a page is opened with tap_text: remembers what the page writes on its canvases.
// Drawing itself is untouched: the methods are proxies that note their arguments and call the original.
(() => {
  const KEY = '__qa_text_tap', MOST_TEXTS = 300, MOST_CANVASES = 16, FADE_MS = 250;
  if (typeof CanvasRenderingContext2D !== 'function' || Object.hasOwn(globalThis, KEY)) return;
  const proto = CanvasRenderingContext2D.prototype;
  const getTransform = proto.getTransform, measureText = proto.measureText, now = performance.now.bind(performance);
  const drawings = new Map();  // canvas -> Map of texts, both in the order of their last drawing

  const texts_of = (canvas) => {
    let texts = drawings.get(canvas);
    if (!texts) {
      drawings.set(canvas, texts = new Map());
      if (drawings.size > MOST_CANVASES) drawings.delete(drawings.keys().next().value);
    }
    return texts;
  };
  const note_text = (ctx, [text, x, y]) => {
    const canvas = ctx.canvas;
    if (typeof text === 'number') text = String(text);
    if (typeof text !== 'string' || !text.trim() || !(canvas instanceof HTMLCanvasElement) || ctx.globalAlpha < 0.1) return;
    const m = getTransform.call(ctx), texts = texts_of(canvas);
    const key = text + '|' + Math.round(m.a * x + m.c * y + m.e) + '|' + Math.round(m.b * x + m.d * y + m.f);
    texts.delete(key);
    texts.set(key, {text: text.slice(0, 500), x: +x, y: +y, m, font: ctx.font, align: ctx.textAlign, base: ctx.textBaseline, t: now()});
    if (texts.size > MOST_TEXTS) texts.delete(texts.keys().next().value);
  };
  const note_wipe = (ctx, [, , width, height]) => {
    const canvas = ctx.canvas, texts = drawings.get(canvas);
    if (!texts || !texts.size) return;
    const m = getTransform.call(ctx), area = Math.abs(width * height * (m.a * m.d - m.b * m.c));
    if (area >= 0.9 * canvas.width * canvas.height) texts.clear();
  };
  const watch = (name, note) => {
    const descriptor = Object.getOwnPropertyDescriptor(proto, name);
    descriptor.value = new Proxy(descriptor.value, {
      apply(original, ctx, args) {
        try { note(ctx, args); } catch { /* the original says what is wrong */ }
        return Reflect.apply(original, ctx, args);
      },
    });
    Object.defineProperty(proto, name, descriptor);
  };
  watch('fillText', note_text);
  watch('strokeText', note_text);
  watch('clearRect', note_wipe);
  watch('fillRect', note_wipe);

  let ruler = null;
  const box_of = (entry) => {
    ruler = ruler || document.createElement('canvas').getContext('2d');
    ruler.font = entry.font;
    ruler.textAlign = entry.align;
    ruler.textBaseline = entry.base;
    const size = measureText.call(ruler, entry.text), m = entry.m;
    const xs = [], ys = [];
    for (const x of [entry.x - size.actualBoundingBoxLeft, entry.x + size.actualBoundingBoxRight]) {
      for (const y of [entry.y - size.actualBoundingBoxAscent, entry.y + size.actualBoundingBoxDescent]) {
        xs.push(m.a * x + m.c * y + m.e);
        ys.push(m.b * x + m.d * y + m.f);
      }
    }
    return {left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys)};
  };
  // Games that draw letter by letter: neighbours on one line become one text.
  const joined = (items) => {
    const out = [];
    for (const item of items.sort((a, b) => a.top - b.top || a.left - b.left)) {
      const last = out[out.length - 1], height = item.bottom - item.top;
      const close = last && item.text.length <= 2 && Math.abs(last.bottom - item.bottom) < height * 0.4 &&
        item.left - last.right < height && item.left > last.right - height * 0.4;
      if (!close) {
        out.push(item);
        continue;
      }
      last.text += (item.left - last.right > height * 0.5 ? ' ' : '') + item.text;
      last.right = item.right;
      last.top = Math.min(last.top, item.top);
      last.bottom = Math.max(last.bottom, item.bottom);
    }
    return out;
  };
  // A score that is drawn anew stands where its last value stood: of texts in one place the newest counts.
  const uncovered = (items) => items.filter((item, i) => !items.some((other, k) => {
    const width = Math.min(item.right, other.right) - Math.max(item.left, other.left);
    const height = Math.min(item.bottom, other.bottom) - Math.max(item.top, other.top);
    const area = (box) => (box.right - box.left) * (box.bottom - box.top);
    return k > i && width > 0 && height > 0 && width * height > 0.5 * Math.max(area(item), area(other));
  }));
  const read = (dx, dy) => {
    const found = [], t = now();
    for (const [canvas, texts] of drawings) {
      if (!canvas.isConnected || !texts.size) continue;
      const rect = canvas.getBoundingClientRect();
      if (rect.width < 1 || rect.height < 1 || (canvas.checkVisibility && !canvas.checkVisibility())) continue;
      const list = [...texts.values()], newest = list[list.length - 1].t;
      // Where text is drawn all the time, what is drawn no more is gone.
      const live = list.filter((entry) => newest - entry.t <= FADE_MS || t - newest > FADE_MS * 4);
      const sx = rect.width / canvas.width, sy = rect.height / canvas.height;
      const boxes = live.map((entry) => ({...box_of(entry), text: entry.text, font: entry.font, t: entry.t}));
      for (const item of joined(uncovered(boxes))) {
        const width = (item.right - item.left) * sx, height = (item.bottom - item.top) * sy;
        found.push({text: item.text, x: rect.left + item.left * sx + width / 2 + dx, y: rect.top + item.top * sy + height / 2 + dy,
          width, height, font: item.font, age_ms: Math.round(t - item.t)});
      }
    }
    return found;
  };
  Object.defineProperty(globalThis, KEY, {value: read, enumerable: false, configurable: false, writable: false});
})();
