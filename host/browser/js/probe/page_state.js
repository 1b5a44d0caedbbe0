// What kind of page this frame is and how far it has come; the facts behind game type and ready detection.
// args {part_names}: beginnings of the words in classes and ids that name the parts of what is looked for.
// Canvas contexts are never asked for: asking first decides which context the game can still get.
(args, frame) => {
  const all = dom.elements(20000), shown = dom.is_rendered;
  // Nine places of a box: of a backdrop none can be clicked (covered). Where nothing but canvases, and what they lie in, is above or below most of
  // them, it is alone.
  const is_canvas = (el) => el.tagName === 'CANVAS' || el.querySelector('canvas') !== null;
  const places_of = (el) => {
    const r = el.getBoundingClientRect(), root = el.getRootNode();
    let asked = 0, free = 0, alone = 0;
    for (let i = 0; i < 9; i++) {
      const x = r.left + r.width * (0.2 + 0.3 * (i % 3)), y = r.top + r.height * (0.2 + 0.3 * Math.floor(i / 3));
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      const there = root.elementsFromPoint(x, y);
      asked++;
      free += there[0] === el;
      alone += there.includes(el) && there.every(is_canvas);
    }
    return {covered: asked > 0 && free === 0, alone: asked > 0 && 3 * alone >= 2 * asked};
  };
  const tagged = (name) => all.filter((el) => el.tagName === name);

  // A line for each block of the page.
  let text = '', block = null;
  const add = (node) => {
    let around = node.parentElement;
    while (around && /^(inline|contents)/.test(getComputedStyle(around).display)) around = around.parentElement;
    text += (!text ? '' : around === block ? ' ' : '\n') + node.data.replace(/\s+/g, ' ').trim();
    block = around;
  };
  const read = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
      if (node.nodeType === 3) return NodeFilter.FILTER_ACCEPT;
      if (/^(script|style|noscript|template|iframe)$/i.test(node.tagName)) return NodeFilter.FILTER_REJECT;
      if (!shown(node) && getComputedStyle(node).visibility === 'visible') return NodeFilter.FILTER_REJECT;
      return NodeFilter.FILTER_ACCEPT;
    });
    for (let node = walker.nextNode(); node && text.length < 100000; node = walker.nextNode()) {
      if (node.nodeType === 1) {
        if (node.shadowRoot) read(node.shadowRoot);
      } else if (node.data.trim() && (!node.parentElement || shown(node.parentElement))) {
        add(node);
      }
    }
  };
  if (document.body) read(document.body);

  const words = args.part_names && args.part_names.length ? args.part_names : null;
  const is_part = words && new RegExp('(^|[-_])(' + words.join('|') + ')', 'i');
  const names_part = (el) => ((el.getAttribute('class') || '') + ' ' + (el.id || '')).split(/\s+/).some((name) => is_part.test(name));
  const cross_origin = (iframe) => {
    try {
      return iframe.contentDocument === null;
    } catch (error) {
      return error instanceof DOMException;
    }
  };
  return {
    ready_state: document.readyState, title: document.title.slice(0, 300), url: location.href.slice(0, 2000),
    visible_text: text.slice(0, 4000),
    canvases: tagged('CANVAS').slice(0, 50).map((el) => Object.assign(dom.box_of(el, frame), {
      pixel_width: el.width, pixel_height: el.height, id: el.id || '',
      visible: shown(el) && el.getBoundingClientRect().width > 3 && el.getBoundingClientRect().height > 3,
    }, places_of(el))),
    iframes: tagged('IFRAME').concat(tagged('FRAME')).slice(0, 50).map((el) => Object.assign(dom.box_of(el, frame), {
      src: (el.src || '').slice(0, 2000), cross_origin: cross_origin(el), visible: shown(el),
    })),
    images_pending: tagged('IMG').filter((el) => !el.complete && el.loading !== 'lazy').length,
    scripts: tagged('SCRIPT').filter((el) => el.src).slice(0, 200).map((el) => el.src.slice(0, 2000)),
    elements: all.length,
    named_parts: words ? all.slice(0, 5000).filter(names_part).length : 0,
    hidden: document.hidden, scroll: {x: scrollX, y: scrollY},
  };
}
