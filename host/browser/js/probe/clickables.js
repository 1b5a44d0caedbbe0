// What a user could click in this frame, in document order.
// args {limit = 200}; returns [{x, y (centre), left, top, width, height, text, name, tag, id, class, role, type, href,
// link (address of the link that it is or lies in), cursor, onclick, in_viewport, covered, disabled,
// is_empty (a field for text that holds none yet)}].
// Runs in an isolated world, so handlers set as properties stay invisible.
(args, frame) => {
  const limit = (args && args.limit) || 200, dx = (frame && frame.x) || 0, dy = (frame && frame.y) || 0;
  const ROLES =
      /^(button|link|menuitem\w*|tab|option|switch|checkbox|radio|treeitem|gridcell|slider|spinbutton)$/;
  const NATIVE = 'a[href],area[href],button,input:not([type=hidden]),select,textarea,summary';
  const squeeze = (text, length) => String(text || '').replace(/\s+/g, ' ').trim().slice(0, length);

  const opacity = (el) => {
    let value = 1;
    for (let e = el; e && e.nodeType === 1 && value > 0.05; e = e.parentElement || (e.getRootNode() || {}).host) {
      value *= parseFloat(getComputedStyle(e).opacity);
    }
    return value;
  };
  // A wrapped inline link has a bounding box whose centre may be empty: its first line box is what to press.
  const box_of = (el) => {
    for (const r of el.getClientRects())
      if (r.width > 3 && r.height > 3) return r;
    // A pressable whose own box has collapsed (absolute or floating content) still shows its content.
    for (const child of el.children) {
      const r = child.getBoundingClientRect();
      if (r.width > 3 && r.height > 3) return r;
    }
    return null;
  };
  const hit_at = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const within = (node, el) => {
    for (let e = node; e; e = e.parentNode || e.host)
      if (e === el) return true;
    return false;
  };
  const is_covered = (el, x, y) => {
    const hit = hit_at(x, y);
    if (!hit) return false;
    if (within(hit, el)) return false;
    const label = hit.closest && hit.closest('label');
    if (label && label.control === el) return false;
    return !(el.tagName === 'LABEL' && el.control && within(hit, el.control));
  };
  const name_of = (el, text) => {
    const root = el.getRootNode();
    const labelled = squeeze(
        (el.getAttribute('aria-labelledby') || '')
            .split(/\s+/)
            .map((id) => {
              const other = id && root.getElementById && root.getElementById(id);
              return other ? other.textContent : '';
            })
            .join(' '),
        200);
    const picture = el.querySelector('img[alt], svg title, [aria-label]');
    const pressable = el.tagName === 'INPUT' && /^(button|submit|reset|image)$/.test(el.type);
    const own_label = el.labels && el.labels.length ? el.labels[0].textContent : '';
    return labelled || squeeze(el.getAttribute('aria-label'), 200) || squeeze(el.getAttribute('alt'), 200) ||
        (pressable && squeeze(el.value || (el.type === 'submit' ? 'Submit' : ''), 200)) || text ||
        squeeze(own_label, 200) || squeeze(el.getAttribute('title'), 200) ||
        squeeze(el.getAttribute('placeholder'), 200) ||
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
  const describe = (el, style, strong) => {
    if (style.visibility !== 'visible' || style.display === 'none') return;
    const box = box_of(el);
    if (!box || opacity(el) <= 0.05) return;
    if (!strong && repeats_outer(el, box)) return;
    accepted.set(el, box);
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const in_viewport = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    const text = squeeze(el.innerText === undefined ? el.textContent : el.innerText, 200) ||
        (el.shadowRoot ? squeeze(el.shadowRoot.textContent, 200) : '');
    out.push({
      x: x + dx,
      y: y + dy,
      left: box.left + dx,
      top: box.top + dy,
      width: box.width,
      height: box.height,
      text,
      name: name_of(el, text),
      tag: el.tagName.toLowerCase(),
      id: el.id || '',
      class: String(el.getAttribute('class') || '').slice(0, 300),
      role: el.getAttribute('role') || '',
      type: el.getAttribute('type') || '',
      href: el.getAttribute('href') || '',
      link: String((el.closest('a[href],area[href]') || {}).href || '').slice(0, 2000),
      cursor: style.cursor,
      onclick: el.hasAttribute('onclick'),
      in_viewport,
      covered: in_viewport && is_covered(el, x, y),
      disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true',
      is_empty: el.matches('textarea,input:not([type]),input[type=text],input[type=search]') && !el.readOnly && el.value === '',
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
      if (strong || weak) describe(el, style, strong);
    }
    for (const child of el.children) visit(child, pointer);
    if (el.shadowRoot)
      for (const child of el.shadowRoot.children) visit(child, pointer);
  };
  if (document.documentElement) visit(document.documentElement, false);
  return out;
}
