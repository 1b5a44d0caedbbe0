// Price oracle: what @pydantic/genai-prices says a usage costs, from the price data that its package ships.
// usage: node price_oracle.mjs < USAGES.jsonl    prints one JSON line for each line read
//   a line is {provider, model, usage: {input, cached, cache_write, output}, at?}; input counts everything sent
//   an answer is {usd, input_usd, output_usd, provider, model}, named as the row that matched, or null: no price
// It matches models loosely (a newer version may get an older one's row): compare `model` before comparing money.
import { createInterface } from 'node:readline';
import { calcPrice } from '@pydantic/genai-prices';

for await (const line of createInterface({ input: process.stdin })) {
  const { provider, model, usage, at } = JSON.parse(line);
  const tokens = {
    input_tokens: usage.input,
    cache_read_tokens: usage.cached ?? 0,
    cache_write_tokens: usage.cache_write ?? 0,
    output_tokens: usage.output,
  };
  const price = calcPrice(tokens, model, { providerId: provider, ...(at && { timestamp: new Date(at) }) });
  const told = price && {
    usd: price.total_price,
    input_usd: price.input_price,
    output_usd: price.output_price,
    provider: price.provider.id,
    model: price.model.id,
  };
  console.log(JSON.stringify(told ?? null));
}
