// Writes a tiny llama model with random weights as GGUF v3: two layers of 64, byte vocabulary, about half a megabyte.
// It understands nothing and answers anything, which is what a test of parsers wants. A seed gives the same bytes.
// usage: node make_gguf.mjs FILE [SEED]
import { writeFileSync } from 'node:fs';

const shape = { context: 2048, width: 64, layers: 2, heads: 4, feed: 128 };
const types = { u32: 4, f32: 6, bool: 7, string: 8, array: 9 };
const token_kinds = { normal: 1, unknown: 2, control: 3, byte: 6 };
const alignment = 32;

// ---- Bytes

const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const i32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const u64 = (value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const f32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
const string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc((alignment - (bytes.length % alignment)) % alignment)]);

const number = (key, value) => [string(key), u32(types.u32), u32(value)];
const real = (key, value) => [string(key), u32(types.f32), f32(value)];
const text = (key, value) => [string(key), u32(types.string), string(value)];
const flag = (key, value) => [string(key), u32(types.bool), Buffer.of(value ? 1 : 0)];
const list = (key, type, values) => [string(key), u32(types.array), u32(type), u64(values.length), ...values];

// ---- Contents

/** [piece, score, kind]: three controls, every byte, printable ASCII, the space mark, and pieces of JSON. */
function vocabulary() {
  const bytes = Array.from({ length: 256 }, (_, i) => [
    `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`,
    0,
    token_kinds.byte,
  ]);
  const ascii = Array.from({ length: 94 }, (_, i) => [String.fromCharCode(33 + i), -1, token_kinds.normal]);
  const pieces = ['\u2581', '":', '",', '{"', '"}', 'true', 'false', 'null', '\u2581the', 'click', 'é', '日', '🎮'].map(
    (piece) => [piece, -2, token_kinds.normal],
  );
  return [
    ['<unk>', 0, token_kinds.unknown],
    ['<s>', 0, token_kinds.control],
    ['</s>', 0, token_kinds.control],
    ...bytes,
    ...ascii,
    ...pieces,
  ];
}

/** Normal deviates from a seeded mulberry32. */
function deviates(seed) {
  const uniform = () => {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

function metadata(tokens) {
  const { context, width, layers, heads, feed } = shape;
  return [
    text('general.architecture', 'llama'),
    text('general.name', 'random weights'),
    number('general.alignment', alignment),
    number('general.file_type', 0),
    number('llama.context_length', context),
    number('llama.embedding_length', width),
    number('llama.block_count', layers),
    number('llama.feed_forward_length', feed),
    number('llama.attention.head_count', heads),
    number('llama.attention.head_count_kv', heads),
    number('llama.rope.dimension_count', width / heads),
    real('llama.attention.layer_norm_rms_epsilon', 1e-5),
    number('llama.vocab_size', tokens.length),
    text('tokenizer.ggml.model', 'llama'),
    list(
      'tokenizer.ggml.tokens',
      types.string,
      tokens.map(([piece]) => string(piece)),
    ),
    list(
      'tokenizer.ggml.scores',
      types.f32,
      tokens.map(([, score]) => f32(score)),
    ),
    list(
      'tokenizer.ggml.token_type',
      5,
      tokens.map(([, , kind]) => i32(kind)),
    ),
    number('tokenizer.ggml.unknown_token_id', 0),
    number('tokenizer.ggml.bos_token_id', 1),
    number('tokenizer.ggml.eos_token_id', 2),
    flag('tokenizer.ggml.add_bos_token', true),
    flag('tokenizer.ggml.add_eos_token', false),
  ];
}

/** [name, dimensions, fill]; dimensions start with the one that is contiguous. */
function tensors(words, draw) {
  const { width, layers, feed } = shape;
  const ones = () => 1,
    random = (scale) => () => draw() * scale;
  const inner = random(1 / Math.sqrt(width));
  const block = (i) => [
    [`blk.${i}.attn_norm.weight`, [width], ones],
    [`blk.${i}.ffn_norm.weight`, [width], ones],
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => [`blk.${i}.${name}.weight`, [width, width], inner]),
    [`blk.${i}.ffn_gate.weight`, [width, feed], inner],
    [`blk.${i}.ffn_up.weight`, [width, feed], inner],
    [`blk.${i}.ffn_down.weight`, [feed, width], inner],
  ];
  return [
    ['token_embd.weight', [width, words], random(1)],
    ['output_norm.weight', [width], ones],
    ['output.weight', [width, words], random(0.25)],
    ...Array.from({ length: layers }, (_, i) => block(i)).flat(),
  ];
}

/** The file as bytes. */
export function make_gguf(seed = 1) {
  const tokens = vocabulary(),
    draw = deviates(seed),
    facts = metadata(tokens),
    described = tensors(tokens.length, draw);
  const data = described.map(([, dimensions, fill]) => {
    const count = dimensions.reduce((a, b) => a * b);
    return padded(Buffer.from(Float32Array.from({ length: count }, fill).buffer));
  });
  let offset = 0;
  const table = described.map(([name, dimensions], i) => {
    const entry = Buffer.concat([string(name), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(offset)]);
    offset += data[i].length;
    return entry;
  });
  const head = [Buffer.from('GGUF'), u32(3), u64(described.length), u64(facts.length), ...facts.flat(), ...table];
  return Buffer.concat([padded(Buffer.concat(head)), ...data]);
}

if (import.meta.filename === process.argv[1]) writeFileSync(process.argv[2], make_gguf(Number(process.argv[3] ?? 1)));
