--- Build: which version of a game this is, told by its scripts, so that what was learned of another build counts less.
-- What a page writes into itself at each visit (a session, the time) does not change it, nor does a style.
local qa = require "qa"

local M = {}

-- The text of a script by its length and two 32-bit hashes (FNV-1a both ways): it may have megabytes itself.
local sums = [[async (most) => {
  const sum = (text) => {
    let a = 2166136261, b = 2166136261;
    for (let i = 0, j = text.length - 1; i < text.length; i++, j--) {
      a = Math.imul(a ^ text.charCodeAt(i), 16777619);
      b = Math.imul(b ^ text.charCodeAt(j), 16777619);
    }
    return [text.length, a >>> 0, b >>> 0].join('.');
  };
  const parts = [];
  for (const script of Array.from(document.scripts).slice(0, 100)) {
    if (!script.src) { parts.push(sum(script.text)); continue; }
    const url = new URL(script.src), name = url.pathname;
    let text = '';
    if (url.origin === location.origin) {
      try {
        const reply = await fetch(script.src, { cache: 'force-cache' });
        text = reply.ok ? (await reply.text()).slice(0, most) : '';
      } catch (error) { text = ''; }
    }
    parts.push(name + ' ' + sum(text));
  }
  return parts;
}]]

---@param page qa.Page
---@return string build 16 hex digits; "" where the page does not say
function M.of(page)
  local parts = page:evaluate(sums, { args = { 4000000 }, world = "host", timeout_ms = 4000 })
  if type(parts) ~= "table" then return "" end
  for i, part in ipairs(parts) do parts[i] = tostring(part) end
  table.sort(parts)
  return qa.fs.sha256(table.concat(parts, "\n")):sub(1, 16)
end

return M
