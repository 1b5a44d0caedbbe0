// Finds elements of this frame by CSS selector or by what a user reads.
// args {selector | text, all = false, scroll = false}; returns an array, best first and only the best without `all`, of
// {x, y (centre), left, top, width, height, text, name, tag, id, class, role, type, href, link (address of the link that it is
// or lies in), visible, enabled, covered, in_viewport, exact, scrolled}, or {error: message} for a selector that is none. `scrolled` says that the frame itself
// may have moved: locate again.
(args, frame) => {
  const squeeze = dom.squeeze;
  const PRESSABLE =
      'a[href],area[href],button,input,select,textarea,summary,label,[role=button],[role=link],[role=menuitem],' +
      '[role=tab],[role=option],[onclick],[tabindex]';
  const SILENT = /^(script|style|noscript|template|head|title|meta|link)$/i;

  const roots = [document, ...dom.elements().map((el) => el.shadowRoot).filter(Boolean).slice(0, 199)];
  const visible = (el) => {
    const box = el.getBoundingClientRect();
    return box.width >= 1 && box.height >= 1 && dom.is_visible(el);
  };
  const names = (el) => ['aria-label', 'alt', 'title', 'placeholder']
                            .map((key) => el.getAttribute(key))
                            .concat(el.tagName === 'INPUT' && /^(button|submit|reset)$/.test(el.type) ? [el.value] : [])
                            .concat(dom.labels_of(el))
                            .map((text) => squeeze(text, 400))
                            .filter(Boolean);

  const by_selector = (selector) => {
    const found = Array.from(document.querySelectorAll(selector));
    if (!found.length)
      for (const root of roots.slice(1)) found.push(...root.querySelectorAll(selector));
    return found.slice(0, 500).map((el) => ({el, exact: true, shown: visible(el)})).sort((a, b) => b.shown - a.shown);
  };

  // What a user reads of an element: its text without that of scripts and styles.
  const legible = (el) => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
      node.nodeType === 1 && SILENT.test(node.tagName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    let text = '';
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.nodeType === 3) text += node.data;
    return squeeze(text, 200000).toLowerCase();
  };
  // Only elements whose text contains the words are entered, so that the walk stays small on big pages.
  const smallest_with = (el, wanted, found) => {
    if (found.length >= 200 || SILENT.test(el.tagName)) return false;
    const has = squeeze(el.textContent, 200000).toLowerCase().includes(wanted);
    let inner = false;
    if (has)
      for (const child of el.children) inner = smallest_with(child, wanted, found) || inner;
    if (inner || !has) return has;
    const shows = !el.firstElementChild || legible(el).includes(wanted);
    if (shows) found.push(el);
    return shows;
  };
  const by_text = (text) => {
    const wanted = squeeze(text, 400).toLowerCase(), found = [];
    if (!wanted) return [];
    for (const root of roots) {
      for (const child of root === document ? [document.body] : root.children)
        if (child) smallest_with(child, wanted, found);
      for (const el of root.querySelectorAll('[aria-label],[aria-labelledby],[alt],[title],[placeholder],input')) {
        if (names(el).some((name) => name.toLowerCase().includes(wanted))) found.push(el);
      }
    }
    const seen = new Set(), ranked = [];
    for (const el of found) {
      const press = el.closest(PRESSABLE);
      // The pressable around the words is what a user would press, unless it holds much more than them.
      const fits = press && squeeze(press.textContent, 2000).length <= Math.max(wanted.length * 3, wanted.length + 40);
      const target = fits ? press : el;
      if (seen.has(target)) continue;
      seen.add(target);
      const exact = [el.textContent, target.textContent]
                        .concat(names(el), names(target))
                        .some((own) => squeeze(own, 2000).toLowerCase() === wanted);
      const box = target.getBoundingClientRect();
      ranked.push({el: target, exact, shown: visible(target), press: !!fits, area: box.width * box.height});
    }
    return ranked.sort((a, b) => b.shown - a.shown || b.exact - a.exact || b.press - a.press || a.area - b.area);
  };

  const describe = ({el, shown, exact}, scrolled) => {
    const facts = dom.describe(el, dom.first_line(el, 0.99) || el.getBoundingClientRect(), frame);
    return {
      ...facts, text: dom.text_of(el, 400), name: names(el)[0] || '', visible: shown, enabled: !facts.disabled, exact,
      scrolled,
    };
  };

  let matches;
  try {
    matches =
        args.selector !== undefined && args.selector !== null ? by_selector(String(args.selector)) : by_text(args.text);
  } catch (error) {
    if (error instanceof DOMException || error.name === 'SyntaxError')
      return {error: String(error.message).slice(0, 400)};
    throw error;
  }
  if (!args.all) matches = matches.slice(0, 1);
  let scrolled = false;
  if (args.scroll && matches.length && matches[0].shown && !describe(matches[0], false).in_viewport) {
    matches[0].el.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    scrolled = true;
  }
  return matches.slice(0, 100).map((match) => describe(match, scrolled));
}
