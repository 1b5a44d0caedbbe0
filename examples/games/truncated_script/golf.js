// Comet Golf: aim with the mouse, let go to shoot the comet past the planets into the gate.
const canvas = document.querySelector('canvas'), g = canvas.getContext('2d');
const game = window.game = { started: true, strokes: 0, hole: 1 };
const planets = [{ x: 480, y: 260, r: 80, pull: 9000 }, { x: 720, y: 120, r: 50, pull: 4000 }];
const comet = { x: 120, y: 260, vx: 0, vy: 0 };
let aim = null;

function pull(dt) {
  for (const p of planets) {
    const dx = p.x - comet.x, dy = p.y - comet.y, far = Math.hypot(dx, dy);
    comet.vx += p.pull * dx / far ** 2 * dt;
    comet.vy += p.pull * dy / far ** 2 * dt;
  }
}

canvas.addEventListener('mousedown', e => { aim = { x: e.offsetX, y: e.offsetY }; });
canvas.addEventListener('mouseup', e => {
  comet.vx = (aim.x - e.offsetX) * 2;
  comet.vy = (aim.y - e.of
