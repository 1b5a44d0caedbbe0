-- The bytes of a WAV file: a second of silence, 8 bits at 8000 Hz.
local function u32(n) return string.char(n % 256, math.floor(n / 256) % 256, math.floor(n / 65536) % 256, 0) end

return "RIFF" .. u32(8036) .. "WAVEfmt " .. u32(16) .. "\1\0\1\0" .. u32(8000) .. u32(8000)
  .. "\1\0\8\0data" .. u32(8000) .. ("\128"):rep(8000)
