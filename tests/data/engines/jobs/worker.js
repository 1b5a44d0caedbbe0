const jobs = {
  level: async ({url}) => {
    const packed = await fetch(url);
    return new Response(packed.body.pipeThrough(new DecompressionStream('gzip'))).json();
  },
  picture: async ({url}) => createImageBitmap(await (await fetch(url)).blob()),
  digest: async ({text}) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))[0],
  fly: ({place: {x, y}, seed}) => ({x: (x + Math.sin(seed) * 6 + 480) % 480, y: (y + 3 + Math.random() * 2) % 240}),
};
onmessage = ({data: {port, from}}) => {
  port.onmessage = async ({data}) => {
    const url = data.url && new URL(data.url, from).href;
    const value = await jobs[data.kind]({...data, url});
    port.postMessage({id: data.id, value}, value instanceof ImageBitmap ? [value] : []);
  };
  port.postMessage({});  // Is free.
};
