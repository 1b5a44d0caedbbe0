// What several probes share: the build puts those definitions in front of a probe that it names as dom.NAME, and those
// that they use.

const squeeze = (text, length) => String(text || '').replace(/\s+/g, ' ').trim().slice(0, length);

// All elements in document order, those in open shadow roots included.
const elements = (most = Infinity, root = document, list = []) => {
  for (const el of root.querySelectorAll('*')) {
    if (list.length >= most) break;
    list.push(el);
    if (el.shadowRoot) elements(most, el.shadowRoot, list);
  }
  return list;
};

// Can it be seen at all? By its style and by its opacity with all that it lies in; its size is not asked for.
const is_visible = (el, style = getComputedStyle(el)) => {
  if (style.visibility !== 'visible' || style.display === 'none') return false;
  let opacity = 1;
  for (let e = el; e && e.nodeType === 1 && opacity > 0.05; e = e.parentElement || (e.getRootNode() || {}).host) {
    opacity *= parseFloat(getComputedStyle(e).opacity);
  }
  return opacity > 0.05;
};
// The browser's own answer: quicker, but only what is wholly transparent counts as hidden.
const is_rendered = (el) => el.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});

const box_of = (el, frame) => {
  const box = el.getBoundingClientRect();
  return {x: box.left + frame.x, y: box.top + frame.y, width: box.width, height: box.height};
};
// A wrapped inline link has a bounding box whose centre may be empty: its first line box is what to press.
const first_line = (el, least) => [...el.getClientRects()].find((box) => box.width > least && box.height > least);

const is_within = (node, el) => {
  for (let e = node; e; e = e.parentNode || e.host)
    if (e === el) return true;
  return false;
};
// Would a click at this point of the viewport press something else?
const is_covered = (el, x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  if (!hit || is_within(hit, el)) return false;
  const label = hit.closest('label');
  if (label && label.control === el) return false;
  return !(el.tagName === 'LABEL' && el.control && is_within(hit, el.control));
};

// The texts of the elements that label this one.
const labels_of = (el) => (el.getAttribute('aria-labelledby') || '').split(/\s+/).map((id) => {
  const root = el.getRootNode(), other = id && root.getElementById && root.getElementById(id);
  return other ? other.textContent : '';
});
// What a probe tells of an element whose place is `box`.
const describe = (el, box, frame) => {
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  const in_viewport = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  const attribute = (name) => el.getAttribute(name) || '';
  return {
    x: x + frame.x, y: y + frame.y, left: box.left + frame.x, top: box.top + frame.y,
    width: box.width, height: box.height,
    tag: el.tagName.toLowerCase(), id: el.id || '', class: attribute('class').slice(0, 300), role: attribute('role'),
    type: attribute('type'), href: attribute('href'),
    link: String((el.closest('a[href],area[href]') || {}).href || '').slice(0, 2000),
    in_viewport, covered: in_viewport && is_covered(el, x, y),
    disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true',
  };
};
const text_of = (el, length) => squeeze(el.innerText === undefined ? el.textContent : el.innerText, length);
