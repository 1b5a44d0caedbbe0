// How wide a text is in the fonts that pages ask for most: where that differs, another machine draws other pictures. {family: width}
() => {
  const families = ['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'system-ui', 'Arial', 'Helvetica', 'Times New Roman', 'Courier New',
                    'Georgia', 'Verdana', 'Impact', 'Comic Sans MS', 'Trebuchet MS', 'Roboto'];
  const text = 'The quick brown fox 0123456789 \u00e9\u4e2d\ud83c\udfae';
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  return Object.fromEntries(families.map((family) => {
    pen.font = `32px ${/^[a-z-]+$/.test(family) ? family : `"${family}"`}`;
    return [family, Math.round(pen.measureText(text).width * 100) / 100];
  }));
}
