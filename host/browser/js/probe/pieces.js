// Pieces of a board: visible elements of one kind and about square that come several times in one parent (cards, tiles,
// cells, keys). args: least_count (in one parent), least_side and most_side (CSS pixels), least_squareness (0..1, of the
// shorter side to the longer), least_share (of the view that all pieces of a board cover), most_boards, most_pieces.
// Returns [{x, y (centre), width, height, draggable, group (of the board, 0 the largest)}] in page coordinates.
(args, frame) => {
  const groups = new Map();
  const is_piece = ({width, height, bottom, right, top, left}) =>
      Math.min(width, height) >= args.least_side && Math.max(width, height) <= args.most_side && bottom > 0 && right > 0 &&
      top < innerHeight && left < innerWidth && Math.min(width, height) >= Math.max(width, height) * args.least_squareness;
  const elements = document.body ? document.body.querySelectorAll('*') : [];
  for (let i = 0; i < Math.min(elements.length, 6000); i++) {
    const element = elements[i], parent = element.parentElement;
    if (parent.childElementCount < args.least_count || element.tagName === 'A' || element.tagName === 'OPTION') continue;
    const list = groups.get(parent) || [];
    list.push(element);
    groups.set(parent, list);
  }
  const boards = [];
  for (const list of groups.values()) {
    const boxes = [];
    for (const element of list) {
      if (element.tagName !== list[0].tagName) continue;
      const box = element.getBoundingClientRect();
      if (!is_piece(box) || !dom.is_visible(element)) continue;
      boxes.push({x: box.left + box.width / 2 + frame.x, y: box.top + box.height / 2 + frame.y, width: box.width,
        height: box.height, draggable: element.draggable && element.tagName !== 'IMG'});
    }
    const area = boxes.reduce((sum, b) => sum + b.width * b.height, 0);
    if (boxes.length >= args.least_count && area >= innerWidth * innerHeight * args.least_share) boards.push({area, boxes});
  }
  boards.sort((a, b) => b.area - a.area);
  return boards.slice(0, args.most_boards).flatMap(({boxes}, group) => boxes.map((box) => ({...box, group})))
      .slice(0, args.most_pieces);
}
