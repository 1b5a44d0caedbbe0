// Draw skipping: most of what a frame of a canvas costs is drawing, so a canvas that draws itself anew in each frame is not drawn in those that
// nobody looks at. Left out is what only paints; state, paths, textures and framebuffer objects go on. A canvas that was left out is stale until
// it is drawn as a whole again. Where a stale one is looked at, or read by the page, skipping is lost: the host is told, and must begin anew.
//
// Frames are counted here from end to end: what is drawn between two of them, by an input, belongs to the second, and is never left out.
({window, clock, realm, patch, native}) => {
  const FRAMES = 30;  // So many in a row must have drawn the canvas as a whole, unread, before one is left out.

  const {HTMLCanvasElement, OffscreenCanvas, HTMLImageElement, ImageBitmap, ImageData, Path2D, WeakMap, WeakSet, Set} = window;
  if (!HTMLCanvasElement) return;
  const {apply} = native.Reflect;
  const getter = (owner, name) => window.Object.getOwnPropertyDescriptor(owner, name).get;
  const connected = getter(window.Node.prototype, 'isConnected');
  const {addEventListener} = window.EventTarget.prototype;

  const lose = (record, reason) => {
    shared.stale.delete(record);
    record.is_out = true;
    clock.lose_skipping(reason);
  };
  const start = () => {
    const state = {
      frame: 0, skipped: 0, count: 0, drawn: 0, drawn_at: -1,  // drawn: frames in which some canvas was drawn.
      contexts: new WeakMap(), canvases: new WeakMap(), stale: new Set(),
      steady: new Map(),  // Canvases that were found to draw themselves anew, by number.
      known: null,        // Numbers that were steady in a page with the same past: these are left out from their first frame on.
      // Which are steady now, and were never read.
      steady_now: () => [...state.steady.values()].filter((record) => record.streak > FRAMES && record.frame === state.frame - 1 && record.used < 0)
                            .map(({number}) => number),
    };
    clock.add_hook('ends', realm, () => {
      ++state.frame;
      if (!clock.is_seen() || state.stale.size === 0) return;
      for (const record of state.stale) {
        if (record.realm.is_gone || !apply(connected, record.canvas, [])) continue;
        lose(record, 'a canvas was looked at in a frame that did not draw all of it');
      }
    });
    return state;
  };
  const shared = clock.drawing ??= start();  // By the realms of one clock: a canvas can be drawn in another.

  const record_new = (context) => {
    const {canvas} = context;
    const record = {canvas, realm, number: shared.count++, frame: -2, streak: 0, used: -FRAMES - 1, skips: false, is_out: !(canvas instanceof HTMLCanvasElement)};
    shared.contexts.set(context, record);
    shared.canvases.set(canvas, record);
    return record;
  };
  // The first that draws on the canvas in this frame; is_whole() tells whether that alone makes all that was on it disappear.
  const begin = (record, is_whole) => {
    const {frame, stale} = shared;
    const is_shown = !record.is_out && apply(connected, record.canvas, []);
    const is_new = (is_shown || stale.has(record)) && is_whole();
    record.streak = !is_new ? 0 : record.frame === frame - 1 ? record.streak + 1 : 1;
    record.frame = frame;
    if (shared.drawn_at !== frame) {
      shared.drawn_at = frame;
      ++shared.drawn;
    }
    if (record.streak === FRAMES + 1) shared.steady.set(record.number, record);
    const is_steady = shared.known?.has(record.number) ? is_new : record.streak > FRAMES && frame - record.used > FRAMES;
    record.skips = !clock.is_seen() && is_shown && is_steady;
    if (record.skips) {
      stale.add(record);
      ++shared.skipped;
    } else if (is_new) {
      stale.delete(record);
    }
  };
  // Something else depends on what is on the canvas, or would, if it were drawn.
  const use = (canvas, is_drawn = true) => {
    const record = shared.canvases.get(canvas);
    if (!record) return;
    record.used = shared.frame;
    if (is_drawn && shared.stale.has(record)) lose(record, 'a canvas was read in a frame that had left its drawing out');
  };
  const using = (owner, name, canvas_of) => patch.method(owner, name, (self, args, original) => {
    use(canvas_of(self, args));
    return apply(original, self, args);
  });
  const last = (self, args) => args[args.length - 1];
  const first = (self, args) => args[0];
  const itself = (self) => self;
  const its_canvas = (self) => self.canvas;

  // ---- 2D
  const draw_2d = window.CanvasRenderingContext2D.prototype;
  const {getTransform, measureText} = draw_2d;
  let latest = null, latest_record = null;
  const record_2d = (context) => {
    if (context === latest) return latest_record;
    let record = shared.contexts.get(context);
    if (!record) {
      record = record_new(context);
      record.depth = 0;               // Of save().
      record.clip_depth = Infinity;   // Where a clip was set, which no property tells.
    }
    latest = context;
    return latest_record = record;
  };
  const spans = (context, x, y, width, height) => {
    const record = record_2d(context);
    if (record.clip_depth !== Infinity) return false;
    const {a, b, c, d, e, f} = apply(getTransform, context, []), {canvas} = record;
    const x1 = a * x + e, x2 = x1 + a * width, y1 = d * y + f, y2 = y1 + d * height;
    return b === 0 && c === 0 && native.min(x1, x2) <= 0 && native.min(y1, y2) <= 0 &&
           native.max(x1, x2) >= canvas.width && native.max(y1, y2) >= canvas.height;
  };
  const replaces = ({globalAlpha, globalCompositeOperation: how, filter}) =>
      globalAlpha === 1 && filter === 'none' && (how === 'source-over' || how === 'copy');
  const is_opaque_style = (style) => typeof style === 'string' && style[0] === '#';  // How opaque colours are given back.

  // Images are looked at once, as a whole.
  const MOST_PIXELS = 1 << 22;
  const {drawImage, getImageData} = window.OffscreenCanvasRenderingContext2D.prototype;
  const {getContext} = OffscreenCanvas.prototype;
  const opaque = new WeakMap();
  const has_no_gaps = (image, width, height) => {
    if (width * height > MOST_PIXELS) return false;
    try {
      const context = apply(getContext, new OffscreenCanvas(width, height), ['2d', {willReadFrequently: true}]);
      apply(drawImage, context, [image, 0, 0]);
      const {data} = apply(getImageData, context, [0, 0, width, height]);
      for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
      return true;
    } catch {
      return false;  // Of another origin.
    }
  };
  const is_opaque = (image) => {
    const is_element = image instanceof HTMLImageElement;
    if (!is_element && !(image instanceof ImageBitmap)) return false;
    const width = is_element ? image.naturalWidth : image.width, height = is_element ? image.naturalHeight : image.height;
    const source = is_element ? image.currentSrc : '';
    let known = opaque.get(image);
    if (known?.source !== source) opaque.set(image, known = {source, width, height, is: has_no_gaps(image, width, height)});
    return known.is && known.width === width && known.height === height;
  };

  const whole = {
    clearRect: spans,
    fillRect: (context, ...box) => spans(context, ...box) && replaces(context) && is_opaque_style(context.fillStyle),
    drawImage: (context, image, ...at) => {
      const width = image?.naturalWidth ?? image?.width, height = image?.naturalHeight ?? image?.height;
      const [x, y, w = width, h = height] = at.length > 4 ? at.slice(4) : at;
      if (at.length > 4 && !(at[0] >= 0 && at[1] >= 0 && +at[0] + +at[2] <= width && +at[1] + +at[3] <= height)) return false;
      return image !== context.canvas && spans(context, x, y, w, h) && replaces(context) &&
             (context.globalCompositeOperation === 'copy' || is_opaque(image));
    },
    putImageData: (context, image, x, y, ...part) => record_2d(context).clip_depth === Infinity && part.length === 0 && x <= 0 && y <= 0 &&
        x + image.width >= context.canvas.width && y + image.height >= context.canvas.height,
  };
  const is_drawable = (image) => {
    if (image instanceof HTMLImageElement) return image.naturalWidth > 0;
    const has_size = image instanceof HTMLCanvasElement || image instanceof OffscreenCanvas || image instanceof ImageBitmap;
    return has_size && image.width > 0 && image.height > 0;
  };
  const numbers = (count) => (args) => args.length >= count;
  const path = ([given]) => given === undefined || given === 'evenodd' || given === 'nonzero' || given instanceof Path2D;
  // Only what the browser would take without an exception is left out.
  const accepted = {
    clearRect: numbers(4),
    fillRect: numbers(4),
    strokeRect: numbers(4),
    fillText: numbers(3),
    strokeText: numbers(3),
    fill: path,
    stroke: path,
    drawImage: (args) => (args.length === 3 || args.length === 5 || args.length === 9) && is_drawable(args[0]),
    putImageData: (args) => args.length >= 3 && args[0] instanceof ImageData,
  };
  // What goes on in their place: fonts are loaded when they are first drawn with, and what is copied here may not be left out itself.
  const still = {
    fillText: (self, [text]) => window.document.fonts.size > 0 && apply(measureText, self, [text]),
    drawImage: (self, [image]) => use(image, false),
  };
  still.strokeText = still.fillText;
  for (const name of Object.keys(accepted)) {
    const is_accepted = accepted[name], is_whole = whole[name], do_still = still[name], uses = name === 'drawImage';
    patch.direct(draw_2d, name, (original) => ({made(a, b, c, d) {
      const record = this === latest ? latest_record : record_2d(this);
      if (record.frame !== shared.frame) begin(record, () => is_whole !== undefined && is_accepted(arguments) && is_whole(this, ...arguments));
      if (record.skips && is_accepted(arguments)) return void do_still?.(this, arguments);
      if (uses) use(a);
      if (arguments.length === 4) return original.call(this, a, b, c, d);
      return arguments.length === 0 ? original.call(this) : apply(original, this, arguments);
    }}).made);
  }
  patch.direct(draw_2d, 'save', (original) => ({made() {
    ++(this === latest ? latest_record : record_2d(this)).depth;
    return original.call(this);
  }}).made);
  patch.direct(draw_2d, 'restore', (original) => ({made() {
    const record = this === latest ? latest_record : record_2d(this);
    if (record.depth > 0 && --record.depth < record.clip_depth) record.clip_depth = Infinity;
    return original.call(this);
  }}).made);
  // The browser notes clips until something is drawn, and each of them costs then. Where nothing is drawn they are left out, if restore() can end them.
  // One that it does not end within the frame is missed: the canvas counts as clipped, stays stale, and is lost when it is looked at.
  patch.method(draw_2d, 'clip', (self, args, original) => {
    const record = record_2d(self), is_left_out = record.skips && record.frame === shared.frame && record.depth > 0;
    record.clip_depth = native.min(record.clip_depth, record.depth);
    return is_left_out ? undefined : apply(original, self, args);
  });
  const cleared = (record) => {
    if (record.frame !== shared.frame) begin(record, () => true);
    record.depth = 0;
    record.clip_depth = Infinity;
  };
  patch.method(draw_2d, 'reset', (self, args, original) => {
    cleared(record_2d(self));
    return apply(original, self, args);
  });
  for (const name of ['width', 'height']) {
    patch.accessor(HTMLCanvasElement.prototype, name, null, (canvas, value, set) => {
      const record = shared.canvases.get(canvas);
      if (record?.depth !== undefined) cleared(record);
      set(value);
    });
  }
  using(draw_2d, 'getImageData', its_canvas);
  for (const proto of [draw_2d, window.OffscreenCanvasRenderingContext2D.prototype]) using(proto, 'createPattern', first);
  using(window.OffscreenCanvasRenderingContext2D.prototype, 'drawImage', first);

  // ---- any canvas
  for (const name of ['toDataURL', 'toBlob']) using(HTMLCanvasElement.prototype, name, itself);
  patch.method(HTMLCanvasElement.prototype, 'captureStream', (self, args, original) => {
    use(self);
    const record = shared.canvases.get(self);
    if (record) record.is_out = true;
    return apply(original, self, args);
  });
  using(window, 'createImageBitmap', first);

  // ---- WebGL
  const contexts_of_extensions = new WeakMap(), seen_extensions = new WeakSet();
  const record_gl = (context) => {
    let record = shared.contexts.get(context);
    if (record) return record;
    record = record_new(context);
    record.framebuffer = record.read_framebuffer = null;
    record.has_feedback = false;
    // A buffer that is not preserved is empty when a frame of the browser begins (WebGL, 2.2). Nothing says when there was such a frame.
    record.is_kept = record.is_out || (context.getContextAttributes()?.preserveDrawingBuffer ?? true);
    record.is_out ||= record.is_kept;
    apply(addEventListener, record.canvas, ['webglcontextrestored', () => {
      record.framebuffer = record.read_framebuffer = null;
      record.has_feedback = false;
    }]);
    return record;
  };
  const patch_webgl = (proto) => {
    const {clear, enable, disable, isEnabled, getParameter, clearColor, clearDepth, clearStencil, colorMask, depthMask, stencilMaskSeparate} = proto;
    const empty = (gl) => {
      const get = (name) => apply(getParameter, gl, [name]);
      const has_scissor = apply(isEnabled, gl, [gl.SCISSOR_TEST]);
      const color = get(gl.COLOR_CLEAR_VALUE), depth = get(gl.DEPTH_CLEAR_VALUE), stencil = get(gl.STENCIL_CLEAR_VALUE);
      const colors = get(gl.COLOR_WRITEMASK), depths = get(gl.DEPTH_WRITEMASK), stencils = get(gl.STENCIL_WRITEMASK);
      if (has_scissor) apply(disable, gl, [gl.SCISSOR_TEST]);
      apply(clearColor, gl, [0, 0, 0, 0]);
      apply(clearDepth, gl, [1]);
      apply(clearStencil, gl, [0]);
      apply(colorMask, gl, [true, true, true, true]);
      apply(depthMask, gl, [true]);
      apply(stencilMaskSeparate, gl, [gl.FRONT, 0xffffffff]);
      apply(clear, gl, [gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT]);
      apply(clearColor, gl, color);
      apply(clearDepth, gl, [depth]);
      apply(clearStencil, gl, [stencil]);
      apply(colorMask, gl, colors);
      apply(depthMask, gl, [depths]);
      apply(stencilMaskSeparate, gl, [gl.FRONT, stencils]);
      if (has_scissor) apply(enable, gl, [gl.SCISSOR_TEST]);
    };
    const painting = (owner, name, gl_of) => patch.direct(owner, name, (original) => ({made(a, b, c, d) {
      const gl = gl_of(this);
      const record = gl && record_gl(gl);
      if (record && record.framebuffer === null && !record.has_feedback) {
        if (record.frame !== shared.frame) {
          begin(record, () => true);
          if (!record.skips && !record.is_kept && apply(connected, record.canvas, [])) empty(gl);
        }
        if (record.skips) return;
      }
      if (arguments.length === 4) return original.call(this, a, b, c, d);
      return arguments.length === 3 ? original.call(this, a, b, c) : apply(original, this, arguments);
    }}).made);
    const reading = (owner, name) => patch.method(owner, name, (self, args, original) => {
      if (record_gl(self).read_framebuffer === null) use(self.canvas);
      return apply(original, self, args);
    });

    reading(proto, 'blitFramebuffer');
    for (const name of ['clear', 'clearBufferfi', 'clearBufferfv', 'clearBufferiv', 'clearBufferuiv', 'drawArrays', 'drawElements',
                        'drawRangeElements', 'drawArraysInstanced', 'drawElementsInstanced', 'blitFramebuffer'])
      painting(proto, name, itself);
    for (const name of ['readPixels', 'copyTexImage2D', 'copyTexSubImage2D', 'copyTexSubImage3D']) reading(proto, name);
    for (const name of ['texImage2D', 'texSubImage2D', 'texImage3D', 'texSubImage3D']) using(proto, name, last);
    using(proto, 'beginQuery', its_canvas);
    patch.method(proto, 'beginTransformFeedback', (self, args, original) => {
      record_gl(self).has_feedback = true;
      return apply(original, self, args);
    });
    patch.method(proto, 'endTransformFeedback', (self, args, original) => {
      record_gl(self).has_feedback = false;
      return apply(original, self, args);
    });
    patch.method(proto, 'bindFramebuffer', (self, args, original) => {
      const record = record_gl(self), [target, framebuffer = null] = args;
      if (target !== self.DRAW_FRAMEBUFFER) record.read_framebuffer = framebuffer;
      if (target !== self.READ_FRAMEBUFFER) record.framebuffer = framebuffer;
      return apply(original, self, args);
    });
    patch.method(proto, 'deleteFramebuffer', (self, args, original) => {
      const record = record_gl(self), [framebuffer] = args;
      if (record.framebuffer === framebuffer) record.framebuffer = null;
      if (record.read_framebuffer === framebuffer) record.read_framebuffer = null;
      return apply(original, self, args);
    });
    // Objects of extensions have prototypes that nothing else names.
    patch.method(proto, 'getExtension', (self, args, original) => {
      const extension = apply(original, self, args);
      if (!extension) return extension;
      contexts_of_extensions.set(extension, self);
      const methods = window.Object.getPrototypeOf(extension);
      if (seen_extensions.has(methods)) return extension;
      seen_extensions.add(methods);
      for (const name of ['drawArraysInstancedANGLE', 'drawElementsInstancedANGLE', 'multiDrawArraysWEBGL', 'multiDrawElementsWEBGL',
                          'multiDrawArraysInstancedWEBGL', 'multiDrawElementsInstancedWEBGL', 'drawArraysInstancedBaseInstanceWEBGL',
                          'drawElementsInstancedBaseVertexBaseInstanceWEBGL'])
        painting(methods, name, (given) => contexts_of_extensions.get(given));
      using(methods, 'beginQueryEXT', (given) => contexts_of_extensions.get(given)?.canvas);
      return extension;
    });
  };
  for (const name of ['WebGLRenderingContext', 'WebGL2RenderingContext']) if (window[name]) patch_webgl(window[name].prototype);
}
