-- Frames that nobody looks at are not drawn where that cannot be seen: every picture is that of a page that draws all.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local skipped = "__qa_clock.clock.drawing.skipped"

-- What the fixtures begin with. box() is drawn elsewhere in each frame, faint() so that frames before shine through.
local common = [[<canvas id=c width=320 height=200></canvas><script>
  const canvas = document.getElementById('c');
  let n = 0, sum = 0, g;
  const start = () => g = canvas.getContext('2d');
  const box = () => { g.fillStyle = 'red'; g.fillRect(n % 300, n % 180, 20, 20); };
  const faint = () => { g.globalAlpha = 0.1; box(); g.globalAlpha = 1; };
  const clear = () => g.clearRect(0, 0, 320, 200);
  const loop = (draw) => requestAnimationFrame(function run() { ++n; draw(); requestAnimationFrame(run); });
  const picture = (height) => {
    const small = document.createElement('canvas'), image = new Image(), s = small.getContext('2d');
    small.width = 32; small.height = 20; s.fillStyle = 'green'; s.fillRect(0, 0, 32, height);
    image.src = small.toDataURL();
    return image;
  };
  const adding = () => {
    const other = document.body.appendChild(document.createElement('canvas')).getContext('2d');
    other.globalAlpha = 0.1;
    return other;
  };
  // ---- WebGL: a triangle
  let gl, angle;
  const start_gl = (type = 'webgl', options = {}) => {
    gl = canvas.getContext(type, options);
    const program = gl.createProgram(), shader = (type, text) => {
      const made = gl.createShader(type);
      gl.shaderSource(made, text); gl.compileShader(made); gl.attachShader(program, made);
    };
    shader(gl.VERTEX_SHADER, `attribute vec2 at; uniform float angle;
      void main() { gl_Position = vec4(mat2(cos(angle), sin(angle), -sin(angle), cos(angle)) * at, 0, 1); }`);
    shader(gl.FRAGMENT_SHADER, 'precision mediump float; void main() { gl_FragColor = vec4(1, 0.5, 0, 1); }');
    gl.bindAttribLocation(program, 0, 'at'); gl.linkProgram(program); gl.useProgram(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0.1, 0.1, -0.1, 0.9, 0.3]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0); gl.clearColor(0, 0, 0.3, 1);
    angle = gl.getUniformLocation(program, 'angle');
  };
  const clear_gl = () => gl.clear(gl.COLOR_BUFFER_BIT);
  const turn = () => { gl.uniform1f(angle, n / 9); gl.drawArrays(gl.TRIANGLES, 0, 3); };
  const pixel = () => {
    const bytes = new Uint8Array(4);
    gl.readPixels(160, 110, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes[0];
  };
  const texture = () => {
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 64, 64, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    return made;
  };
]]

local function same(a, b) return a:diff(b).changed_pixels == 0 end

---Steps each case in two pages side by side, the second of which draws every frame, and compares pictures.
---@param expected {skips: boolean, lost?: boolean, steps?: integer[], after?: fun(page: qa.Page)}
local function compare(t, cases, expected)
  local files = {}
  for i, case in ipairs(cases) do files["case" .. i .. ".html"] = common .. case[2] .. "</script>" end
  clock_page.with("", function(open, server)
    local page, all = open(), open()
    for i, case in ipairs(cases) do
      for _, one in ipairs{ page, all } do assert(one:navigate(server.url .. "case" .. i .. ".html")) end
      local is_lost, has_moved, before = false, false, nil
      for at, frames in ipairs(expected.steps or { 40, 7, 30, 1, 60 }) do
        is_lost = assert(page:step(frames)).skipping_lost
        t.equal(assert(all:step(frames, { draw = "all" })).skipping_lost, false)
        local seen, right = assert(page:screenshot()), assert(all:screenshot())
        if not is_lost then t.truthy(same(seen, right), case[1] .. ": picture " .. at) end
        has_moved = has_moved or (before ~= nil and not same(before, seen))
        before = seen
        for _, one in ipairs{ page, all } do if expected.after then expected.after(one) end end
      end
      t.truthy(has_moved, case[1] .. ": nothing moved")
      t.equal(is_lost, expected.lost or false, case[1])
      local count = value(page, skipped)
      if expected.skips then t.truthy(count > 50, case[1] .. ": left out " .. count) else t.equal(count, 0, case[1]) end
      t.equal(value(all, skipped), 0)
      if not is_lost then t.equal(value(page, "[n, sum]"), value(all, "[n, sum]"), case[1]) end
    end
  end, files)
end

local cleared_box = "start(); loop(() => { clear(); box(); });"
local tests = {}

tests["a canvas that is cleared or covered in each frame is left out"] = function(t)
  compare(t, {
    { "cleared", cleared_box },
    { "filled with an opaque colour, scaled", [[start(); loop(() => {
      g.save(); g.scale(2, 2); g.fillStyle = 'rgb(0, 9, 99)'; g.fillRect(0, 0, 160, 100); g.restore(); box(); });]] },
    { "its width is set", "start(); loop(() => { canvas.width = 320; box(); });" },
    { "reset", "start(); loop(() => { g.reset(); g.translate(3, 3); box(); });" },
    { "cleared after a clip that has ended", [[start(); loop(() => {
      clear(); g.save(); g.beginPath(); g.rect(0, 0, 100, 200); g.clip(); box(); g.restore(); });]] },
    { "covered by an opaque picture", [[start(); const image = picture(20);
      loop(() => { g.drawImage(image, 0, 0, 320, 200); box(); });]] },
    { "covered by a part of one", [[start(); const image = picture(20);
      loop(() => { g.drawImage(image, 0, 5, 32, 10, 0, 0, 320, 200); box(); });]] },
    { "covered by pixels", [[start(); const pixels = g.createImageData(320, 200);
      loop(() => { pixels.data[(n * 7 % 64000) * 4 + 3] = 255; g.putImageData(pixels, 0, 0); });]] },
    { "what it would throw is thrown", [[start(); const none = document.createElement('canvas'); none.width = 0;
      const wrong = [() => g.drawImage(none, 0, 0), () => g.fillRect(1), () => g.drawImage(null, 0, 0),
        () => g.fill(3)];
      loop(() => { clear(); box(); for (const one of wrong) try { one(); } catch { ++sum; } });]] },
  }, { skips = true })
end

tests["a canvas whose frames build on each other, or that is read, is always drawn"] = function(t)
  compare(t, {
    { "a fill that is not opaque", [[start(); loop(() => {
      g.fillStyle = 'rgba(0, 0, 0, 0.1)'; g.fillRect(0, 0, 320, 200); box(); });]] },
    { "nothing is cleared", "start(); loop(faint);" },
    { "a part is cleared", "start(); loop(() => { g.clearRect(0, 0, 320, 100); faint(); });" },
    { "a part is cleared, by a clip", [[start(); g.beginPath(); g.rect(0, 0, 100, 200); g.clip(); g.save();
      loop(() => { g.restore(); g.save(); clear(); faint(); });]] },
    { "a part is cleared, by a transform", [[start();
      loop(() => { g.translate(50, 0); clear(); g.resetTransform(); faint(); });]] },
    { "a picture with gaps", [[start(); const image = picture(10);
      loop(() => { g.drawImage(image, 0, 0, 320, 200); faint(); });]] },
    { "a part of a picture", [[start(); const image = picture(20);
      loop(() => { g.drawImage(image, 16, 0, 32, 20, 0, 0, 320, 200); faint(); });]] },
    { "itself, moved", [[start(); g.globalCompositeOperation = 'copy';
      loop(() => { g.drawImage(canvas, 1, 0, 320, 200); g.globalCompositeOperation = 'source-over'; faint();
        g.globalCompositeOperation = 'copy'; });]] },
    { "pictures at 30 a second from a timer", "start(); setInterval(() => { ++n; clear(); box(); }, 1000 / 30);" },
    { "getImageData", [[start(); loop(() => {
      clear(); box(); sum += g.getImageData(n % 300 + 5, n % 180 + 5, 1, 1).data[0]; });]] },
    { "drawn on another one", [[start(); const other = adding();
      loop(() => { clear(); box(); other.drawImage(canvas, 0, 0); });]] },
    { "a pattern of another one", [[start(); const other = adding(); loop(() => { clear(); box();
      other.fillStyle = other.createPattern(canvas, 'repeat'); other.fillRect(0, 0, 300, 150); });]] },
    { "outside the document", [[start(); canvas.remove(); const image = document.body.appendChild(new Image());
      loop(() => { clear(); box(); if (n % 20 === 0) image.src = canvas.toDataURL(); });]] },
  }, { skips = false })
end

tests["WebGL whose buffer is not preserved is left out"] = function(t)
  compare(t, {
    { "cleared", "start_gl(); loop(() => { clear_gl(); turn(); });" },
    { "cleared by clearBuffer", [[start_gl('webgl2'); loop(() => {
      gl.clearBufferfv(gl.COLOR, 0, [0, 0.2, 0, 1]); turn(); });]] },
    { "cleared by the browser alone, whatever scissors and masks", [[start_gl(); gl.enable(gl.SCISSOR_TEST);
      gl.scissor(0, 0, 200, 200); gl.colorMask(true, false, true, true); loop(turn);]] },
    { "framebuffer objects go on", [[start_gl(); const frame = gl.createFramebuffer(), into = texture();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, into, 0);
      loop(() => { gl.bindFramebuffer(gl.FRAMEBUFFER, frame); gl.clearColor(n % 50 / 50, 0, 0, 1); clear_gl();
        const bytes = new Uint8Array(4); gl.readPixels(1, 1, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes); sum += bytes[0];
        gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.clearColor(sum % 256 / 256, 0, 0, 1); clear_gl(); turn(); });]] },
    { "a framebuffer object that is deleted while bound", [[start_gl(); loop(() => {
      const frame = gl.createFramebuffer(); gl.bindFramebuffer(gl.FRAMEBUFFER, frame); gl.deleteFramebuffer(frame);
      clear_gl(); turn(); });]] },
    { "extensions", [[start_gl(); const more = gl.getExtension('ANGLE_instanced_arrays'); loop(() => {
      gl.uniform1f(angle, n / 9); more.drawArraysInstancedANGLE(gl.TRIANGLES, 0, 3, 1); });]] },
  }, { skips = true })
end

tests["WebGL that is preserved, read, copied or asked is always drawn"] = function(t)
  compare(t, {
    { "preserved", "start_gl('webgl', {preserveDrawingBuffer: true}); loop(turn);" },
    { "readPixels", "start_gl(); loop(() => { clear_gl(); turn(); sum += pixel(); });" },
    { "copyTexImage2D", [[start_gl(); texture();
      loop(() => { turn(); gl.copyTexImage2D(gl.TEXTURE_2D, 0, gl.RGB, 0, 0, 9, 9, 0); });]] },
    { "a texture of another context", [[start_gl(); const first = gl; loop(() => { clear_gl(); turn(); second(); });
      const other = document.body.appendChild(document.createElement('canvas')).getContext('webgl');
      const second = () => other.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, canvas);]] },
    { "drawn on another canvas", [[start_gl(); const other = adding();
      loop(() => { clear_gl(); turn(); other.drawImage(canvas, 0, 0); });]] },
    { "occlusion queries", [[start_gl('webgl2'); const query = gl.createQuery(); loop(() => { clear_gl();
      gl.beginQuery(gl.ANY_SAMPLES_PASSED, query); turn(); gl.endQuery(gl.ANY_SAMPLES_PASSED); });]] },
    { "30 a second from a timer", "start_gl(); setInterval(() => { ++n; clear_gl(); turn(); }, 1000 / 30);" },
  }, { skips = false })
end

tests["what is looked at or read although frames left it out is told"] = function(t)
  compare(t, {
    { "drawn no more", "start(); loop(() => { if (n < 90) { clear(); box(); } });" },
    { "drawn in part", "start(); loop(() => { if (n < 90) clear(); faint(); });" },
    { "read once", [[start();
      loop(() => { if (n === 100) sum = g.getImageData(1, 1, 1, 1).data[3]; clear(); box(); });]] },
    { "a clip that stays", [[start(); loop(() => { clear();
      if (n === 95) { g.save(); g.beginPath(); g.rect(0, 0, 100, 200); g.clip(); } box(); });]] },
    { "a clip that stays below pixels", [[start(); const pixels = g.createImageData(320, 200);
      loop(() => { g.putImageData(pixels, 0, 0);
        if (n === 95) { g.save(); g.beginPath(); g.rect(0, 0, 100, 200); g.clip(); } box(); });]] },
    { "WebGL that is drawn no more", "start_gl(); loop(() => { if (n < 90) { clear_gl(); turn(); } });" },
    { "WebGL that is read once", "start_gl(); loop(() => { clear_gl(); turn(); if (n === 100) sum = pixel(); });" },
  }, { skips = true, lost = true, steps = { 40, 39, 60 } })
end

tests["a canvas that rests for a while is not lost where it is drawn again in time"] = function(t)
  compare(t, {
    { "a rest", "start(); loop(() => { if (n % 50 < 45) { clear(); box(); } });" },
    { "a frame that adds", "start(); loop(() => { if (n % 50 !== 45) clear(); faint(); });" },
  }, { skips = true, steps = { 70, 100, 100, 200 } })
end

tests["what an input draws between frames is drawn"] = function(t)
  compare(t, {
    { "an input", [[let typed = 0; start(); loop(() => { clear(); box(); g.fillText(typed, 9, 90); });
      onkeydown = () => { ++typed; g.fillRect(0, 0, 9, 9); };]] },
  }, { skips = true, steps = { 40, 80, 90 }, after = function(page) page:press("Space") end })
end

tests["nothing is drawn where no frame is looked at, and the next one that is shows all"] = function(t)
  clock_page.with(common .. cleared_box .. "</script>", function(open)
    local page, all = open(), open()
    page:step(40)
    local before = page:screenshot()
    t.equal(page:step(20, { draw = "none" }).skipping_lost, false)
    t.equal(page:step_until("n === 70", { draw = "none" }).met, true)
    t.truthy(same(before, page:screenshot()))
    t.equal(page:run_for(50).skipping_lost, false)
    all:step(73, { draw = "all" })
    t.truthy(same(page:screenshot(), all:screenshot()))
    -- Any frame may be the last one of step_until.
    page:step_until("n === 110")
    all:run_for(37 * 1000 / 60, { draw = "all" })
    t.truthy(same(page:screenshot(), all:screenshot()))
  end)
end

tests["a request that takes several calls of the page draws its last frame alone"] = function(t)
  local busy = "loop(() => { for (let i = 0; i < 2e5; ++i) sum += Math.sqrt(i); });"
  clock_page.with(common .. busy .. cleared_box .. "</script>", function(open)
    local page = open()
    page:step(31)
    t.equal(page:step(1500).skipping_lost, false)
    t.equal(value(page, skipped), 1499)
  end)
end

tests["the functions of a canvas look as the browser's own"] = function(t)
  clock_page.with("<p>", function(open)
    t.equal(value(open(), [[[CanvasRenderingContext2D.prototype.fillRect, WebGL2RenderingContext.prototype.drawElements,
      HTMLCanvasElement.prototype.toDataURL].map((f) => [f.name, f.length, String(f), 'prototype' in f].join())]]), {
      "fillRect,4,function fillRect() { [native code] },false",
      "drawElements,4,function drawElements() { [native code] },false",
      "toDataURL,0,function toDataURL() { [native code] },false" })
  end)
end

return tests
