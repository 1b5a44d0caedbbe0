// Maze Walk: nothing moves unless the player does.
const CELL = 50, COLS = 21, ROWS = 13;
const g = document.querySelector('canvas').getContext('2d');
const game = window.game = { started: false, x: 1, y: 1, level: 1, steps: 0 };
let walls, trail;

function dig() {
  walls = Array.from({ length: ROWS }, () => Array(COLS).fill(true));
  trail = new Set(['1,1']);
  const stack = [[1, 1]];
  walls[1][1] = false;
  while (stack.length) {
    const [x, y] = stack[stack.length - 1];
    const ways = [[2, 0], [-2, 0], [0, 2], [0, -2]].filter(([dx, dy]) => walls[y + dy]?.[x + dx]);
    if (!ways.length) {
      stack.pop();
      continue;
    }
    const [dx, dy] = ways[Math.floor(Math.random() * ways.length)];
    walls[y + dy / 2][x + dx / 2] = walls[y + dy][x + dx] = false;
    stack.push([x + dx, y + dy]);
  }
  // Loops make it friendlier, and the first steps are open in both directions.
  const inner = size => 1 + Math.floor(Math.random() * (size - 2));
  for (let i = 0; i < 12; i++) walls[inner(ROWS)][inner(COLS)] = false;
  walls[1][2] = walls[2][1] = false;
  game.x = game.y = 1;
}

function square(x, y, color, gap = 0) {
  g.fillStyle = color;
  g.fillRect(x * CELL + gap, y * CELL + 40 + gap, CELL - 2 * gap, CELL - 2 * gap);
}

function text(s, y, size, color) {
  g.fillStyle = color;
  g.font = `bold ${size}px Arial`;
  g.textAlign = 'center';
  g.fillText(s, 525, y);
}

function draw() {
  g.fillStyle = '#1f1a24';
  g.fillRect(0, 0, 1050, 690);
  if (!game.started) {
    text('MAZE WALK', 250, 90, '#f7b267');
    text('Press Enter to start', 370, 46, '#ffffff');
    text('Walk with W A S D or the arrow keys', 440, 26, '#b8a9c9');
    return;
  }
  text(`Maze ${game.level}, ${game.steps} steps`, 30, 26, '#ffffff');
  for (let y = 0; y < ROWS; y++) for (let x = 0; x < COLS; x++) {
    square(x, y, walls[y][x] ? '#5c4b72' : trail.has(x + ',' + y) ? '#4f6d5a' : '#2a2431');
  }
  square(COLS - 2, ROWS - 2, '#7ae582', 4);
  square(game.x, game.y, '#ffd166', 2);
}

function walk(dx, dy) {
  if (walls[game.y + dy][game.x + dx]) return;
  game.x += dx;
  game.y += dy;
  game.steps++;
  trail.add(game.x + ',' + game.y);
  if (game.x === COLS - 2 && game.y === ROWS - 2) {
    game.level++;
    dig();
  }
}

document.addEventListener('keydown', e => {
  if (!game.started) {
    if (e.code !== 'Enter') return;
    game.started = true;
    dig();
  } else if (e.code === 'KeyW' || e.code === 'ArrowUp') walk(0, -1);
  else if (e.code === 'KeyS' || e.code === 'ArrowDown') walk(0, 1);
  else if (e.code === 'KeyA' || e.code === 'ArrowLeft') walk(-1, 0);
  else if (e.code === 'KeyD' || e.code === 'ArrowRight') walk(1, 0);
  else return;
  e.preventDefault();
  draw();
});
draw();
