// What a user could click in this frame, in document order.
// args {limit = 200}; returns [{x, y (centre), left, top, width, height, text, name, tag, id, class, role, type, href,
// link (address of the link that it is or lies in), cursor, onclick, in_viewport, covered, disabled,
// is_empty (a field for text that holds none yet)}].
// Runs in an isolated world, so handlers set as properties stay invisible.
(args, frame) => {
  const limit = args.limit || 200, squeeze = dom.squeeze;
  const ROLES =
      /^(button|link|menuitem\w*|tab|option|switch|checkbox|radio|treeitem|gridcell|slider|spinbutton)$/;
  const NATIVE = 'a[href],area[href],button,input:not([type=hidden]),select,textarea,summary';
  const TEXT_FIELD = 'textarea,input:not([type]),input[type=text],input[type=search]';

  // A pressable whose own box has collapsed (absolute or floating content) still shows its content.
  const box_of = (el) => dom.first_line(el, 3) ||
      [...el.children].map((child) => child.getBoundingClientRect()).find((box) => box.width > 3 && box.height > 3);
  const name_of = (el, text) => {
    const attribute = (name) => squeeze(el.getAttribute(name), 200);
    const picture = el.querySelector('img[alt], svg title, [aria-label]');
    const pressable = el.tagName === 'INPUT' && /^(button|submit|reset|image)$/.test(el.type);
    const own_label = el.labels && el.labels.length ? el.labels[0].textContent : '';
    return squeeze(dom.labels_of(el).join(' '), 200) || attribute('aria-label') || attribute('alt') ||
        (pressable && squeeze(el.value || (el.type === 'submit' ? 'Submit' : ''), 200)) || text ||
        squeeze(own_label, 200) || attribute('title') || attribute('placeholder') ||
        (picture &&
         squeeze(picture.getAttribute('alt') || picture.getAttribute('aria-label') || picture.textContent, 200)) ||
        '';
  };

  const out = [];
  const accepted = new Map();  // element -> box, to drop what only repeats the box of a pressable around it
  const repeats_outer = (el, box) => {
    for (let e = el.parentElement, depth = 0; e && depth < 6; e = e.parentElement, depth++) {
      const outer = accepted.get(e);
      if (outer) return box.width * box.height > 0.6 * outer.width * outer.height;
    }
    return false;
  };
  const add = (el, style, strong) => {
    const box = box_of(el);
    if (!box || !dom.is_visible(el, style)) return;
    if (!strong && repeats_outer(el, box)) return;
    accepted.set(el, box);
    const text = dom.text_of(el, 200) || (el.shadowRoot ? squeeze(el.shadowRoot.textContent, 200) : '');
    out.push({
      ...dom.describe(el, box, frame),
      text,
      name: name_of(el, text),
      cursor: style.cursor,
      onclick: el.hasAttribute('onclick'),
      is_empty: el.matches(TEXT_FIELD) && !el.readOnly && el.value === '',
    });
  };

  let visited = 0;
  const visit = (el, outer_pointer) => {
    if (out.length >= limit || ++visited > 20000) return;
    const style = getComputedStyle(el);
    if (style.display === 'none') return;
    // A page that sets the pointer on its body says nothing about any one element.
    const root = el === document.body || el === document.documentElement;
    const pointer = style.cursor === 'pointer';
    if (!root) {
      const native = el.matches(NATIVE);
      const strong = native || ROLES.test(el.getAttribute('role') || '') || el.hasAttribute('onclick');
      const weak =
          (el.hasAttribute('tabindex') && el.tabIndex >= 0) || el.tagName === 'LABEL' || (pointer && !outer_pointer);
      if (strong || weak) add(el, style, strong);
    }
    for (const child of el.children) visit(child, pointer);
    if (el.shadowRoot)
      for (const child of el.shadowRoot.children) visit(child, pointer);
  };
  if (document.documentElement) visit(document.documentElement, false);
  return out;
}
