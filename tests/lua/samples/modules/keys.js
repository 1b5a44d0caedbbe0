export function steer(code) {
  if (code === "KeyJ") document.title = "left";
  if (code === "KeyL") document.title = "right";
}
