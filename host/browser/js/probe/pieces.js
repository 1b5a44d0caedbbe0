// Pieces of a board: visible elements that come at least four times in one parent (cards, tiles, cells, keys),
// {x, y (centre), width, height, draggable, group} in page coordinates, groups by size of the board, at most 120. What
// covers less than a hundredth of the view is no board: a footer of links.
(args, frame) => {
  const groups = new Map();
  const seen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width >= 14 && box.height >= 14 && box.width <= 400 && box.height <= 400 && box.bottom > 0 && box.right > 0 &&
      box.top < innerHeight && box.left < innerWidth ? box : null;
  };
  const elements = document.body ? document.body.querySelectorAll("*") : [];
  for (let i = 0; i < Math.min(elements.length, 6000); i++) {
    const element = elements[i];
    const parent = element.parentElement;
    if (!parent || parent.childElementCount < 4 || element.tagName === "A" || element.tagName === "OPTION") continue;
    const list = groups.get(parent) || [];
    list.push(element);
    groups.set(parent, list);
  }
  const boards = [];
  for (const [parent, list] of groups) {
    const boxes = [];
    for (const element of list) {
      if (element.tagName !== list[0].tagName) continue;
      const box = seen(element);
      if (!box || Math.abs(box.width - box.height) > Math.max(box.width, box.height) * 0.7) continue;
      if (!dom.is_visible(element)) continue;
      boxes.push({ x: box.left + box.width / 2 + frame.x, y: box.top + box.height / 2 + frame.y, width: box.width, height: box.height,
        draggable: element.draggable && element.tagName !== "IMG" });
    }
    const area = boxes.reduce((sum, b) => sum + b.width * b.height, 0);
    if (boxes.length >= 4 && area * 100 >= innerWidth * innerHeight) boards.push({ area, boxes });
  }
  boards.sort((a, b) => b.area - a.area);
  const pieces = [];
  boards.slice(0, 3).forEach((board, group) => board.boxes.forEach((box) => pieces.push({ ...box, group })));
  return pieces.slice(0, 120);
}
