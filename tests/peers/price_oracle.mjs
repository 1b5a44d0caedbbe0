// Prints what calls cost by @pydantic/genai-prices: a header, then one JSON line for each model of our table with a
// price of its own there and each usage below. Run it where the package is installed:
//
//   node price_oracle.mjs PATH/scripts/data/prices.json [DAY] > PATH/tests/data/price_corpus.jsonl
//
// tests/host/money/prices_test.cpp compares our arithmetic with the lines; `input` counts the whole prompt on both sides.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { calcPrice } from "@pydantic/genai-prices";

const [tablePath, day = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);
if (!tablePath) {
  console.error("usage: node price_oracle.mjs PRICES.json [DAY]");
  process.exit(3);
}
const theirs = { gemini: "google" };  // Providers that have another name there.
const entry = fileURLToPath(import.meta.resolve("@pydantic/genai-prices"));
const about = JSON.parse(readFileSync(join(dirname(entry), "..", "package.json"), "utf8"));

const usage = (input, cached_input, cache_write, output, reasoning) =>
  ({ input, cached_input, cache_write, output, reasoning });

function* usages(row) {
  yield usage(1, 0, 0, 1, 0);
  yield usage(3765, 0, 0, 150, 0);
  yield usage(10007, 8192, 0, 333, 0);
  yield usage(777, 0, 0, 31999, 30001);
  yield usage(300001, 250000, 0, 4097, 1024);
  if (row.cache_write) {
    yield usage(5003, 0, 4096, 77, 0);
    yield usage(20011, 12288, 4099, 1025, 900);
  }
  for (const tier of row.tiers ?? []) {
    yield usage(tier.above, 0, 0, 11, 0);
    yield usage(tier.above + 1, 0, 0, 11, 0);
    yield usage(tier.above + 1, 4097, 0, 2049, 2000);
  }
}

const seen = new Set();  // The row that holds on the day comes before the one after it.
const print = (value) => console.log(JSON.stringify(value));
print({ package: about.name, version: about.version, licence: about.license, day });
for (const row of JSON.parse(readFileSync(tablePath, "utf8")).rows) {
  if (row.until && row.until <= day) continue;
  for (const model of row.models.filter((id) => !/[*?#]/.test(id)).slice(0, 2)) {
    const name = `${row.provider} ${model}`;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const counts of usages(row)) {
      const price = calcPrice(
        { input_tokens: counts.input, cache_read_tokens: counts.cached_input,
          cache_write_tokens: counts.cache_write, output_tokens: counts.output },
        model, { providerId: theirs[row.provider] ?? row.provider, timestamp: new Date(`${day}T12:00:00Z`) });
      if (!price) {
        console.error(`${name}: no price`);
        process.exitCode = 1;
        break;
      }
      print({ provider: row.provider, model, usage: counts, usd: price.total_price });
    }
  }
}
