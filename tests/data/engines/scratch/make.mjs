// Writes a project of Scratch, packed as one page by TurboWarp. usage: node make.mjs MODULES PAGE
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [modules, page] = process.argv.slice(2);
const load = createRequire(`${modules}/none.js`);
const Zip = load('@turbowarp/jszip'), packager = load('@turbowarp/packager');

const files = {};
const costume = (name, width, height, fill) => {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${fill}"/></svg>`;
  const id = createHash('md5').update(text).digest('hex');
  files[`${id}.svg`] = text;
  return { name, dataFormat: 'svg', assetId: id, md5ext: `${id}.svg`, rotationCenterX: width / 2, rotationCenterY: height / 2 };
};

const blocks = {};
// Blocks below each other; gives the first one's id.
const script = (...list) => {
  const ids = list.map(([opcode]) => `${opcode}.${Object.keys(blocks).length}.${list.length}`).map((id, at) => `${id}.${at}`);
  list.forEach(([opcode, inputs = {}, fields = {}], at) => {
    const top = at === 0 && opcode.startsWith('event_');
    blocks[ids[at]] = { opcode, inputs, fields, next: ids[at + 1] ?? null, parent: ids[at - 1] ?? null, shadow: false, topLevel: top, x: 0, y: 0 };
  });
  return ids[0];
};
const number = (value) => [1, [4, String(value)]];
const random = script(['operator_random', { FROM: number(-3), TO: number(3) }]);
const body = script(['motion_turnright', { DEGREES: number(2) }], ['motion_changeyby', { DY: [3, random, [4, '0']] }]);
script(['event_whenflagclicked'], ['control_forever', { SUBSTACK: [2, body] }]);
for (const [key, dx] of [['left arrow', -20], ['right arrow', 20]])
  script(['event_whenkeypressed', {}, { KEY_OPTION: [key, null] }], ['motion_changexby', { DX: number(dx) }]);

const target = (name, picture, rest) =>
  ({ name, variables: {}, lists: {}, broadcasts: {}, blocks: {}, comments: {}, currentCostume: 0, costumes: [picture], sounds: [], volume: 100, ...rest });
const project = {
  targets: [
    target('Stage', costume('sky', 480, 360, '#cde'), { isStage: true, layerOrder: 0, tempo: 60, videoTransparency: 50, videoState: 'off', textToSpeechLanguage: null }),
    target('Kite', costume('kite', 60, 30, '#a33'), {
      isStage: false, layerOrder: 1, blocks, visible: true, x: 0, y: 0, size: 100, direction: 90, draggable: false, rotationStyle: 'all around',
    }),
  ],
  monitors: [], extensions: [], meta: { semver: '3.0.0', vm: '0.2.0', agent: '' },
};

const zip = new Zip();
zip.file('project.json', JSON.stringify(project));
for (const [name, text] of Object.entries(files)) zip.file(name, text);
const made = new packager.Packager();
made.project = await packager.loadProject(await zip.generateAsync({ type: 'nodebuffer' }));
made.options.autoplay = false;
writeFileSync(page, (await made.package()).data);
