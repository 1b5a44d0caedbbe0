// What this frame's browser may draw otherwise at an input, whatever the page does. args {x?, y?}: where a click is to come; returns {pressed: the
// box of the control or element that it presses, or null for a canvas and the page itself, is_field: is that a field which the browser fills or marks
// by itself (the box covers its label and the other buttons of its group, too), focused: the box of the control that shows the keyboard's
// focus and may lose or show it, or null, writes: does that one take text, hover: may a control look different under the pointer, by a style sheet or by itself}; boxes are {x (left),
// y (top), width, height}.
(args, frame) => {
  const CONTROL = 'a[href],button,input,select,textarea,summary,label,[role=button],[onclick]';
  const box_of = (el) => dom.box_of(el, frame);
  const hit = args.x === undefined ? null : document.elementFromPoint(args.x - frame.x, args.y - frame.y);
  const pressed = hit && !/^(canvas|iframe|frame|embed|object|video|body|html)$/i.test(hit.tagName) ? hit.closest(CONTROL) || hit : null;
  const FIELD = 'textarea,select,input:not([type=button],[type=submit],[type=reset],[type=image])';
  const field = pressed && (pressed.matches(FIELD) ? pressed : pressed.tagName === 'LABEL' && pressed.control && pressed.control.matches(FIELD) ?
    pressed.control : null);
  const group = !field ? [] : field.type !== 'radio' ? [field] :
    [...document.querySelectorAll('input[type=radio]')].filter((other) => other.name === field.name && other.form === field.form);
  const around = (elements) => {
    const boxes = elements.map(box_of), x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
    return {x, y, width: Math.max(...boxes.map((b) => b.x + b.width)) - x, height: Math.max(...boxes.map((b) => b.y + b.height)) - y};
  };
  const active = document.activeElement;
  const focused = active && active !== pressed && active.matches('a[href],button,input,select,textarea,summary') ? active : null;
  const styles_hover = (rules) => [...rules].some((rule) =>
    (rule.selectorText || '').includes(':hover') || (rule.cssRules && styles_hover(rule.cssRules)));
  const sheet_hovers = (sheet) => {
    try { return styles_hover(sheet.cssRules); } catch (unreadable) { return true; }
  };
  // A button that the page paints itself has lost the look that the browser gives it.
  const is_themed = (el) => {
    if (!el.matches('button,input,select,textarea')) return false;
    const style = getComputedStyle(el);
    return !/^(submit|button|reset)$/.test(el.type) || style.borderTopStyle === 'outset' || style.backgroundColor === 'rgb(239, 239, 239)';
  };
  const hover = pressed !== null && (hit.tagName.includes('-') || hit.shadowRoot !== null || is_themed(pressed) ||
    [...document.styleSheets, ...(document.adoptedStyleSheets || [])].some(sheet_hovers));
  return {pressed: pressed && around([pressed, ...group]), is_field: field !== null, focused: focused && box_of(focused),
    writes: focused !== null && focused.matches(FIELD), hover};
}
